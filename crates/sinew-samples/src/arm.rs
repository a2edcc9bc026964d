//! The arm: the classic two-bone example, with blended weights and with every vertex on one bone.

use super::{
    sweep::{SweepLattice, Swept},
    tint::{linear_from_srgb, opaque},
    two_bone::{self, SECOND, TwoBones},
};
use glam::{DVec2, DVec3, Quat, Vec3, Vec4};
use sinew::{Character, LocalPose, MeshParts, Transform};
use std::{f32::consts::FRAC_PI_2, f64::consts::FRAC_PI_2 as QUARTER_TURN, sync::OnceLock};

/// Shoulder to elbow and elbow to wrist, in meters.
const LENGTHS: [f32; 2] = [0.30, 0.27];
/// The height of the elbow above the ground, in meters.
const HEIGHT: f32 = 0.10;
/// The distance from the elbow in meters within which both bones have weight: about 1.4 times the arm's radius there.
const REACH: f32 = 0.056;
const SIDES: usize = 32;
/// The number of ring steps in each rounded end and between the ends: one ring is exactly at the elbow.
const END_STEPS: usize = 9;
const BODY_STEPS: usize = 57;
/// The number of steps between changes of shade, which show stretch.
const STEPS_PER_BAND: usize = 5;

/// An arm that lies along +X at rest, with weights that pass smoothly from one bone to the other at the elbow.
///
/// The elbow stands 0.1 m above the origin, the shoulder 0.3 m to its −X, the wrist 0.27 m to its +X; +Y is the
/// inside of the elbow, towards which it bends about +Z. Joints are `upper`, `lower` and `tip` (the end, which moves
/// nothing); every joint's +Y is along its bone. It is one closed mesh of some 3,000 vertices, blue on the upper
/// bone and orange on the lower.
///
/// Clips: `bend` (to 120° and back in two seconds), and `bend_45`, `bend_90`, `bend_120` of one pose each.
pub fn arm() -> Character {
    static ARM: OnceLock<Character> = OnceLock::new();
    ARM.get_or_init(|| build("arm", |weight| weight)).clone()
}

/// The [`arm`] with rigid weights: every vertex follows one bone, and triangles across the elbow stretch.
pub fn rigid_arm() -> Character {
    static RIGID: OnceLock<Character> = OnceLock::new();
    RIGID.get_or_init(|| build("arm-rigid", |weight| if weight > 0.5 { 1.0 } else { 0.0 })).clone()
}

/// The pose of either arm with the elbow bent; 0 is straight.
pub fn arm_pose(bend_radians: f32) -> LocalPose {
    let mut pose = arm().rest_pose();
    pose.joints[SECOND.index()].rotation = turn(bend_radians);
    pose
}

fn turn(bend_radians: f32) -> Quat {
    Quat::from_rotation_z(bend_radians)
}

fn build(name: &str, weight_of: impl Fn(f32) -> f32) -> Character {
    let shoulder = Vec3::new(-LENGTHS[0], HEIGHT, 0.0);
    let bones = TwoBones {
        names: ["upper", "lower", "tip"],
        model_from_root: Transform::from_rotation_translation(Quat::from_rotation_z(-FRAC_PI_2), shoulder),
        lengths: LENGTHS,
    };
    let hold = |degrees: f32| two_bone::hold(&format!("bend_{degrees}"), turn(degrees.to_radians()));
    let swing = two_bone::swing("bend", 2.0, |out| turn(out * 120_f32.to_radians()));
    let clips = vec![swing, hold(45.0), hold(90.0), hold(120.0)];
    two_bone::character(name, &bones, mesh(name, weight_of), clips)
}

fn mesh(name: &str, weight_of: impl Fn(f32) -> f32) -> MeshParts {
    let mut swept = Swept::default();
    let last = (2 * END_STEPS + BODY_STEPS) as f64;
    let stations: Vec<f64> = (0..2 * END_STEPS + BODY_STEPS + 1).map(|i| i as f64).collect();
    let lattice =
        SweepLattice { stations: &stations, sides: SIDES, patch_steps: STEPS_PER_BAND, patch_sides: SIDES };
    swept.sweep(&lattice, |station, angle| {
        let (along, openness) = place(station, last);
        let section = section(along, angle) * openness;
        // Along the bone is +X, the inside of the elbow +Y.
        DVec3::new(along - f64::from(LENGTHS[0]), section.x + f64::from(HEIGHT), -section.y)
    });
    let weights: Vec<f32> =
        swept.positions.iter().map(|p| weight_of(two_bone::second_weight(p.x, REACH))).collect();
    let colors =
        weights.iter().zip(&swept.patches).map(|(&weight, &[band, _])| color(weight, band)).collect();
    two_bone::mesh(name, swept, colors, two_bone::weights(&weights))
}

