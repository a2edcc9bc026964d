//! The tube: the simplest skin, on which the artifacts of every method can be measured.

use super::{
    sweep::{SweepLattice, Swept},
    tint::{linear_from_srgb, opaque},
    two_bone::{self, FIRST, SECOND, TwoBones},
};
use glam::{DVec3, Quat, Vec3, Vec4};
use sinew::{
    Character, Influence, Joint, JointId, LocalPose, Mesh, MeshParts, Skeleton, Skin, Transform, Weights,
    constrain::TwistSpread,
};
use std::{
    f32::consts::{FRAC_PI_2, PI},
    sync::{Arc, OnceLock},
};

/// The radius of the tube in meters.
pub const TUBE_RADIUS: f32 = 1.0;
/// The length of the tube in meters.
pub const TUBE_LENGTH: f32 = 10.0;
/// The number of flat sides that approximate the round tube.
pub const TUBE_SIDES: usize = 48;

const RINGS: usize = 101;
/// The distance from the middle joint in meters within which both bones have weight.
const REACH: f32 = 1.5 * TUBE_RADIUS;

/// A closed tube that stands on the ground along +Y, over two bones that meet in its middle.
///
/// It is [`TUBE_LENGTH`] long and of [`TUBE_RADIUS`], a prism of [`TUBE_SIDES`] sides. Joints are `base` (on the
/// ground), `middle` and `tip` (the end, which moves nothing); every joint's +Y is along its bone. Weights pass from
/// one bone to the other by smoothstep over 1.5 radii either side of the middle, where a ring of vertices has half of
/// each. Checks of nearly half a meter show stretch and twist.
///
/// Clips: `bend` (to 180° towards +X and back), `twist` (to 180° about the axis and back), and `bend_90`, `twist_90`,
/// `twist_180` of one pose each.
pub fn tube() -> Character {
    static TUBE: OnceLock<Character> = OnceLock::new();
    TUBE.get_or_init(build).clone()
}

/// The tube's pose with its upper half twisted about its axis and then bent towards +X.
pub fn tube_pose(bend_radians: f32, twist_radians: f32) -> LocalPose {
    let mut pose = tube().rest_pose();
    pose.joints[SECOND.index()].rotation = turn(bend_radians, twist_radians);
    pose
}

/// The tube with roll joints that distribute its twist over `spans` equal steps, and the constraint that drives them.
///
/// Joints `roll 1` to `roll n`, one fewer than there are spans, are at the position of `middle` and are children of `base`. Weights
/// pass from each to the next over the stretch where [`tube`] passes from base to middle. With one span it is the
/// tube; from 1 to 1000 spans are made.
///
/// ```
/// let (tube, spread) = sinew_samples::tube_with_rolls(4);
/// let mut pose = tube.rest_pose();
/// pose.joints[1].rotation = sinew::glam::Quat::from_rotation_y(2.0);
/// spread.apply(&mut pose);
/// let roll_2 = tube.skeleton().find("roll 2").unwrap();
/// assert!((pose.joints[roll_2.index()].rotation.to_axis_angle().1 - 1.0).abs() < 1e-6);
/// ```
pub fn tube_with_rolls(spans: u16) -> (Character, TwistSpread) {
    let spans = spans.clamp(1, 1000);
    let mut parts = tube().into_parts();
    let old = &parts.skeleton;
    let joint = |j: JointId| Joint { name: old.name(j).into(), parent: old.parent(j), rest: old.rest(j) };
    let roll = |k: u16| Joint { name: format!("roll {k}"), parent: Some(FIRST), rest: old.rest(SECOND) };
    let joints = old.joints().map(joint).chain((1..spans).map(roll));
    let skeleton = Arc::new(Skeleton::new(joints).expect("the rolls' parent stands before them"));
    let rolls: Vec<JointId> = skeleton.joints().skip(old.len()).collect();
    // The chain from base over the roll joints to middle.
    let row: Vec<JointId> = [FIRST].into_iter().chain(rolls.iter().copied()).chain([SECOND]).collect();
    let mesh = parts.meshes.remove(0);
    let weights = mesh.positions().iter().map(|p| {
        let along = two_bone::second_weight(p.y - TUBE_LENGTH / 2.0, REACH) * f32::from(spans);
        let span = along.floor().clamp(0.0, f32::from(spans - 1));
        let weight = along - span;
        [(span, 1.0 - weight), (span + 1.0, weight)]
            .map(|(slot, weight)| Influence { slot: slot as u16, weight })
    });
    let weights = Weights::new(row.len(), weights).expect("weights are finite and slots are in the row").0;
    let mesh = MeshParts { weights: Some(Arc::new(weights)), ..Mesh::clone(&mesh).into_parts() };
    let skin = Skin::bound_at_rest("tube", &skeleton, row).expect("all joints are there");
    let spread = TwistSpread::even(&skeleton, SECOND, Vec3::Y, &rolls).expect("all joints are there");
    parts.meshes = vec![Arc::new(Mesh::new(mesh).expect("only the weights changed"))];
    parts.skins = vec![Arc::new(skin)];
    parts.skeleton = skeleton;
    (Character::new(parts).expect("every part names parts that are there"), spread)
}

fn turn(bend_radians: f32, twist_radians: f32) -> Quat {
    Quat::from_rotation_z(-bend_radians) * Quat::from_rotation_y(twist_radians)
}

