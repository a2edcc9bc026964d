//! Model poses and palettes: the same bits on every SIMD level, and in partial updates as in full ones.

use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};
use sinew::{
    Joint, JointId, LocalPose, ModelPose, Palette, Skeleton, Skin, Transform,
    glam::{Affine3A, Quat, Vec3},
    simd,
};

/// The parts of a random skeleton: the parent and the transform of each joint.
type Seeds = Vec<(u16, Transform)>;

fn seeds() -> impl Strategy<Value = Seeds> {
    let vector = |reach: f32| [-reach..reach, -reach..reach, -reach..reach].prop_map(Vec3::from);
    let rotation = [-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0]
        .prop_map(|xyzw| Quat::from_array(xyzw).normalize())
        .prop_filter("too short", |q| q.is_finite());
    let scale = prop_oneof![3 => Just(Vec3::ONE), 1 => vector(2.0), 1 => Just(Vec3::new(0.0, -0.0, -1.0))];
    let transform = (vector(3.0), rotation, scale).prop_map(|(translation, rotation, scale)| Transform {
        translation,
        rotation,
        scale,
    });
    // Some joints are children of the joint before them, since long chains are the hard case for any other order.
    prop::collection::vec((prop_oneof![any::<u16>(), Just(u16::MAX)], transform), 1..90)
}

fn skeleton(seeds: &Seeds) -> Skeleton {
    Skeleton::new(seeds.iter().enumerate().map(|(index, &(pick, rest))| {
        let parent = match (index, pick) {
            (0, _) => None,
            (_, u16::MAX) => Some(index as u16 - 1),
            _ => Some(pick % (index as u16 + 1)).filter(|&p| usize::from(p) < index),
        };
        Joint { name: String::new(), parent: parent.map(JointId), rest }
    }))
    .expect("parents come first")
}

/// The plain loop over glam matrices that defines the result.
fn plain(skeleton: &Skeleton, local: &LocalPose) -> Vec<Affine3A> {
    let mut out: Vec<Affine3A> = Vec::new();
    for (parent, transform) in skeleton.parents().iter().zip(&local.joints) {
        let parent_from_joint = transform.to_affine();
        out.push(parent.map_or(parent_from_joint, |p| out[p.index()] * parent_from_joint));
    }
    out
}

fn bits(matrices: &[Affine3A]) -> Vec<[u32; 12]> {
    matrices.iter().map(|m| m.to_cols_array().map(f32::to_bits)).collect()
}

/// A skin over every other joint, last first, with arbitrary inverse bind matrices.
fn skin(skeleton: &Skeleton, seeds: &Seeds) -> Skin {
    let joints: Vec<JointId> = skeleton.joints().rev().step_by(2).collect();
    let binds = joints.iter().map(|j| seeds[seeds.len() - 1 - j.index()].1.to_affine()).collect();
    Skin::new("", skeleton, joints, binds).expect("joints are there")
}

proptest! {
    #![proptest_config(Config {
        cases: 300,
        rng_seed: RngSeed::Fixed(0x6a_6f_69_6e),
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn every_level_gives_the_bits_of_the_plain_loop(seeds in seeds()) {
        let skeleton = skeleton(&seeds);
        let local = skeleton.rest_pose();
        let want = plain(&skeleton, &local);
        let skin = skin(&skeleton, &seeds);
        let slots = skin.joints().iter().zip(skin.joint_from_mesh());
        let want_palette: Vec<Affine3A> = slots.map(|(j, bind)| want[j.index()] * *bind).collect();
        for level in simd::available() {
            let mut model = ModelPose::new(&skeleton);
            model.update_at(level, &skeleton, &local);
            prop_assert_eq!(bits(model.joints()), bits(&want), "hierarchy on {}", level.name());
            let mut palette = Palette::new(&skin);
            palette.update_at(level, &skin, &model);
            prop_assert_eq!(bits(palette.matrices()), bits(&want_palette), "palette on {}", level.name());
        }
    }

    #[test]
    fn a_partial_update_gives_the_bits_of_a_whole_one(seeds in seeds(), pick in any::<u16>(), turn in -3.0_f32..3.0) {
        let skeleton = skeleton(&seeds);
        let mut local = skeleton.rest_pose();
        let mut model = ModelPose::new(&skeleton);
        model.update(&skeleton, &local);
        let top = JointId(pick % skeleton.len() as u16);
        // Only descendants change.
        for joint in skeleton.joints().filter(|&j| skeleton.is_within(j, top)) {
            local.joints[joint.index()].rotation *= Quat::from_rotation_y(turn);
            local.joints[joint.index()].translation += Vec3::X;
        }
        let mut whole = model.clone();
        whole.update(&skeleton, &local);
        let (mut from, mut below) = (model.clone(), model);
        from.update_from(&skeleton, &local, top);
        below.update_below(&skeleton, &local, top);
        prop_assert_eq!(bits(from.joints()), bits(whole.joints()));
        prop_assert_eq!(bits(below.joints()), bits(whole.joints()));
    }
}

#[test]
fn partial_updates_do_not_change_other_joints() {
    let figure = sinew_samples::figure();
    let skeleton = figure.skeleton();
    let rest = skeleton.rest_pose();
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, &rest);
    let before = bits(model.joints());
    let moved = LocalPose {
        joints: rest
            .joints
            .iter()
            .map(|t| Transform { translation: t.translation + Vec3::Y, ..*t })
            .collect(),
        ..rest
    };
    let top = skeleton.joint(skeleton.len() / 2).expect("there are joints");
    let mut below = model.clone();
    below.update_below(skeleton, &moved, top);
    model.update_from(skeleton, &moved, top);
    let mut left_alone = 0;
    for joint in skeleton.joints() {
        let is_old = |pose: &ModelPose| bits(pose.joints())[joint.index()] == before[joint.index()];
        assert_eq!(is_old(&below), !skeleton.is_within(joint, top), "{}", skeleton.name(joint));
        assert_eq!(is_old(&model), joint < top, "{}", skeleton.name(joint));
        left_alone += usize::from(is_old(&below) && joint > top);
    }
    assert!(left_alone > 0, "the joint was chosen so that some after it do not hang on it");
}

#[test]
fn a_pose_made_for_another_skeleton_of_as_many_joints_still_gives_the_right_pose() {
    let joint = |parent: Option<u16>| Joint {
        name: String::new(),
        parent: parent.map(JointId),
        rest: Transform::from_translation(Vec3::X),
    };
    let chain = Skeleton::new([joint(None), joint(Some(0)), joint(Some(1))]).unwrap();
    let star = Skeleton::new([joint(None), joint(Some(0)), joint(Some(0))]).unwrap();
    let mut model = ModelPose::new(&chain);
    for skeleton in [&chain, &star, &chain] {
        model.update(skeleton, &skeleton.rest_pose());
        assert_eq!(model.joints(), plain(skeleton, &skeleton.rest_pose()));
    }
}

#[test]
fn the_machine_says_which_levels_were_compared() {
    let names: Vec<&str> = simd::available().map(simd::Level::name).collect();
    println!("levels compared: {}", names.join(", "));
    assert!(names.len() > 1 || !cfg!(target_arch = "x86_64"), "every such machine has vectors: {names:?}");
}
