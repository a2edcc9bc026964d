//! One evaluated moment of a character.

mod contribution;
mod skins;

pub use contribution::InfluenceContribution;

use crate::{
    asset::{character::Character, clip::Clip, weights::WeightSum},
    bounds::Aabb,
    deform::{
        self, Binding, DeformError, DeformScratch, Method, Streams, apply_morphs, check_count, reference,
    },
    palette::{DualQuatPalette, MusclePalette, Palette},
    pose::{LocalPose, ModelPose},
    sample::{Wrap, sample_clip},
};
use skins::{FrameSkins, Palettes};

/// The pose, palettes and deformed vertices of a character at one moment, in buffers that are used again.
///
/// It strings the steps together for those who want one call; each step is there on its own too.
#[derive(Clone, Debug)]
pub struct Frame {
    rest: LocalPose,
    local: LocalPose,
    /// The local pose with its helper joints moved.
    helped: LocalPose,
    model: ModelPose,
    palettes: Vec<Palette>,
    dual_quats: Vec<DualQuatPalette>,
    muscles: Vec<MusclePalette>,
    morphed: Vec<Streams>,
    displaced: Vec<Streams>,
    skins: FrameSkins,
    scratch: DeformScratch,
    deformed: Vec<Streams>,
}

impl Frame {
    /// Buffers for `character`, posed at rest and not yet deformed.
    pub fn new(character: &Character) -> Self {
        let rest = character.rest_pose();
        let streams = |index: usize| Streams::of_mesh(character.mesh_of(&character.instances()[index]));
        let instances = 0..character.instances().len();
        let morphed = |index: usize| {
            let has_morphs = !character.morph_slots(index).is_empty();
            if has_morphs { streams(index) } else { Streams::default() }
        };
        let displaced = |index: usize| {
            let weights = character.mesh_of(&character.instances()[index]).weights();
            let is_free = weights.is_some_and(|w| w.sum_kind() == WeightSum::Muscle);
            if is_free { streams(index) } else { Streams::default() }
        };
        let mut scratch = DeformScratch::default();
        character.meshes().iter().for_each(|mesh| scratch.reserve_for(mesh));
        let skins = || character.skins().iter();
        let mut frame = Self {
            local: rest.clone(),
            helped: rest.clone(),
            rest,
            model: ModelPose::new(character.skeleton()),
            palettes: skins().map(|s| Palette::new(s)).collect(),
            dual_quats: skins().map(|s| DualQuatPalette::new(s)).collect(),
            muscles: skins().map(|s| MusclePalette::new(s, character.skeleton())).collect(),
            morphed: instances.clone().map(morphed).collect(),
            displaced: instances.clone().map(displaced).collect(),
            skins: FrameSkins::new(character),
            scratch,
            deformed: instances.map(streams).collect(),
        };
        frame.update(character);
        frame
    }

    /// Puts every joint and morph weight at rest.
    pub fn reset(&mut self) {
        self.local.copy_from(&self.rest);
    }

    /// Puts everything at rest, then samples `clip` at `time_secs`.
    pub fn sample(&mut self, clip: &Clip, time_secs: f32, wrap: Wrap) {
        self.reset();
        sample_clip(clip, time_secs, wrap, &mut self.local);
    }

    /// The pose relative to parents.
    pub fn local(&self) -> &LocalPose {
        &self.local
    }

    /// The pose relative to parents, to change by hand.
    pub fn local_mut(&mut self) -> &mut LocalPose {
        &mut self.local
    }

    /// The pose of the last [`Frame::update`] with the character's helper joints moved.
    pub fn helped(&self) -> &LocalPose {
        &self.helped
    }

    /// Brings the model pose and every palette up to the local pose, after the character's
    /// [helpers](Character::helpers) have moved their joints; the local pose itself stays as it is.
    ///
    /// # Panics
    /// Where `character` is not the one that the frame was made for.
    pub fn update(&mut self, character: &Character) {
        self.helped.copy_from(&self.local);
        character.apply_helpers(&mut self.helped);
        self.model.update(character.skeleton(), &self.helped);
        for (palette, skin) in self.palettes.iter_mut().zip(character.skins()) {
            palette.update(skin, &self.model);
        }
    }

