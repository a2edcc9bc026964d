//! The serialized forms of assets.
//!
//! Plain parts are read and written as they are. A checked type is read through its constructor, so that malformed data is
//! an error with the constructor's message and never an invalid asset. Derived data (welded points, packed skins, update
//! orders, morph slots) is not written but computed again. An `Arc` is written as its content: what two assets share is
//! written twice and no longer shared when it is read.

use super::{
    character::{Character, CharacterParts},
    clip::{Clip, ClipParts},
    curve::{Curve, CurveError, Interpolation},
    humanoid::{HumanBone, Humanoid},
    mesh::{Mesh, MeshError, MeshParts},
    morph::{MorphError, MorphTarget, MorphTargets},
    precomputed::{
        BlendMap, CentersOfRotation, ContactData, ContactParts, DeltaMushData, DirectMushData,
        DirectMushParts, MushParts, PrecomputedError,
    },
    skeleton::{Joint, JointId, ScaleInheritance, Skeleton},
    skin::{Skin, SkinError},
};
use crate::transform::Transform;
use glam::{Affine3A, Vec3};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::collections::BTreeMap;
use thiserror::Error;

/// Writes a type as its parts, without a copy of them, and reads it through its constructor.
macro_rules! as_parts {
    ($whole:ty, $parts:ty, $new:path) => {
        impl Serialize for $whole {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.parts().serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $whole {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $new(<$parts>::deserialize(deserializer)?).map_err(D::Error::custom)
            }
        }
    };
}

as_parts!(Character, CharacterParts, Character::new);
as_parts!(Clip, ClipParts, Clip::from_parts);
as_parts!(Mesh, MeshParts, mesh_with_fitting_morphs);
as_parts!(DeltaMushData, MushParts, DeltaMushData::new);
as_parts!(ContactData, ContactParts, ContactData::new);
as_parts!(DirectMushData, DirectMushParts, DirectMushData::new);

/// Why parts do not form a mesh.
#[derive(Debug, Error)]
enum MeshFormError {
    #[error(transparent)]
    Mesh(#[from] MeshError),
    #[error(transparent)]
    Morph(#[from] MorphError),
}

/// A mesh whose morph targets were read before its vertex count was known.
fn mesh_with_fitting_morphs(parts: MeshParts) -> Result<Mesh, MeshFormError> {
    let vertex_count = parts.positions.len();
    for (target, morph) in parts.morphs.targets().iter().enumerate() {
        // The vertices of a target ascend, so the last one is the largest.
        if let Some(&vertex) = morph.vertices.last().filter(|&&v| v as usize >= vertex_count) {
            return Err(MorphError::BadVertex { target, vertex, vertex_count }.into());
        }
    }
    Ok(Mesh::new(parts)?)
}

/// A joint of a skeleton as it is read and written.
#[derive(Serialize, Deserialize)]
struct JointForm {
    name: String,
    parent: Option<JointId>,
    rest: Transform,
    #[serde(default)]
    scale_inheritance: ScaleInheritance,
}

/// A skeleton is a list of its joints.
impl Serialize for Skeleton {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.joints().map(|joint| JointForm {
            name: self.name(joint).into(),
            parent: self.parent(joint),
            rest: self.rest(joint),
            scale_inheritance: self.scale_inheritance(joint),
        }))
    }
}

impl<'de> Deserialize<'de> for Skeleton {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let joints: Vec<JointForm> = Vec::deserialize(deserializer)?;
        let kinds: Vec<ScaleInheritance> = joints.iter().map(|joint| joint.scale_inheritance).collect();
        let joint = |form: JointForm| Joint { name: form.name, parent: form.parent, rest: form.rest };
        let skeleton = Self::new(joints.into_iter().map(joint)).map_err(D::Error::custom)?;
        let kinds = skeleton.joints().zip(kinds);
        Ok(skeleton.with_scale_inheritance(kinds))
    }
}

/// A humanoid is a map from the names of bones to joints. [`Character::new`] compares its joints with the skeleton.
impl Serialize for Humanoid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Humanoid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bones = BTreeMap::<HumanBone, JointId>::deserialize(deserializer)?;
        Self::from_pairs(bones).map_err(D::Error::custom)
    }
}

/// A skin as it is read. [`Character::new`] compares its joints with the skeleton.
#[derive(Deserialize)]
pub(super) struct SkinForm {
    name: String,
    joints: Vec<JointId>,
    joint_from_mesh: Vec<Affine3A>,
    root: Option<JointId>,
}

impl TryFrom<SkinForm> for Skin {
    type Error = SkinError;

    fn try_from(form: SkinForm) -> Result<Self, SkinError> {
        Self::from_lists(form.name, form.joints, form.joint_from_mesh, form.root)
    }
}

/// A curve as it is read.
#[derive(Deserialize)]
pub(super) struct CurveForm<T> {
    times_secs: Vec<f32>,
    values: Vec<T>,
    width: usize,
    interpolation: Interpolation,
}

impl<T> TryFrom<CurveForm<T>> for Curve<T> {
    type Error = CurveError;

    fn try_from(form: CurveForm<T>) -> Result<Self, CurveError> {
        Self::with_width(form.width, form.times_secs, form.values, form.interpolation)
    }
}

/// Morph targets as they are read. The mesh that they belong to checks that it has their vertices.
#[derive(Deserialize)]
pub(super) struct MorphTargetsForm {
    targets: Vec<MorphTarget>,
    rest_weights: Vec<f32>,
}

impl TryFrom<MorphTargetsForm> for MorphTargets {
    type Error = MorphError;

    fn try_from(form: MorphTargetsForm) -> Result<Self, MorphError> {
        let moved = form.targets.iter().flat_map(|target| &target.vertices);
        let vertex_count = moved.max().map_or(0, |&vertex| vertex as usize + 1);
        Self::new(vertex_count, form.targets, form.rest_weights)
    }
}

/// Centers of rotation as they are read.
#[derive(Deserialize)]
pub(super) struct CentersForm {
    positions: Vec<Vec3>,
}

impl TryFrom<CentersForm> for CentersOfRotation {
    type Error = PrecomputedError;

    fn try_from(form: CentersForm) -> Result<Self, PrecomputedError> {
        Self::new(form.positions)
    }
}

/// A blend map as it is read.
#[derive(Deserialize)]
pub(super) struct BlendMapForm {
    weights: Vec<f32>,
}

impl TryFrom<BlendMapForm> for BlendMap {
    type Error = PrecomputedError;

    fn try_from(form: BlendMapForm) -> Result<Self, PrecomputedError> {
        Self::new(form.weights)
    }
}

/// Application data as a list of owners and texts: the keys of a JSON object could not name an owner.
pub(super) mod extras {
    use crate::asset::extras::{Extras, ExtrasOwner};
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(crate) fn serialize<S: Serializer>(extras: &Extras, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(extras)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Extras, D::Error> {
        let mut extras = Extras::new();
        for (owner, text) in Vec::<(ExtrasOwner, Box<str>)>::deserialize(deserializer)? {
            if extras.insert(owner, text).is_some() {
                return Err(D::Error::custom(format_args!("{owner:?} has extras twice")));
            }
        }
        Ok(extras)
    }
}
