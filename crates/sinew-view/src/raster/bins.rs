//! Lists the triangles that may touch each tile.

use super::project::Triangle;
use super::samples::SUBPIXELS;

/// Side of a tile in pixels: its samples fit the second-level cache.
pub(super) const TILE: i32 = 32;

/// A rectangle in pixels of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) index: usize,
}

/// The tiles of a picture, row by row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiles {
    width: i32,
    height: i32,
    columns: i32,
    rows: i32,
}

impl Tiles {
    pub(super) fn new(width: i32, height: i32) -> Self {
        Self { width, height, columns: (width + TILE - 1) / TILE, rows: (height + TILE - 1) / TILE }
    }

    pub(super) fn count(self) -> usize {
        self.columns as usize * self.rows as usize
    }

    pub(super) fn at(self, index: usize) -> Tile {
        let index_i32 = i32::try_from(index).unwrap_or(i32::MAX);
        let (left, top) = (index_i32 % self.columns * TILE, index_i32 / self.columns * TILE);
        Tile { left, top, width: TILE.min(self.width - left), height: TILE.min(self.height - top), index }
    }

    /// First and last column and row of tiles under a triangle, or `None` if it is outside the picture.
    fn under(self, triangle: &Triangle) -> Option<([i32; 2], [i32; 2])> {
        let side = TILE * SUBPIXELS;
        let range = |values: &[i32; 3], count: i32| {
            let low = values.iter().min().map_or(0, |&low| low.div_euclid(side)).max(0);
            let high = values.iter().max().map_or(-1, |&high| high.div_euclid(side)).min(count - 1);
            (low <= high).then_some([low, high])
        };
        Some((range(&triangle.x, self.columns)?, range(&triangle.y, self.rows)?))
    }
}

/// Triangle indices of each tile, in the given order.
#[derive(Debug, Default)]
pub(super) struct Bins {
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Bins {
    pub(super) fn new(tiles: Tiles, triangles: &[Triangle]) -> Self {
        let mut counts = vec![0usize; tiles.count() + 1];
        for_each_place(tiles, triangles, |tile, _| counts[tile + 1] += 1);
        for index in 1..counts.len() {
            counts[index] += counts[index - 1];
        }
        let starts = counts.clone();
        let mut items = vec![0; counts.last().copied().unwrap_or(0)];
        let mut next = counts;
        for_each_place(tiles, triangles, |tile, triangle| {
            items[next[tile]] = triangle;
            next[tile] += 1;
        });
        Self { starts, items }
    }

    pub(super) fn of(&self, tile: Tile) -> &[u32] {
        &self.items[self.starts[tile.index]..self.starts[tile.index + 1]]
    }
}

fn for_each_place(tiles: Tiles, triangles: &[Triangle], mut visit: impl FnMut(usize, u32)) {
    for (number, triangle) in (0u32..).zip(triangles) {
        if let Some(([left, right], [top, bottom])) = tiles.under(triangle) {
            for row in top..=bottom {
                for column in left..=right {
                    visit((row * tiles.columns + column) as usize, number);
                }
            }
        }
    }
}
