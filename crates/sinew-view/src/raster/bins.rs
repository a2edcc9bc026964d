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

    /// The number of tiles under a triangle.
    fn count_under(self, triangle: &Triangle) -> usize {
        let side = |[low, high]: [i32; 2]| (high - low + 1) as usize;
        self.under(triangle).map_or(0, |(columns, rows)| side(columns) * side(rows))
    }
}

impl Tile {
    /// The number of pixels of the tile in the box around a triangle, at least one.
    pub(super) fn pixels_under(self, triangle: &Triangle) -> usize {
        let side = |values: &[i32; 3], start: i32, length: i32| {
            let low = values.iter().min().map_or(0, |&low| low.div_euclid(SUBPIXELS)).max(start);
            let high =
                values.iter().max().map_or(0, |&high| high.div_euclid(SUBPIXELS)).min(start + length - 1);
            (high - low + 1).max(0) as usize
        };
        let (width, height) =
            (side(&triangle.x, self.left, self.width), side(&triangle.y, self.top, self.height));
        (width * height).max(1)
    }
}

/// The maximum number of entries in the lists of all tiles together, 256 MiB. A file can place thousands of triangles
/// over the whole picture; beyond this every tile looks at all of them.
const MAX_ITEMS: usize = 1 << 26;

/// Triangle indices of each tile, in the given order.
#[derive(Debug, Default)]
pub(super) struct Bins {
    /// Where the list of each tile starts; empty if all tiles share one list.
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Bins {
    pub(super) fn new(tiles: Tiles, triangles: &[Triangle]) -> Self {
        Self::bounded(tiles, triangles, MAX_ITEMS)
    }

    fn bounded(tiles: Tiles, triangles: &[Triangle], max_items: usize) -> Self {
        let counted = triangles.iter().try_fold(0usize, |total, triangle| {
            Some(total + tiles.count_under(triangle)).filter(|&total| total <= max_items)
        });
        if counted.is_none() {
            let items = (0u32..).zip(triangles).map(|(number, _)| number).collect();
            return Self { starts: Vec::new(), items };
        }
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
        match self.starts.get(tile.index..tile.index + 2) {
            Some(&[start, end]) => &self.items[start..end],
            _ => &self.items,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle(x: [i32; 3], y: [i32; 3]) -> Triangle {
        let scale = |values: [i32; 3]| values.map(|value| value * SUBPIXELS);
        Triangle {
            x: scale(x),
            y: scale(y),
            depth: [0.5; 3],
            inv_w: [1.0; 3],
            material: 0,
            face: 0,
            weights: 0,
            back: false,
        }
    }

    #[test]
    fn more_entries_than_allowed_are_one_list_for_all_tiles() {
        let tiles = Tiles::new(100, 100);
        let triangles = [triangle([0, 99, 0], [0, 0, 99]), triangle([1, 2, 1], [1, 1, 2])];
        let usual = Bins::bounded(tiles, &triangles, 17);
        assert_eq!((usual.of(tiles.at(0)), usual.of(tiles.at(5))), (&[0, 1][..], &[0][..]));
        let shared = Bins::bounded(tiles, &triangles, 16);
        assert_eq!((shared.of(tiles.at(0)), shared.of(tiles.at(5))), (&[0, 1][..], &[0, 1][..]));
    }

    #[test]
    fn the_box_around_a_triangle_is_cut_to_the_tile() {
        let tile = Tiles::new(100, 100).at(0);
        assert_eq!(tile.pixels_under(&triangle([-5, 200, 0], [-5, 0, 200])), 32 * 32);
        assert_eq!(tile.pixels_under(&triangle([3, 5, 3], [7, 7, 8])), 6);
        assert_eq!(tile.pixels_under(&triangle([50, 60, 50], [50, 50, 60])), 1);
    }
}
