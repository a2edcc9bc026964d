use std::sync::Arc;

use sinew::Character;

use crate::texture::{DecodedTexture, TextureError, TextureLimits};

/// The decoded base-color textures of a character.
#[derive(Debug, Default)]
pub struct StageTextures {
    images: Vec<Option<Arc<DecodedTexture>>>,
    /// Images that could not be decoded, with the reason; surfaces that use them show their plain color.
    pub problems: Vec<(usize, TextureError)>,
}

impl StageTextures {
    /// No textures: every surface shows its plain color.
    pub fn none() -> Self {
        Self::default()
    }

    /// Decodes every image that some material uses as its base color.
    pub fn decode(character: &Character, limits: TextureLimits) -> Self {
        let mut used = vec![false; character.images().len()];
        for texture in character.materials().iter().filter_map(|material| material.base_color_texture) {
            if let Some(used) = used.get_mut(usize::from(texture.image)) {
                *used = true;
            }
        }
        let mut problems = Vec::new();
        let images = character
            .images()
            .iter()
            .zip(used)
            .enumerate()
            .map(|(index, (image, used))| {
                let decoded = used.then(|| DecodedTexture::decode(&image.bytes, limits))?;
                decoded.map_err(|problem| problems.push((index, problem))).ok().map(Arc::new)
            })
            .collect();
        Self { images, problems }
    }

    pub(super) fn get(&self, image: u16) -> Option<Arc<DecodedTexture>> {
        self.images.get(usize::from(image)).cloned().flatten()
    }
}
