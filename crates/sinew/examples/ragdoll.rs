//! Lets physics take over a walking body and hands it back: `cargo run -p sinew --example ragdoll`.
//!
//! A tiny Verlet simulation stands in for a physics engine. It gives points in model space; Sinew turns them into a pose.

use sinew::blend::RecentMotion;
use sinew::glam::{Mat3, Quat, Vec3};
use sinew::instance::{Archetype, InstanceScratch, PlayOptions};
use sinew::pose::{ModelTarget, local_from_model};
use sinew::{JointId, ModelPose, Transform};

const DT_SECS: f32 = 1.0 / 60.0;
const FALL_PER_STEP: Vec3 = Vec3::new(0.0, -9.81 * DT_SECS * DT_SECS, 0.0);

/// The points of the ragdoll, by joint.
#[rustfmt::skip]
const POINTS: [&str; 15] = [
    "hips", "spine_upper", "head", "upper_arm.L", "forearm.L", "hand.L", "upper_arm.R", "forearm.R", "hand.R",
    "thigh.L", "shin.L", "foot.L", "thigh.R", "shin.R", "foot.R",
];
/// Pairs of points that keep their distance: bones, and braces that hold the trunk together.
#[rustfmt::skip]
const RODS: [[usize; 2]; 23] = [
    [0, 1], [1, 2], [1, 3], [3, 4], [4, 5], [1, 6], [6, 7], [7, 8], [0, 9], [9, 10], [10, 11], [0, 12], [12, 13],
    [13, 14], [3, 6], [9, 12], [2, 3], [2, 6], [3, 9], [6, 12], [3, 12], [6, 9], [0, 2],
];
/// Bones that point from one point to another, and how far they follow physics: the forearms keep some of the clip.
#[rustfmt::skip]
const LIMBS: [(usize, usize, f32); 9] = [
    (1, 2, 1.0), (3, 4, 1.0), (4, 5, 0.7), (6, 7, 1.0), (7, 8, 0.7), (9, 10, 1.0), (10, 11, 1.0), (12, 13, 1.0),
    (13, 14, 1.0),
];

struct Ragdoll {
    now: [Vec3; 15],
    before: [Vec3; 15],
    lengths: [f32; 23],
}

impl Ragdoll {
    /// Continues from two poses of the clip: the points keep their velocity.
    fn new(now: [Vec3; 15], before: [Vec3; 15]) -> Self {
        Self { now, before, lengths: RODS.map(|[a, b]| now[a].distance(now[b])) }
    }

    fn step(&mut self) {
        for (now, before) in self.now.iter_mut().zip(&mut self.before) {
            let moved = *now + (*now - *before) * 0.99 + FALL_PER_STEP;
            *before = std::mem::replace(now, moved);
        }
        for _ in 0..10 {
            for ([a, b], length) in RODS.into_iter().zip(self.lengths) {
                let rod = self.now[b] - self.now[a];
                let off = rod * (0.5 * (1.0 - length / rod.length().max(1e-6)));
                self.now[a] += off;
                self.now[b] -= off;
            }
            for (now, before) in self.now.iter_mut().zip(&mut self.before) {
                if now.y < 0.06 {
                    now.y = 0.06;
                    *before = before.lerp(*now, 0.1); // friction
                }
            }
        }
    }

    /// The bodies: each rotated from its direction in the clip to that of the simulation.
    fn bodies(
        &self,
        joints: &[JointId; 15],
        clip: &[Vec3; 15],
        model: &ModelPose,
        weight: f32,
    ) -> Vec<ModelTarget> {
        let rotation = |at: usize| model.joint(joints[at]).to_scale_rotation_translation().1;
        // The hips have a full frame, from the line between the thighs and that to the chest.
        let frame = |points: &[Vec3; 15]| {
            let (up, left) = ((points[1] - points[0]).normalize(), points[9] - points[12]);
            let left = left.reject_from_normalized(up).normalize();
            Quat::from_mat3(&Mat3::from_cols(left, up, left.cross(up)))
        };
        let turn = frame(&self.now) * frame(clip).conjugate();
        let hips = Transform::from_rotation_translation((turn * rotation(0)).normalize(), self.now[0]);
        let limb = |(from, to, own): (usize, usize, f32)| {
            let (bone, rod) = (turn * (clip[to] - clip[from]), self.now[to] - self.now[from]);
            let aim = Quat::from_rotation_arc(bone.normalize(), rod.normalize());
            let place = Transform::from_rotation_translation(
                (aim * turn * rotation(from)).normalize(),
                self.now[from],
            );
            ModelTarget::rotated(joints[from], place).with_weight(own * weight)
        };
        let hips = ModelTarget::placed(joints[0], hips).with_weight(weight);
        [hips].into_iter().chain(LIMBS.map(limb)).collect()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let archetype = Archetype::new(sinew_samples::figure());
    let skeleton = archetype.character().skeleton();
    let joints = POINTS.map(|name| skeleton.find(name).expect("a joint of the figure"));
    let points = |model: &ModelPose| joints.map(|joint| Vec3::from(model.joint(joint).translation));
    let (mut one, mut scratch) = (archetype.new_instance(), InstanceScratch::new(&archetype));
    one.play_with(&archetype, archetype.find_motion("idle").ok_or("no idle")?, PlayOptions::LOOP)?;

    let (mut model, mut ragdoll) = (ModelPose::new(skeleton), None);
    let (mut shown, mut before) = (archetype.rest().clone(), archetype.rest().clone());
    let (mut clip_before, mut head_before, mut largest) = (points(&model), Vec3::ZERO, 0.0_f32);
    for tick in 0..240_u16 {
        if tick == 150 {
            // Hand back: the difference to the clip decays within a second, without a jump.
            ragdoll = None;
            one.inertialize_from(RecentMotion { now: &shown, before: &before, step_secs: DT_SECS }, 1.0)?;
        }
        let mut sampled = one.sample(&archetype, DT_SECS, &mut scratch, |_| {});
        model.update(skeleton, sampled.pose());
        let clip = points(&model);
        if (30..150).contains(&tick) {
            // A push against the chest starts it.
            let push = |points: [Vec3; 15]| {
                std::array::from_fn(|at| points[at] - Vec3::Z * 0.02 * f32::from(u8::from(at < 9)))
            };
            let ragdoll = ragdoll.get_or_insert_with(|| Ragdoll::new(clip, push(clip_before)));
            ragdoll.step();
            // Physics fades in within a fifth of a second.
            let weight = (f32::from(tick - 29) / 12.0).min(1.0);
            let bodies = ragdoll.bodies(&joints, &clip, &model, weight);
            local_from_model(skeleton, &bodies, sampled.pose_mut(), &mut model)?;
        }
        sampled.finish();
        before.copy_from(&shown);
        shown.copy_from(one.pose());
        model.update(skeleton, one.pose());
        let head = points(&model)[2];
        if tick > 0 {
            largest = largest.max(head.distance(head_before));
        }
        (clip_before, head_before) = (clip, head);
        if tick % 30 == 0 {
            println!("{tick:3}: hips at {:.2} m, head at {:.2} m", points(&model)[0].y, head.y);
        }
    }
    println!("the head moves by at most {largest:.3} m from one frame to the next");
    assert!(largest < 0.15, "a jump");
    Ok(())
}
