//! Writes materials, textures, samplers and images.

use super::{Writer, named, unrepresentable};
use crate::{
    WriteError,
    gltf::json::{self, TextureInfo, sampler},
};
use sinew::{AlphaMode, ExtrasOwner, Image, Material, Texture, TextureWrap};
use std::collections::BTreeSet;

/// The lists of a document that describe appearance.
#[derive(Debug, Default)]
pub(in crate::gltf) struct Appearance {
    pub(in crate::gltf) materials: Vec<json::Material>,
    pub(in crate::gltf) textures: Vec<json::Texture>,
    pub(in crate::gltf) samplers: Vec<json::Sampler>,
    pub(in crate::gltf) images: Vec<json::Image>,
    /// The extensions that the textures need.
    pub(in crate::gltf) extensions: BTreeSet<&'static str>,
    /// The number of textures and samplers that the document has before these.
    pub(in crate::gltf) first_texture: usize,
    pub(in crate::gltf) first_sampler: usize,
}

impl Writer<'_> {
    pub(in crate::gltf) fn appearance(&mut self) -> Result<Appearance, WriteError> {
        let mut looks = Appearance::default();
        for (index, image) in self.character.images().iter().enumerate() {
            if self.layout.image(index).is_some() {
                let view = self.data.image(&image.bytes);
                let extras = self.extras.take(ExtrasOwner::Image(index));
                looks.images.push(image_json(image, view, extras));
            }
        }
        for (index, material) in self.character.materials().iter().enumerate() {
            let mut out = self.material(index, material, &mut looks)?;
            out.extras = self.extras.take(ExtrasOwner::Material(index));
            looks.materials.push(out);
        }
        Ok(looks)
    }

    pub(in crate::gltf) fn material(
        &self,
        index: usize,
        it: &Material,
        looks: &mut Appearance,
    ) -> Result<json::Material, WriteError> {
        check_finite(index, it)?;
        let mut texture = |texture: Option<Texture>| texture.and_then(|t| self.texture(t, looks));
        let pbr = json::Pbr {
            base_color_factor: unless(it.base_color.to_array().map(clamp), [1.0; 4]),
            base_color_texture: texture(it.base_color_texture),
            metallic_factor: unless(clamp(it.metallic), 1.0),
            roughness_factor: unless(clamp(it.roughness), 1.0),
            metallic_roughness_texture: texture(it.metallic_roughness_texture),
        };
        let mut out = json::Material {
            name: named(&it.name),
            normal_texture: texture(it.normal_texture.map(|n| n.0)),
            occlusion_texture: texture(it.occlusion_texture.map(|o| o.0)),
            emissive_texture: texture(it.emissive_texture),
            emissive_factor: unless(it.emissive.to_array().map(clamp), [0.0; 3]),
            double_sided: it.double_sided,
            ..json::Material::default()
        };
        if let (Some(info), Some((_, scale))) = (&mut out.normal_texture, it.normal_texture) {
            info.scale = unless(scale, 1.0);
        }
        if let (Some(info), Some((_, strength))) = (&mut out.occlusion_texture, it.occlusion_texture) {
            info.strength = unless(clamp(strength), 1.0);
        }
        (out.alpha_mode, out.alpha_cutoff) = match it.alpha {
            AlphaMode::Opaque => (None, None),
            AlphaMode::Mask { cutoff } => (Some("MASK".into()), unless(cutoff.max(0.0), 0.5)),
            AlphaMode::Blend => (Some("BLEND".into()), None),
        };
        out.pbr_metallic_roughness = Some(pbr).filter(|p| *p != json::Pbr::default());
        Ok(out)
    }

    /// A reference to a texture, which is added on first use; `None` if its image is not written.
    fn texture(&self, texture: Texture, looks: &mut Appearance) -> Option<TextureInfo> {
        let source = self.layout.image(usize::from(texture.image))?;
        let wrap = |w: TextureWrap| Some(wrap_mode(w)).filter(|&mode| mode != sampler::REPEAT);
        let mag_filter = if texture.nearest { sampler::NEAREST } else { sampler::LINEAR };
        let sampler = json::Sampler {
            mag_filter: Some(mag_filter),
            min_filter: Some(sampler::LINEAR_MIPMAP_LINEAR),
            wrap_s: wrap(texture.wrap[0]),
            wrap_t: wrap(texture.wrap[1]),
        };
        let sampler = looks.first_sampler + place_of(&mut looks.samplers, sampler);
        let mut entry = json::Texture { sampler: Some(sampler), ..json::Texture::default() };
        let image = &self.character.images()[usize::from(texture.image)];
        match image_extension(&mime_type(image)) {
            Some(extension) => {
                entry.extensions.insert(extension.into(), serde_json::json!({ "source": source }));
                looks.extensions.insert(extension);
            }
            None => entry.source = Some(source),
        }
        let index = looks.first_texture + place_of(&mut looks.textures, entry);
        Some(TextureInfo { index, tex_coord: usize::from(texture.uv_set), ..TextureInfo::default() })
    }
}

