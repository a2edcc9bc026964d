//! Draws one tile: background, then each pass over it.

use super::bins::{TILE, Tile};
use super::cover::{Coverage, cover};
use super::frame::{PassKind, RasterFrame, RasterPass};
use super::project::Triangle;
use super::samples::{SUBPIXELS, SampleOffset};
use crate::color::Color;
use crate::glam::{Vec2, Vec3, Vec4};

/// Per-sample buffers of a tile.
struct TileBuffers<const N: usize> {
    /// Depth of the nearest opaque surface.
    opaque: Vec<[f32; N]>,
    /// Depth of the pass's nearest surface, for passes with a depth buffer of their own.
    own: Vec<[f32; N]>,
    /// Index of the visible triangle plus one; 0 is none.
    visible: Vec<[u32; N]>,
    /// Linear color so far, premultiplied.
    color: Vec<Vec4>,
    /// How many pixels triangles may still visit.
    visits_left: usize,
}

/// How many surfaces may lie over each other in a tile. A file can place any number of triangles over the whole picture,
/// each of which costs as much as a picture.
pub(super) const MAX_SURFACES: usize = 1024;

/// Triangles of this many pixels or fewer are free: the file has to list them all.
const SMALL: usize = 16;

/// After how many drawn triangles the farthest depth of a tile is looked up again.
const DEPTH_PERIOD: usize = 64;

/// The finished pixels of a tile, row by row; `None` if more than [`MAX_SURFACES`] lie over each other.
pub(super) fn draw<const N: usize>(
    frame: &RasterFrame<'_>,
    tile: Tile,
    pattern: &[SampleOffset; N],
) -> Option<Vec<[u8; 4]>> {
    let mut color = Vec::with_capacity((tile.width * tile.height) as usize);
    for row in 0..tile.height {
        for column in 0..tile.width {
            color.push(frame.backdrop(tile.left + column, tile.top + row));
        }
    }
    if frame.passes().iter().any(|pass| !pass.triangles_of(tile).is_empty()) {
        let far = vec![[f32::NEG_INFINITY; N]; color.len()];
        let visible = vec![[0; N]; color.len()];
        let visits_left = MAX_SURFACES * (TILE * TILE) as usize;
        let mut buffers = TileBuffers { opaque: far.clone(), own: far, visible, color, visits_left };
        for pass in frame.passes() {
            if !pass.triangles_of(tile).is_empty() {
                buffers.draw_pass(frame, pass, tile, pattern)?;
            }
        }
        color = buffers.color;
    }
    Some(color.into_iter().map(to_bytes).collect())
}

impl<const N: usize> TileBuffers<N> {
    fn draw_pass(
        &mut self,
        frame: &RasterFrame<'_>,
        pass: &RasterPass,
        tile: Tile,
        pattern: &[SampleOffset; N],
    ) -> Option<()> {
        self.visible.fill([0; N]);
        if pass.kind != PassKind::Opaque {
            self.own.fill([f32::NEG_INFINITY; N]);
        }
        let mut farthest = f32::NEG_INFINITY;
        let mut before: Option<&Triangle> = None;
        let mut drawn = 0;
        for &number in pass.triangles_of(tile) {
            let triangle = &pass.list.triangles[number as usize];
            if pass.kind == PassKind::Opaque {
                if drawn == DEPTH_PERIOD {
                    (farthest, drawn) = (self.farthest(), 0);
                }
                // Depths are clamped to those of the corners, so nothing of it is nearer. Of two triangles in the same
                // place the first is seen.
                let is_hidden = triangle.depth.iter().all(|&depth| depth <= farthest);
                if is_hidden || before.is_some_and(|before| before.is_in_place_of(triangle)) {
                    continue;
                }
            }
            drawn += 1;
            let visits = tile.pixels_under(triangle);
            self.visits_left = self.visits_left.checked_sub(if visits > SMALL { visits } else { 0 })?;
            let cutout = frame.material(triangle.material).is_cutout();
            before = Some(triangle).filter(|_| !cutout);
            cover(triangle, tile, pattern, |coverage| {
                if cutout && frame.is_hole(pass, triangle, middle_of(tile, coverage.pixel)) {
                    return;
                }
                self.keep_nearest(pass.kind, number + 1, &coverage);
            });
        }
        for pixel in 0..self.color.len() {
            if self.visible[pixel] != [0; N] {
                self.resolve(frame, pass, tile, pattern, pixel);
            }
        }
        Some(())
    }

