//! Mirrors motion from left to right.

use super::{MotionError, mapped, other_side};
use sinew::{
    Channel, Clip, ClipKind, Curve, JointId, LocalPose, MetaCurve, RootTrack, Skeleton, Transform,
    glam::{Mat3, Quat, Vec3},
};

/// Pairs of joints and morph slots that mirror each other. The mirror is the plane x = 0 in model space.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMirrorMap {
    twins: Vec<JointId>,
    /// The twin of each morph slot; slots beyond the end mirror themselves.
    slots: Vec<usize>,
}

impl JointMirrorMap {
    /// Pairs joints whose names differ only in the side ([`other_side`]); all others mirror themselves.
    #[must_use]
    pub fn by_name(skeleton: &Skeleton) -> Self {
        let twin = |joint: JointId| {
            let other = skeleton.find(&other_side(skeleton.name(joint))?)?;
            // Of several joints with the same name, only the first is found from the other side.
            (skeleton.find(skeleton.name(joint)) == Some(joint)).then_some(other)
        };
        let twins: Vec<JointId> = skeleton.joints().map(|joint| twin(joint).unwrap_or(joint)).collect();
        let both = |joint: JointId| {
            if twins[twins[joint.index()].index()] == joint { twins[joint.index()] } else { joint }
        };
        Self { twins: skeleton.joints().map(both).collect(), slots: Vec::new() }
    }

    /// Pairs the joints of `pairs`; all others mirror themselves.
    ///
    /// # Errors
    /// If a joint is not in the skeleton or is in two pairs.
    pub fn of_pairs(skeleton: &Skeleton, pairs: &[(JointId, JointId)]) -> Result<Self, MotionError> {
        let mut twins: Vec<JointId> = skeleton.joints().collect();
        for &(a, b) in pairs {
            let (count, wanted) = (a.index().max(b.index()) + 1, twins.len());
            if count > wanted {
                return Err(MotionError::WrongSize { what: "the joint map", count, wanted });
            }
            for (one, other) in [(a, b), (b, a)] {
                if twins[one.index()] != one && twins[one.index()] != other {
                    let twin = other.index();
                    return Err(MotionError::NotPaired { what: "joint", index: one.index(), twin });
                }
            }
            (twins[a.index()], twins[b.index()]) = (b, a);
        }
        Ok(Self { twins, slots: Vec::new() })
    }

    /// The same with pairs of morph slots; all others mirror themselves.
    ///
    /// # Errors
    /// If a slot is in two pairs.
    pub fn with_morph_pairs(mut self, pairs: &[(usize, usize)]) -> Result<Self, MotionError> {
        let count = pairs.iter().map(|&(a, b)| a.max(b) + 1).max().unwrap_or(0);
        self.slots = (0..count).collect();
        for &(a, b) in pairs {
            if self.slots[a] != a || self.slots[b] != b {
                return Err(MotionError::NotPaired { what: "morph slot", index: a, twin: b });
            }
            (self.slots[a], self.slots[b]) = (b, a);
        }
        Ok(self)
    }

    /// The joint that mirrors `joint`.
    #[must_use]
    pub fn twin(&self, joint: JointId) -> JointId {
        self.twins.get(joint.index()).copied().unwrap_or(joint)
    }

    fn slot(&self, slot: usize) -> usize {
        self.slots.get(slot).copied().unwrap_or(slot)
    }
}

/// The mirrored `clip`, with left and right exchanged.
///
/// Rotations are mirrored in model axes at rest, so the frames of paired joints need not be mirror images. It is exact between
/// keys too, and mirroring twice gives the clip back. Events and meta-channels that name a side name the other; root motion is
/// mirrored. Scales are exact if the axes of the frames mirror onto axes, or if they are uniform.
///
/// # Errors
/// If the map or the clip does not fit the skeleton, the parents of paired joints are not a pair, or paired morph slots are not
/// in one channel.
pub fn mirrored(clip: &Clip, skeleton: &Skeleton, map: &JointMirrorMap) -> Result<Clip, MotionError> {
    for (what, count, wanted) in [
        ("the joint map", map.twins.len(), skeleton.len()),
        ("the clip", clip.joint_count(), clip.joint_count().min(skeleton.len())),
    ] {
        if count != wanted {
            return Err(MotionError::WrongSize { what, count, wanted });
        }
    }
    let mirror = Mirror::new(skeleton, map, clip.kind())?;
    let mut parts = clip.clone().into_parts();
    for channel in &mut parts.channels {
        *channel = mirror.channel(channel)?;
    }
    for event in &mut parts.events {
        event.name = other_side(&event.name).unwrap_or_else(|| std::mem::take(&mut event.name));
    }
    for meta in &mut parts.metas {
        meta.curve = match &meta.curve {
            MetaCurve::Vector(curve) if meta.name == RootTrack::TRANSLATION => {
                MetaCurve::Vector(mapped(curve, mirrored_vector)?)
            }
            MetaCurve::Rotation(curve) if meta.name == RootTrack::ROTATION => {
                MetaCurve::Rotation(mapped(curve, mirrored_rotation)?)
            }
            other => other.clone(),
        };
        meta.name = other_side(&meta.name).unwrap_or_else(|| std::mem::take(&mut meta.name));
    }
    Ok(Clip::from_parts(parts)?)
}

