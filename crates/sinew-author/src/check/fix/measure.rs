//! How far a change moved vertices.

use crate::check::bound::bound_meshes;
use crate::weights::{Displacement, Effect, EffectPoses, PoseOptions, effect::BoundVertices};
use sinew::Character;

/// The poses that a change can be measured over.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum MeasuredOver {
    /// Clips and a range of motion, if joints and their axes did not change.
    ClipsAndRange,
    /// Clips only, if rotating a joint now means something else.
    Clips,
}

/// How far vertices of `after` are from `before`, over all meshes.
pub(super) fn effect(before: &Character, after: &Character, over: MeasuredOver) -> Effect {
    let angle_radians = if over == MeasuredOver::Clips { 0.0 } else { PoseOptions::default().angle_radians };
    effect_over(before, after, &PoseOptions { angle_radians, ..PoseOptions::default() })
}

/// As [`effect`], over the poses of `options`.
pub(in crate::check) fn effect_over(before: &Character, after: &Character, options: &PoseOptions) -> Effect {
    let mut out = Effect::default();
    for (old, new) in bound_meshes(before).iter().zip(&bound_meshes(after)) {
        let poses = EffectPoses::of_character(before, old.skin_index, options);
        let is_same_rig = before.skeleton() == after.skeleton()
            && before.clips() == after.clips()
            && before.skins().get(old.skin_index) == after.skins().get(new.skin_index);
        let other;
        let poses_after = if is_same_rig {
            &poses
        } else {
            other = EffectPoses::of_character(after, new.skin_index, options);
            &other
        };
        let one = BoundVertices { positions: old.mesh.positions(), weights: old.weights, poses: &poses };
        let two = BoundVertices { positions: new.mesh.positions(), weights: new.weights, poses: poses_after };
        let found = Effect::between(&one, &two);
        out.clips = worse(out.clips, found.clips);
        out.range = worse(out.range, found.range);
    }
    out
}

/// The larger displacement, so that a mesh that does not move cannot hide one that does.
fn worse(one: Displacement, other: Displacement) -> Displacement {
    let poses = one.poses.max(other.poses);
    let worse = if other.max_mm > one.max_mm { other } else { one };
    Displacement { poses, ..worse }
}
