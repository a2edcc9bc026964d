//! Retargeting here and at run time agree.

use super::super::{JointMap, RetargetOptions, retarget};
use sinew::{
    Character, CharacterParts, HumanBone, Joint, JointId, LocalPose, Skeleton, Transform, Wrap,
    glam::{Quat, Vec3},
    retarget::{HumanoidRetarget, RetargetScratch},
    sample_clip,
};
use std::sync::Arc;

/// The figure's body as a character with bones of its own: arms lifted at rest, other joint axes, another size.
fn other_body(size: f32) -> Character {
    let figure = sinew_samples::figure();
    let (old, mut posture) = (figure.skeleton(), figure.rest_pose());
    for name in ["upper_arm.L", "upper_arm.R"] {
        let joint = old.find(name).unwrap();
        posture.joints[joint.index()].rotation *= Quat::from_rotation_x(0.6);
    }
    let axes = |joint: Option<JointId>| {
        joint.map_or(Quat::IDENTITY, |joint| Quat::from_rotation_y(joint.index() as f32 * 0.9))
    };
    let joint = |joint: JointId| {
        let (local, parent) = (posture.joints[joint.index()], old.parent(joint));
        let turn = axes(parent).conjugate();
        let rotation = (turn * local.rotation * axes(Some(joint))).normalize();
        let rest = Transform::from_rotation_translation(rotation, turn * local.translation * size);
        Joint { name: format!("bone {}", joint.index()), parent, rest }
    };
    let skeleton = Arc::new(Skeleton::new(old.joints().map(joint)).unwrap());
    let humanoid = Some(sinew_samples::figure_humanoid());
    Character::new(CharacterParts { humanoid, ..CharacterParts::new("other", skeleton) }).unwrap()
}

/// The figure's skeleton and clips with its humanoid map.
fn source() -> Character {
    let figure = sinew_samples::figure();
    let parts = CharacterParts::new("figure", Arc::clone(figure.skeleton()));
    let humanoid = Some(sinew_samples::figure_humanoid());
    Character::new(CharacterParts { humanoid, clips: figure.clips().to_vec(), ..parts }).unwrap()
}

#[test]
fn retargeting_at_run_time_gives_the_same_rotations_and_the_same_way() {
    let (from, to) = (source(), other_body(1.25));
    let map = sinew_samples::figure_humanoid();
    let hips = map.joint(HumanBone::Hips).unwrap();
    let live = HumanoidRetarget::new(from.skeleton(), &map, to.skeleton(), &map).unwrap();
    let mut scratch = RetargetScratch::new(&live);
    for name in ["walk", "run", "wave"] {
        let clip = from.find_clip(name).unwrap();
        let options = RetargetOptions::default().with_feet(false).with_rate_hz(30.0);
        let guess = JointMap::guess(&from, &to);
        let (baked, report) = retarget(&from, clip, &to, &guess, &options).unwrap();
        assert!((live.scale() - report.root_scale).abs() < 1e-4);
        let mut lifts: Vec<f32> = Vec::new();
        for step in 0..8_u8 {
            // Times of keys, so that nothing is interpolated.
            let time_secs = f32::from(step) * 3.0 / 30.0;
            let mut pose_of = LocalPose::clone(&from.rest_pose());
            sample_clip(clip, time_secs, Wrap::Clamp, &mut pose_of);
            let (mut got, mut want) = (to.rest_pose(), to.rest_pose());
            live.apply(&pose_of, &mut scratch, &mut got);
            sample_clip(&baked, time_secs, Wrap::Clamp, &mut want);
            for (bone, joint) in map.iter() {
                let [got, want] = [&got, &want].map(|pose| pose.joints[joint.index()].rotation);
                let off = got.angle_between(want).to_degrees();
                assert!(off < 0.2, "{name} at {time_secs} s: {} is off by {off} degrees", bone.name());
            }
            let [got, want] = [&got, &want].map(|pose| {
                let root = pose.joints[0];
                root.transform_point(pose.joints[hips.index()].translation)
            });
            let off = (got - want) * Vec3::new(1.0, 0.0, 1.0);
            assert!(off.length() < 2e-3, "{name} at {time_secs} s: the hips are off by {off}");
            lifts.push(got.y - want.y);
        }
        // Offline the soles are measured: both stand at a height that does not change over time.
        assert!(lifts.iter().all(|lift| (lift - lifts[0]).abs() < 2e-3), "{name}: {lifts:?}");
        assert!(lifts[0].abs() < 0.05, "{name}: {lifts:?}");
    }
}
