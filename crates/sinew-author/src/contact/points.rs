//! The points of a surface as the gates and the masks see them.

use super::bones::LimbBones;
use crate::topology::WeldedTopology;
use sinew::glam::DVec3;

/// A point of the surface as the gates and the masks see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimbPoint {
    pub(super) position: DVec3,
    /// The unit normal of the surface; zero for a point without triangles.
    pub(super) normal: DVec3,
    /// The slot of its bone.
    pub(super) bone: u16,
    /// The place along the bone, from 0 at its head to 1 at its tail.
    pub(super) along: f64,
    /// The vector from the line of the bone to the point.
    pub(super) away: DVec3,
    /// The distance from the bone, with round ends.
    pub(super) distance: f64,
}

/// Every point on the bone that moves it and is nearest to it.
pub(super) fn limb_points(topology: &WeldedTopology<'_>, bones: &LimbBones) -> Vec<LimbPoint> {
    let mut normals = vec![DVec3::ZERO; topology.len()];
    for &triangle in &topology.triangles {
        let area = WeldedTopology::area_vector(&topology.positions, triangle);
        triangle.iter().for_each(|&p| normals[p as usize] += area);
    }
    let point = |(at, (&position, normal)): (usize, (&DVec3, &DVec3))| {
        let bone = bones.nearest(topology, at);
        let line = &bones.list[usize::from(bone)];
        let (length, axis) = (line.length(), line.axis());
        let along = (position - line.head).dot(axis);
        let away = position - line.head - axis * along;
        let past = along - along.clamp(0.0, length);
        LimbPoint {
            position,
            normal: normal.normalize_or_zero(),
            bone,
            along: if length > 0.0 { along / length } else { 0.0 },
            away,
            distance: away.length().hypot(past),
        }
    };
    topology.positions.iter().zip(&normals).enumerate().map(point).collect()
}
