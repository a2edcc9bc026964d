//! The small parts of a character, as JSON: names, instances, materials, scenes, the rig around the skeleton, extras.

use crate::{ReadError, WriteError};
use serde::{Deserialize, Serialize};
use sinew::{
    CharacterParts, CharacterScene, Extras, ExtrasOwner, Humanoid, Material, MeshInstance, Method, Skeleton,
    constrain::{HelperJoint, NodeConstraint, SpringParts},
};
use std::sync::Arc;

/// Everything that is neither a list of numbers nor a part with a section of its own. Fields that are missing have their
/// default, so a later version can add some.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[derive(Default)]
pub(super) struct Manifest {
    name: String,
    copyright: String,
    instances: Vec<MeshInstance>,
    materials: Vec<Material>,
    scenes: Vec<CharacterScene>,
    default_scene: usize,
    helpers: Vec<HelperJoint>,
    node_constraints: Vec<NodeConstraint>,
    springs: SpringParts,
    humanoid: Option<Humanoid>,
    recommended_method: Option<Method>,
    extras: Vec<(ExtrasOwner, Box<str>)>,
}

impl Manifest {
    pub(super) fn of(parts: &CharacterParts) -> Self {
        Self {
            name: parts.name.clone(),
            copyright: parts.copyright.clone(),
            instances: parts.instances.clone(),
            materials: parts.materials.clone(),
            scenes: parts.scenes.clone(),
            default_scene: parts.default_scene,
            helpers: parts.helpers.clone(),
            node_constraints: parts.node_constraints.clone(),
            springs: parts.springs.clone(),
            humanoid: parts.humanoid.clone(),
            recommended_method: parts.recommended_method,
            extras: parts.extras.iter().map(|(owner, text)| (*owner, text.clone())).collect(),
        }
    }

    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        let unrepresentable =
            |what: String| WriteError::Unrepresentable { place: "the character".into(), what };
        let bytes = serde_json::to_vec(self).map_err(|e| unrepresentable(e.to_string()))?;
        // JSON has no infinity and no NaN: a character that has some is refused now and not when it is read.
        match serde_json::from_slice::<Self>(&bytes) {
            Ok(back) if back == *self => Ok(bytes),
            Ok(_) => {
                Err(unrepresentable("its materials or its rig have numbers that JSON cannot hold".into()))
            }
            Err(error) => Err(unrepresentable(error.to_string())),
        }
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        serde_json::from_slice(bytes)
            .map_err(|error| ReadError::Json { place: "manifest".into(), message: error.to_string() })
    }

    /// The parts of a character without those that have sections of their own.
    pub(super) fn into_parts(self, skeleton: Arc<Skeleton>) -> CharacterParts {
        CharacterParts {
            copyright: self.copyright,
            instances: self.instances,
            materials: self.materials,
            scenes: self.scenes,
            default_scene: self.default_scene,
            helpers: self.helpers,
            node_constraints: self.node_constraints,
            springs: self.springs,
            humanoid: self.humanoid,
            recommended_method: self.recommended_method,
            extras: self.extras.into_iter().collect::<Extras>(),
            ..CharacterParts::new(self.name, skeleton)
        }
    }
}