/// The extension that a texture needs for an image of this type; `None` for the types of glTF itself.
fn image_extension(mime_type: &str) -> Option<&'static str> {
    match mime_type {
        "image/webp" => Some("EXT_texture_webp"),
        "image/ktx2" => Some("KHR_texture_basisu"),
        "image/avif" => Some("EXT_texture_avif"),
        _ => None,
    }
}

/// The index of `entry`, which is added if it is new.
fn place_of<T: PartialEq>(list: &mut Vec<T>, entry: T) -> usize {
    list.iter().position(|e| *e == entry).unwrap_or_else(|| {
        list.push(entry);
        list.len() - 1
    })
}

fn wrap_mode(wrap: TextureWrap) -> u32 {
    match wrap {
        TextureWrap::Repeat => sampler::REPEAT,
        TextureWrap::ClampToEdge => sampler::CLAMP_TO_EDGE,
        TextureWrap::MirroredRepeat => sampler::MIRRORED_REPEAT,
    }
}

fn clamp(factor: f32) -> f32 {
    factor.clamp(0.0, 1.0)
}

fn unless<T: Copy + PartialEq>(value: T, default: T) -> Option<T> {
    (value != default).then_some(value)
}

fn check_finite(index: usize, it: &Material) -> Result<(), WriteError> {
    let cutoff = match it.alpha {
        AlphaMode::Mask { cutoff } => cutoff,
        AlphaMode::Opaque | AlphaMode::Blend => 0.0,
    };
    let strengths = [it.normal_texture, it.occlusion_texture].map(|t| t.map_or(0.0, |t| t.1));
    let numbers = [it.metallic, it.roughness, cutoff, strengths[0], strengths[1]];
    if it.base_color.is_finite() && it.emissive.is_finite() && numbers.iter().all(|n| n.is_finite()) {
        return Ok(());
    }
    Err(unrepresentable(format!("material {index} ({:?})", it.name), "factors must be finite"))
}

pub(in crate::gltf) fn image_json(
    image: &Image,
    view: usize,
    extras: Option<serde_json::Value>,
) -> json::Image {
    json::Image {
        name: named(&image.name),
        mime_type: Some(mime_type(image)),
        buffer_view: Some(view),
        extras,
        ..json::Image::default()
    }
}

/// The media type of an image: by its first bytes, as decoders do, otherwise as its file declared.
pub(in crate::gltf) fn mime_type(image: &Image) -> String {
    match &*image.bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png".into(),
        [0xFF, 0xD8, 0xFF, ..] => "image/jpeg".into(),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp".into(),
        _ if image.mime_type.is_empty() => "application/octet-stream".into(),
        _ => image.mime_type.clone(),
    }
}
