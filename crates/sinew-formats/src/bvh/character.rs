//! Converts a [`Bvh`] to a skeleton and a clip.

use super::{Bvh, BvhChannel, BvhJoint, PositionChannels};
use crate::{Import, ReadError};
use sinew::{
    Channel, Character, CharacterParts, Clip, Curve, Interpolation, Joint, JointId, Skeleton, Transform,
    glam::{DVec3, Quat, Vec3},
};
use std::sync::Arc;

/// The time between frames when the file says zero, in seconds.
const FALLBACK_SECS: f64 = 1.0 / 30.0;

/// Options for reading a motion as a character.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BvhOptions {
    /// How position channels combine with offsets.
    pub positions: PositionChannels,
    /// Whether every End Site becomes a joint, named after its parent with the suffix `_end`.
    pub end_sites: bool,
    /// The factor for all lengths. Files do not state their units: 1 keeps the numbers, 0.01 converts centimeters, 0.0254
    /// inches, and about 0.056 the common conversions of the CMU data.
    pub scale: f32,
}

impl Default for BvhOptions {
    fn default() -> Self {
        Self { positions: PositionChannels::Replace, end_sites: false, scale: 1.0 }
    }
}

impl BvhOptions {
    /// These options with another value of [`BvhOptions::positions`].
    #[must_use]
    pub fn with_positions(self, positions: PositionChannels) -> Self {
        Self { positions, ..self }
    }

    /// These options with another value of [`BvhOptions::end_sites`].
    #[must_use]
    pub fn with_end_sites(self, end_sites: bool) -> Self {
        Self { end_sites, ..self }
    }

    /// These options with another value of [`BvhOptions::scale`].
    #[must_use]
    pub fn with_scale(self, scale: f32) -> Self {
        Self { scale, ..self }
    }
}

/// Reads a motion as a character called `name`.
pub(crate) fn read_bvh(bytes: &[u8], name: &str, options: &BvhOptions) -> Result<Import, ReadError> {
    Ok(Import::without_findings(Bvh::parse(bytes)?.to_character(name, options)?))
}

impl Bvh {
    /// A character called `name` with this hierarchy, whose rest pose is given by the offsets, and this motion as its only
    /// clip, of the same name. A motion without frames gives no clip.
    ///
    /// # Errors
    /// When End Sites make too many joints, or scaled lengths are not finite.
    pub fn to_character(&self, name: &str, options: &BvhOptions) -> Result<Character, ReadError> {
        let fail = |e: &dyn std::fmt::Display| ReadError::invalid("the motion", e);
        let (joints, joint_ids) = self.skeleton_joints(options);
        let skeleton = Skeleton::new(joints).map_err(|e| fail(&e))?;
        let mut parts = CharacterParts::new(name, Arc::new(skeleton));
        if self.frame_count() > 0 {
            let channels = self.clip_channels(&joint_ids, options)?;
            parts.clips.push(Arc::new(Clip::new(name, channels, vec![]).map_err(|e| fail(&e))?));
        }
        Character::new(parts).map_err(|e| fail(&e))
    }

    /// The joints of the skeleton, and the skeleton joint of each joint of the motion.
    fn skeleton_joints(&self, options: &BvhOptions) -> (Vec<Joint>, Vec<JointId>) {
        let mut out = Vec::with_capacity(self.joints().len());
        let mut ids: Vec<JointId> = Vec::with_capacity(self.joints().len());
        let rest = |offset| Transform::from_translation(scaled(offset, options.scale));
        // Ids beyond sixteen bits are wrong, but a skeleton of so many joints is refused anyway.
        let next_id = |joints: &Vec<Joint>| JointId(u16::try_from(joints.len()).unwrap_or(u16::MAX));
        for BvhJoint { name, parent, offset, end_sites, .. } in self.joints() {
            let id = next_id(&out);
            let parent = parent.map(|p| ids[p]);
            out.push(Joint { name: name.clone(), parent, rest: rest(*offset) });
            ids.push(id);
            for &end in end_sites.iter().filter(|_| options.end_sites) {
                out.push(Joint { name: format!("{name}_end"), parent: Some(id), rest: rest(end) });
            }
        }
        (out, ids)
    }

    fn clip_channels(&self, ids: &[JointId], options: &BvhOptions) -> Result<Vec<Channel>, ReadError> {
        let step = if self.frame_secs() > 0.0 { self.frame_secs() } else { FALLBACK_SECS };
        let times: Vec<f32> = (0..self.frame_count()).map(|k| (k as f64 * step) as f32).collect();
        let fail = |e| ReadError::invalid("the motion", e);
        let mut out = Vec::new();
        for (index, joint) in self.joints().iter().enumerate() {
            let moves = joint.channels.iter().any(|c| matches!(c, BvhChannel::Position(_)));
            let turns = joint.channels.iter().any(|c| matches!(c, BvhChannel::Rotation(_)));
            let locals = (0..times.len()).map(|frame| self.local(index, frame, options.positions));
            if moves {
                let values = locals.clone().map(|local| scaled(local.0, options.scale)).collect();
                let curve = Curve::new(times.clone(), values, Interpolation::Linear).map_err(fail)?;
                out.push(Channel::Translation { joint: ids[index], curve });
            }
            if turns {
                let values = continuous(locals.map(|local| local.1.normalize().as_quat()));
                let curve = Curve::new(times.clone(), values, Interpolation::Linear).map_err(fail)?;
                out.push(Channel::Rotation { joint: ids[index], curve });
            }
        }
        Ok(out)
    }
}

fn scaled(length: DVec3, scale: f32) -> Vec3 {
    (length * f64::from(scale)).as_vec3()
}

/// The same rotations, each with the sign that is closer to its predecessor.
fn continuous(rotations: impl Iterator<Item = Quat>) -> Vec<Quat> {
    let mut out: Vec<Quat> = Vec::new();
    for rotation in rotations {
        let turned = out.last().is_some_and(|before| before.dot(rotation) < 0.0);
        out.push(if turned { -rotation } else { rotation });
    }
    out
}
