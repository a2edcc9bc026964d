//! Coverage of a tile's samples by a triangle, with the depth at each.

use super::bins::Tile;
use super::project::Triangle;
use super::samples::{SUBPIXELS, SampleOffset};

/// The samples of one pixel that a triangle covers.
pub(super) struct Coverage<'a, const N: usize> {
    /// Index of the pixel in the tile, row by row.
    pub(super) pixel: usize,
    /// Bit `s` is set if sample `s` is covered.
    pub(super) mask: u32,
    /// Depth at each covered sample.
    pub(super) depth: &'a [f32; N],
}

/// Edge function: positive on the inner side.
///
/// Integers make it exact: two triangles that share an edge cover each sample near it exactly once.
struct EdgeFunction<const N: usize> {
    step_x: i64,
    step_y: i64,
    at_origin: i64,
    offsets: [i64; N],
    min: i64,
    max: i64,
}

impl<const N: usize> EdgeFunction<N> {
    fn new(triangle: &Triangle, corner: usize, origin: [i64; 2], pattern: &[SampleOffset; N]) -> Self {
        let (a, b) = ((corner + 1) % 3, (corner + 2) % 3);
        let [ax, ay, bx, by] = [triangle.x[a], triangle.y[a], triangle.x[b], triangle.y[b]].map(i64::from);
        let (dx, dy) = (bx - ax, by - ay);
        // Samples exactly on the edge belong to one of its two triangles: to the one for which it runs down,
        // or to the right when level.
        let owns = dy > 0 || (dy == 0 && dx > 0);
        let at_origin = dy * (origin[0] - ax) - dx * (origin[1] - ay) - i64::from(!owns);
        let offsets = pattern.map(|[x, y]| dy * i64::from(x) - dx * i64::from(y));
        let min = offsets.iter().copied().min().unwrap_or(0);
        let max = offsets.iter().copied().max().unwrap_or(0);
        let pixel = i64::from(SUBPIXELS);
        Self { step_x: dy * pixel, step_y: -dx * pixel, at_origin, offsets, min, max }
    }
}

/// Depth as a plane over the screen, clamped to the triangle's own range because slivers extrapolate badly.
struct DepthPlane<const N: usize> {
    at_origin: f64,
    step_x: f64,
    step_y: f64,
    offsets: [f32; N],
    min: f32,
    max: f32,
}

impl<const N: usize> DepthPlane<N> {
    fn new(triangle: &Triangle, origin: [i64; 2], pattern: &[SampleOffset; N]) -> Self {
        let [x, y] = [triangle.x.map(f64::from), triangle.y.map(f64::from)];
        let depth = triangle.depth.map(f64::from);
        let (x1, y1, x2, y2) = (x[1] - x[0], y[1] - y[0], x[2] - x[0], y[2] - y[0]);
        let (d1, d2) = (depth[1] - depth[0], depth[2] - depth[0]);
        let inverse = 1.0 / (x1 * y2 - x2 * y1);
        let slope_x = (d1 * y2 - d2 * y1) * inverse;
        let slope_y = (d2 * x1 - d1 * x2) * inverse;
        let [ox, oy] = origin.map(|value| value as f64);
        Self {
            at_origin: depth[0] + slope_x * (ox - x[0]) + slope_y * (oy - y[0]),
            step_x: slope_x * f64::from(SUBPIXELS),
            step_y: slope_y * f64::from(SUBPIXELS),
            offsets: pattern.map(|[x, y]| (slope_x * f64::from(x) + slope_y * f64::from(y)) as f32),
            min: triangle.depth.iter().copied().fold(f32::INFINITY, f32::min),
            max: triangle.depth.iter().copied().fold(f32::NEG_INFINITY, f32::max),
        }
    }

    fn at(&self, column: i32, row: i32) -> [f32; N] {
        let middle = (self.at_origin + self.step_x * f64::from(column) + self.step_y * f64::from(row)) as f32;
        self.offsets.map(|offset| (middle + offset).clamp(self.min, self.max))
    }
}