    /// The depth of the farthest opaque sample, which is minus infinity until all are covered.
    fn farthest(&self) -> f32 {
        self.opaque.iter().flatten().copied().fold(f32::INFINITY, f32::min)
    }

    fn keep_nearest(&mut self, kind: PassKind, mark: u32, coverage: &Coverage<'_, N>) {
        let pixel = coverage.pixel;
        let visible = &mut self.visible[pixel];
        let (opaque, own) = (&mut self.opaque[pixel], &mut self.own[pixel]);
        for sample in 0..N {
            let depth = coverage.depth[sample];
            let limit = match kind {
                PassKind::Opaque => opaque[sample],
                PassKind::Sheer => own[sample].max(opaque[sample]),
                PassKind::XRay => own[sample],
            };
            if coverage.mask >> sample & 1 == 1 && depth > limit {
                visible[sample] = mark;
                if kind == PassKind::Opaque {
                    opaque[sample] = depth;
                } else {
                    own[sample] = depth;
                }
            }
        }
    }

    /// Shades each visible triangle of a pixel once, in the middle of its visible samples.
    fn resolve(
        &mut self,
        frame: &RasterFrame<'_>,
        pass: &RasterPass,
        tile: Tile,
        pattern: &[SampleOffset; N],
        pixel: usize,
    ) {
        let middle = middle_of(tile, pixel);
        let marks = self.visible[pixel];
        let mut done = 0u32;
        let (mut light, mut covered) = (Vec3::ZERO, 0.0);
        for first in 0..N {
            let mark = marks[first];
            if mark == 0 || done >> first & 1 == 1 {
                continue;
            }
            let (mut count, mut hidden, mut offset) = (0.0f32, 0.0f32, [0i32; 2]);
            for sample in first..N {
                if marks[sample] == mark {
                    done |= 1 << sample;
                    count += 1.0;
                    offset = [offset[0] + pattern[sample][0], offset[1] + pattern[sample][1]];
                    if pass.kind == PassKind::XRay && self.own[pixel][sample] < self.opaque[pixel][sample] {
                        hidden += 1.0;
                    }
                }
            }
            let triangle = &pass.list.triangles[mark as usize - 1];
            let center = if count >= N as f32 {
                middle
            } else {
                middle + Vec2::new(offset[0] as f32, offset[1] as f32) / (count * SUBPIXELS as f32)
            };
            let material = frame.material(triangle.material);
            let fraction =
                material.opacity * ((count - hidden) + hidden * material.hidden_opacity) / N as f32;
            light += frame.shade(pass, triangle, center) * fraction;
            covered += fraction;
        }
        let under = self.color[pixel];
        self.color[pixel] = light.extend(covered) + under * (1.0 - covered);
    }
}

/// The center of a tile's pixel, in pixels of the picture.
fn middle_of(tile: Tile, pixel: usize) -> Vec2 {
    let (column, row) = (pixel % tile.width as usize, pixel / tile.width as usize);
    Vec2::new(tile.left as f32 + column as f32 + 0.5, tile.top as f32 + row as f32 + 0.5)
}

fn to_bytes(premultiplied: Vec4) -> [u8; 4] {
    let alpha = premultiplied.w.clamp(0.0, 1.0);
    if alpha <= 0.0 {
        return [0; 4];
    }
    Color::from_rgb(premultiplied.truncate() / alpha).with_alpha(alpha).to_srgb8()
}
