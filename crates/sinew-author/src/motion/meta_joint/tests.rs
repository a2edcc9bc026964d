use super::*;
use sinew::{Wrap, constrain::JointAxes, glam::EulerRot, sample_clip};

fn angle_between(a: Quat, b: Quat) -> f64 {
    let left = a.as_dquat().conjugate() * b.as_dquat();
    2.0 * left.xyz().length().atan2(left.w.abs())
}

fn single(skeleton: &Skeleton, joint: JointId, axes: JointAxes) -> MetaJoint {
    MetaJoint::new(skeleton, "m", vec![MetaJointPart::new(joint, axes)]).unwrap()
}

/// The largest difference of the rotation of `joint` over the clip, at and between keys.
fn worst(a: &Clip, b: &Clip, skeleton: &Skeleton, joint: JointId) -> f64 {
    let (mut one, mut two) = (skeleton.rest_pose(), skeleton.rest_pose());
    let times = rotation_of(a, joint).unwrap().times_secs().to_vec();
    let between = (0..400_u16).map(|step| a.duration_secs() * f32::from(step) / 400.0);
    let off = times.into_iter().chain(between).map(|time| {
        sample_clip(a, time, Wrap::Clamp, &mut one);
        sample_clip(b, time, Wrap::Clamp, &mut two);
        angle_between(one.joints[joint.index()].rotation, two.joints[joint.index()].rotation)
    });
    off.fold(0.0, f64::max)
}

#[test]
fn a_walk_splits_and_merges_without_loss_in_every_order() {
    let figure = sinew_samples::figure();
    let (skeleton, walk) = (figure.skeleton(), figure.find_clip("walk").unwrap());
    for name in ["upper_arm.L", "thigh.R", "spine_lower"] {
        let joint = skeleton.find(name).unwrap();
        for axes in JointAxes::ORDERS {
            let meta = single(skeleton, joint, axes);
            let (split, report) = split_angles(walk, skeleton, &meta).unwrap();
            assert!(rotation_of(&split, joint).is_none());
            assert_eq!((report.curves.len(), report.cubic_error_radians), (3, 0.0), "{axes}");
            assert!(report.residual_radians < 1e-6, "{axes}: {report:?}");
            let merged = merge_angles(&split, skeleton, &meta).unwrap();
            assert_eq!(merged.metas(), walk.metas());
            let off = worst(walk, &merged, skeleton, joint);
            assert!(off < 1e-6, "{name} {axes}: {off}");
        }
    }
}

/// A clip that rotates joint 0 through these rotations, a tenth of a second apart.
fn turning(rotations: Vec<Quat>) -> Clip {
    let times = (0..rotations.len() as u16).map(|k| f32::from(k) * 0.1).collect();
    let curve = Curve::new(times, rotations, Interpolation::Linear).unwrap();
    Clip::new("turn", vec![Channel::Rotation { joint: JointId(0), curve }], vec![]).unwrap()
}

#[test]
fn angles_continue_through_turns_and_gimbal_lock() {
    let arm = sinew_samples::arm();
    let (skeleton, joint) = (arm.skeleton(), JointId(0));
    let rest = skeleton.rest(joint).rotation;
    // The outer angle winds twice; the middle one passes through the lock at 90°.
    let steps = 0..=80_u8;
    let rotation = |step: u8| {
        let part = f32::from(step) / 80.0;
        rest * Quat::from_euler(EulerRot::XYZ, 12.0 * part, 3.0 * part, 0.4)
    };
    let clip = turning(steps.map(rotation).collect());
    let meta = single(skeleton, joint, "xyz".parse().unwrap());
    let (split, _) = split_angles(&clip, skeleton, &meta).unwrap();
    for name in meta.angle_names() {
        let values: Vec<f32> = angle_curve(&split, &name).unwrap().elements().to_vec();
        let jump = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
        assert!(jump < 0.2, "{name} jumps by {jump}");
    }
    let outer = angle_curve(&split, "m.x").unwrap();
    assert!((outer.elements()[80] - 12.0).abs() < 1e-4, "{}", outer.elements()[80]);
    let merged = merge_angles(&split, skeleton, &meta).unwrap();
    // Angles beyond 8 rad have a rounding of half a millionth.
    assert!(worst(&clip, &merged, skeleton, joint) < 2e-6);
}