/// The position of a station along the arm in meters from the shoulder, and the fraction of the full radius of its ring.
fn place(station: f64, last: f64) -> (f64, f64) {
    let (shoulder_end, wrist_end) = (0.045, 0.024);
    let (start, end) = (0.0, f64::from(LENGTHS[0] + LENGTHS[1]));
    let steps = END_STEPS as f64;
    if station < steps {
        let angle = QUARTER_TURN * station / steps;
        (start - shoulder_end * angle.cos(), angle.sin())
    } else if station > last - steps {
        let angle = QUARTER_TURN * (last - station) / steps;
        (end + wrist_end * angle.cos(), angle.sin())
    } else {
        let fraction = (station - steps) / (last - 2.0 * steps);
        (start + fraction * (end - start), 1.0)
    }
}

/// A point of the cross-section: x towards the inside of the elbow, y sideways.
fn section(along: f64, angle: f64) -> DVec2 {
    let bump = |middle: f64, width: f64| (-((along - middle) / width).powi(2)).exp();
    let t = (along / 0.57).clamp(0.0, 1.0);
    let taper = t * t * (3.0 - 2.0 * t);
    let belly = 0.010 * bump(0.385, 0.062);
    let round = 0.047 - 0.019 * taper + 0.004 * bump(0.02, 0.07) - 0.001 * bump(0.30, 0.04) + belly;
    let inside = (0.5 + 0.5 * angle.cos()).powi(2);
    let outside = (0.5 - 0.5 * angle.cos()).powi(2);
    let biceps = 0.016 * bump(0.165, 0.060) * inside;
    let triceps = 0.010 * bump(0.125, 0.070) * outside;
    let elbow = 0.005 * bump(0.300, 0.030) * outside.powi(2);
    let radius = round + biceps + triceps + elbow;
    // The wrist is broader than it is high.
    let flatness = 0.14 * (1.0 - (-((along - 0.42).max(0.0) / 0.09).powi(2)).exp());
    DVec2::new(radius * angle.cos() * (1.0 - flatness), radius * angle.sin() * (1.0 + flatness))
}

fn color(weight: f32, band: usize) -> Vec4 {
    let [upper, lower] = [0x4a7fc1, 0xec8a4f].map(linear_from_srgb);
    let shade = if band.is_multiple_of(2) { 1.0 } else { 0.74 };
    opaque(upper.lerp(lower, weight) * shade)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Frame, Method, measure};

    #[test]
    fn both_arms_are_closed_and_have_the_same_shape() {
        let (arm, rigid) = (arm(), rigid_arm());
        let mesh = &arm.meshes()[0];
        assert_eq!(measure::open_edges(mesh.points(), mesh.triangles()), 0);
        assert_eq!(mesh.positions(), rigid.meshes()[0].positions());
        let liters = 1000.0 * measure::volume(mesh.positions(), mesh.triangles());
        assert!((2.0..5.0).contains(&liters), "{liters} liters");
    }

    #[test]
    fn the_rigid_arm_has_one_influence_per_vertex_and_the_arm_two() {
        let max_influences = |c: &Character| c.meshes()[0].weights().unwrap().max_influences();
        assert_eq!((max_influences(&arm()), max_influences(&rigid_arm())), (2, 1));
        let arm = arm();
        let histogram = arm.meshes()[0].weights().unwrap().histogram();
        assert!(histogram[1] * 10 > histogram[0], "enough rings blend to bend smoothly: {histogram:?}");
    }

    #[test]
    fn the_elbow_bends_upwards_without_leaving_the_ground() {
        let arm = arm();
        let mut frame = Frame::new(&arm);
        for degrees in [0.0_f32, 45.0, 90.0, 120.0] {
            frame.local_mut().copy_from(&arm_pose(degrees.to_radians()));
            frame.deform(Method::Linear).unwrap();
            let tip = Vec3::from(frame.model().joints()[2].translation);
            let (sin, cos) = degrees.to_radians().sin_cos();
            let want = Vec3::new(LENGTHS[1] * cos, HEIGHT + LENGTHS[1] * sin, 0.0);
            assert!((tip - want).length() < 1e-6, "{degrees}°: {tip}");
            assert!(frame.bounds().min.y > 0.0);
        }
    }

    #[test]
    fn single_pose_clips_hold_the_angle_in_their_name() {
        let arm = arm();
        for degrees in [45.0_f32, 90.0, 120.0] {
            let mut frame = Frame::new(&arm);
            frame.sample(arm.find_clip(&format!("bend_{degrees}")).unwrap(), 0.0, Default::default());
            assert_eq!(frame.local(), &arm_pose(degrees.to_radians()));
        }
    }
}
