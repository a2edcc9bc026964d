//! The skin of a character in the rest pose.

use sinew::{Character, Frame, JointId, Method, constrain::HelperJoint, glam::Vec3};

/// A marker further than this from the skin is not on it, in meters.
const REACH_METERS: f32 = 0.08;

/// The vertices of the skin in the rest pose, with the joint that moves each most.
pub(super) struct RestSurface {
    pub(super) vertices: Vec<(Vec3, JointId)>,
}

impl RestSurface {
    /// The surface of `character`; empty if it has no skin.
    pub(super) fn new(character: &Character) -> Self {
        let driven: Vec<JointId> = character.helpers().iter().flat_map(HelperJoint::moved).collect();
        let mut frame = Frame::new(character.clone());
        if frame.deform(Method::Linear).is_err() {
            return Self { vertices: vec![] };
        }
        let mut vertices = Vec::new();
        for (instance, streams) in character.instances().iter().zip(frame.deformed()) {
            let Some((skin, weights)) =
                character.skin_of(instance).zip(character.mesh_of(instance).weights())
            else {
                continue;
            };
            for (vertex, &position) in streams.positions.iter().enumerate() {
                let strongest = weights
                    .influences(vertex)
                    .filter_map(|i| Some((*skin.joints().get(usize::from(i.slot))?, i.weight)))
                    .filter(|(joint, _)| !driven.contains(joint))
                    .reduce(|best, other| if other.1 > best.1 { other } else { best });
                vertices.extend(strongest.map(|(joint, _)| (position, joint)));
            }
        }
        Self { vertices }
    }

    /// The joint of the nearest vertex within reach.
    pub(super) fn nearest_joint(&self, place: Vec3) -> Option<JointId> {
        let near = self.vertices.iter().map(|(position, joint)| (position.distance_squared(place), *joint));
        let near = near.filter(|(square, _)| *square <= REACH_METERS * REACH_METERS);
        near.reduce(|best, other| if other.0 < best.0 { other } else { best }).map(|(_, joint)| joint)
    }
}