#[test]
fn what_one_and_two_axes_cannot_represent_is_reported() {
    let arm = sinew_samples::arm();
    let (skeleton, joint) = (arm.skeleton(), JointId(0));
    let rest = skeleton.rest(joint).rotation;
    let turns = [0.0, 0.3, 0.6].map(|a| rest * Quat::from_rotation_z(a) * Quat::from_rotation_x(-a));
    let clip = turning(turns.to_vec());
    let universal = single(skeleton, joint, "zx".parse().unwrap());
    let (split, report) = split_angles(&clip, skeleton, &universal).unwrap();
    assert!(report.residual_radians < 1e-6 && report.curves == ["m.z", "m.x"], "{report:?}");
    assert!(worst(&clip, &merge_angles(&split, skeleton, &universal).unwrap(), skeleton, joint) < 1e-6);
    let hinge = single(skeleton, joint, "z".parse().unwrap());
    let (_, report) = split_angles(&clip, skeleton, &hinge).unwrap();
    assert!((report.residual_radians - 0.6).abs() < 1e-5, "{report:?}");
}

#[test]
fn one_joint_is_edited_angle_by_angle_and_other_channels_stay() {
    let figure = sinew_samples::figure();
    let (skeleton, walk) = (figure.skeleton(), figure.find_clip("walk").unwrap());
    let joint = skeleton.find("upper_arm.L").unwrap();
    let meta = single(skeleton, joint, "zxy".parse().unwrap());
    let (split, _) = split_angles(walk, skeleton, &meta).unwrap();
    let mut parts = split.into_parts();
    for channel in &mut parts.metas {
        if channel.name == "m.z"
            && let MetaCurve::Scalar(curve) = &mut channel.curve
        {
            let raised = curve.elements().iter().map(|angle| angle + 0.5).collect();
            *curve = Curve::new(curve.times_secs().to_vec(), raised, curve.interpolation()).unwrap();
        }
    }
    let raised = merge_angles(&Clip::from_parts(parts).unwrap(), skeleton, &meta).unwrap();
    assert_eq!(raised.channels().len(), walk.channels().len());
    let (mut before, mut after) = (figure.rest_pose(), figure.rest_pose());
    sample_clip(walk, 0.0, Wrap::Clamp, &mut before);
    sample_clip(&raised, 0.0, Wrap::Clamp, &mut after);
    let (old, new) = (meta.angles(&before), meta.angles(&after));
    assert!((new.radians[0] - old.radians[0] - 0.5).abs() < 1e-5);
    assert!((new.radians[1] - old.radians[1]).abs() < 1e-5);
}

#[test]
fn step_and_cubic_keys_are_split_too() {
    let arm = sinew_samples::arm();
    let (skeleton, joint) = (arm.skeleton(), JointId(0));
    let rest = skeleton.rest(joint).rotation;
    let meta = single(skeleton, joint, "xyz".parse().unwrap());
    let keys = vec![rest, rest * Quat::from_rotation_x(1.0)];
    let step = Curve::new(vec![0.0, 1.0], keys.clone(), Interpolation::Step).unwrap();
    let clip = Clip::new("s", vec![Channel::Rotation { joint, curve: step }], vec![]).unwrap();
    let merged = merge_angles(&split_angles(&clip, skeleton, &meta).unwrap().0, skeleton, &meta).unwrap();
    assert_eq!(rotation_of(&merged, joint).unwrap().interpolation(), Interpolation::Step);
    let none = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let cubic = vec![none, keys[0], none, none, keys[1], none];
    let cubic = Curve::new(vec![0.0, 1.0], cubic, Interpolation::Cubic).unwrap();
    let clip = Clip::new("c", vec![Channel::Rotation { joint, curve: cubic }], vec![]).unwrap();
    let (split, report) = split_angles(&clip, skeleton, &meta).unwrap();
    assert!(report.cubic_error_radians > 0.0 && report.cubic_error_radians < 0.01, "{report:?}");
    let merged = merge_angles(&split, skeleton, &meta).unwrap();
    let off = worst(&clip, &merged, skeleton, joint);
    assert!(off < f64::from(report.cubic_error_radians) * 1.2 + 1e-6, "{off} {report:?}");
}
