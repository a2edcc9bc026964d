//! Precomputed data of contact skinning: the bones of a skin, and ten bytes per vertex.

use super::{PrecomputedError, check_count, check_finite, check_indices};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// The lists of a [`ContactData`], the input of [`ContactData::new`].
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactParts {
    /// The bone of each slot of the skin.
    pub bones: Vec<ContactBone>,
    /// What each vertex belongs to, and how strongly.
    pub vertices: Vec<ContactVertex>,
}

/// The bone of one slot: a line segment, the bones at its ends, and how much the skin around each end is like a limb.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactBone {
    /// Where the bone begins, in mesh space.
    pub head: Vec3,
    /// Where it ends, in mesh space.
    pub tail: Vec3,
    /// The slot of the bone that ends at the head, or [`ContactBone::NONE`].
    pub before: u16,
    /// The slot of the bone that begins at the tail, or [`ContactBone::NONE`].
    pub after: u16,
    /// How strongly the skin folds at the head and at the tail, 0 to 1.
    pub gates: [f32; 2],
}

impl ContactBone {
    /// Stands for a bone that is not there.
    pub const NONE: u16 = u16::MAX;
}

/// What contact skinning stores of a vertex. Numbers from 0 to 1 are stored as 0 to 65535.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactVertex {
    /// The slot of the bone that the vertex lies on.
    pub bone: u16,
    /// How much of the correction is applied; 0 leaves dual quaternion skinning.
    pub mask: u16,
    /// How much of the distance to the bone is restored.
    pub radius: u16,
    /// The weights of what lies beyond the bone's head and beyond its tail.
    pub beyond: [u16; 2],
}

impl ContactVertex {
    /// A number from 0 to 1 as it is stored.
    pub fn stored(number: f32) -> u16 {
        (number.clamp(0.0, 1.0) * f32::from(u16::MAX)).round() as u16
    }

    /// The number from 0 to 1 that `stored` stands for.
    pub fn number(stored: u16) -> f32 {
        f32::from(stored) / f32::from(u16::MAX)
    }
}

/// The bones of a skin and the masks of a mesh, which [`Method::Contact`](crate::Method::Contact) needs.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactData {
    parts: ContactParts,
}

impl ContactData {
    /// Checks `parts` and builds the data from them.
    ///
    /// # Errors
    /// If a vertex or a bone names a bone that does not exist, a number is not finite, or a gate is not between 0 and 1.
    pub fn new(parts: ContactParts) -> Result<Self, PrecomputedError> {
        let count = parts.bones.len();
        let neighbors = parts.bones.iter().flat_map(|bone| [bone.before, bone.after]);
        let named = neighbors.filter(|&slot| slot != ContactBone::NONE).map(u32::from);
        check_indices("contact bones", named, count)?;
        check_indices("contact vertices", parts.vertices.iter().map(|v| v.bone.into()), count)?;
        let ends = parts.bones.iter().flat_map(|bone| [bone.head, bone.tail]);
        check_finite("ends of contact bones", ends.flat_map(|end| end.to_array()))?;
        let gates = parts.bones.iter().flat_map(|bone| bone.gates).enumerate();
        for (at, value) in gates {
            if !(0.0..=1.0).contains(&value) {
                let (what, wanted) = ("gates of contact bones", "between 0 and 1");
                return Err(PrecomputedError::BadValue { what, at, value, wanted });
            }
        }
        check_count("bones of contact skinning", count.min(usize::from(ContactBone::NONE)), count)?;
        Ok(Self { parts })
    }

    /// The lists that it was made from.
    pub fn parts(&self) -> &ContactParts {
        &self.parts
    }

    /// Number of vertices of the mesh.
    pub fn vertex_count(&self) -> usize {
        self.parts.vertices.len()
    }

    /// The number of slots that a palette must have.
    pub fn slot_count(&self) -> usize {
        self.parts.bones.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> ContactParts {
        let bone = |x: f32, before, after| ContactBone {
            head: Vec3::X * x,
            tail: Vec3::X * (x + 1.0),
            before,
            after,
            gates: [0.0, 1.0],
        };
        let bones = vec![bone(0.0, ContactBone::NONE, 1), bone(1.0, 0, ContactBone::NONE)];
        ContactParts { bones, vertices: vec![ContactVertex { bone: 1, ..ContactVertex::default() }] }
    }

    #[test]
    fn refuses_what_names_a_missing_bone_and_numbers_out_of_range() {
        assert!(ContactData::new(pair()).is_ok());
        type Damage = fn(&mut ContactParts);
        let damages: [Damage; 5] = [
            |parts| parts.vertices[0].bone = 2,
            |parts| parts.bones[0].after = 2,
            |parts| parts.bones[1].before = 7,
            |parts| parts.bones[1].tail.y = f32::NAN,
            |parts| parts.bones[0].gates[1] = 1.5,
        ];
        for damage in damages {
            let mut parts = pair();
            damage(&mut parts);
            assert!(ContactData::new(parts).is_err());
        }
    }

    #[test]
    fn a_stored_number_is_within_half_a_step() {
        for number in [0.0, 0.1, 0.5, 0.999, 1.0] {
            let kept = ContactVertex::number(ContactVertex::stored(number));
            assert!((kept - number).abs() <= 0.5 / 65535.0 + f32::EPSILON, "{number} became {kept}");
        }
        assert_eq!([ContactVertex::stored(-1.0), ContactVertex::stored(2.0)], [0, u16::MAX]);
    }
}
