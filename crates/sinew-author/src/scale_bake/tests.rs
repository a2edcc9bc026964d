use super::*;
use sinew::{
    Channel, CharacterParts, Clip, Curve, Interpolation, Wrap,
    glam::{Quat, Vec3},
    sample_clip,
};

/// Shoulder, elbow and wrist; the elbow and the wrist do not inherit scale. The clip scales and turns all of them.
fn arm(shoulder: [Vec3; 2], interpolation: Interpolation) -> Character {
    let joint = |(at, name): (u16, &str)| Joint {
        name: name.into(),
        parent: at.checked_sub(1).map(JointId),
        rest: Transform::from_translation(if at == 0 { Vec3::ZERO } else { Vec3::X }),
    };
    let skeleton = Skeleton::new((0..).zip(["shoulder", "elbow", "wrist"]).map(joint)).unwrap();
    let kinds = [1, 2].map(|j| (JointId(j), ScaleInheritance::Compensated));
    let skeleton = Arc::new(skeleton.with_scale_inheritance(kinds));
    let turns = vec![Quat::IDENTITY, Quat::from_rotation_z(1.2)];
    let times = vec![0.0, 1.0];
    let channels = vec![
        Channel::Scale {
            joint: JointId(0),
            curve: Curve::new(times.clone(), shoulder.to_vec(), interpolation).unwrap(),
        },
        Channel::Rotation {
            joint: JointId(1),
            curve: Curve::new(times.clone(), turns.clone(), Interpolation::Linear).unwrap(),
        },
        Channel::Rotation {
            joint: JointId(2),
            curve: Curve::new(times, turns, Interpolation::Linear).unwrap(),
        },
    ];
    let mut parts = CharacterParts::new("arm", skeleton);
    parts.clips = vec![Arc::new(Clip::new("bend", channels, vec![]).unwrap())];
    Character::new(parts).unwrap()
}

/// The largest distance between corresponding points of both characters over the clip.
fn worst(before: &Character, after: &Character) -> f32 {
    let (mut a, mut b) = (ModelPose::new(before.skeleton()), ModelPose::new(after.skeleton()));
    let (mut pose, mut baked) = (before.rest_pose(), after.rest_pose());
    let mut max = 0.0_f32;
    for step in 0..=100_u8 {
        let time = f32::from(step) * 0.01;
        sample_clip(&before.clips()[0], time, Wrap::Clamp, &mut pose);
        sample_clip(&after.clips()[0], time, Wrap::Clamp, &mut baked);
        a.update(before.skeleton(), &pose);
        b.update(after.skeleton(), &baked);
        for (a, b) in a.joints().iter().zip(b.joints()) {
            max = max.max(worst_point(a, b, 0.1));
        }
    }
    max
}

#[test]
fn uniform_scale_bakes_without_loss() {
    let before = arm([Vec3::ONE, Vec3::splat(2.5)], Interpolation::Linear);
    let (after, report) = bake_scale(&before, &ScaleBakeOptions::default()).unwrap();
    assert_eq!(after.skeleton().compensated().count(), 0);
    assert_eq!(report.compensated_joints, [JointId(1), JointId(2)]);
    assert!(report.error_meters < 1e-5, "{report:?}");
    let off = worst(&before, &after);
    assert!(off < 2e-4, "{off}");
}

#[test]
fn shear_is_measured_and_not_hidden() {
    let before = arm([Vec3::ONE, Vec3::new(3.0, 1.0, 1.0)], Interpolation::Linear);
    let (after, report) = bake_scale(&before, &ScaleBakeOptions::default()).unwrap();
    assert!(report.error_meters > 1e-3 && report.worst_joint.is_some(), "{report:?}");
    assert!(worst(&before, &after) > 1e-3);
}

#[test]
fn a_step_stays_a_jump() {
    let before = arm([Vec3::ONE, Vec3::splat(2.0)], Interpolation::Step);
    let (after, _) = bake_scale(&before, &ScaleBakeOptions::default()).unwrap();
    let off = worst(&before, &after);
    assert!(off < 2e-4, "{off}");
}

#[test]
fn a_parent_scaled_to_zero_bakes_to_finite_keys_and_an_error() {
    let before = arm([Vec3::ONE, Vec3::ZERO], Interpolation::Linear);
    let (_, report) = bake_scale(&before, &ScaleBakeOptions::default()).unwrap();
    assert!(report.error_meters > 1e-2, "{report:?}");
}

#[test]
fn a_character_without_compensation_stays_the_same() {
    let figure = sinew_samples::figure();
    let (same, report) = bake_scale(&figure, &ScaleBakeOptions::default()).unwrap();
    assert_eq!((&same, report), (&figure, ScaleBakeReport::default()));
}
