//! Inverse kinematics: `cargo bench -p sinew --bench kinematics`.
//!
//! Every case starts from the same pose of its chain and reaches for another target each time.

use divan::Bencher;
use sinew::{
    Joint, JointId, LocalPose, ModelPose, Skeleton, Transform,
    constrain::{
        Chain, ChainGoal, ChainScratch, ColliderShape, IkReport, Limit, LookAt, LookAtGoal, LookAtParts,
        Pole, SpringChain, SpringCollider, SpringColliderGroup, SpringJoint, SpringParts, Springs, TwoBone,
        TwoBoneGoal, TwoBoneParts, ccd, fabrik,
    },
    glam::{Quat, Vec3},
};

fn main() {
    divan::main();
}

/// A root and a chain of slightly bent joints, 25 cm apart.
fn chain_skeleton(bones: u16) -> Option<Skeleton> {
    let joint = |at: u16| Joint {
        name: format!("joint_{at}"),
        parent: at.checked_sub(1).map(JointId),
        rest: Transform::from_rotation_translation(Quat::from_rotation_x(0.2), Vec3::Y * 0.25),
    };
    Skeleton::new((0..bones + 2).map(joint)).ok()
}

struct Subject {
    skeleton: Skeleton,
    rest: LocalPose,
    pose: LocalPose,
    model: ModelPose,
    step: u32,
}

impl Subject {
    fn new(bones: u16) -> Option<Self> {
        let skeleton = chain_skeleton(bones)?;
        let rest = skeleton.rest_pose();
        let mut model = ModelPose::new(&skeleton);
        model.update(&skeleton, &rest);
        Some(Self { pose: rest.clone(), rest, model, skeleton, step: 0 })
    }

    /// Resets the pose and returns a reachable target, another one each time.
    fn next(&mut self, reach: f32) -> Vec3 {
        self.step = (self.step + 1) % 64;
        let turn = self.step as f32 * 0.7;
        self.pose.copy_from(&self.rest);
        let direction = Vec3::new(turn.cos(), 0.4, turn.sin()).normalize();
        Vec3::from(self.model.joint(JointId(1)).translation) + direction * (reach * 0.7)
    }
}

fn two_bone_with(bencher: Bencher<'_, '_>, softness: f32, change: impl Fn(&mut TwoBoneGoal)) {
    let Some(mut subject) = Subject::new(2) else { return };
    let parts = TwoBoneParts { softness, ..TwoBoneParts::new(JointId(1), JointId(2), JointId(3)) };
    let Ok(limb) = TwoBone::new(&subject.skeleton, parts) else { return };
    let targets: Vec<Vec3> = (0..64).map(|_| subject.next(0.5)).collect();
    // A crowd: each limb continues from its own latest pose.
    let mut poses = vec![subject.rest.clone(); targets.len()];
    let mut at = 0;
    bencher.bench_local(move || {
        at = (at + 1) % targets.len();
        let mut goal = TwoBoneGoal { pole: Pole::Direction(Vec3::Z), ..TwoBoneGoal::to(targets[at]) };
        change(&mut goal);
        limb.apply(divan::black_box(&goal), &subject.model, &mut poses[at])
    });
}

/// Measures the case `ik/two_bone/-/1/scalar`.
#[divan::bench]
fn two_bone(bencher: Bencher<'_, '_>) {
    two_bone_with(bencher, 0.0, |_| {});
}

/// Measures the case `ik/two_bone_soft_twisted/-/1/scalar`.
#[divan::bench]
fn two_bone_soft_twisted(bencher: Bencher<'_, '_>) {
    two_bone_with(bencher, 0.6, |goal| goal.twist_radians = 0.3);
}

/// Measures the case `ik/two_bone_oriented/-/1/scalar`.
#[divan::bench]
fn two_bone_oriented(bencher: Bencher<'_, '_>) {
    two_bone_with(bencher, 0.0, |goal| goal.orientation = Some(Quat::IDENTITY));
}

/// Measures the case `ik/two_bone_half/-/1/scalar`, at weight 0.5.
#[divan::bench]
fn two_bone_half(bencher: Bencher<'_, '_>) {
    two_bone_with(bencher, 0.0, |goal| goal.weight = 0.5);
}

/// Measures the case `ik/aim/3_joints/1/scalar`.
#[divan::bench]
fn aim(bencher: Bencher<'_, '_>) {
    let Some(mut subject) = Subject::new(2) else { return };
    let parts = LookAtParts {
        joints: LookAt::even(&[JointId(1), JointId(2), JointId(3)]),
        forward: Vec3::Z,
        up: Vec3::Y,
        eye: Vec3::Y * 0.1,
    };
    let Ok(aim) = LookAt::new(&subject.skeleton, parts) else { return };
    bencher.bench_local(move || {
        let target = subject.next(4.0);
        aim.apply(
            &LookAtGoal { up: Some(Vec3::Y), ..LookAtGoal::at(target) },
            &subject.model,
            &mut subject.pose,
        )
    });
}

