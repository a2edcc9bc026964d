//! The soles of the target at rest, measured on its vertices.

use super::{skin_points::SkinPoints, working_target::WorkingTarget};
use sinew::{JointId, ModelPose, glam::Vec3};

/// Soles this far below the origin still stand on it, as a fraction of the height: the origin is the floor of most scenes.
const NEAR_ORIGIN: f32 = 0.03;

/// Where the feet of the target stand at rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct RestSoles {
    /// The height of the ground: that of the lowest vertex of the feet.
    pub(super) ground: f32,
    /// The height of the ankles above the lowest vertex of their foot, as the mean of both feet.
    pub(super) ankle_height: f32,
    /// The height of the character.
    pub(super) body_height: f32,
}

impl RestSoles {
    pub(super) fn new(target: &WorkingTarget<'_>) -> Self {
        let (rest, stance) = (&target.rest, &target.stance);
        let feet: Vec<JointId> = target.anatomy.sides.iter().filter_map(|s| s.foot).collect();
        let soles = feet.iter().filter_map(|&foot| {
            let sole = target.vertices_below(&[foot]).lowest(rest, stance.up)?;
            Some((Vec3::from(rest.joint(foot).translation).dot(stance.up) - sole, sole))
        });
        let soles: Vec<(f32, f32)> = soles.collect();
        let body_height = height(target, &target.all_vertices(), rest);
        let sole = soles.iter().map(|&(_, sole)| sole).reduce(f32::min);
        let ankles: f32 = soles.iter().map(|(ankle, _)| ankle).sum();
        match sole {
            Some(sole) => Self {
                ground: if (-NEAR_ORIGIN * body_height..0.0).contains(&sole) { 0.0 } else { sole },
                ankle_height: ankles / soles.len() as f32,
                body_height,
            },
            None => Self { body_height, ..Self::of_joints(target) },
        }
    }

    /// The ground of a skeleton without a mesh: 0 if its feet are slightly above it, otherwise the height of its lowest joint.
    fn of_joints(target: &WorkingTarget<'_>) -> Self {
        let stance = &target.stance;
        let leg = stance.leg_length.unwrap_or(0.0);
        let on_origin = (0.0..=0.25 * leg).contains(&stance.lowest_foot);
        let ground = if on_origin { 0.0 } else { stance.lowest_foot };
        let ankle_height = stance.lowest_foot + stance.ankle_height - ground;
        Self { ground, ankle_height, body_height: 0.0 }
    }
}

/// The extent of the vertices along the up direction; of the joints if there are none.
fn height(target: &WorkingTarget<'_>, vertices: &SkinPoints, rest: &ModelPose) -> f32 {
    let extent = |heights: &mut dyn Iterator<Item = f32>| {
        let (low, high) =
            heights.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)));
        (high - low).max(0.0)
    };
    let up = target.stance.up;
    let joint = |j: JointId| Vec3::from(rest.joint(j).translation).dot(up);
    if vertices.is_empty() {
        extent(&mut target.skeleton.joints().map(joint))
    } else {
        extent(&mut vertices.places(rest).map(|p| p.dot(up)))
    }
}
