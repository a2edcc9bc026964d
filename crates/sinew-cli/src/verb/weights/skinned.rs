//! The skinned meshes of a character.

use super::args::TouchArgs;
use crate::{
    failure::{Attempt, Failure},
    joint, simd,
};
use sinew::{Character, Mesh, Precomputed, Skeleton, Skin, Weights};
use sinew_author::weights::{
    BoneSet, EffectPoses, Locks, PoseOptions, VertexSelection, ops::SkinAndSkeleton,
};
use std::{collections::BTreeMap, rc::Rc, sync::Arc};

/// A mesh with the skin that deforms it; the first skin if there are several.
#[derive(Clone, Copy)]
pub(super) struct MeshWithSkin<'a> {
    pub(super) character: &'a Character,
    pub(super) mesh_index: usize,
    pub(super) skin_index: usize,
}

impl<'a> MeshWithSkin<'a> {
    /// Every mesh that a skin deforms, with or without weights, or only the one called `wanted`.
    pub(super) fn all(
        character: &'a Character,
        file: &str,
        wanted: Option<&str>,
    ) -> Result<Vec<Self>, Failure> {
        let mut out: Vec<Self> = Vec::new();
        let mut is_known = vec![false; character.meshes().len()];
        for instance in character.instances() {
            let Some(skin_index) = instance.skin else { continue };
            if !std::mem::replace(&mut is_known[instance.mesh], true) {
                out.push(Self { character, mesh_index: instance.mesh, skin_index });
            }
        }
        if out.is_empty() {
            return Err(Failure::usage(format!("{file} has no skinned mesh")));
        }
        let Some(wanted) = wanted else { return Ok(out) };
        let by_name = out.iter().find(|s| s.mesh().name() == wanted);
        let by_number = || out.iter().find(|s| wanted.parse() == Ok(s.mesh_index));
        let found = by_name.or_else(by_number).copied();
        let known = || out.iter().map(Self::label).collect::<Vec<_>>().join(", ");
        let missing =
            || Failure::usage(format!("{file} has no skinned mesh {wanted:?}; there are {}", known()));
        Ok(vec![found.ok_or_else(missing)?])
    }

    /// As [`Self::all`], without meshes that have no weights.
    pub(super) fn weighted(
        character: &'a Character,
        file: &str,
        wanted: Option<&str>,
    ) -> Result<Vec<Self>, Failure> {
        let mut all = Self::all(character, file, wanted)?;
        all.retain(|s| s.mesh().weights().is_some());
        if all.is_empty() {
            let what = format!("{file}: no skinned mesh has weights; `sinew weights auto` computes them");
            return Err(Failure::usage(what));
        }
        Ok(all)
    }

    /// The only mesh of the list.
    ///
    /// # Errors
    /// If there are several, so that the command line must choose.
    pub(super) fn only(all: &[Self], file: &str) -> Result<Self, Failure> {
        match all {
            [only] => Ok(*only),
            _ => {
                let names: Vec<String> = all.iter().map(Self::label).collect();
                Err(Failure::usage(format!("{file}: choose with --mesh from {}", names.join(", "))))
            }
        }
    }

    pub(super) fn mesh(&self) -> &'a Mesh {
        &self.character.meshes()[self.mesh_index]
    }

    pub(super) fn skin(&self) -> &'a Skin {
        &self.character.skins()[self.skin_index]
    }

    pub(super) fn skeleton(&self) -> &'a Skeleton {
        self.character.skeleton()
    }

    /// The skin with its skeleton.
    pub(super) fn rig(&self) -> SkinAndSkeleton<'a> {
        SkinAndSkeleton { skeleton: self.skeleton(), skin: self.skin() }
    }

    /// The name and number of the mesh.
    pub(super) fn label(&self) -> String {
        format!("{:?} ({})", self.mesh().name(), self.mesh_index)
    }

    /// The name of the joint at `slot` of the skin.
    pub(super) fn joint_name(&self, slot: u16) -> String {
        self.skin()
            .joints()
            .get(usize::from(slot))
            .map_or_else(String::new, |j| self.skeleton().name(*j).into())
    }

    /// The vertices and joints that the command line allows to edit.
    pub(super) fn touched(
        &self,
        touch: &TouchArgs,
        weights: &Weights,
    ) -> Result<(VertexSelection, Locks), Failure> {
        let slots = |names: &[String]| -> Result<Vec<u16>, Failure> {
            let joints: Result<Vec<_>, _> =
                names.iter().map(|name| joint::find(self.character, name)).collect();
            Ok(joints?.into_iter().filter_map(|joint| self.skin().slot_of(joint)).collect())
        };
        let (only, locked) = (slots(&touch.only_joint)?, slots(&touch.lock)?);
        let follows = |v: usize, slot: u16| {
            weights.weight_of(v, slot) > 0.0 || weights.muscle_weight_of(v, slot) != 0.0
        };
        let is_moved = |v: &u32| only.iter().any(|&slot| follows(*v as usize, slot));
        let selection = if touch.only_joint.is_empty() {
            VertexSelection::All
        } else {
            VertexSelection::of((0..weights.vertex_count() as u32).filter(is_moved))
        };
        Ok((selection, Locks::of(locked)))
    }
}

/// What meshes of the same skin share: a character may have thousands of them.
#[derive(Default)]
pub(super) struct SkinData {
    poses: BTreeMap<usize, Rc<EffectPoses>>,
    bones: BTreeMap<usize, Rc<BoneSet>>,
}

impl SkinData {
    /// The poses over which effects on the mesh are measured.
    pub(super) fn poses(&mut self, mesh: &MeshWithSkin<'_>) -> Rc<EffectPoses> {
        let options = PoseOptions { level: simd::chosen(), ..PoseOptions::default() };
        let new = || Rc::new(EffectPoses::of_character(mesh.character, mesh.skin_index, &options));
        Rc::clone(self.poses.entry(mesh.skin_index).or_insert_with(new))
    }

    /// The bones that may carry the mesh.
    pub(super) fn bones(&mut self, mesh: &MeshWithSkin<'_>) -> Rc<BoneSet> {
        let new = || Rc::new(BoneSet::of_character(mesh.character, mesh.skin_index));
        Rc::clone(self.bones.entry(mesh.skin_index).or_insert_with(new))
    }
}

/// `character` with new weights of some meshes. Data that was precomputed from the old weights is dropped.
pub(super) fn with_weights(
    character: &Character,
    changed: Vec<(usize, Weights)>,
    attempt: impl Fn() -> String,
) -> Result<Character, Failure> {
    let mut parts = character.parts().clone();
    for (index, weights) in changed {
        let old = &parts.meshes[index];
        let precomputed =
            Precomputed { centers: None, direct_mush: None, contact: None, ..old.precomputed().clone() };
        let new = Mesh::clone(old).with_weights(Arc::new(weights), precomputed).attempt(&attempt)?;
        parts.meshes[index] = Arc::new(new);
    }
    Character::new(parts).attempt(attempt)
}
