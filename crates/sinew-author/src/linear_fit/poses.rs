//! The poses that are fitted, and others that only measure the result.

use crate::AuthorError;
use sinew::{
    Character, JointId, LocalPose, Wrap,
    constrain::HelperJoint,
    glam::{Quat, Vec3},
    sample_clip,
};
use std::collections::BTreeSet;

/// Which poses are fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitPoses {
    /// The number of poses from each clip, evenly over its length; 0 for none.
    pub per_clip: usize,
    /// How far each joint is rotated about each of its axes, both ways, in radians; 0 for no range of motion.
    pub angle_radians: f32,
    /// The number of poses in which all joints are rotated by up to that angle about random axes.
    pub mixed: usize,
}

impl Default for FitPoses {
    fn default() -> Self {
        Self { per_clip: 31, angle_radians: std::f32::consts::FRAC_PI_4, mixed: 64 }
    }
}

/// At most this many poses of clips are fitted.
const MAX_CLIP_POSES: usize = 400;

/// A pose with a name for reports.
#[derive(Clone, Debug)]
pub(super) struct NamedPose {
    pub(super) name: String,
    pub(super) local: LocalPose,
}

/// Poses to fit, and poses between and beside them.
#[derive(Clone, Debug)]
pub(super) struct PoseSets {
    pub(super) fitted: Vec<NamedPose>,
    pub(super) held_out: Vec<NamedPose>,
}

impl FitPoses {
    pub(super) fn check(&self) -> Result<(), AuthorError> {
        if (0.0..=2.5).contains(&self.angle_radians) {
            return Ok(());
        }
        let value = f64::from(self.angle_radians);
        Err(AuthorError::BadOption {
            option: "the angle of the range of motion",
            value,
            wanted: "0 to 2.5 radians",
        })
    }

    pub(super) fn of_character(&self, character: &Character) -> PoseSets {
        let mut sets = PoseSets { fitted: Vec::new(), held_out: Vec::new() };
        let mut rest = character.rest_pose();
        rest.morphs.fill(0.0);
        self.add_clips(character, &rest, &mut sets);
        if self.angle_radians > 0.0 {
            self.add_range(character, &rest, &mut sets);
        }
        sets
    }

    /// Evenly spaced poses of each clip; those halfway between them are held out.
    fn add_clips(&self, character: &Character, rest: &LocalPose, sets: &mut PoseSets) {
        let count = character.clips().len();
        let per_clip = self.per_clip.min((MAX_CLIP_POSES / count.max(1)).max(2));
        for clip in character.clips() {
            for step in 0..(per_clip * 2).saturating_sub(1) {
                let fraction = step as f32 / ((per_clip - 1) * 2).max(1) as f32;
                let time_secs = clip.duration_secs() * fraction;
                let mut local = rest.clone();
                sample_clip(clip, time_secs, Wrap::Clamp, &mut local);
                local.morphs.fill(0.0);
                let pose = NamedPose { name: format!("{} {time_secs:.3} s", clip.name()), local };
                let set = if step % 2 == 0 { &mut sets.fitted } else { &mut sets.held_out };
                set.push(pose);
            }
        }
    }

    /// Each joint about each axis both ways, and all at once; held out are other axes, angles and mixtures.
    fn add_range(&self, character: &Character, rest: &LocalPose, sets: &mut PoseSets) {
        let joints = moving_joints(character);
        let mut random = Random(1);
        let turned = |turns: &[(JointId, Quat)]| {
            let mut local = rest.clone();
            for (joint, turn) in turns {
                let rotation = &mut local.joints[joint.index()].rotation;
                *rotation = (*rotation * *turn).normalize();
            }
            local
        };
        let degrees = self.angle_radians.to_degrees();
        for &joint in &joints {
            let name = character.skeleton().name(joint);
            for (axis, letter) in Vec3::AXES.into_iter().zip(["x", "y", "z"]) {
                for sign in [1.0, -1.0] {
                    let turn = Quat::from_axis_angle(axis, self.angle_radians * sign);
                    let name = format!("{name} {letter} {:+.0}°", degrees * sign);
                    sets.fitted.push(NamedPose { name, local: turned(&[(joint, turn)]) });
                }
            }
            let vector = random.direction() * (self.angle_radians * (0.5 + 0.5 * random.number()));
            let name = format!("{name} {:.0}° about another axis", vector.length().to_degrees());
            sets.held_out.push(NamedPose { name, local: turned(&[(joint, Quat::from_scaled_axis(vector))]) });
        }
        let mut mixed = |prefix: &str, count: usize, set: &mut Vec<NamedPose>| {
            for number in 0..count {
                let mut turn = |&joint: &JointId| {
                    let vector = random.direction() * (self.angle_radians * random.number());
                    (joint, Quat::from_scaled_axis(vector))
                };
                let turns: Vec<_> = joints.iter().map(&mut turn).collect();
                set.push(NamedPose { name: format!("{prefix} {number}"), local: turned(&turns) });
            }
        };
        mixed("mixed", self.mixed, &mut sets.fitted);
        mixed("held-out mixed", self.mixed.div_ceil(2), &mut sets.held_out);
    }
}

/// The joints of skins, without those that helpers drive and the topmost ones, which only place the character.
fn moving_joints(character: &Character) -> Vec<JointId> {
    let driven: BTreeSet<JointId> = character.helpers().iter().flat_map(HelperJoint::moved).collect();
    let skinned: BTreeSet<JointId> =
        character.skins().iter().flat_map(|skin| skin.joints()).copied().collect();
    let has_skinned_parent =
        |&joint: &JointId| character.skeleton().ancestors(joint).skip(1).any(|up| skinned.contains(&up));
    skinned.iter().copied().filter(|joint| !driven.contains(joint)).filter(has_skinned_parent).collect()
}

/// Random numbers that are the same in every run (splitmix64).
struct Random(u64);

impl Random {
    /// A number from 0 to 1.
    fn number(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 40) as f32 / (1_u32 << 24) as f32
    }

    /// A unit vector; all directions are equally likely.
    fn direction(&mut self) -> Vec3 {
        let (z, angle) = (self.number() * 2.0 - 1.0, self.number() * std::f32::consts::TAU);
        let flat = (1.0 - z * z).max(0.0).sqrt();
        Vec3::new(flat * angle.cos(), flat * angle.sin(), z)
    }
}
