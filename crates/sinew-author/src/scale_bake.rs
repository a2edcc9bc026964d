//! Bakes scale that is not inherited, for programs that do not support it.
//!
//! A [compensated](ScaleInheritance::Compensated) joint gets the translation, rotation and scale that place it where it was,
//! now with plain inheritance. A parent that is scaled unevenly shears its rotated children when they undo the scale, which
//! no such transform can represent: the nearest one is used and the error is measured.

mod motion;

use sinew::{
    Character, CharacterError, ClipError, CurveError, Joint, JointId, LocalPose, ModelPose, ScaleInheritance,
    Skeleton, SkeletonError, Transform, glam::Affine3A, sample::SkinReach, transform::inverse_affine,
};
use std::sync::Arc;
use thiserror::Error;

/// How closely [`bake_scale`] follows the motion between keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaleBakeOptions {
    /// The error between keys that is accepted before a key is added, in meters.
    pub tolerance_meters: f32,
    /// The smallest time between added keys, in seconds.
    pub shortest_secs: f32,
}

impl Default for ScaleBakeOptions {
    /// A tenth of a millimeter, at most 240 keys per second.
    fn default() -> Self {
        Self { tolerance_meters: 1e-4, shortest_secs: 1.0 / 240.0 }
    }
}

/// The keys that [`bake_scale`] made, and their error.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScaleBakeReport {
    /// The joints that were compensated.
    pub compensated_joints: Vec<JointId>,
    /// Number of keys of the baked channels.
    pub keys: usize,
    /// The largest error of a point close to a joint, in the rest pose, at the keys and halfway between them, in meters.
    pub error_meters: f32,
    /// The joint with the largest error; `None` if there is no error.
    pub worst_joint: Option<JointId>,
    /// Names of the additive clips, which stay as they are: their differences do not determine a scale.
    pub skipped_clips: Vec<String>,
}

/// Why scale could not be baked.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ScaleBakeError {
    /// The baked rest pose is invalid.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// Baked keys are not a valid curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// Baked channels are not a valid clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The baked parts do not form a character.
    #[error(transparent)]
    Character(#[from] CharacterError),
}

/// `character` with full scale inheritance of every joint, and keys that keep its motion. Helper joints are not baked.
///
/// # Errors
/// If a baked value is not finite.
pub fn bake_scale(
    character: &Character,
    options: &ScaleBakeOptions,
) -> Result<(Character, ScaleBakeReport), ScaleBakeError> {
    let old = character.skeleton();
    let mut report =
        ScaleBakeReport { compensated_joints: old.compensated().collect(), ..ScaleBakeReport::default() };
    if report.compensated_joints.is_empty() {
        return Ok((character.clone(), report));
    }
    let mut bake = ScaleBake::new(old);
    let rest = bake.local_of(&old.rest_pose());
    bake.measure(&mut report);
    let joint =
        |j: JointId| Joint { name: old.name(j).to_owned(), parent: old.parent(j), rest: rest[j.index()] };
    let mut parts = character.parts().clone();
    parts.skeleton = Arc::new(Skeleton::new(old.joints().map(joint))?);
    for clip in &mut parts.clips {
        *clip = Arc::new(motion::baked(clip, &mut bake, options, &mut report)?);
    }
    Ok((Character::new(parts)?, report))
}

/// Places the joints of one pose with plain inheritance.
struct ScaleBake<'a> {
    skeleton: &'a Skeleton,
    /// Compensated joints and their descendants.
    concerns: Vec<bool>,
    wanted: ModelPose,
    got: Vec<Affine3A>,
    distance_meters: f32,
}

impl<'a> ScaleBake<'a> {
    fn new(skeleton: &'a Skeleton) -> Self {
        let mut concerns = vec![false; skeleton.len()];
        for joint in skeleton.joints() {
            let above = skeleton.parent(joint).is_some_and(|p| concerns[p.index()]);
            concerns[joint.index()] =
                above || skeleton.scale_inheritance(joint) == ScaleInheritance::Compensated;
        }
        let distance_meters = 0.05 * SkinReach::extent_meters(skeleton);
        Self { skeleton, concerns, wanted: ModelPose::new(skeleton), got: Vec::new(), distance_meters }
    }

    /// The local transforms with plain inheritance that place every joint as `pose` does.
    fn local_of(&mut self, pose: &LocalPose) -> Vec<Transform> {
        self.wanted.update(self.skeleton, pose);
        self.got.clear();
        let mut out = Vec::with_capacity(pose.joints.len());
        for joint in self.skeleton.joints() {
            let above = self.skeleton.parent(joint).map(|p| (p, self.got[p.index()]));
            let own = pose.joints[joint.index()];
            let local = above.map_or(own, |(parent, above)| self.placed(joint, parent, &above, own));
            let above = above.map_or(Affine3A::IDENTITY, |(_, above)| above);
            self.got.push(above * local.to_affine());
            out.push(local);
        }
        out
    }

    fn placed(&self, joint: JointId, parent: JointId, above: &Affine3A, own: Transform) -> Transform {
        let inherits = self.skeleton.scale_inheritance(joint) == ScaleInheritance::Full;
        let is_placed = above.abs_diff_eq(self.wanted.joint(parent), 1e-6);
        let is_unscaled = self.wanted.turn_frame(self.skeleton, joint) == self.wanted.joint(parent);
        if !self.concerns[joint.index()] || (is_placed && (inherits || is_unscaled)) {
            return own;
        }
        // Below a joint that is scaled to zero nothing can be placed.
        let local =
            inverse_affine(above).map(|from| Transform::from_affine(&(from * self.wanted.joint(joint))).0);
        local.filter(Transform::is_finite).unwrap_or(own)
    }

    /// Adds the error of the last pose to the report.
    fn measure(&self, report: &mut ScaleBakeReport) {
        for joint in self.skeleton.joints() {
            let error =
                worst_point(&self.wanted.joint(joint), &self.got[joint.index()], self.distance_meters);
            // Rounding does not count.
            if error > report.error_meters.max(1e-6) {
                (report.error_meters, report.worst_joint) = (error, Some(joint));
            }
        }
    }
}

/// The largest distance between the images of points at `distance_meters` along the axes.
fn worst_point(a: &Affine3A, b: &Affine3A, distance_meters: f32) -> f32 {
    let off = (a.translation - b.translation).length();
    let axes = [
        a.matrix3.x_axis - b.matrix3.x_axis,
        a.matrix3.y_axis - b.matrix3.y_axis,
        a.matrix3.z_axis - b.matrix3.z_axis,
    ];
    off + distance_meters * axes.iter().fold(0.0_f32, |most, axis| most.max(axis.length()))
}

#[cfg(test)]
mod tests;
