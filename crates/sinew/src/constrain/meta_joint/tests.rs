use super::*;
use crate::sinew_samples;
use crate::{ModelPose, Wrap, sample_clip};
use JointAxis::{X, Y, Z};
use glam::{EulerRot, Vec3};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};

/// The parts of an order: one axis each, or two and one, or one and two.
fn parts(axes: JointAxes, cut: usize) -> Vec<JointAxes> {
    let lengths = [&[1, 1, 1][..], &[2, 1], &[1, 2]][cut];
    let mut left = axes.axes();
    let mut take = |count: &usize| {
        let (part, rest) = left.split_at(*count);
        left = rest;
        JointAxes::new(part).unwrap()
    };
    lengths.iter().map(&mut take).collect()
}

/// An arm whose shoulder and elbow are split.
fn arm(axes: JointAxes, cut: usize) -> (Skeleton, MetaJoints) {
    let joint = |name: &str, parent: Option<u16>, angle: f32| Joint {
        name: name.into(),
        parent: parent.map(JointId),
        rest: Transform {
            translation: Vec3::Y,
            rotation: Quat::from_euler(EulerRot::XYZ, angle, -angle, 0.5),
            scale: Vec3::new(1.0, 1.5, 0.7),
        },
    };
    let whole =
        Skeleton::new([joint("root", None, 0.1), joint("a", Some(0), 0.7), joint("b", Some(1), -0.4)])
            .unwrap();
    let splits = [JointId(1), JointId(2)].map(|joint| Split { joint, parts: parts(axes, cut) });
    let split = MetaJoints::split(&whole, &splits).unwrap();
    (whole, split)
}

proptest! {
    #![proptest_config(Config {
        rng_seed: RngSeed::Fixed(0x6d65_7461),
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn split_and_merged_poses_are_the_same(
        q in [-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0], order in 0_usize..12, cut in 0_usize..3, locked: bool,
    ) {
        let axes = JointAxes::ORDERS[order];
        let (whole, split) = arm(axes, cut);
        let q = Quat::from_array(q);
        prop_assume!(q.length() > 0.1);
        let mut pose = whole.rest_pose();
        // A quarter turn of the middle axis leaves the outer two parallel; without a turn, proper axes are parallel.
        let quarter = if axes.axes()[0] == axes.axes()[2] { 0.0 } else { std::f32::consts::FRAC_PI_2 };
        let turn = axes.rotation([0.0, quarter, 0.0]);
        pose.joints[1].rotation = if locked { pose.joints[1].rotation * turn } else { q.normalize() };
        pose.joints[2].translation = Vec3::new(0.3, 0.1, 2.0);
        let (mut parted, mut again) = (LocalPose::default(), LocalPose::default());
        split.split_pose(&pose, &mut parted);
        split.merge_pose(&parted, &mut again);
        for (a, b) in pose.joints.iter().zip(&again.joints) {
            let b_rotation = if a.rotation.dot(b.rotation) < 0.0 { -b.rotation } else { b.rotation };
            prop_assert!((a.rotation - b_rotation).length() < 1e-6, "{:?} {:?}", a, b);
            prop_assert_eq!((a.translation, a.scale), (b.translation, b.scale));
        }
        // Only their own axes, seen from rest.
        for joint in [JointId(1), JointId(2)] {
            for (new, part) in split.joints(joint).zip(parts(axes, cut)) {
                let rest = split.skeleton().rest(new).rotation;
                let turn = rest.conjugate() * parted.joints[new.index()].rotation;
                prop_assert!(part.angles(turn).residual_radians < 2e-6);
            }
        }
    }
}

#[test]
fn a_split_figure_walks_as_before() {
    let figure = sinew_samples::figure();
    let whole = figure.skeleton();
    let splits: Vec<Split> = whole
        .joints()
        .skip(1)
        .map(|joint| Split { joint, parts: parts(JointAxes::ORDERS[usize::from(joint.0) % 12], 0) })
        .collect();
    let split = MetaJoints::split(whole, &splits).unwrap();
    assert_eq!(split.skeleton().len(), 3 * whole.len() - 2);
    assert_eq!(split.skeleton().name(split.joint(JointId(5))), whole.name(JointId(5)));
    let mut pose = figure.rest_pose();
    sample_clip(figure.find_clip("walk").unwrap(), 0.3, Wrap::Loop, &mut pose);
    let mut parted = split.skeleton().rest_pose();
    split.split_pose(&pose, &mut parted);
    let (mut a, mut b) = (ModelPose::new(whole), ModelPose::new(split.skeleton()));
    a.update(whole, &pose);
    b.update(split.skeleton(), &parted);
    for joint in whole.joints() {
        assert!(a.joint(joint).abs_diff_eq(b.joint(split.joint(joint)), 3e-6), "{}", whole.name(joint));
    }
}

#[test]
fn the_rest_is_the_rest() {
    let (whole, split) = arm("zyx".parse().unwrap(), 1);
    let mut parted = LocalPose::default();
    split.split_pose(&whole.rest_pose(), &mut parted);
    for (a, b) in parted.joints.iter().zip(split.skeleton().rest_transforms()) {
        assert!(
            a.rotation.dot(b.rotation).abs() > 1.0 - 1e-6
                && a.translation == b.translation
                && a.scale == b.scale
        );
    }
}

#[test]
fn refuses_what_cannot_be_split() {
    let (whole, _) = arm("xyz".parse().unwrap(), 0);
    let split = |splits: &[(u16, [JointAxis; 3])]| {
        let splits: Vec<Split> = splits.iter().map(|&(j, axes)| Split::into_axes(JointId(j), axes)).collect();
        MetaJoints::split(&whole, &splits)
    };
    assert!(matches!(split(&[(9, [X, Y, Z])]), Err(SplitError::NoSuchJoint { .. })));
    assert!(matches!(split(&[(1, [X, Y, Y])]), Err(SplitError::RepeatedAxis { .. })));
    assert!(matches!(split(&[(1, [X, Y, Z]), (1, [X, Y, Z])]), Err(SplitError::Twice { .. })));
}
