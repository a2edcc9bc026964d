//! How well normals fit the surface that they shade.

use crate::{
    asset::{mesh::VertexRings, weights::Weights},
    deform::Streams,
    frame::Frame,
    palette::Palette,
};
use glam::Quat;

/// The angles between normals and the deformed surface where joints bend it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BentNormals {
    /// The number of vertices that are bent and have a normal.
    pub count: usize,
    /// The mean angle, in degrees.
    pub mean_degrees: f64,
    /// The fraction of the vertices whose normal is off by more than 30 degrees.
    pub over_30_degrees: f64,
}

/// A vertex is bent if two of its influences of at least this weight …
const MIN_WEIGHT: f32 = 0.1;
/// … are turned against each other by this angle.
const MIN_BEND_DEGREES: f32 = 20.0;
/// From this angle on a normal is off.
const OFF_DEGREES: f32 = 30.0;

/// The angle of every vertex normal to the deformed triangles around it, in degrees; one list per instance. Vertices without
/// a normal or around which the surface has no area have 0.
///
/// Triangles are taken together across the copies of a vertex that have the same normal at rest.
pub fn normal_errors(frame: &Frame) -> Vec<Vec<f32>> {
    let character = frame.character();
    let of_instance = |(instance, streams): (_, &Streams)| {
        let rings = character.mesh_of(instance).rings();
        (0..streams.positions.len())
            .map(|vertex| normal_error(rings, streams, vertex).unwrap_or(0.0))
            .collect()
    };
    character.instances().iter().zip(frame.deformed()).map(of_instance).collect()
}

/// The angle of one normal to its surface, in degrees.
fn normal_error(rings: &VertexRings, streams: &Streams, vertex: usize) -> Option<f32> {
    let normal = streams.normals.get(vertex)?.as_dvec3().try_normalize()?;
    let surface = rings.surface_normal(&streams.positions, vertex).as_dvec3().try_normalize()?;
    Some(normal.cross(surface).length().atan2(normal.dot(surface)).to_degrees() as f32)
}

/// [`normal_errors`] over the vertices of skinned instances that lie between joints turned against each other by at least 20
/// degrees, whatever method deformed them.
pub fn bent_normals(frame: &Frame) -> BentNormals {
    let character = frame.character();
    let mut out = BentNormals::default();
    for (instance, streams) in character.instances().iter().zip(frame.deformed()) {
        let mesh = character.mesh_of(instance);
        let (Some(skin), Some(weights)) = (instance.skin, mesh.weights()) else { continue };
        let rotations = rotations(&frame.palettes()[skin]);
        for vertex in 0..streams.positions.len() {
            if !is_bent(weights, &rotations, vertex) {
                continue;
            }
            if let Some(degrees) = normal_error(mesh.rings(), streams, vertex) {
                out.count += 1;
                out.mean_degrees += f64::from(degrees);
                out.over_30_degrees += f64::from(u8::from(degrees > OFF_DEGREES));
            }
        }
    }
    let count = out.count.max(1) as f64;
    BentNormals {
        mean_degrees: out.mean_degrees / count,
        over_30_degrees: out.over_30_degrees / count,
        ..out
    }
}

fn rotations(palette: &Palette) -> Vec<Quat> {
    palette.matrices().iter().map(|matrix| matrix.to_scale_rotation_translation().1).collect()
}

fn is_bent(weights: &Weights, rotations: &[Quat], vertex: usize) -> bool {
    let (slots, slot_weights) = weights.of(vertex);
    let strong = slots.iter().zip(slot_weights).filter(|(_, weight)| **weight >= MIN_WEIGHT);
    let mut strong = strong.map(|(slot, _)| rotations[usize::from(*slot)]);
    let Some(first) = strong.next() else { return false };
    strong.any(|other| first.angle_between(other).to_degrees() >= MIN_BEND_DEGREES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Method, NormalSource, sinew_samples};
    use glam::Vec3;

    #[test]
    fn normals_of_the_surface_fit_it_where_those_of_the_joints_do_not() {
        let tube = sinew_samples::tube();
        let measured = |source| {
            let mut frame = Frame::new(&tube).with_normals(source);
            frame.local_mut().copy_from(&sinew_samples::tube_pose(1.6, 0.0));
            frame.deform(Method::Linear).unwrap();
            bent_normals(&frame)
        };
        let (joints, surface) = (measured(NormalSource::Joints), measured(NormalSource::Surface));
        assert_eq!(joints.count, surface.count);
        assert!(joints.count > 100 && joints.mean_degrees > 8.0, "{joints:?}");
        assert!(surface.mean_degrees < 1.0 && surface.over_30_degrees == 0.0, "{surface:?}");
    }

    #[test]
    fn a_normal_that_leans_is_off_by_its_angle() {
        let tube = sinew_samples::tube();
        let frame = Frame::new(&tube);
        assert!(normal_errors(&frame).iter().flatten().all(|degrees| *degrees < 3.0));
        let mut streams = frame.deformed()[0].clone();
        let rings = tube.meshes()[0].rings();
        let up = rings.surface_normal(&streams.positions, 5).normalize();
        streams.normals[5] = Quat::from_axis_angle(up.any_orthonormal_vector(), 0.5) * up;
        let degrees = normal_error(rings, &streams, 5).unwrap();
        assert!((degrees - 0.5_f32.to_degrees()).abs() < 1e-3, "{degrees}");
        streams.normals[5] = Vec3::ZERO;
        assert_eq!(normal_error(rings, &streams, 5), None);
    }
}