    /// Deforms every instance into model space by `method`: shapes first, then muscles, then the skin.
    ///
    /// [`Frame::update`] comes before. Meshes without a skin follow their joint whatever the method. Stitching, linear blend,
    /// dual quaternions and centres of rotation run on the [kernels](crate::deform::kernel) of the machine's best level, the
    /// other methods on their [references](crate::deform::reference).
    ///
    /// # Errors
    /// Where `character` is not the one that the frame was made for, or a skinned mesh lacks what `method` needs.
    pub fn deform(&mut self, character: &Character, method: Method) -> Result<(), DeformError> {
        self.update_palettes(character, method)?;
        (0..character.instances().len()).try_for_each(|index| self.deform_instance(character, index, method))
    }

    /// Makes the palettes that `method` reads, for vertices that are deformed elsewhere. [`Frame::update`] comes before,
    /// [`Frame::deform`] does it by itself.
    ///
    /// # Errors
    /// Where `character` is not the one that the frame was made for.
    pub fn update_palettes(&mut self, character: &Character, method: Method) -> Result<(), DeformError> {
        self.check_character(character)?;
        if method.needs_dual_quats() {
            let palettes = self.dual_quats.iter_mut().zip(&self.palettes);
            palettes.zip(character.skins()).for_each(|((dual, palette), skin)| dual.update(skin, palette));
        }
        Ok(())
    }

    /// Refuses a character whose skins or instances are not those that the buffers were made for.
    fn check_character(&self, character: &Character) -> Result<(), DeformError> {
        let instances = character.instances().len();
        let morphs = (0..instances).map(|index| character.morph_slots(index).end).max().unwrap_or(0);
        let counts = [
            ("skins", character.skins().len(), self.palettes.len()),
            ("instances", instances, self.deformed.len()),
            ("joints", character.skeleton().len(), self.model.joints().len()),
            ("morph weights", morphs, self.local.morphs.len()),
        ];
        counts.into_iter().try_for_each(|(stream, count, wanted)| check_count(stream, count, wanted))?;
        let skins = character.skins().iter().zip(&self.palettes);
        skins.into_iter().try_for_each(|(skin, palette)| {
            check_count("skin joints", skin.joints().len(), palette.matrices().len())
        })
    }

    fn deform_instance(
        &mut self,
        character: &Character,
        index: usize,
        method: Method,
    ) -> Result<(), DeformError> {
        let instance = &character.instances()[index];
        let mesh = character.mesh_of(instance);
        let mut surface = deform::Surface::from(mesh);
        let mut is_changed = false;
        let slots = character.morph_slots(index);
        if !slots.is_empty() {
            let weights = &self.local.morphs[slots];
            apply_morphs(surface, mesh.morphs(), weights, self.morphed[index].as_surface_mut())?;
            surface = self.morphed[index].as_surface();
            is_changed = true;
        }
        let (Some(skin), Some(weights)) = (instance.skin, mesh.weights()) else {
            let out = self.deformed[index].as_surface_mut();
            return reference::rigid(surface, &self.model.joint(instance.joint), out);
        };
        if weights.sum_kind() == WeightSum::Muscle {
            self.muscles[skin].update(&character.skins()[skin], &self.helped);
            let out = self.displaced[index].as_surface_mut();
            reference::displace(surface, weights, &self.muscles[skin], out)?;
            surface = self.displaced[index].as_surface();
            is_changed = true;
        }
        let palettes = Palettes { matrices: &self.palettes[skin], dual_quats: &self.dual_quats[skin] };
        let of_mesh = (instance.mesh, &character.meshes()[instance.mesh]);
        let out = self.deformed[index].as_surface_mut();
        if self.skins.deform(of_mesh, is_changed.then_some(surface), method, palettes, out)? {
            return Ok(());
        }
        let binding = Binding::new(weights, &self.palettes[skin])
            .with_dual_quats(&self.dual_quats[skin])
            .with_precomputed(mesh.precomputed());
        deform::deform(method, surface, &binding, &mut self.scratch, self.deformed[index].as_surface_mut())
    }

    /// The pose relative to the model.
    pub fn model(&self) -> &ModelPose {
        &self.model
    }

    /// The palette of each skin.
    pub fn palettes(&self) -> &[Palette] {
        &self.palettes
    }

    /// The dual-quaternion palette of each skin, as the last method that needed it left it.
    pub fn dual_quats(&self) -> &[DualQuatPalette] {
        &self.dual_quats
    }

    /// The deformed vertices of each instance, in model space.
    pub fn deformed(&self) -> &[Streams] {
        &self.deformed
    }

    /// The box around every visible deformed vertex.
    pub fn bounds(&self, character: &Character) -> Aabb {
        let boxes = character.visible_instances().map(|i| Aabb::of_points(&self.deformed[i].positions));
        boxes.fold(Aabb::EMPTY, Aabb::union)
    }
}
