//! A soft shadow on the ground, as a small picture viewed from above.
//!
//! Triangles are projected along the light onto the ground and drawn into masks, so overlapping ones darken
//! once. Low triangles go into a sharp mask, all of them into softer ones; the darkest of the masks
//! wins: sharp at the feet, soft at the head.

use crate::glam::{Vec2, Vec3};
use crate::ground::GroundGrid;
use crate::layer::{MeshLayer, SceneLayer};

/// Texels along the longer side of the map.
const SIDE: f32 = 320.0;

/// (fraction of the subject's height, fraction of the softness, strength) of each mask, low to high.
const BANDS: [(f32, f32, f32); 3] = [(0.07, 0.22, 1.0), (0.30, 0.55, 0.85), (1.0, 1.0, 0.70)];

/// How often all texels together may be drawn over; see the shadow map.
const MAX_OVERDRAW: usize = 64;

/// Darkness of the ground from 0 to 1, over a rectangle in X and Z.
#[derive(Debug)]
pub(super) struct ShadowMask {
    corner: Vec2,
    texels_per_meter: f32,
    width: usize,
    height: usize,
    dark: Vec<f32>,
}

/// A triangle projected onto the ground.
struct CastShadow {
    corners: [Vec2; 3],
    /// Height of its middle above the ground in meters.
    lift: f32,
}

impl ShadowMask {
    /// `None` if no layer casts a shadow.
    pub(super) fn new(
        layers: &[SceneLayer],
        ground: &GroundGrid,
        softness: f32,
        light: Vec3,
    ) -> Option<Self> {
        let shadows = cast_shadows(layers, ground, light);
        let softness = if softness.is_finite() { softness.max(0.0) } else { 0.0 };
        let mut mask = Self::empty(&shadows, ground, softness)?;
        let tallest = shadows.iter().map(|one| one.lift).fold(0.0, f32::max);
        for (fraction, soft, strength) in BANDS {
            let mut layer = vec![0.0f32; mask.dark.len()];
            let mut texels_left = MAX_OVERDRAW * layer.len();
            for one in shadows.iter().filter(|one| one.lift <= tallest * fraction) {
                mask.fill(&mut layer, one, &mut texels_left);
            }
            let radius = (softness * soft * mask.texels_per_meter).round().clamp(1.0, 60.0) as usize;
            for _ in 0..2 {
                layer = mask.blurred(&layer, radius);
            }
            for (dark, value) in mask.dark.iter_mut().zip(layer) {
                *dark = dark.max(value * strength);
            }
        }
        Some(mask)
    }

    fn empty(shadows: &[CastShadow], ground: &GroundGrid, softness: f32) -> Option<Self> {
        let corners = shadows.iter().flat_map(|one| one.corners);
        let (low, high) = corners.fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), corner| {
            (low.min(corner), high.max(corner))
        });
        let reach = Vec2::splat(ground.radius.max(1e-3) * 2.0);
        let pad = Vec2::splat(softness * 2.5);
        let low = (low - pad).max(ground.center - reach);
        let size = (high + pad).min(ground.center + reach) - low;
        if !size.is_finite() || size.min_element() <= 0.0 {
            return None;
        }
        let texels_per_meter = SIDE / size.max_element();
        // A shadow smaller than any float can divide is not seen.
        if !texels_per_meter.is_finite() {
            return None;
        }
        let texels = (size * texels_per_meter).ceil().max(Vec2::ONE);
        let (width, height) = (texels.x as usize + 1, texels.y as usize + 1);
        Some(Self { corner: low, texels_per_meter, width, height, dark: vec![0.0; width * height] })
    }

    /// Darkness at world X and Z, 0 outside the map.
    pub(super) fn at(&self, place: Vec2) -> f32 {
        let texel = (place - self.corner) * self.texels_per_meter - 0.5;
        let limit = Vec2::new(self.width as f32 - 2.0, self.height as f32 - 2.0);
        if !(texel.x >= 0.0 && texel.y >= 0.0 && texel.x <= limit.x && texel.y <= limit.y) {
            return 0.0;
        }
        let (column, row) = (texel.x as usize, texel.y as usize);
        let part = texel - Vec2::new(column as f32, row as f32);
        let at = |dx: usize, dy: usize| self.dark[(row + dy) * self.width + column + dx];
        let upper = at(0, 0) + (at(1, 0) - at(0, 0)) * part.x;
        let lower = at(0, 1) + (at(1, 1) - at(0, 1)) * part.x;
        upper + (lower - upper) * part.y
    }

    /// Sets every texel whose middle lies in the triangle, and the texels at its corners, so that thin
    /// limbs do not vanish.
    fn fill(&self, layer: &mut [f32], shadow: &CastShadow, texels_left: &mut usize) {
        let corners = shadow.corners.map(|corner| (corner - self.corner) * self.texels_per_meter - 0.5);
        let [a, b, c] = corners;
        let low = a.min(b).min(c).floor().max(Vec2::ZERO);
        let limit = Vec2::new(self.width as f32 - 1.0, self.height as f32 - 1.0);
        let high = a.max(b).max(c).ceil().min(limit);
        if low.x > high.x || low.y > high.y {
            return;
        }
        let visited = high - low + 1.0;
        let Some(left) = texels_left.checked_sub((visited.x * visited.y) as usize) else { return };
        *texels_left = left;
        let turn = (b - a).perp_dot(c - a).signum();
        for row in low.y as usize..=high.y as usize {
            for column in low.x as usize..=high.x as usize {
                let texel = Vec2::new(column as f32, row as f32);
                let inside = |from: Vec2, to: Vec2| (to - from).perp_dot(texel - from) * turn >= 0.0;
                if inside(a, b) && inside(b, c) && inside(c, a) {
                    layer[row * self.width + column] = 1.0;
                }
            }
        }
    }

    /// The mean over a square around each texel; texels beyond the border are lit.
    fn blurred(&self, layer: &[f32], radius: usize) -> Vec<f32> {
        let mut rows = vec![0.0; layer.len()];
        for (line, out) in layer.chunks_exact(self.width).zip(rows.chunks_exact_mut(self.width)) {
            slide(line.len(), radius, |index| line[index], |index, mean| out[index] = mean);
        }
        let mut both = vec![0.0; layer.len()];
        for column in 0..self.width {
            let place = |row: usize| row * self.width + column;
            slide(self.height, radius, |row| rows[place(row)], |row, mean| both[place(row)] = mean);
        }
        both
    }
}

