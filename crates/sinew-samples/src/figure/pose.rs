//! Poses given in model axes, and clips recorded from them.
//!
//! A joint's rotation here is about the model's x, y and z axes as they are when the joint's parent is at rest: a rotation
//! about x swings an arm or leg forward and back, whatever the joint's own frame is.

use super::skeleton::{COUNT, FigureBones, HIPS, ROOT, parent, twin};
use glam::{Quat, Vec3};
use sinew::{Channel, Clip, ClipEvent, Curve, Interpolation, JointId};

/// The side of the body that a motion is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FigureSide {
    Left,
    Right,
}

impl FigureSide {
    pub(super) const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// The joint on this side, given the left one.
    pub(super) fn joint(self, left: usize) -> usize {
        if self == Self::Left { left } else { twin(left) }
    }

    /// The sign of x on this side: +1 for the left, −1 for the right.
    pub(super) fn sign(self) -> f32 {
        if self == Self::Left { 1.0 } else { -1.0 }
    }
}

/// The rotation of every joint, and the translation of root and hips in meters.
#[derive(Clone, Debug)]
pub(super) struct FigurePose {
    turns: Vec<Quat>,
    pub(super) root: Vec3,
    pub(super) hips: Vec3,
}

impl FigurePose {
    pub(super) fn rest() -> Self {
        Self { turns: vec![Quat::IDENTITY; COUNT], root: Vec3::ZERO, hips: Vec3::ZERO }
    }

    pub(super) fn set(&mut self, joint: usize, turn: Quat) {
        self.turns[joint] = turn;
    }

    pub(super) fn turn(&self, joint: usize) -> Quat {
        self.turns[joint]
    }

    /// Applies a further rotation to a joint, after its current one.
    pub(super) fn add(&mut self, joint: usize, turn: Quat) {
        self.turns[joint] = turn * self.turns[joint];
    }

    /// Sets the rotation of a joint of one side, given for the left and mirrored for the right.
    pub(super) fn set_side(&mut self, side: FigureSide, left: usize, turn: Quat) {
        self.turns[side.joint(left)] = on_side(side, turn);
    }

    /// Applies a further rotation to a joint of one side, given for the left and mirrored for the right.
    pub(super) fn add_side(&mut self, side: FigureSide, left: usize, turn: Quat) {
        self.add(side.joint(left), on_side(side, turn));
    }

    /// The rotation of the joint relative to rest and its position, both in model space.
    pub(super) fn in_model(&self, bones: &FigureBones, joint: usize) -> (Quat, Vec3) {
        let moved = match joint {
            ROOT => self.root,
            HIPS => self.hips,
            _ => Vec3::ZERO,
        };
        match parent(joint) {
            None => (self.turns[joint], bones.position(joint) + moved),
            Some(above) => {
                let (turn, position) = self.in_model(bones, above);
                let offset = bones.position(joint) + moved - bones.position(above);
                (turn * self.turns[joint], position + turn * offset)
            }
        }
    }

    /// The rotation of `parent_from_joint`.
    fn local_rotation(&self, bones: &FigureBones, joint: usize) -> Quat {
        let above = parent(joint).map_or(Quat::IDENTITY, |p| bones.rest(p).rotation);
        (above.inverse() * self.turns[joint] * bones.rest(joint).rotation).normalize()
    }
}

/// A rotation given for the left, mirrored if `side` is the right.
fn on_side(side: FigureSide, turn: Quat) -> Quat {
    let [x, y, z, w] = turn.to_array();
    if side == FigureSide::Left { turn } else { Quat::from_xyzw(x, -y, -z, w) }
}

/// Degrees about x (forward and back), y (twist), z (sideways), applied in the order z, y, x.
pub(super) fn degrees(x: f32, y: f32, z: f32) -> Quat {
    let turn = |axis, angle: f32| Quat::from_axis_angle(axis, angle.to_radians());
    turn(Vec3::X, x) * turn(Vec3::Y, y) * turn(Vec3::Z, z)
}

/// Records a clip of `steps` equal steps from `pose_at`, which takes seconds.
///
/// The last key repeats the first except for the root's translation along z, so a looping motion has no seam.
pub(super) fn record(
    name: &str,
    bones: &FigureBones,
    duration_secs: f32,
    steps: usize,
    events: Vec<ClipEvent>,
    pose_at: impl Fn(f32) -> FigurePose,
) -> Clip {
    let times: Vec<f32> = (0..=steps).map(|k| duration_secs * k as f32 / steps as f32).collect();
    let mut poses: Vec<FigurePose> = times[..steps].iter().map(|&t| pose_at(t)).collect();
    let travel = pose_at(duration_secs).root.z;
    poses.push(FigurePose { root: poses[0].root.with_z(travel), ..poses[0].clone() });
    let mut channels = Vec::new();
    if travel != 0.0 {
        let values = vec![poses[0].root, poses[steps].root];
        let curve = Curve::new(vec![0.0, duration_secs], values, Interpolation::Linear);
        channels.push(Channel::Translation { joint: JointId(ROOT as u16), curve: curve.expect(RISING) });
    }
    if poses.iter().any(|p| p.hips != Vec3::ZERO) {
        let above = bones.rest(ROOT);
        let place =
            |p: &FigurePose| above.rotation.inverse() * (bones.position(HIPS) + p.hips - above.position);
        let values = poses.iter().map(place).collect();
        let curve = Curve::new(times.clone(), values, Interpolation::Linear);
        channels.push(Channel::Translation { joint: JointId(HIPS as u16), curve: curve.expect(RISING) });
    }
    channels.extend((0..COUNT).filter_map(|joint| rotation_channel(bones, joint, &times, &poses)));
    Clip::new(name, channels, events).expect("keys are finite and rotations of unit length")
}

const RISING: &str = "times rise and there is one value a key";

/// The rotation track of one joint: none if it stays at rest, one key if it is constant.
fn rotation_channel(
    bones: &FigureBones,
    joint: usize,
    times: &[f32],
    poses: &[FigurePose],
) -> Option<Channel> {
    if poses.iter().all(|p| p.turns[joint] == Quat::IDENTITY) {
        return None;
    }
    let still = poses.windows(2).all(|pair| pair[0].turns[joint] == pair[1].turns[joint]);
    let count = if still { 1 } else { poses.len() };
    let mut values: Vec<Quat> = poses[..count].iter().map(|p| p.local_rotation(bones, joint)).collect();
    // Adjacent keys stay in one hemisphere, for readers that do not take the shorter arc.
    for k in 1..values.len() {
        if values[k].dot(values[k - 1]) < 0.0 {
            values[k] = -values[k];
        }
    }
    let curve = Curve::new(times[..count].to_vec(), values, Interpolation::Linear).expect(RISING);
    Some(Channel::Rotation { joint: JointId(joint as u16), curve })
}
