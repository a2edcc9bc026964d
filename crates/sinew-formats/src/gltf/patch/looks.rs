//! Edits materials and images.

use super::{PatchError, Patcher, apply_difference};
use crate::{
    gltf::write::{
        material::{Appearance, image_json, mime_type},
        named,
    },
    write_report::Outcome,
};
use sinew::ExtrasOwner;

impl Patcher<'_> {
    pub(super) fn edit_looks(&mut self) -> Result<(), PatchError> {
        self.edit_images();
        let mut looks = Appearance {
            first_texture: self.root.textures.len(),
            first_sampler: self.root.samplers.len(),
            ..Appearance::default()
        };
        for index in 0..self.new.character.materials().len() {
            let new = &self.new.character.materials()[index];
            let place = format!("materials[{index}]");
            let owner = ExtrasOwner::Material(index);
            let Some(old) = self.source.original.materials().get(index) else {
                let mut material = self.new.material(index, new, &mut looks)?;
                material.extras = self.new.extras.take(owner);
                self.document.push("materials", &material);
                self.report.add(Outcome::Changed, "material-added", place, 1, "");
                continue;
            };
            let (before, after) = (self.old.extras.take(owner), self.new.extras.take(owner));
            if old == new && before == after {
                continue;
            }
            let (textures, samplers) = (looks.textures.len(), looks.samplers.len());
            let mut written = self.new.material(index, new, &mut looks)?;
            let mut original = self.old.material(index, old, &mut looks)?;
            if old.textures().eq(new.textures()) {
                // The textures of the document are the same, so these are not needed.
                looks.textures.truncate(textures);
                looks.samplers.truncate(samplers);
            }
            (original.extras, written.extras) = (before, after);
            let pbr = (original.pbr_metallic_roughness.take(), written.pbr_metallic_roughness.take());
            self.document.edit("materials", index, |raw| {
                apply_difference(raw, &original, &written);
                if pbr.0 != pbr.1 {
                    let mut inner = raw.object("pbrMetallicRoughness");
                    apply_difference(&mut inner, &pbr.0.unwrap_or_default(), &pbr.1.unwrap_or_default());
                    raw.set_or_remove("pbrMetallicRoughness", Some(&inner).filter(|i| !i.is_empty()));
                }
            });
            self.report.add(Outcome::Changed, "material", place, 1, "");
        }
        self.declare(looks.extensions.iter().copied());
        for texture in &looks.textures {
            self.document.push("textures", texture);
        }
        for sampler in &looks.samplers {
            self.document.push("samplers", sampler);
        }
        Ok(())
    }

    fn edit_images(&mut self) {
        for index in 0..self.new.character.images().len() {
            let new = &self.new.character.images()[index];
            let owner = ExtrasOwner::Image(index);
            let place = format!("images[{index}]");
            let Some(old) = self.source.original.images().get(index) else {
                if !new.bytes.is_empty() {
                    let view = self.new.data.image(&new.bytes);
                    let image = image_json(new, view, self.new.extras.take(owner));
                    self.document.push("images", &image);
                    self.report.add(Outcome::Changed, "image-added", place, 1, "");
                }
                continue;
            };
            let (before, after) = (self.old.extras.take(owner), self.new.extras.take(owner));
            if old == new && before == after {
                continue;
            }
            let view = (old.bytes != new.bytes).then(|| self.new.data.image(&new.bytes));
            self.document.edit("images", index, |raw| {
                raw.set_or_remove("name", named(&new.name).as_ref());
                raw.set_or_remove("extras", after.as_ref());
                if let Some(view) = view {
                    raw.remove("uri");
                    raw.set("bufferView", &view);
                    raw.set("mimeType", &mime_type(new));
                }
            });
            self.report.add(Outcome::Changed, "image", place, 1, "");
        }
    }
}
