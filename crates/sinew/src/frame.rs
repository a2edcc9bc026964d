//! One evaluated moment of a character.

use crate::{
    asset::{character::Character, clip::Clip},
    bounds::Aabb,
    deform::{self, DeformError, Method, Streams, apply_morphs, reference},
    palette::Palette,
    pose::{LocalPose, ModelPose},
    sample::{Wrap, sample_clip},
};

/// The pose, palettes and deformed vertices of a character at one moment, in buffers that are used again.
///
/// It strings the steps together for those who want one call; each step is there on its own too.
#[derive(Clone, Debug)]
pub struct Frame {
    rest: LocalPose,
    local: LocalPose,
    model: ModelPose,
    palettes: Vec<Palette>,
    morphed: Vec<Streams>,
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
        let mut frame = Self {
            local: rest.clone(),
            rest,
            model: ModelPose::new(character.skeleton()),
            palettes: character.skins().iter().map(|s| Palette::new(s)).collect(),
            morphed: instances.clone().map(morphed).collect(),
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

    /// Brings the model pose and every palette up to the local pose.
    ///
    /// # Panics
    /// Where `character` is not the one that the frame was made for.
    pub fn update(&mut self, character: &Character) {
        self.model.update(character.skeleton(), &self.local);
        for (palette, skin) in self.palettes.iter_mut().zip(character.skins()) {
            palette.update(skin, &self.model);
        }
    }

    /// Deforms every instance into model space by `method`, shapes first; [`Frame::update`] comes before.
    ///
    /// # Errors
    /// Where `character` is not the one that the frame was made for.
    pub fn deform(&mut self, character: &Character, method: Method) -> Result<(), DeformError> {
        for (index, instance) in character.instances().iter().enumerate() {
            let mesh = character.mesh_of(instance);
            let mut surface = deform::Surface::from(mesh);
            let slots = character.morph_slots(index);
            if !slots.is_empty() {
                let weights = &self.local.morphs[slots];
                apply_morphs(surface, mesh.morphs(), weights, self.morphed[index].as_surface_mut())?;
                surface = self.morphed[index].as_surface();
            }
            let out = self.deformed[index].as_surface_mut();
            match (instance.skin, mesh.weights()) {
                (Some(skin), Some(weights)) => {
                    deform::deform(method, surface, weights, &self.palettes[skin], out)?;
                }
                _ => reference::rigid(surface, &self.model.joint(instance.joint), out)?,
            }
        }
        Ok(())
    }

    /// The pose relative to the model.
    pub fn model(&self) -> &ModelPose {
        &self.model
    }

    /// The palette of each skin.
    pub fn palettes(&self) -> &[Palette] {
        &self.palettes
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
