//! How far a pose has carried the whole character.

use crate::{asset::skeleton::Skeleton, pose::LocalPose};
use glam::{Affine3A, Vec3};

/// Where the topmost joint that `pose` moves from its rest has gone, in model space; zero where none is moved.
///
/// That joint is what clips make a character walk by: its root, or its hips where the root stays.
pub fn travel(skeleton: &Skeleton, pose: &LocalPose) -> Vec3 {
    let shift = |joint| pose.joints.get(usize::from(joint)).map(|now| now.translation);
    let moved = skeleton
        .joints()
        .find(|joint| shift(joint.0).is_some_and(|now| now != skeleton.rest(*joint).translation));
    let Some(joint) = moved else { return Vec3::ZERO };
    // Joints above may turn, but they stay where they are at rest.
    let model_from_parent = skeleton
        .ancestors(joint)
        .skip(1)
        .fold(Affine3A::IDENTITY, |below, above| skeleton.rest(above).to_affine() * below);
    let by = pose.joints[joint.index()].translation - skeleton.rest(joint).translation;
    model_from_parent.transform_vector3(by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinew_samples;
    use crate::{Wrap, sample_clip};

    #[test]
    fn a_figure_at_rest_has_gone_nowhere_and_a_runner_some_meters() {
        let figure = sinew_samples::figure();
        let mut pose = figure.rest_pose();
        assert_eq!(travel(figure.skeleton(), &pose), Vec3::ZERO);
        let run = figure.find_clip("run").unwrap();
        sample_clip(run, run.duration_secs(), Wrap::Clamp, &mut pose);
        let gone = travel(figure.skeleton(), &pose);
        assert!(gone.length() > 1.0 && gone.y.abs() < 0.2, "{gone}");
    }
}