/// Calls `write` with the mean of `read` over each position and its `radius` neighbors on both sides.
fn slide(count: usize, radius: usize, read: impl Fn(usize) -> f32, mut write: impl FnMut(usize, f32)) {
    let scale = 1.0 / (2 * radius + 1) as f32;
    let mut sum: f32 = (0..radius.min(count)).map(&read).sum();
    for index in 0..count {
        if index + radius < count {
            sum += read(index + radius);
        }
        write(index, (sum * scale).clamp(0.0, 1.0));
        if index >= radius {
            sum -= read(index - radius);
        }
    }
}

fn cast_shadows(layers: &[SceneLayer], ground: &GroundGrid, light: Vec3) -> Vec<CastShadow> {
    // A low light would cast its shadow far outside the picture.
    let light = Vec3::new(light.x, light.y.max(0.75), light.z);
    let slope = Vec2::new(light.x, light.z) / light.y;
    let mut shadows = Vec::new();
    for mesh in layers.iter().filter_map(SceneLayer::as_mesh).filter(|mesh| mesh.casts_shadow) {
        cast_mesh(mesh, ground.height, slope, &mut shadows);
    }
    shadows
}

fn cast_mesh(mesh: &MeshLayer, floor: f32, slope: Vec2, shadows: &mut Vec<CastShadow>) {
    let positions = mesh.geometry().positions();
    for face in mesh.geometry().triangles().iter() {
        let corners = face.map(|vertex| positions[vertex as usize]);
        if corners.iter().all(|corner| corner.is_finite()) {
            let lift = (corners[0].y + corners[1].y + corners[2].y) / 3.0 - floor;
            let corners =
                corners.map(|corner| Vec2::new(corner.x, corner.z) - slope * (corner.y - floor).max(0.0));
            shadows.push(CastShadow { corners, lift: lift.max(0.0) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;
    use crate::geometry::Geometry;
    use crate::paint::Paint;

    fn plate(height: f32, copies: u32) -> SceneLayer {
        let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
        let positions: Vec<Vec3> = corners.iter().map(|&(x, z)| Vec3::new(x, height, z)).collect();
        let triangles: Vec<[u32; 3]> = (0..copies).flat_map(|_| [[0, 2, 1], [0, 3, 2]]).collect();
        let geometry = Geometry::new(positions, triangles).unwrap();
        MeshLayer::new(geometry, Paint::Solid(Color::WHITE)).unwrap().into()
    }

    fn mask(layers: &[SceneLayer]) -> Option<ShadowMask> {
        ShadowMask::new(layers, &GroundGrid::under(Vec2::ZERO, 0.0, 2.0), 0.1, Vec3::Y)
    }

    #[test]
    fn overlapping_triangles_darken_once() {
        let (once, thrice) = (mask(&[plate(0.0, 1)]).unwrap(), mask(&[plate(0.0, 3)]).unwrap());
        assert!(once.at(Vec2::ZERO) > 0.9);
        assert_eq!(once.dark, thrice.dark);
        assert_eq!(once.at(Vec2::splat(0.9)), 0.0);
    }

    #[test]
    fn an_empty_scene_casts_no_shadow() {
        assert!(mask(&[]).is_none());
    }

    #[test]
    fn a_vanishing_scene_casts_no_shadow() {
        let corners = [Vec2::ZERO, Vec2::new(1e-39, 0.0), Vec2::splat(1e-39)];
        let ground = GroundGrid::under(Vec2::ZERO, 0.0, 1e-39);
        assert!(ShadowMask::empty(&[CastShadow { corners, lift: 0.0 }], &ground, 0.0).is_none());
    }

    #[test]
    fn the_softer_mask_is_fainter_at_its_edge() {
        let soft = mask(&[plate(1.0, 1)]).unwrap();
        assert!(soft.at(Vec2::new(0.5, 0.0)) < 0.6 && soft.at(Vec2::ZERO) > 0.6);
    }
}