/// Calls `emit` for every pixel of the tile in which the triangle covers at least one sample.
pub(super) fn cover<const N: usize>(
    triangle: &Triangle,
    tile: Tile,
    pattern: &[SampleOffset; N],
    mut emit: impl FnMut(Coverage<'_, N>),
) {
    let Some([left, right]) = span(triangle.x, tile.left, tile.width) else { return };
    let Some([top, bottom]) = span(triangle.y, tile.top, tile.height) else { return };
    // The middle of the tile's first pixel: all pixels are counted from there in every tile of every size.
    let origin = [tile.left, tile.top].map(|pixel| i64::from(pixel) * 256 + 128);
    let edges: [EdgeFunction<N>; 3] =
        std::array::from_fn(|corner| EdgeFunction::new(triangle, corner, origin, pattern));
    let depth = DepthPlane::new(triangle, origin, pattern);
    let full = u32::MAX >> (32 - N);
    for row in top..=bottom {
        for column in left..=right {
            let values: [i64; 3] = std::array::from_fn(|index| {
                let edge = &edges[index];
                edge.at_origin + edge.step_x * i64::from(column) + edge.step_y * i64::from(row)
            });
            if (0..3).any(|index| values[index] + edges[index].max < 0) {
                continue;
            }
            let mask = if (0..3).all(|index| values[index] + edges[index].min >= 0) {
                full
            } else {
                partial_mask(&edges, values)
            };
            if mask != 0 {
                let pixel = (row * tile.width + column) as usize;
                emit(Coverage { pixel, mask, depth: &depth.at(column, row) });
            }
        }
    }
}

fn partial_mask<const N: usize>(edges: &[EdgeFunction<N>; 3], values: [i64; 3]) -> u32 {
    let mut mask = 0;
    for sample in 0..N {
        // The sign bit of the three together: set when any is negative.
        let outside = (values[0] + edges[0].offsets[sample])
            | (values[1] + edges[1].offsets[sample])
            | (values[2] + edges[2].offsets[sample]);
        mask |= u32::from(outside >= 0) << sample;
    }
    mask
}

/// First and last pixel of a tile's row or column that a triangle may touch.
fn span(values: [i32; 3], start: i32, count: i32) -> Option<[i32; 2]> {
    let low = values.iter().min().map_or(0, |&low| low.div_euclid(SUBPIXELS)) - start;
    let high = values.iter().max().map_or(-1, |&high| high.div_euclid(SUBPIXELS)) - start;
    let (low, high) = (low.max(0), high.min(count - 1));
    (low <= high).then_some([low, high])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster::samples::EIGHT;

    fn triangle(x: [i32; 3], y: [i32; 3]) -> Triangle {
        let mut triangle = Triangle {
            x,
            y,
            depth: [0.5; 3],
            inv_w: [1.0; 3],
            material: 0,
            face: 0,
            weights: 0,
            back: false,
        };
        let area =
            i64::from(x[1] - x[0]) * i64::from(y[2] - y[0]) - i64::from(x[2] - x[0]) * i64::from(y[1] - y[0]);
        if area > 0 {
            triangle.x.swap(1, 2);
            triangle.y.swap(1, 2);
        }
        triangle
    }

    fn counts(triangles: &[Triangle]) -> Vec<[u8; 8]> {
        let tile = Tile { left: 32, top: 0, width: 32, height: 32, index: 1 };
        let mut counts = vec![[0; 8]; 1024];
        for triangle in triangles {
            cover(triangle, tile, &EIGHT, |coverage| {
                for (sample, count) in counts[coverage.pixel].iter_mut().enumerate() {
                    *count += (coverage.mask >> sample & 1) as u8;
                }
            });
        }
        counts
    }

    #[test]
    fn a_fan_that_fills_the_tile_covers_every_sample_once() {
        // An odd middle, so that the inner edges run at odd slopes, and corners far outside the tile.
        let middle = (48 * 256 + 37, 15 * 256 + 91);
        let rim = [(5_000, -9_000), (30_000, -9_001), (33_333, 12_345), (20_001, 22_222), (3_001, 20_000)];
        let fan: Vec<Triangle> = (0..rim.len())
            .map(|index| {
                let (a, b) = (rim[index], rim[(index + 1) % rim.len()]);
                triangle([middle.0, a.0, b.0], [middle.1, a.1, b.1])
            })
            .collect();
        assert!(counts(&fan).iter().flatten().all(|&count| count == 1));
    }

    #[test]
    fn edges_through_sample_places_are_covered_once() {
        // Vertical and horizontal edges exactly on sample coordinates.
        let (x, y) = (40 * 256 + 128 + 16, 10 * 256 + 128 - 48);
        let (low, high) = (0, 70 * 256);
        let quads = [[low, low, x, y], [x, low, high, y], [low, y, x, high], [x, y, high, high]];
        let triangles: Vec<Triangle> = quads
            .iter()
            .flat_map(|&[left, top, right, bottom]| {
                [
                    triangle([left, right, right], [top, top, bottom]),
                    triangle([left, right, left], [top, bottom, bottom]),
                ]
            })
            .collect();
        assert!(counts(&triangles).iter().flatten().all(|&count| count == 1));
    }

    #[test]
    fn depth_stays_within_the_corners_even_on_slivers() {
        let mut sliver = triangle([10_000, 14_000, 12_000], [1_000, 5_000, 3_001]);
        sliver.depth = [0.2, 0.3, 0.9];
        let tile = Tile { left: 32, top: 0, width: 32, height: 32, index: 1 };
        cover(&sliver, tile, &EIGHT, |coverage| {
            assert!(coverage.depth.iter().all(|&depth| (0.2..=0.9).contains(&depth)));
        });
    }
}