/// The mirrored `pose`, as [`mirrored`] for a clip.
///
/// # Errors
/// If the map or the pose does not fit the skeleton, or the parents of paired joints are not a pair.
pub fn mirrored_pose(
    pose: &LocalPose,
    skeleton: &Skeleton,
    map: &JointMirrorMap,
) -> Result<LocalPose, MotionError> {
    let wanted = skeleton.len();
    for (what, count) in [("the joint map", map.twins.len()), ("the pose", pose.joints.len())] {
        if count != wanted {
            return Err(MotionError::WrongSize { what, count, wanted });
        }
    }
    let mirror = Mirror::new(skeleton, map, ClipKind::Absolute)?;
    let mut out = pose.clone();
    for (joint, transform) in skeleton.joints().zip(&pose.joints) {
        let twin = map.twin(joint);
        let (across, shift) = mirror.translation(joint, twin);
        out.joints[twin.index()] = Transform {
            translation: across(transform.translation) + shift,
            rotation: mirror.rotation(joint, twin)(transform.rotation),
            scale: mirror.scale(joint, twin)(transform.scale),
        };
    }
    for (slot, weight) in pose.morphs.iter().enumerate() {
        if let Some(place) = out.morphs.get_mut(map.slot(slot)) {
            *place = *weight;
        }
    }
    Ok(out)
}

fn mirrored_vector(v: Vec3) -> Vec3 {
    Vec3::new(-v.x, v.y, v.z)
}

/// The mirror image of a rotation. It is linear, so it is correct for tangents too.
fn mirrored_rotation(q: Quat) -> Quat {
    let [x, y, z, w] = q.to_array();
    Quat::from_xyzw(x, -y, -z, w)
}

/// Mirrors the channels of a joint.
struct Mirror<'a> {
    skeleton: &'a Skeleton,
    map: &'a JointMirrorMap,
    kind: ClipKind,
    /// The rotations of `model_from_joint` at rest.
    rest: Vec<Quat>,
}

impl<'a> Mirror<'a> {
    fn new(skeleton: &'a Skeleton, map: &'a JointMirrorMap, kind: ClipKind) -> Result<Self, MotionError> {
        for joint in skeleton.joints() {
            let twin = map.twin(joint);
            if skeleton.parent(joint).map(|p| map.twin(p)) != skeleton.parent(twin) {
                let (joint, twin) = (skeleton.name(joint).into(), skeleton.name(twin).into());
                return Err(MotionError::UnmatchedParents { joint, twin });
            }
        }
        let mut rest: Vec<Quat> = Vec::with_capacity(skeleton.len());
        for joint in skeleton.joints() {
            let parent_rotation = skeleton.parent(joint).map_or(Quat::IDENTITY, |p| rest[p.index()]);
            rest.push((parent_rotation * skeleton.rest(joint).rotation).normalize());
        }
        Ok(Self { skeleton, map, kind, rest })
    }

    /// The rotation of the parent in model space at rest.
    fn parent_rotation(&self, joint: JointId) -> Quat {
        self.skeleton.parent(joint).map_or(Quat::IDENTITY, |p| self.rest[p.index()])
    }

