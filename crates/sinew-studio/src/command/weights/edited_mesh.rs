//! The mesh of an instance, ready for weight edits.

use crate::{
    command::{CommandError, validate},
    document::{Document, DocumentPiece},
};
use sinew::{JointId, Mesh, MeshInstance, Precomputed, Skin, Weights};
use sinew_author::weights::{Edit, Locks, MuscleSlots, VertexSelection, WeightTable};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// An instance with its mesh, skin, weights and locked joints.
pub(crate) struct EditedMesh<'a> {
    pub(crate) index: usize,
    pub(crate) instance: &'a MeshInstance,
    pub(crate) mesh: &'a Mesh,
    pub(crate) skin: &'a Skin,
    pub(crate) weights: &'a Weights,
    pub(crate) locks: Locks,
    /// The muscles of the skin, whose weights do not count toward the sum of one.
    pub(crate) muscles: MuscleSlots,
}

impl<'a> EditedMesh<'a> {
    pub(crate) fn new(document: &'a Document, index: usize) -> Result<Self, CommandError> {
        let character = document.character();
        validate::within("instance", index, character.instances().len())?;
        let instance = &character.instances()[index];
        let (mesh, no_skin) = (character.mesh_of(instance), CommandError::NoSkin { instance: index });
        let (Some(skin), Some(weights)) = (character.skin_of(instance), mesh.weights()) else {
            return Err(no_skin);
        };
        let locks = Locks::of(document.locks().iter().filter_map(|joint| skin.slot_of(*joint)));
        let muscles = MuscleSlots::of_character(character, instance.skin.unwrap_or(usize::MAX));
        Ok(Self { index, instance, mesh, skin, weights, locks, muscles })
    }

    /// The mesh that `instances` share.
    pub(crate) fn of_shared(document: &'a Document, instances: &[usize]) -> Result<Self, CommandError> {
        Self::new(document, *instances.first().ok_or(CommandError::NothingSelected)?)
    }

    pub(crate) fn slot(&self, joint: JointId) -> Result<u16, CommandError> {
        let missing = CommandError::NotInSkin { joint: joint.index(), instance: self.index };
        self.skin.slot_of(joint).ok_or(missing)
    }

    pub(crate) fn table(&self) -> WeightTable {
        WeightTable::new(self.weights, self.skin.joints().len()).with_muscles(&self.muscles)
    }

    /// An edit of the selected vertices, or of all if none is selected, that does not change locked joints.
    pub(crate) fn edit(&self, document: &Document) -> Result<Edit<'a>, CommandError> {
        self.edit_of(document, &[self.index])
    }

    /// An edit of the vertices that are selected on any of `instances`, which share the mesh.
    pub(crate) fn edit_of(&self, document: &Document, instances: &[usize]) -> Result<Edit<'a>, CommandError> {
        let selected = instances.iter().filter_map(|index| document.selection().of_instance(*index));
        let selected: BTreeSet<u32> = selected.flatten().copied().collect();
        let selection =
            if selected.is_empty() { VertexSelection::All } else { VertexSelection::Vertices(selected) };
        let edit = Edit::with_weights(self.mesh, self.weights)?;
        Ok(edit.select(selection).lock(self.locks.clone()).in_skin_of(self.skin.joints().len()))
    }

    pub(crate) fn check_vertices(&self, mut vertices: impl Iterator<Item = u32>) -> Result<(), CommandError> {
        let count = self.mesh.vertex_count();
        vertices.try_for_each(|vertex| validate::within("vertex", vertex as usize, count))
    }
}

/// Instances in groups that share a mesh, so that no mesh is edited twice. Those that do not exist have groups of their own.
pub(crate) fn by_mesh(document: &Document, instances: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for index in instances {
        let mesh = document.character().instances().get(*index).map(|instance| instance.mesh);
        groups.entry(mesh).or_default().push(*index);
    }
    groups.into_values().collect()
}

/// Edits several meshes as one step: if `edit` fails for one, the others are restored.
pub(super) fn edit_each<T>(
    document: &mut Document,
    each: impl IntoIterator<Item = T>,
    mut edit: impl FnMut(&mut Document, T) -> Result<Vec<DocumentPiece>, CommandError>,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let mut pieces: Vec<DocumentPiece> = Vec::new();
    for one in each {
        match edit(document, one) {
            Ok(replaced) => {
                for piece in replaced {
                    // Undo needs what a mesh had before its first edit.
                    if !pieces.iter().any(|before| is_of_same_mesh(before, &piece)) {
                        pieces.push(piece);
                    }
                }
            }
            Err(error) => {
                pieces.iter_mut().try_for_each(|piece| piece.exchange(document))?;
                return Err(error);
            }
        }
    }
    Ok(pieces)
}

fn is_of_same_mesh(one: &DocumentPiece, other: &DocumentPiece) -> bool {
    matches!((one, other), (DocumentPiece::Weights { mesh: a, .. }, DocumentPiece::Weights { mesh: b, .. }) if a == b)
}

/// Replaces the weights of the mesh with index `mesh`.
pub(super) fn replace(
    document: &mut Document,
    mesh: usize,
    weights: Weights,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let made = document.character().meshes()[mesh].precomputed().clone();
    // Centers of rotation and direct delta mush depend on the weights.
    let made = Precomputed { centers: None, direct_mush: None, contact: None, ..made };
    let (weights, precomputed) = document.swap_weights(mesh, Arc::new(weights), made)?;
    Ok(vec![DocumentPiece::Weights { mesh, weights, precomputed: Box::new(precomputed) }])
}
