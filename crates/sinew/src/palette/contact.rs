//! The bones of contact skinning in a pose.

use super::{DualQuatPalette, Palette};
use crate::asset::{
    mesh::Mesh,
    precomputed::{ContactBone, ContactData},
};
use glam::{Affine3A, Quat, Vec3};

/// One end of a bone in a pose: the plane that keeps its skin apart from the skin of the next bone, in model space.
///
/// The plane goes through the joint and halves the angle between the two bones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactEnd {
    /// The unit normal, which points out of the bone.
    pub normal: Vec3,
    /// The height of the plane along its normal, measured from the bone's head.
    pub height: f32,
    /// The normal that the plane would have with the next bone in its rest direction.
    pub rest_normal: Vec3,
    /// The height of that plane, measured from the bone's head.
    pub rest_height: f32,
    /// How strongly the skin folds here, 0 to 1: 0 while the joint is as at rest, and where the skin is not like a limb.
    pub strength: f32,
    /// The bend against the rest pose, `(1 − cos) / 2`.
    pub bend: f32,
    /// Cosine and sine of half the angle by which the next bone twists against this one.
    pub half_twist: [f32; 2],
}

/// A bone of contact skinning in a pose, in model space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactBonePose {
    /// The skinning matrix of the bone's joint.
    pub model_from_mesh: Affine3A,
    /// Where the bone begins.
    pub head: Vec3,
    /// The direction from its head to its tail, of unit length.
    pub axis: Vec3,
    /// The distance from its head to its tail, in meters.
    pub length: f32,
    /// Its head and its tail.
    pub ends: [ContactEnd; 2],
}

impl ContactBonePose {
    const STILL: Self = Self {
        model_from_mesh: Affine3A::IDENTITY,
        head: Vec3::ZERO,
        axis: Vec3::X,
        length: 0.0,
        ends: [ContactEnd {
            normal: Vec3::ZERO,
            height: 0.0,
            rest_normal: Vec3::ZERO,
            rest_height: 0.0,
            strength: 0.0,
            bend: 0.0,
            half_twist: [1.0, 0.0],
        }; 2],
    };

    /// How strongly the skin of this bone keeps its radius, 0 to 1.
    pub fn strength(&self) -> f32 {
        let [head, tail] = self.ends.each_ref().map(|end| end.strength);
        1.0 - (1.0 - head) * (1.0 - tail)
    }

    /// True if the skin of this bone differs from dual quaternion skinning.
    pub fn folds(&self) -> bool {
        self.ends.iter().any(|end| end.strength > 0.0)
    }
}

/// The bones of a [`ContactData`] in a pose, by slot: what contact skinning reads beside dual quaternions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactPalette {
    bones: Vec<ContactBonePose>,
}

/// Bends from which the fold fades out, as cosines of the angle between two bones: it is undefined where they lie on each other.
const FADE: [f32; 2] = [-0.875, -1.0];
/// The correction has its full strength from this bend, `(1 − cos) / 2`: 60 degrees.
const FULL_BEND: f32 = 0.25;

impl ContactPalette {
    /// Updates this palette to the pose of `palette`, in which `dual_quats` are the rotations. Allocates only to grow.
    ///
    /// # Panics
    /// If a palette has fewer entries than `data` has bones.
    pub fn update(&mut self, data: &ContactData, palette: &Palette, dual_quats: &DualQuatPalette) {
        let bones = &data.parts().bones;
        let place = |slot: u16| Line::of(&bones[usize::from(slot)], &palette.matrices()[usize::from(slot)]);
        self.bones.clear();
        self.bones.extend(bones.iter().enumerate().map(|(slot, bone)| {
            let matrix = palette.matrices()[slot];
            let Some(own) = Line::of(bone, &matrix) else { return ContactBonePose::STILL };
            let mut out = ContactBonePose {
                model_from_mesh: matrix,
                head: own.head,
                axis: own.axis,
                length: own.length,
                ..ContactBonePose::STILL
            };
            for (nth, next) in [bone.before, bone.after].into_iter().enumerate() {
                if next == ContactBone::NONE || bone.gates[nth] <= 0.0 {
                    continue;
                }
                let Some(posed) = place(next) else { continue };
                let next = usize::from(next);
                let rest = matrix.transform_vector3(bones[next].tail - bones[next].head).normalize_or_zero();
                let turn = dual_quats.rigid()[next].real * dual_quats.rigid()[slot].real.conjugate();
                let is_far = turn.w < 0.0 && !dual_quats.is_followed();
                let turn = if is_far { -turn } else { turn };
                out.ends[nth] = end(nth, &own, &posed, rest, bone.gates[nth], turn);
            }
            out
        }));
    }

