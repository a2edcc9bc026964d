//! Lets physics take over an arm and hands it back: `cargo run -p sinew --example ragdoll`.
//!
//! A tiny Verlet simulation stands in for a physics engine. It gives bodies in model space; Sinew turns them into a pose.

use sinew::blend::RecentMotion;
use sinew::glam::{Quat, Vec3};
use sinew::instance::{Archetype, InstanceScratch, PlayOptions};
use sinew::pose::{ModelTarget, local_from_model};
use sinew::{JointId, ModelPose, Transform};

const DT_SECS: f32 = 1.0 / 60.0;
const FALL_PER_STEP: Vec3 = Vec3::new(0.0, -9.81 * DT_SECS * DT_SECS, 0.0);

/// Points connected by rods of fixed length; the first one is held.
struct Rods {
    now: Vec<Vec3>,
    before: Vec<Vec3>,
    lengths: Vec<f32>,
}

impl Rods {
    fn new(points: &[Vec3]) -> Self {
        let lengths = points.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
        Self { before: points.to_vec(), now: points.to_vec(), lengths }
    }

    fn step(&mut self, held: Vec3) {
        for (now, before) in self.now.iter_mut().zip(&mut self.before) {
            let moved = *now + (*now - *before) * 0.98 + FALL_PER_STEP;
            *before = std::mem::replace(now, moved);
        }
        self.now[0] = held;
        for (i, length) in self.lengths.iter().enumerate() {
            let rod = (self.now[i + 1] - self.now[i]).normalize_or(Vec3::NEG_Y) * length;
            self.now[i + 1] = self.now[i] + rod;
        }
    }

    /// The rods as bodies: each rotated from its direction in `model` to that of the simulation.
    fn bodies(&self, chain: &[JointId], model: &ModelPose) -> Vec<ModelTarget> {
        let body = |(link, rod): (&[JointId], &[Vec3])| {
            let (_, rotation, origin) = model.joint(link[0]).to_scale_rotation_translation();
            let bone = (Vec3::from(model.joint(link[1]).translation) - origin).normalize();
            let turn = Quat::from_rotation_arc(bone, (rod[1] - rod[0]).normalize());
            ModelTarget::rotated(link[0], Transform::from_rotation_translation(turn * rotation, rod[0]))
        };
        chain.windows(2).zip(self.now.windows(2)).map(body).collect()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let archetype = Archetype::new(sinew_samples::figure());
    let skeleton = archetype.character().skeleton();
    let chain: Vec<JointId> =
        ["upper_arm.L", "forearm.L", "hand.L"].iter().filter_map(|name| skeleton.find(name)).collect();
    let (mut one, mut scratch) = (archetype.new_instance(), InstanceScratch::new(&archetype));
    one.play_with(&archetype, archetype.find_motion("wave").ok_or("no wave")?, PlayOptions::LOOP)?;

    let (mut model, mut rods) = (ModelPose::new(skeleton), None);
    let (mut shown, mut before) = (archetype.rest().clone(), archetype.rest().clone());
    for tick in 0..180 {
        if tick == 120 {
            // Hand back: the difference to the clip decays within 0.4 s, without a jump.
            rods = None;
            one.inertialize_from(RecentMotion { now: &shown, before: &before, step_secs: DT_SECS }, 0.4)?;
        }
        let mut sampled = one.sample(&archetype, DT_SECS, &mut scratch, |_| {});
        model.update(skeleton, sampled.pose());
        if (30..120).contains(&tick) {
            let points: Vec<Vec3> = chain.iter().map(|&j| model.joint(j).translation.into()).collect();
            let rods = rods.get_or_insert_with(|| Rods::new(&points));
            rods.step(points[0]);
            // Physics fades in within a fifth of a second.
            let weight = (0.1 * (tick - 29) as f32).min(1.0);
            let bodies: Vec<_> =
                rods.bodies(&chain, &model).into_iter().map(|body| body.with_weight(weight)).collect();
            local_from_model(skeleton, &bodies, sampled.pose_mut(), &mut model)?;
        }
        sampled.finish();
        before.copy_from(&shown);
        shown.copy_from(one.pose());
        if tick % 30 == 0 {
            println!("{tick:3}: hand at {:.2} m", model.joint(chain[2]).translation.y);
        }
    }
    Ok(())
}
