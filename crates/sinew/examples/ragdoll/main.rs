//! Lets physics take over a walking body and hands it back: `cargo run -p sinew --example ragdoll`.
//!
//! `verlet.rs` stands in for a physics engine. It gives points in model space; Sinew turns them into a pose.

mod verlet;

use sinew::blend::RecentMotion;
use sinew::glam::{Mat3, Quat, Vec3};
use sinew::instance::{Archetype, InstanceScratch, PlayOptions};
use sinew::pose::{ModelTarget, local_from_model};
use sinew::{JointId, ModelPose, Transform};
use verlet::{DT_SECS, LIMBS, POINTS, Points, Ragdoll};

/// The bodies: each rotated from its direction in the clip to that of the simulation.
fn bodies(ragdoll: &Ragdoll, joints: &[JointId; 15], clip: &Points, model: &ModelPose) -> Vec<ModelTarget> {
    let rotation = |at: usize| model.joint(joints[at]).to_scale_rotation_translation().1;
    // The hips have a full frame, from the line between the thighs and that to the chest.
    let frame = |points: &Points| {
        let (up, left) = ((points[1] - points[0]).normalize(), points[9] - points[12]);
        let left = left.reject_from_normalized(up).normalize();
        Quat::from_mat3(&Mat3::from_cols(left, up, left.cross(up)))
    };
    let turn = frame(&ragdoll.now) * frame(clip).conjugate();
    let hips = Transform::from_rotation_translation((turn * rotation(0)).normalize(), ragdoll.now[0]);
    let limb = |(from, to, own): (usize, usize, f32)| {
        let (bone, rod) = (turn * (clip[to] - clip[from]), ragdoll.now[to] - ragdoll.now[from]);
        let aim = Quat::from_rotation_arc(bone.normalize(), rod.normalize());
        let place = Transform::from_rotation_translation(
            (aim * turn * rotation(from)).normalize(),
            ragdoll.now[from],
        );
        ModelTarget::rotated(joints[from], place).with_weight(own)
    };
    let hips = ModelTarget::placed(joints[0], hips);
    [hips].into_iter().chain(LIMBS.map(limb)).collect()
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
            let bodies = bodies(ragdoll, &joints, &clip, &model);
            let bodies: Vec<_> = bodies.iter().map(|body| body.with_weight(body.weight * weight)).collect();
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