    /// An empty palette that holds the bones of `data` without growing.
    pub(crate) fn with_room_for(data: &ContactData) -> Self {
        Self { bones: Vec::with_capacity(data.slot_count()) }
    }

    /// Grows to the size that `mesh` needs.
    pub(crate) fn reserve(&mut self, mesh: &Mesh) {
        let count = mesh.precomputed().contact.as_ref().map_or(0, |data| data.slot_count());
        self.bones.reserve(count.saturating_sub(self.bones.len()));
    }

    /// The bones, by slot.
    pub fn bones(&self) -> &[ContactBonePose] {
        &self.bones
    }
}

/// A bone as a line in model space.
struct Line {
    head: Vec3,
    tail: Vec3,
    axis: Vec3,
    length: f32,
}

impl Line {
    /// `bone` moved by `matrix`; `None` if it has no length.
    fn of(bone: &ContactBone, matrix: &Affine3A) -> Option<Self> {
        let (head, tail) = (matrix.transform_point3(bone.head), matrix.transform_point3(bone.tail));
        let axis = (tail - head).try_normalize()?;
        Some(Self { head, tail, axis, length: head.distance(tail) })
    }
}

/// End `nth` of `own`, at which `next` follows: 0 is the head, 1 the tail. `rest` is the direction in which `next` would point
/// if it had followed `own`, and `turn` how it has turned against it.
fn end(nth: usize, own: &Line, next: &Line, rest: Vec3, gate: f32, turn: Quat) -> ContactEnd {
    // At the head, both bones point away from the plane's normal.
    let (outward, joint, own_joint) =
        if nth == 0 { (-1.0, own.head, own.head) } else { (1.0, next.head, own.tail) };
    let cosine = own.axis.dot(next.axis);
    let fade = smoothstep(FADE[1], FADE[0], cosine);
    let bend = 0.5 * (1.0 - rest.dot(next.axis)).clamp(0.0, 2.0);
    let (Some(normal), Some(rest_normal)) =
        ((own.axis + next.axis).try_normalize(), (own.axis + rest).try_normalize())
    else {
        return ContactBonePose::STILL.ends[nth];
    };
    let (normal, rest_normal) = (normal * outward, rest_normal * outward);
    ContactEnd {
        normal,
        height: normal.dot(joint - own.head),
        rest_normal,
        rest_height: rest_normal.dot(own_joint - own.head),
        strength: gate * fade * (bend / FULL_BEND).min(1.0),
        bend,
        half_twist: half_twist(turn, own.axis),
    }
}

/// Cosine and sine of half the angle that `turn` turns about `axis`.
fn half_twist(turn: Quat, axis: Vec3) -> [f32; 2] {
    let (cosine, sine) = (turn.w, turn.xyz().dot(axis));
    let length = cosine.hypot(sine);
    if length < 1e-6 {
        return [1.0, 0.0];
    }
    [cosine / length, sine / length]
}

/// 0 below `from`, 1 above `to`, and a cubic between.
pub(crate) fn smoothstep(from: f32, to: f32, x: f32) -> f32 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
