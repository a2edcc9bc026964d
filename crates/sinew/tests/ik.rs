//! Kinematics through the public API alone: a reaching figure, and proof that no solver allocates.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected fails")]
#![allow(
    unsafe_code,
    reason = "a global allocator cannot be written without it; only this test binary has one"
)]

use sinew::{
    Character, JointId, LocalPose, ModelPose, Wrap,
    constrain::{
        Chain, ChainGoal, ChainScratch, FootFrame, FootOptions, FootPlacement, GroundHit, JointAxis, Leg,
        Limit, LookAt, LookAtGoal, LookAtParts, MetaJoints, Pole, Split, TwoBone, TwoBoneGoal, TwoBoneParts,
        ccd, fabrik,
    },
    glam::{Quat, Vec3},
    sample_clip,
};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! {
    /// Allocations of this thread only, since the test harness has its own threads.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that is shutting down has no counter any more.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller upholds the contract of the system allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn joints<const N: usize>(figure: &Character, names: [&str; N]) -> [JointId; N] {
    names.map(|name| figure.skeleton().find(name).unwrap())
}

fn walking(figure: &Character, time_secs: f32) -> (LocalPose, ModelPose) {
    let mut pose = figure.rest_pose();
    sample_clip(figure.find_clip("walk").unwrap(), time_secs, Wrap::Loop, &mut pose);
    let mut model = ModelPose::new(figure.skeleton());
    model.update(figure.skeleton(), &pose);
    (pose, model)
}

#[test]
fn a_walking_figure_reaches_for_a_moving_target_with_its_elbow_down() {
    let figure = sinew_samples::figure();
    let [upper, fore, hand] = joints(&figure, ["upper_arm.R", "forearm.R", "hand.R"]);
    let arm = TwoBone::new(figure.skeleton(), TwoBoneParts::new(upper, fore, hand)).unwrap();
    for step in 0..40_u8 {
        let time = f32::from(step) / 30.0;
        let (mut pose, mut model) = walking(&figure, time);
        let shoulder = Vec3::from(model.joint(upper).translation);
        let target = shoulder + Vec3::new(-0.1, 0.2 * (time * 4.0).sin(), 0.35);
        let wanted = Quat::from_rotation_y(time);
        let goal = TwoBoneGoal {
            pole: Pole::Direction(Vec3::new(-0.3, -1.0, 0.0)),
            orientation: Some(wanted),
            ..TwoBoneGoal::to(target)
        };
        let reach = arm.apply(&goal, &model, &mut pose);
        model.update_below(figure.skeleton(), &pose, upper);
        assert!(reach.reached, "{reach:?}");
        assert!(Vec3::from(model.joint(hand).translation).distance(target) < 1e-4);
        let elbow = Vec3::from(model.joint(fore).translation);
        assert!(elbow.y < shoulder.lerp(target, 0.5).y, "the elbow hangs");
        let fingers = model.joint(hand).transform_vector3(Vec3::Y);
        assert!(fingers.distance(wanted * Vec3::Y) < 1e-3, "the hand is turned as asked");
    }
}

/// Every solver, applied to the walking figure.
struct Rig {
    arm: TwoBone,
    aim: LookAt,
    spine: Chain,
    feet: FootPlacement,
    split: MetaJoints,
}

fn rig(figure: &Character) -> Rig {
    let skeleton = figure.skeleton();
    let [upper, fore, hand] = joints(figure, ["upper_arm.L", "forearm.L", "hand.L"]);
    let [hips, lower, neck, head] = joints(figure, ["hips", "spine_lower", "neck", "head"]);
    let leg = |side: &str| {
        let names = ["thigh", "shin", "foot"].map(|n| skeleton.find(&format!("{n}.{side}")).unwrap());
        Leg::standing(skeleton, names, Vec3::Y).unwrap()
    };
    let looking = LookAtParts {
        joints: LookAt::even(&[neck, head]),
        forward: Vec3::Z,
        up: Vec3::Y,
        eye: Vec3::Y * 0.1,
    };
    let stiff = Limit::cone(skeleton, lower, Vec3::Y, 0.4, 0.2).unwrap();
    let splits = [Split::into_axes(upper, [JointAxis::Z, JointAxis::X, JointAxis::Y])];
    Rig {
        arm: TwoBone::new(skeleton, TwoBoneParts::new(upper, fore, hand)).unwrap(),
        aim: LookAt::new(skeleton, looking).unwrap(),
        spine: Chain::new(skeleton, lower, hand).unwrap().with_limits([(lower, stiff)]).unwrap(),
        feet: FootPlacement::new(skeleton, hips, &[leg("L"), leg("R")], FootOptions::default()).unwrap(),
        split: MetaJoints::split(skeleton, &splits).unwrap(),
    }
}

#[test]
fn no_solver_allocates() {
    let figure = sinew_samples::figure();
    let skeleton = figure.skeleton();
    let rig = rig(&figure);
    let mut scratch = ChainScratch::new(&rig.spine);
    let mut state = rig.feet.state();
    let mut parted = rig.split.skeleton().rest_pose();
    let (mut pose, mut model) = walking(&figure, 0.3);
    let ground = |p: Vec3| Some(GroundHit { point: p.with_y(0.1 * (p.z * 3.0).sin()), normal: Vec3::Y });
    let before = ALLOCATIONS.with(Cell::get);
    for step in 0..8_u8 {
        let target = Vec3::new(0.4, 1.0 + f32::from(step) * 0.1, 0.5);
        let frame = FootFrame { seconds: 0.02, weight: 0.9 };
        rig.feet.apply(&frame, ground, skeleton, &mut state, &mut model, &mut pose);
        fabrik(&rig.spine, &ChainGoal::to(target), &model, &mut scratch, &mut pose);
        ccd(&rig.spine, &ChainGoal::to(target), &model, &mut scratch, &mut pose);
        model.update(skeleton, &pose);
        rig.arm.apply(&TwoBoneGoal::to(target), &model, &mut pose);
        rig.aim.apply(&LookAtGoal::at(target), &model, &mut pose);
        rig.split.split_pose(&pose, &mut parted);
        rig.split.merge_pose(&parted, &mut pose);
    }
    assert_eq!(ALLOCATIONS.with(Cell::get) - before, 0);
    drop(std::hint::black_box(vec![1_u8; 64]));
    assert_eq!(ALLOCATIONS.with(Cell::get) - before, 1, "the counter counts");
}
