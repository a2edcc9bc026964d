//! Measurements of a surface: volume, thickness, distortion, open edges.
//!
//! They show how deformation methods differ: a twisted tube loses radius, a bent one volume. All sums are in double
//! precision, so that rounding does not affect the result.

mod distortion;
mod field;
mod gauge;
mod normals;
mod thickness;
mod twist;

pub use distortion::{Distortion, RestShape};
pub use field::{distances, influence_counts};
pub use gauge::{Gauge, ShapeMeasures};
pub use normals::{BentNormals, bent_normals, normal_errors};
pub use thickness::{BoneSegments, Thickness};
pub use twist::Twist;

use crate::asset::mesh::WeldedPoints;
use glam::{DVec3, Vec3};
use std::ops::RangeInclusive;

/// A directed line. Heights are measured along it, radii around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureAxis {
    origin: DVec3,
    direction: DVec3,
}

impl MeasureAxis {
    /// The line through `origin` along `direction`, or `None` if they do not define one.
    pub fn new(origin: Vec3, direction: Vec3) -> Option<Self> {
        let direction = direction.as_dvec3().try_normalize()?;
        origin.is_finite().then_some(Self { origin: origin.as_dvec3(), direction })
    }

    /// The signed distance of `point` from the origin along the axis, in meters.
    pub fn height(&self, point: Vec3) -> f64 {
        (point.as_dvec3() - self.origin).dot(self.direction)
    }

    /// The distance of `point` from the axis, in meters.
    pub fn radius(&self, point: Vec3) -> f64 {
        (point.as_dvec3() - self.origin).reject_from_normalized(self.direction).length()
    }
}

/// The volume enclosed by a closed surface, in cubic meters; positive if its triangles are counter-clockwise seen from
/// outside.
///
/// Nested parts are counted once each, inside-out parts count negative. Vertices that are copies of one point need not be
/// welded. The result is meaningful for a closed surface only: see [`open_edges`].
///
/// # Panics
/// If a triangle index is out of range.
pub fn volume(positions: &[Vec3], triangles: impl IntoIterator<Item = [u32; 3]>) -> f64 {
    // Measured from a corner of the surface instead of the origin, the terms stay as small as the surface.
    let Some(origin) = positions.first().map(|p| p.as_dvec3()) else { return 0.0 };
    let corner = |v: u32| positions[v as usize].as_dvec3() - origin;
    let six_volumes: f64 =
        triangles.into_iter().map(|[a, b, c]| corner(a).dot(corner(b).cross(corner(c)))).sum();
    six_volumes / 6.0
}

/// The number of edges without a second triangle in the opposite direction: 0 for a closed surface.
///
/// `points` maps each vertex to its point. Triangles with two corners on one point are ignored.
///
/// # Panics
/// If a triangle index is out of range for `points`.
pub fn open_edges(points: &WeldedPoints, triangles: impl IntoIterator<Item = [u32; 3]>) -> usize {
    let mut half_edges: Vec<[u32; 2]> = Vec::new();
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| points.of_vertex()[v as usize]);
        if a != b && b != c && c != a {
            half_edges.extend([[a, b], [b, c], [c, a]]);
        }
    }
    // Edges by their lower point: a few each, so that sorting them is quick.
    let mut first = vec![0_usize; points.len() + 1];
    half_edges.iter().for_each(|[from, to]| first[*from.min(to) as usize + 1] += 1);
    for point in 0..points.len() {
        first[point + 1] += first[point];
    }
    let mut next = first.clone();
    let mut others = vec![(0_u32, 0_i32); half_edges.len()];
    for [from, to] in half_edges {
        let place = &mut next[from.min(to) as usize];
        others[*place] = (from.max(to), if from < to { 1 } else { -1 });
        *place += 1;
    }
    let mut open = 0;
    for range in first.windows(2) {
        let edges = &mut others[range[0]..range[1]];
        edges.sort_unstable_by_key(|(other, _)| *other);
        let same = edges.chunk_by(|a, b| a.0 == b.0);
        open += same.filter(|edge| edge.iter().map(|(_, turn)| i64::from(*turn)).sum::<i64>() != 0).count();
    }
    open
}

/// The distance from `axis` in meters of every position whose height along it lies within `heights`.
pub fn section_radii<'a>(
    positions: &'a [Vec3],
    axis: &'a MeasureAxis,
    heights: RangeInclusive<f64>,
) -> impl Iterator<Item = f64> + 'a {
    positions.iter().filter(move |p| heights.contains(&axis.height(**p))).map(|p| axis.radius(*p))
}

/// The smallest distance from `axis` in meters of the positions within `heights`, or `None` if there are none.
pub fn min_radius(positions: &[Vec3], axis: &MeasureAxis, heights: RangeInclusive<f64>) -> Option<f64> {
    section_radii(positions, axis, heights).min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A corner of the unit cube: a tetrahedron with a volume of 1/6.
    const CORNER: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]];

    #[test]
    fn a_corner_of_a_cube_is_a_sixth_of_it_wherever_it_is() {
        for offset in [Vec3::ZERO, Vec3::new(1000.0, -500.0, 250.0)] {
            let positions = CORNER.map(|p| p + offset);
            assert!((volume(&positions, FACES) - 1.0 / 6.0).abs() < 1e-12);
        }
        assert_eq!(volume(&[], []), 0.0);
    }

    #[test]
    fn an_inside_out_surface_has_negative_volume() {
        assert!((volume(&CORNER, FACES.map(|[a, b, c]| [c, b, a])) + 1.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn a_missing_or_turned_triangle_leaves_three_open_edges() {
        let points = WeldedPoints::by_position(&CORNER);
        assert_eq!(open_edges(&points, FACES), 0);
        assert_eq!(open_edges(&points, FACES[1..].iter().copied()), 3);
        assert_eq!(open_edges(&points, [[0, 1, 2], FACES[1], FACES[2], FACES[3]]), 3);
    }

    #[test]
    fn radii_are_of_the_section_and_around_the_axis() {
        let axis = MeasureAxis::new(Vec3::new(5.0, 0.0, 0.0), Vec3::Y * 7.0).unwrap();
        let positions = [Vec3::new(5.0, -1.0, 0.0), Vec3::new(8.0, 1.0, 4.0), Vec3::new(5.0, 2.0, 2.0)];
        assert_eq!(section_radii(&positions, &axis, 0.0..=2.0).collect::<Vec<_>>(), [5.0, 2.0]);
        assert_eq!(min_radius(&positions, &axis, 0.0..=1.0), Some(5.0));
        assert_eq!(min_radius(&positions, &axis, 3.0..=9.0), None);
    }

    #[test]
    fn a_direction_of_no_length_gives_no_axis() {
        assert_eq!(MeasureAxis::new(Vec3::ZERO, Vec3::ZERO), None);
        assert_eq!(MeasureAxis::new(Vec3::NAN, Vec3::Y), None);
    }
}