type Solver = fn(&Chain, &ChainGoal, &ModelPose, &mut ChainScratch, &mut LocalPose) -> IkReport;

fn chain(bencher: Bencher<'_, '_>, bones: u16, is_limited: bool, solver: Solver) {
    let Some(mut subject) = Subject::new(bones) else { return };
    let Ok(mut chain) = Chain::new(&subject.skeleton, JointId(1), JointId(bones + 1)) else { return };
    if is_limited {
        let limit =
            |j| Some((JointId(j), Limit::cone(&subject.skeleton, JointId(j), Vec3::Y, 1.2, 0.4).ok()?));
        let Ok(limited) = chain.with_limits((2..=bones).filter_map(limit)) else { return };
        chain = limited;
    }
    let mut scratch = ChainScratch::new(&chain);
    bencher.bench_local(move || {
        let target = subject.next(f32::from(bones) * 0.25);
        solver(&chain, &ChainGoal::to(target), &subject.model, &mut scratch, &mut subject.pose)
    });
}

/// Measures the case `ik/fabrik/N_bones/1/scalar`.
#[divan::bench(args = [4, 16])]
fn fabrik_chain(bencher: Bencher<'_, '_>, bones: u16) {
    chain(bencher, bones, false, fabrik);
}

/// Measures the case `ik/fabrik_limited/N_bones/1/scalar`.
#[divan::bench(args = [4, 16])]
fn fabrik_limited(bencher: Bencher<'_, '_>, bones: u16) {
    chain(bencher, bones, true, fabrik);
}

/// Measures the case `ik/ccd/N_bones/1/scalar`.
#[divan::bench(args = [4, 16])]
fn ccd_chain(bencher: Bencher<'_, '_>, bones: u16) {
    chain(bencher, bones, false, ccd);
}

/// How many joints swing in the springs of [`head_of_hair`]: 20 chains of 5.
const SPRING_JOINTS: usize = 100;

/// A head with 20 chains of hair, and as many colliders as asked for, half of them spheres and half capsules.
fn head_of_hair(colliders: usize) -> Option<(Skeleton, Springs)> {
    let joint = |parent: Option<u16>, at: Vec3| Joint {
        name: String::new(),
        parent: parent.map(JointId),
        rest: Transform::from_translation(at),
    };
    let (mut joints, mut chains) = (vec![joint(None, Vec3::Y * 1.5)], Vec::new());
    for strand in 0..20_u16 {
        let turn = Quat::from_rotation_y(f32::from(strand) * 0.3);
        let mut chain = SpringChain { collider_groups: vec![0], ..SpringChain::default() };
        for at in 0..=5 {
            let parent = if at == 0 { 0 } else { joints.len() as u16 - 1 };
            chain.joints.push(SpringJoint { radius: 0.01, ..SpringJoint::new(JointId(joints.len() as u16)) });
            joints.push(joint(Some(parent), turn * Vec3::new(0.02, -0.05, 0.0)));
        }
        chains.push(chain);
    }
    let collider = |at: usize| {
        let (start, end) = (Vec3::Y * -0.1 * at as f32, Vec3::Y * -0.1 * at as f32 + Vec3::X * 0.1);
        let shape = match at % 2 {
            0 => ColliderShape::Sphere { center: start, radius: 0.05, is_inside: false },
            _ => ColliderShape::Capsule { start, end, radius: 0.05, is_inside: false },
        };
        SpringCollider { joint: JointId(0), shape }
    };
    let parts = SpringParts {
        chains,
        colliders: (0..colliders).map(collider).collect(),
        collider_groups: vec![SpringColliderGroup {
            name: String::new(),
            colliders: (0..colliders).collect(),
        }],
    };
    let skeleton = Skeleton::new(joints).ok()?;
    let springs = Springs::new(&skeleton, &parts).ok()?;
    Some((skeleton, springs))
}

/// Measures the case `springs/step/100_joints/N_colliders/scalar`: one fixed step.
#[divan::bench(args = [0, 8])]
fn spring_step(bencher: Bencher<'_, '_>, colliders: usize) {
    let Some((skeleton, springs)) = head_of_hair(colliders) else { return };
    let (mut pose, mut model) = (skeleton.rest_pose(), ModelPose::new(&skeleton));
    let (mut state, mut tick) = (springs.new_state(), 0_u32);
    model.update(&skeleton, &pose);
    bencher.counter(divan::counter::ItemsCount::new(SPRING_JOINTS)).bench_local(move || {
        tick = (tick + 1) % 60;
        pose.joints[0].rotation = Quat::from_rotation_y((tick as f32 * 0.1).sin());
        model.update_from(&skeleton, &pose, JointId(0));
        springs.step(1.0 / 60.0, &model, &mut state, divan::black_box(&mut pose));
    });
}
