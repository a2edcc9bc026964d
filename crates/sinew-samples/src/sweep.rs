//! Swept surfaces: a ring of points swept along stations.

use glam::{DVec3, Vec2, Vec3, Vec4};
use std::f64::consts::TAU;

/// The resolution of a swept surface and its division into patches.
///
/// Neighboring patches have vertices of their own along their common edge, equal in position and normal, so each
/// patch can have a flat color with a crisp border.
pub(super) struct SweepLattice<'a> {
    /// The stations of the rings, in ascending order; the swept point function defines their meaning.
    pub(super) stations: &'a [f64],
    /// The number of edges of a ring.
    pub(super) sides: usize,
    /// The number of rings that a patch spans.
    pub(super) patch_steps: usize,
    /// The number of ring edges that a patch spans.
    pub(super) patch_sides: usize,
}

/// The vertex streams of swept surfaces.
#[derive(Default)]
pub(super) struct Swept {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) tangents: Vec<Vec4>,
    /// Texture coordinates: u goes once around, to the right if stations go up; v falls from 1 at the first station to 0 at
    /// the last.
    pub(super) uvs: Vec<Vec2>,
    /// The patch index of each vertex: along the stations, and around.
    pub(super) patches: Vec<[usize; 2]>,
    pub(super) indices: Vec<u32>,
}

/// Half the distance over which slopes are measured, as a fraction of the whole range of stations.
const SLOPE_STEP: f64 = 1e-5;

impl Swept {
    /// Adds the surface of `point(station, angle_radians)`.
    ///
    /// With stations going up and angles going left, the visible side is the outside. A ring that shrinks to one point
    /// closes the surface.
    pub(super) fn sweep(&mut self, lattice: &SweepLattice<'_>, point: impl Fn(f64, f64) -> DVec3) {
        let steps = lattice.stations.len() - 1;
        for band in 0..steps.div_ceil(lattice.patch_steps) {
            for stripe in 0..lattice.sides.div_ceil(lattice.patch_sides) {
                self.patch(lattice, [band, stripe], &point);
            }
        }
    }

    fn patch(&mut self, lattice: &SweepLattice<'_>, patch: [usize; 2], point: &impl Fn(f64, f64) -> DVec3) {
        let (first_ring, first_side) = (patch[0] * lattice.patch_steps, patch[1] * lattice.patch_sides);
        let last_ring = (first_ring + lattice.patch_steps).min(lattice.stations.len() - 1);
        let last_side = (first_side + lattice.patch_sides).min(lattice.sides);
        let first_vertex = self.positions.len() as u32;
        for ring in first_ring..=last_ring {
            for side in first_side..=last_side {
                self.vertex(lattice, ring, side, point);
                self.patches.push(patch);
            }
        }
        let columns = (last_side - first_side + 1) as u32;
        let corner = |ring: usize, side: usize| {
            first_vertex + (ring - first_ring) as u32 * columns + (side - first_side) as u32
        };
        for ring in first_ring..last_ring {
            for side in first_side..last_side {
                let (a, b) = (corner(ring, side), corner(ring + 1, side));
                let (d, c) = (corner(ring, side + 1), corner(ring + 1, side + 1));
                self.triangle([a, b, c]);
                self.triangle([a, c, d]);
            }
        }
    }

    fn vertex(
        &mut self,
        lattice: &SweepLattice<'_>,
        ring: usize,
        side: usize,
        point: &impl Fn(f64, f64) -> DVec3,
    ) {
        let (start, end) = (lattice.stations[0], lattice.stations[lattice.stations.len() - 1]);
        let station = lattice.stations[ring];
        // The last column is bit-identical to the first, so that the surface is closed.
        let angle = TAU * (side % lattice.sides) as f64 / lattice.sides as f64;
        let step = SLOPE_STEP * (end - start);
        // A pole has no tangent direction; the normal is taken just beside it, where the difference is negligible.
        let beside = station.clamp(start + 2.0 * step, end - 2.0 * step);
        let along = point(beside + step, angle) - point(beside - step, angle);
        let around = point(beside, angle + SLOPE_STEP) - point(beside, angle - SLOPE_STEP);
        self.positions.push(point(station, angle).as_vec3());
        self.normals.push(along.cross(around).normalize_or_zero().as_vec3());
        self.tangents.push((-around).normalize_or_zero().as_vec3().extend(1.0));
        let u = 1.0 - side as f64 / lattice.sides as f64;
        let v = 1.0 - ring as f64 / (lattice.stations.len() - 1) as f64;
        self.uvs.push(Vec2::new(u as f32, v as f32));
    }

    /// Adds a triangle, unless two of its corners are one point.
    fn triangle(&mut self, corners: [u32; 3]) {
        let [a, b, c] = corners.map(|v| self.positions[v as usize]);
        if a != b && b != c && c != a {
            self.indices.extend(corners);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{WeldedPoints, measure};

    fn ball() -> Swept {
        let stations: Vec<f64> = (0..=12).map(|i| TAU * f64::from(i) / 24.0).collect();
        let mut swept = Swept::default();
        swept.sweep(
            &SweepLattice { stations: &stations, sides: 16, patch_steps: 5, patch_sides: 3 },
            |station, angle| {
                // In floating point sin(π) is not exactly zero, but sin(0) is.
                let open = station.min(TAU / 2.0 - station).sin();
                DVec3::new(open * angle.cos(), -station.cos(), open * angle.sin())
            },
        );
        swept
    }

    #[test]
    fn a_swept_ball_is_closed_and_its_outside_is_outside() {
        let ball = ball();
        let points = WeldedPoints::by_position(&ball.positions);
        assert_eq!(points.len(), 11 * 16 + 2, "seams, patch borders and poles are single points");
        let triangles = ball.indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]);
        assert_eq!(measure::open_edges(&points, triangles.clone()), 0);
        let volume = measure::volume(&ball.positions, triangles);
        assert!((3.7..4.19).contains(&volume), "inscribed in the unit ball, not inside out: {volume}");
    }

    #[test]
    fn frames_are_those_of_the_swept_surface() {
        let ball = ball();
        for (v, p) in ball.positions.iter().enumerate() {
            let (n, t) = (ball.normals[v], ball.tangents[v]);
            assert!((n - *p).length() < 1e-3, "the normal of a unit ball is its position: {n} at {p}");
            assert!(n.dot(t.truncate()).abs() < 1e-3 && (t.truncate().length() - 1.0).abs() < 1e-5);
            let up = n.cross(t.truncate()) * t.w;
            assert!(up.y > -1e-3, "texture v falls where stations rise: {up} at {p}");
        }
    }
}
