//! The tube, bent and twisted.

use super::METHODS;
use sinew::{
    Character, Frame, LocalPose, Method,
    glam::{Quat, Vec3},
    measure::Gauge,
};
use sinew_author::{PrepareOptions, SelfIntersections, prepare_character, uninterrupted};

const BENDS_DEGREES: [f32; 6] = [30.0, 60.0, 90.0, 120.0, 140.0, 150.0];
const TWISTS_DEGREES: [f32; 3] = [90.0, 150.0, 179.0];

pub(crate) fn print() {
    let options = PrepareOptions::for_methods(&METHODS);
    let (tube, _) = prepare_character(&sinew_samples::tube(), &options, &mut uninterrupted).unwrap();
    println!("| tube | method | min radius | max radius | volume | ideal | new edges |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for bend in BENDS_DEGREES {
        for method in METHODS {
            print_row(&tube, method, bend, 0.0);
        }
    }
    for twist in TWISTS_DEGREES {
        for method in METHODS {
            print_row(&tube, method, 0.0, twist);
        }
    }
    println!("\n| bend 0 to 140° | largest step per degree | largest second difference |");
    println!("| --- | --- | --- |");
    for method in METHODS {
        let pose = |degrees: f32| sinew_samples::tube_pose(degrees.to_radians(), 0.0);
        let (step, second) = continuity(&tube, method, 140, pose);
        println!("| {} | {step:.5} | {second:.5} |", method.name());
    }
}

fn print_row(tube: &Character, method: Method, bend: f32, twist: f32) {
    let mut frame = Frame::new(tube);
    frame.local_mut().copy_from(&sinew_samples::tube_pose(bend.to_radians(), twist.to_radians()));
    frame.deform(method).unwrap();
    let shape = Gauge::new(tube).unwrap().measure(&frame);
    let mesh = &tube.meshes()[0];
    let positions = &frame.deformed()[0].positions;
    let edges = SelfIntersections::new(mesh).new_edges(mesh.positions(), positions);
    let (min, max) = radii(positions, bend);
    let label = if twist > 0.0 { format!("twist {twist}°") } else { format!("bend {bend}°") };
    let name = method.name();
    println!(
        "| {label} | {name} | {min:.3} | {max:.3} | {:.4} | {:.4} | {edges} |",
        shape.volume,
        ideal(bend)
    );
}

/// The volume that is left of the tube when each half keeps its radius and ends at the plane between them.
fn ideal(bend_degrees: f32) -> f64 {
    let half = f64::from(bend_degrees).to_radians() / 2.0;
    let (radius, length) = (f64::from(sinew_samples::TUBE_RADIUS), f64::from(sinew_samples::TUBE_LENGTH));
    1.0 - 4.0 / 3.0 * (half.tan() - half) * radius.powi(3) / (std::f64::consts::PI * radius.powi(2) * length)
}

/// The smallest and largest distance from the bones, away from the caps.
fn radii(positions: &[Vec3], bend_degrees: f32) -> (f32, f32) {
    let middle = Vec3::Y * sinew_samples::TUBE_LENGTH / 2.0;
    let next = Quat::from_rotation_z(-bend_degrees.to_radians()) * Vec3::Y;
    let along = |p: Vec3, axis: Vec3| (p - middle).dot(axis);
    let distance = |p: Vec3| {
        let to = |axis: Vec3| (p - middle).distance(axis * along(p, axis).max(0.0));
        to(-Vec3::Y).min(to(next))
    };
    let inside = |p: &&Vec3| along(**p, next) < 4.5 && along(**p, -Vec3::Y) < 4.5;
    let distances = positions.iter().filter(inside).map(|p| distance(*p));
    distances.fold((f32::INFINITY, 0.0), |(min, max), d| (min.min(d), max.max(d)))
}

/// The largest step of any vertex from one degree to the next, and the largest change of a step.
pub(crate) fn continuity(
    character: &Character,
    method: Method,
    degrees: u16,
    pose: impl Fn(f32) -> LocalPose,
) -> (f32, f32) {
    let mut frame = Frame::new(character);
    let mut before: [Vec<Vec3>; 2] = Default::default();
    let (mut step, mut second) = (0.0_f32, 0.0_f32);
    for at in 0..=degrees {
        frame.local_mut().copy_from(&pose(f32::from(at)));
        frame.deform(method).unwrap();
        let now: Vec<Vec3> = frame.deformed().iter().flat_map(|s| s.positions.iter().copied()).collect();
        let [older, old] = &before;
        for (vertex, place) in now.iter().enumerate() {
            let Some(last) = old.get(vertex) else { break };
            step = step.max(place.distance(*last));
            if let Some(first) = older.get(vertex) {
                second = second.max((*place - *last * 2.0 + *first).length());
            }
        }
        let [_, old] = before;
        before = [old, now];
    }
    (step, second)
}