fn build() -> Character {
    let bones = TwoBones {
        names: ["base", "middle", "tip"],
        model_from_root: Transform::IDENTITY,
        lengths: [TUBE_LENGTH / 2.0; 2],
    };
    let clips = vec![
        two_bone::swing("bend", 4.0, |out| turn(out * PI, 0.0)),
        two_bone::swing("twist", 4.0, |out| turn(0.0, out * PI)),
        two_bone::hold("bend_90", turn(FRAC_PI_2, 0.0)),
        two_bone::hold("twist_90", turn(0.0, FRAC_PI_2)),
        two_bone::hold("twist_180", turn(0.0, PI)),
    ];
    two_bone::character("tube", &bones, mesh(), clips)
}

fn mesh() -> MeshParts {
    let mut swept = Swept::default();
    let (radius, length) = (f64::from(TUBE_RADIUS), f64::from(TUBE_LENGTH));
    let ring =
        |radius: f64, height: f64, angle: f64| DVec3::new(radius * angle.cos(), height, radius * angle.sin());
    let heights: Vec<f64> = (0..RINGS).map(|i| length * i as f64 / (RINGS - 1) as f64).collect();
    let lattice =
        |stations, patch_steps| SweepLattice { stations, sides: TUBE_SIDES, patch_steps, patch_sides: 4 };
    swept.sweep(&lattice(&heights, 5), |height, angle| ring(radius, height, angle));
    let wall = swept.positions.len();
    // The caps have their own vertices, so that their edges are sharp.
    swept.sweep(&lattice(&[0.0, 0.5, 1.0], 1), |out, angle| ring(radius * out, 0.0, angle));
    swept
        .sweep(&lattice(&[0.0, 0.5, 1.0], 1), |inwards, angle| ring(radius * (1.0 - inwards), length, angle));
    let weight = |p: &Vec3| two_bone::second_weight(p.y - TUBE_LENGTH / 2.0, REACH);
    let weights: Vec<f32> = swept.positions.iter().map(weight).collect();
    let colors = (0..swept.positions.len()).map(|v| color(swept.patches[v], weights[v], v < wall)).collect();
    two_bone::mesh("tube", swept, colors, two_bone::weights(&weights))
}

/// A checker pattern in two shades, with one hue per bone, blended by weight.
fn color([band, stripe]: [usize; 2], weight: f32, is_wall: bool) -> Vec4 {
    let [first, second] = if (band + stripe).is_multiple_of(2) {
        [0xe9eef4, 0xfdf1e3].map(linear_from_srgb)
    } else {
        [0x3f76b5, 0xe0763c].map(linear_from_srgb)
    };
    let rgb = first.lerp(second, weight);
    opaque(if is_wall { rgb } else { rgb * 0.8 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Frame, Method, Wrap, measure};

    #[test]
    fn the_tube_is_closed() {
        let tube = tube();
        let mesh = &tube.meshes()[0];
        assert_eq!(measure::open_edges(mesh.points(), mesh.triangles()), 0);
    }

    #[test]
    fn the_middle_ring_has_half_the_weight_of_each_bone() {
        let tube = tube();
        let mesh = &tube.meshes()[0];
        let middle = (0..mesh.vertex_count()).filter(|&v| mesh.positions()[v].y.to_bits() == 5_f32.to_bits());
        let weights: Vec<f32> = middle.map(|v| mesh.weights().unwrap().weight_of(v, 1)).collect();
        assert!(weights.len() >= TUBE_SIDES && weights.iter().all(|w| *w == 0.5), "{weights:?}");
    }

    #[test]
    fn it_bends_towards_x_and_twists_from_z_to_x() {
        let tube = tube();
        let end = |pose: LocalPose, from: Vec3| {
            let mut frame = Frame::new(&tube);
            frame.local_mut().copy_from(&pose);
            frame.update();
            frame.palettes()[0].matrices()[1].transform_point3(from)
        };
        let top = Vec3::new(0.0, TUBE_LENGTH, 0.0);
        let bent = end(tube_pose(FRAC_PI_2, 0.0), top);
        assert!((bent - Vec3::new(TUBE_LENGTH / 2.0, TUBE_LENGTH / 2.0, 0.0)).length() < 1e-5, "{bent}");
        let twisted = end(tube_pose(0.0, FRAC_PI_2), top + Vec3::Z);
        assert!((twisted - (top + Vec3::X)).length() < 1e-5, "{twisted}");
    }

    #[test]
    fn swings_reach_the_full_angle_and_return_to_rest() {
        let tube = tube();
        for (name, turned) in [("bend", tube_pose(PI, 0.0)), ("twist", tube_pose(0.0, PI))] {
            let clip = tube.find_clip(name).unwrap();
            let mut frame = Frame::new(&tube);
            for (fraction, want) in [(0.0, &tube.rest_pose()), (0.5, &turned), (1.0, &tube.rest_pose())] {
                frame.sample(clip, clip.duration_secs() * fraction, Wrap::Clamp);
                let got = frame.local().joints[SECOND.index()].rotation;
                let off = got.angle_between(want.joints[SECOND.index()].rotation);
                assert!(off < 1e-3, "{name} at {fraction}: off by {off}");
            }
        }
    }

    #[test]
    fn building_it_twice_gives_the_same_tube() {
        assert_eq!(build(), tube());
        let mut frame = Frame::new(tube());
        frame.deform(Method::Linear).unwrap();
        assert_eq!(frame.bounds().min.y, 0.0, "it stands on the ground");
    }
}
