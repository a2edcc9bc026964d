//! What a character is built from.

use crate::{
    asset::{
        clip::Clip,
        extras::Extras,
        humanoid::Humanoid,
        material::{Image, Material},
        mesh::Mesh,
        skeleton::{JointId, Skeleton},
        skin::Skin,
        source::CharacterSource,
    },
    blend::graph::GraphDef,
    constrain::{HelperJoint, NodeConstraint, SpringParts},
    deform::Method,
};
use std::{ops::Range, sync::Arc};

/// A mesh attached to a joint and optionally deformed by a skin.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshInstance {
    /// The joint that carries the mesh. A skinned mesh follows the joints of its skin and ignores this transform.
    pub joint: JointId,
    /// Index in the character's mesh list.
    pub mesh: usize,
    /// Index in the character's skin list.
    pub skin: Option<usize>,
    /// Rest weights of the morph targets for this instance; empty for the weights of the mesh.
    pub morph_weights: Vec<f32>,
}

/// A set of root joints that are shown together.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterScene {
    /// Name in the file, possibly empty.
    pub name: String,
    /// The root joints of the scene.
    pub roots: Vec<JointId>,
}

/// A blend graph that a character comes with.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterGraph {
    /// Name of the graph, possibly empty.
    pub name: String,
    /// Its definition, which is checked against the clips when it is
    /// [bound](crate::blend::Graph::of_character).
    pub def: GraphDef,
}

/// The parts of a character, the input of [`Character::new`](super::Character::new).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterParts {
    /// The character's name, possibly empty.
    pub name: String,
    /// Author and license, possibly empty.
    pub copyright: String,
    /// The joint hierarchy: every node of the file.
    pub skeleton: Arc<Skeleton>,
    /// Every mesh; instances refer to them by index.
    pub meshes: Vec<Arc<Mesh>>,
    /// Every skin; instances refer to them by index.
    pub skins: Vec<Arc<Skin>>,
    /// The meshes with the joints that carry them.
    pub instances: Vec<MeshInstance>,
    /// The materials that primitives refer to.
    pub materials: Vec<Material>,
    /// The images that materials refer to.
    pub images: Vec<Image>,
    /// The clips, in file order.
    pub clips: Vec<Arc<Clip>>,
    /// Blend graphs over the clips. A graph that does not fit them stays: only binding it is an error.
    #[cfg_attr(feature = "serde", serde(default))]
    pub graphs: Vec<CharacterGraph>,
    /// The scenes; if empty, every root is shown.
    pub scenes: Vec<CharacterScene>,
    /// Index of the scene that is shown.
    pub default_scene: usize,
    /// Helper joints, in the order in which they are driven.
    pub helpers: Vec<HelperJoint>,
    /// Joints whose rotation follows other joints, applied after the helper joints.
    #[cfg_attr(feature = "serde", serde(default))]
    pub node_constraints: Vec<NodeConstraint>,
    /// Spring bones: chains of joints that swing, and what they collide with.
    #[cfg_attr(feature = "serde", serde(default))]
    pub springs: SpringParts,
    /// Which joints are bones of a human body; `None` if the file does not say.
    #[cfg_attr(feature = "serde", serde(default))]
    pub humanoid: Option<Humanoid>,
    /// The deformation method that the character was made for; `None` if nobody said so.
    #[cfg_attr(feature = "serde", serde(default))]
    pub recommended_method: Option<Method>,
    /// Application data that is read and written back unchanged.
    #[cfg_attr(feature = "serde", serde(with = "crate::asset::serde_form::extras"))]
    pub extras: Extras,
    /// The file that the character was read from.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub source: CharacterSource,
}

impl CharacterParts {
    /// Parts with a skeleton alone.
    pub fn new(name: impl Into<String>, skeleton: Arc<Skeleton>) -> Self {
        Self {
            name: name.into(),
            copyright: String::new(),
            skeleton,
            meshes: Vec::new(),
            skins: Vec::new(),
            instances: Vec::new(),
            materials: Vec::new(),
            images: Vec::new(),
            clips: Vec::new(),
            graphs: Vec::new(),
            scenes: Vec::new(),
            default_scene: 0,
            helpers: Vec::new(),
            node_constraints: Vec::new(),
            springs: SpringParts::default(),
            humanoid: None,
            recommended_method: None,
            extras: Extras::default(),
            source: CharacterSource::default(),
        }
    }

    /// For each instance, the range of its morph weights in a pose. An instance whose mesh does not exist has none.
    #[must_use]
    pub fn morph_slots(&self) -> Vec<Range<usize>> {
        let mut end = 0;
        let count =
            |instance: &MeshInstance| self.meshes.get(instance.mesh).map_or(0, |mesh| mesh.morphs().len());
        let slots = self.instances.iter().map(|instance| {
            let start = end;
            end += count(instance);
            start..end
        });
        slots.collect()
    }
}
