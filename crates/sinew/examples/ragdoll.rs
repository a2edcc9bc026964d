//! Lets physics take over an arm and hands it back: `cargo run -p sinew --example ragdoll`.
//!
//! A tiny Verlet simulation stands in for a physics engine. It moves points; Sinew turns them into joint rotations.

use sinew::blend::{Inertializer, RecentMotion};
use sinew::glam::{Quat, Vec3};
use sinew::{Frame, JointId, LocalPose, Method, ModelPose, Skeleton, Wrap};

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
}

/// Rotates each joint of `chain` so that its child lies where the simulation puts it.
fn follow(skeleton: &Skeleton, chain: &[JointId], rods: &Rods, model: &mut ModelPose, pose: &mut LocalPose) {
    for (link, target) in chain.windows(2).zip(&rods.now[1..]) {
        let (_, rotation, origin) = model.joint(link[0]).to_scale_rotation_translation();
        let child = Vec3::from(model.joint(link[1]).translation);
        let turn = Quat::from_rotation_arc((child - origin).normalize(), (*target - origin).normalize());
        pose.joints[link[0].index()].rotation *= rotation.inverse() * turn * rotation;
        model.update_below(skeleton, pose, link[0]);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let figure = sinew_samples::figure();
    let wave = figure.find_clip("wave").ok_or("no clip called wave")?.clone();
    let skeleton = figure.skeleton().clone();
    let names = ["upper_arm.L", "forearm.L", "hand.L"];
    let chain: Vec<JointId> = names.iter().filter_map(|name| skeleton.find(name)).collect();

    let (mut frame, mut model) = (Frame::new(figure), ModelPose::new(&skeleton));
    let (mut shown, mut before) = (frame.local().clone(), frame.local().clone());
    let (mut rods, mut inertia) = (None, Inertializer::new(&shown));
    for tick in 0..180 {
        frame.sample(&*wave, tick as f32 * DT_SECS, Wrap::Loop);
        model.update(&skeleton, frame.local());
        if (30..120).contains(&tick) {
            let points: Vec<Vec3> = chain.iter().map(|&j| model.joint(j).translation.into()).collect();
            let rods = rods.get_or_insert_with(|| Rods::new(&points));
            rods.step(points[0]);
            follow(&skeleton, &chain, rods, &mut model, frame.local_mut());
        } else if rods.take().is_some() {
            // Hand back: the difference to the clip decays within 0.4 s, without a jump.
            let motion = RecentMotion { now: &shown, before: &before, step_secs: DT_SECS };
            inertia.begin(motion, frame.local(), 0.4);
        }
        inertia.apply(DT_SECS, frame.local_mut());
        before.copy_from(&shown);
        shown.copy_from(frame.local());
        frame.deform(Method::Linear)?;
        if tick % 30 == 0 {
            println!("{tick:3}: hand at {:.2} m", frame.model().joint(chain[2]).translation.y);
        }
    }
    Ok(())
}
