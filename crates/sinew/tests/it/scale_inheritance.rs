//! Scale that is not inherited: the definition in double precision, zero scale, SIMD levels and partial updates.

use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};
use sinew::{
    Joint, JointId, LocalPose, ModelPose, ScaleInheritance, Skeleton, Transform,
    glam::{Affine3A, DAffine3, DQuat, DVec3, Mat3A, Quat, Vec3},
    simd,
};

use ScaleInheritance::{Compensated, Full};

/// The parent, the transform and the scale inheritance of each joint.
type Seeds = Vec<(u16, Transform, bool)>;

fn seeds(scale: impl Strategy<Value = Vec3> + Clone) -> impl Strategy<Value = Seeds> {
    let vector = [-3.0_f32..3.0, -3.0_f32..3.0, -3.0_f32..3.0].prop_map(Vec3::from);
    let rotation = [-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0]
        .prop_map(|xyzw| Quat::from_array(xyzw).normalize())
        .prop_filter("too short", |q| q.is_finite());
    let transform = (vector, rotation, scale).prop_map(|(translation, rotation, scale)| Transform {
        translation,
        rotation,
        scale,
    });
    prop::collection::vec((prop_oneof![any::<u16>(), Just(u16::MAX)], transform, any::<bool>()), 1..40)
}

/// Scales that can be inverted.
fn moderate() -> impl Strategy<Value = Vec3> + Clone {
    let factor = || prop_oneof![0.5_f32..2.0, -2.0_f32..-0.5];
    prop_oneof![Just(Vec3::ONE), [factor(), factor(), factor()].prop_map(Vec3::from)]
}

/// Scales that may be zero along some axes.
fn any_scale() -> impl Strategy<Value = Vec3> + Clone {
    prop_oneof![moderate(), Just(Vec3::ZERO), Just(Vec3::new(0.0, -0.0, -1.0))]
}

fn skeleton(seeds: &Seeds) -> Skeleton {
    let joints = seeds.iter().enumerate().map(|(index, &(pick, rest, _))| {
        let parent = match (index, pick) {
            (0, _) => None,
            (_, u16::MAX) => Some(index as u16 - 1),
            _ => Some(pick % (index as u16 + 1)).filter(|&p| usize::from(p) < index),
        };
        Joint { name: String::new(), parent: parent.map(JointId), rest }
    });
    let skeleton = Skeleton::new(joints).unwrap();
    let kinds = seeds.iter().map(|&(_, _, is_compensated)| if is_compensated { Compensated } else { Full });
    let kinds: Vec<_> = skeleton.joints().zip(kinds).collect();
    skeleton.with_scale_inheritance(kinds)
}

fn model_of(skeleton: &Skeleton, local: &LocalPose) -> ModelPose {
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, local);
    model
}

fn bits(pose: &ModelPose) -> Vec<[u32; 12]> {
    pose.joints().iter().map(|m| m.to_cols_array().map(f32::to_bits)).collect()
}

/// `P · T · S⁻¹ · R · C`, with the inverse, in double precision.
fn definition(skeleton: &Skeleton, local: &LocalPose) -> Vec<DAffine3> {
    let mut out: Vec<DAffine3> = Vec::new();
    for joint in skeleton.joints() {
        let own = &local.joints[joint.index()];
        let turn = DQuat::from_xyzw(
            own.rotation.x.into(),
            own.rotation.y.into(),
            own.rotation.z.into(),
            own.rotation.w.into(),
        );
        let rotated = DAffine3::from_quat(turn) * DAffine3::from_scale(own.scale.as_dvec3());
        let moved = DAffine3::from_translation(own.translation.as_dvec3());
        let Some(parent) = skeleton.parent(joint) else {
            out.push(moved * rotated);
            continue;
        };
        let without = match skeleton.scale_inheritance(joint) {
            Full => DVec3::ONE,
            Compensated => local.joints[parent.index()].scale.as_dvec3().recip(),
        };
        out.push(out[parent.index()] * moved * DAffine3::from_scale(without) * rotated);
    }
    out
}

