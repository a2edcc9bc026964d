//! Every SIMD level gives the bits of the scalar code.

use crate::rig::Rig;
use sinew::{
    Joint, JointId, LocalPose, ModelPose, Skeleton, Transform,
    constrain::{
        ColliderShape, SpringChain, SpringCollider, SpringColliderGroup, SpringJoint, SpringLimit,
        SpringLimitShape, SpringOptions, SpringParts, SpringState, Springs,
    },
    glam::{Quat, Vec3},
    simd::{self, Level},
};

/// Numbers from 0 to 1 that a seed determines.
struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / 16_777_216.0
    }

    fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f32) as usize
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5)
    }
}

/// A body of a few joints with chains of any length, of which some branch, skip joints, have a tip, a limit or a center, and
/// with colliders of all shapes on the body and on the chains.
fn made_up(seed: u64) -> (Skeleton, SpringParts) {
    let mut dice = Dice(seed);
    let mut joints = vec![Joint { name: String::new(), parent: None, rest: Transform::IDENTITY }];
    let mut chains = Vec::new();
    for _ in 0..3 + dice.below(20) {
        let branches = dice.unit() < 0.2;
        let mut above = dice.below(if branches { joints.len() } else { 1 });
        let mut chain =
            SpringChain { center: (dice.unit() < 0.3).then_some(JointId(0)), ..SpringChain::default() };
        let (limits, skips) = (dice.unit() < 0.15, dice.unit() < 0.2);
        for bone in 0..2 + dice.below(5) {
            let rest = Transform {
                translation: dice.vector() * 0.3,
                rotation: Quat::from_scaled_axis(dice.vector()),
                scale: Vec3::ONE + dice.vector() * 0.2,
            };
            joints.push(Joint { name: String::new(), parent: Some(JointId(above as u16)), rest });
            above = joints.len() - 1;
            if skips && bone == 1 {
                continue;
            }
            let shape = SpringLimitShape::Cone { angle_radians: 0.4 };
            chain.joints.push(SpringJoint {
                stiffness: dice.unit(),
                gravity_power: dice.unit(),
                drag: dice.unit(),
                radius: 0.05 * dice.unit(),
                limit: (limits && bone == 0).then_some(SpringLimit { shape, rotation: Quat::IDENTITY }),
                ..SpringJoint::new(JointId(above as u16))
            });
        }
        chain.tip = (dice.unit() < 0.5).then_some(Vec3::X * 0.1);
        chain.collider_groups = (0..dice.below(3)).map(|_| dice.below(4)).collect();
        if !chain.swinging().is_empty() {
            chains.push(chain);
        }
    }
    let colliders = (0..8).map(|nth| {
        let joint = JointId(if nth < 4 { 0 } else { dice.below(joints.len()) as u16 });
        let (center, radius, is_inside) = (dice.vector() * 0.3, 0.15 * dice.unit(), false);
        let shape = match nth % 4 {
            0 => ColliderShape::Sphere { center, radius, is_inside },
            1 => ColliderShape::Capsule { start: center, end: dice.vector() * 0.3, radius, is_inside },
            2 => ColliderShape::Plane { point: Vec3::NEG_Y * 0.3, normal: Vec3::Y },
            _ => ColliderShape::Sphere { center, radius: 0.6, is_inside: true },
        };
        SpringCollider { joint, shape }
    });
    let colliders = colliders.collect();
    let group = |first: usize| SpringColliderGroup { name: String::new(), colliders: vec![first, first + 4] };
    let parts = SpringParts { chains, colliders, collider_groups: (0..4).map(group).collect() };
    (Skeleton::new(joints).unwrap(), parts)
}

/// All poses and the last state of three seconds with frames of changing length.
fn played(
    level: Level,
    skeleton: &Skeleton,
    springs: &Springs,
    options: SpringOptions,
    pose_at: impl Fn(f64) -> LocalPose,
) -> (Vec<LocalPose>, SpringState) {
    let (mut state, mut model) = (springs.new_state().with_options(options), ModelPose::new(skeleton));
    let (mut poses, mut secs) = (Vec::new(), 0.0);
    for frame in 0..180_u32 {
        let dt = [1.0 / 60.0, 1.0 / 144.0, 0.03, 0.001][frame as usize / 13 % 4];
        secs += dt;
        let mut pose = pose_at(secs);
        // For a moment the character is flat, which the lanes leave to the careful code.
        if frame == 90 {
            pose.joints[0].scale = Vec3::new(1.0, 0.0, 1.0);
        }
        model.update(skeleton, &pose);
        springs.step_at(level, dt as f32, &model, &mut state, &mut pose);
        poses.push(pose);
    }
    (poses, state)
}

fn check(name: &str, skeleton: &Skeleton, springs: &Springs, pose_at: impl Fn(f64) -> LocalPose) {
    for options in [SpringOptions::default(), SpringOptions::THREE_VRM] {
        let played = |level| played(level, skeleton, springs, options, &pose_at);
        let want = played(Level::scalar());
        assert!(want.0.iter().flat_map(|pose| &pose.joints).all(|joint| joint.rotation.is_finite()));
        for level in simd::available() {
            assert!(played(level) == want, "{name}: {level} differs from the scalar code");
        }
    }
}

#[test]
fn every_level_gives_the_bits_of_the_scalar_code_on_made_up_chains() {
    let mut bones = 0;
    for seed in 0..24 {
        let (skeleton, parts) = made_up(seed);
        let Ok(springs) = Springs::new(&skeleton, &parts) else { continue };
        bones += springs.len();
        check(&format!("seed {seed}"), &skeleton, &springs, |secs| {
            let mut pose = skeleton.rest_pose();
            pose.joints[0].translation = Vec3::new((5.0 * secs).sin() as f32, 0.0, (3.0 * secs).cos() as f32);
            pose.joints[0].rotation = Quat::from_rotation_z((6.0 * secs).sin() as f32);
            pose
        });
    }
    assert!(bones > 800, "{bones} bones");
    let levels: Vec<&str> = simd::available().map(Level::name).collect();
    println!("{bones} bones; levels: {}", levels.join(", "));
}

#[test]
fn every_level_gives_the_bits_of_the_scalar_code_on_the_rigs_of_the_oracle() {
    for (name, text) in [
        ("hair", include_str!("hair.json")),
        ("skirt", include_str!("skirt.json")),
        ("colliders", include_str!("colliders.json")),
        ("center", include_str!("center.json")),
        ("scaled", include_str!("scaled.json")),
    ] {
        let rig = Rig::read(text);
        check(name, &rig.skeleton, &rig.springs, |secs| rig.pose_at(secs));
    }
}