    fn channel(&self, channel: &Channel) -> Result<Channel, MotionError> {
        Ok(match channel {
            Channel::Rotation { joint, curve } => {
                let twin = self.map.twin(*joint);
                Channel::Rotation { joint: twin, curve: mapped(curve, self.rotation(*joint, twin))? }
            }
            Channel::Translation { joint, curve } => {
                let twin = self.map.twin(*joint);
                Channel::Translation { joint: twin, curve: self.translations(*joint, twin, curve)? }
            }
            Channel::Scale { joint, curve } => {
                let twin = self.map.twin(*joint);
                Channel::Scale { joint: twin, curve: mapped(curve, self.scale(*joint, twin))? }
            }
            Channel::Morphs { first_slot, curve } => {
                Channel::Morphs { first_slot: *first_slot, curve: self.morphs(*first_slot, curve)? }
            }
        })
    }

    /// A rotation in model axes is `parent · local · rest⁻¹`; its mirror image, in the frame of the twin, is the twin's rotation.
    fn rotation(&self, from: JointId, to: JointId) -> impl Fn(Quat) -> Quat + use<> {
        // An additive rotation is relative to the joint's own frame.
        let outer = |joint| match self.kind {
            ClipKind::Absolute => self.parent_rotation(joint),
            ClipKind::Additive => self.rest[JointId::index(joint)],
        };
        let before = outer(to).conjugate() * mirrored_rotation(outer(from));
        let after = mirrored_rotation(self.rest[from.index()].conjugate()) * self.rest[to.index()];
        move |q| Quat::mul_quat(Quat::mul_quat(before, mirrored_rotation(q)), after)
    }

    /// Mirrors the offset from rest and adds it to the rest position of the twin.
    fn translation(&self, from: JointId, to: JointId) -> (impl Fn(Vec3) -> Vec3 + use<>, Vec3) {
        let (parent_from, parent_to) = (self.parent_rotation(from), self.parent_rotation(to).conjugate());
        let across = move |v: Vec3| parent_to * mirrored_vector(parent_from * v);
        let shift = match self.kind {
            ClipKind::Absolute => {
                self.skeleton.rest(to).translation - across(self.skeleton.rest(from).translation)
            }
            ClipKind::Additive => Vec3::ZERO,
        };
        (across, shift)
    }

    fn translations(
        &self,
        from: JointId,
        to: JointId,
        curve: &Curve<Vec3>,
    ) -> Result<Curve<Vec3>, MotionError> {
        let (across, shift) = self.translation(from, to);
        let per_key = curve.interpolation().elements_per_key();
        let elements = curve.elements().iter().enumerate();
        // Tangents are slopes and do not shift.
        let edited =
            elements.map(|(k, &v)| if k % per_key == per_key / 2 { across(v) + shift } else { across(v) });
        Ok(Curve::new(curve.times_secs().to_vec(), edited.collect(), curve.interpolation())?)
    }

    fn scale(&self, from: JointId, to: JointId) -> impl Fn(Vec3) -> Vec3 + use<> {
        let flip = Mat3::from_diagonal(Vec3::new(-1.0, 1.0, 1.0));
        let across = Mat3::from_quat(self.rest[to.index()].conjugate())
            * flip
            * Mat3::from_quat(self.rest[from.index()]);
        // The fraction of each axis along each axis of the other frame.
        let axis_fractions = Mat3::from_cols(
            across.x_axis * across.x_axis,
            across.y_axis * across.y_axis,
            across.z_axis * across.z_axis,
        );
        let ratio = match self.kind {
            ClipKind::Absolute => {
                let seen = axis_fractions * self.skeleton.rest(from).scale;
                let ratio = self.skeleton.rest(to).scale / seen;
                if ratio.is_finite() { ratio } else { Vec3::ONE }
            }
            ClipKind::Additive => Vec3::ONE,
        };
        move |s| axis_fractions * s * ratio
    }

    fn morphs(&self, first_slot: usize, curve: &Curve<f32>) -> Result<Curve<f32>, MotionError> {
        let width = curve.width();
        let place = |n: usize| {
            let (slot, twin) = (first_slot + n, self.map.slot(first_slot + n));
            let inside = twin.checked_sub(first_slot).filter(|&n| n < width);
            inside.ok_or(MotionError::SlotsApart { slot, twin })
        };
        let places: Vec<usize> = (0..width).map(place).collect::<Result<_, _>>()?;
        let rows = curve.elements().chunks_exact(width);
        let elements = rows.flat_map(|row| places.iter().map(|&place| row[place])).collect();
        Ok(Curve::with_width(width, curve.times_secs().to_vec(), elements, curve.interpolation())?)
    }
}

#[cfg(test)]
mod tests;