proptest! {
    #![proptest_config(Config {
        cases: 200,
        rng_seed: RngSeed::Fixed(0x73_63_61_6c),
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn a_compensated_joint_loses_the_scale_of_its_parent(seeds in seeds(moderate())) {
        let skeleton = skeleton(&seeds);
        let local = skeleton.rest_pose();
        let model = model_of(&skeleton, &local);
        for (got, want) in model.joints().iter().zip(definition(&skeleton, &local)) {
            let got = got.to_cols_array().map(f64::from);
            let want = want.to_cols_array();
            let size = want.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
            for (a, b) in got.iter().zip(want) {
                prop_assert!((a - b).abs() < 2e-5 * size, "{a} {b}");
            }
        }
    }

    #[test]
    fn every_level_gives_the_same_bits_without_nan(seeds in seeds(any_scale())) {
        let skeleton = skeleton(&seeds);
        let local = skeleton.rest_pose();
        let want = model_of(&skeleton, &local);
        prop_assert!(want.joints().iter().all(Affine3A::is_finite));
        for level in simd::available() {
            let mut model = ModelPose::new(&skeleton);
            model.update_at(level, &skeleton, &local);
            prop_assert_eq!(bits(&model), bits(&want), "on {}", level.name());
        }
    }

    #[test]
    fn a_partial_update_gives_the_bits_of_a_whole_one(
        seeds in seeds(any_scale()), pick in any::<u16>(), scale in any_scale(), starts_plain: bool,
    ) {
        let skeleton = skeleton(&seeds);
        let mut local = skeleton.rest_pose();
        if starts_plain {
            local.joints.iter_mut().for_each(|t| t.scale = Vec3::ONE);
        }
        let mut model = model_of(&skeleton, &local);
        let top = JointId(pick % skeleton.len() as u16);
        for joint in skeleton.joints().filter(|&j| skeleton.is_within(j, top)) {
            local.joints[joint.index()].rotation *= Quat::from_rotation_y(0.4);
            local.joints[joint.index()].scale *= scale;
        }
        let whole = model_of(&skeleton, &local);
        let mut from = model.clone();
        from.update_from(&skeleton, &local, top);
        model.update_below(&skeleton, &local, top);
        prop_assert_eq!(bits(&from), bits(&whole));
        prop_assert_eq!(bits(&model), bits(&whole));
        for joint in skeleton.joints() {
            prop_assert_eq!(model.turn_frame(&skeleton, joint), whole.turn_frame(&skeleton, joint));
        }
    }

    #[test]
    fn without_scale_compensation_changes_no_bit(seeds in seeds(Just(Vec3::ONE))) {
        let compensated = skeleton(&seeds);
        let all = compensated.joints().map(|j| (j, Full)).collect::<Vec<_>>();
        let plain = compensated.clone().with_scale_inheritance(all);
        let local = plain.rest_pose();
        prop_assert_eq!(bits(&model_of(&plain, &local)), bits(&model_of(&compensated, &local)));
    }
}

/// Shoulder, elbow and wrist along X, one meter apart.
fn arm(kinds: [ScaleInheritance; 3]) -> Skeleton {
    let joint = |(at, name): (u16, &str)| Joint {
        name: name.into(),
        parent: at.checked_sub(1).map(JointId),
        rest: Transform::from_translation(if at == 0 { Vec3::ZERO } else { Vec3::X }),
    };
    let skeleton = Skeleton::new((0..).zip(["shoulder", "elbow", "wrist"]).map(joint)).unwrap();
    let kinds: Vec<_> = skeleton.joints().zip(kinds).collect();
    skeleton.with_scale_inheritance(kinds)
}

#[test]
fn the_scale_is_local_and_still_moves_the_child() {
    let skeleton = arm([Full, Compensated, Compensated]);
    let mut local = skeleton.rest_pose();
    local.joints[0].scale = Vec3::new(2.0, 3.0, 3.0);
    let model = model_of(&skeleton, &local);
    assert_eq!(model.joint(JointId(1)), Affine3A::from_translation(Vec3::X * 2.0));
    assert_eq!(model.joint(JointId(2)), Affine3A::from_translation(Vec3::X * 3.0));
}

#[test]
fn a_scale_that_the_parent_inherits_is_inherited_further() {
    let skeleton = arm([Full, Full, Compensated]);
    let mut local = skeleton.rest_pose();
    local.joints[0].scale = Vec3::splat(2.0);
    local.joints[1].scale = Vec3::splat(5.0);
    let model = model_of(&skeleton, &local);
    assert_eq!(model.joint(JointId(2)).matrix3.x_axis.x, 2.0);
    assert_eq!(model.joint(JointId(2)).translation.x, 2.0 + 10.0);
}

#[test]
fn children_of_a_joint_scaled_to_zero_keep_their_size() {
    let skeleton = arm([Full, Compensated, Full]);
    let mut local = skeleton.rest_pose();
    local.joints[0].scale = Vec3::ZERO;
    local.joints[1].rotation = Quat::from_rotation_z(0.5);
    let model = model_of(&skeleton, &local);
    let elbow = model.joint(JointId(1));
    assert_eq!(elbow.translation.length(), 0.0);
    assert!(elbow.matrix3.abs_diff_eq(Mat3A::from_rotation_z(0.5), 1e-6));
}
