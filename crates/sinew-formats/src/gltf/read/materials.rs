//! Reads materials and their images.

use super::GltfReader;
use crate::{
    ReadError,
    gltf::{
        json::{self, TextureInfo, sampler},
        resources::Library,
    },
    image_kind,
    report::FindingCode,
};
use sinew::glam::{Vec3, Vec4};
use sinew::{AlphaMode, ExtrasOwner, Image, Material, Texture, TextureWrap};
use std::sync::Arc;

/// The extension that names a WebP image of a texture.
const WEBP_EXTENSION: &str = "EXT_texture_webp";

impl GltfReader<'_> {
    /// Every image. One that cannot be read is kept empty, so that the others keep their indices.
    pub(super) fn images(&mut self, library: &Library<'_>) -> Result<Vec<Image>, ReadError> {
        let root = self.root;
        let mut images = Vec::with_capacity(root.images.len());
        for (index, image) in root.images.iter().enumerate() {
            self.keep_extras(ExtrasOwner::Image(index), image.extras.as_ref());
            images.push(self.image(index, image, library)?);
        }
        Ok(images)
    }

    fn image(
        &mut self,
        index: usize,
        image: &json::Image,
        library: &Library<'_>,
    ) -> Result<Image, ReadError> {
        let place = format!("images[{index}]");
        let (bytes, mime_type) = match (image.buffer_view, &image.uri) {
            (Some(view), _) => (Arc::from(self.buffers.view_bytes(&place, view)?), None),
            (None, Some(uri)) => match library.load(&place, uri) {
                Ok(resource) => (resource.bytes, resource.mime_type),
                Err(error) if error.is_limit() => return Err(error),
                Err(error) => {
                    // A missing image affects the appearance, not the motion.
                    self.report.add(FindingCode::ImageMissing, &place, error.to_string());
                    (Arc::default(), None)
                }
            },
            (None, None) => {
                self.report.add(FindingCode::ImageMissing, &place, "it has neither a buffer view nor a URI");
                (Arc::default(), None)
            }
        };
        let bytes = self.image_or_nothing(&place, bytes);
        let found = || image_kind::media_type(&bytes).map(str::to_owned);
        let mime_type = image.mime_type.clone().or(mime_type).or_else(found).unwrap_or_default();
        Ok(Image { name: image.name.clone().unwrap_or_default(), mime_type, bytes })
    }

    /// The bytes of an image. Those of another kind of file are refused, so that a document cannot carry files of the
    /// system away under the name of an image.
    fn image_or_nothing(&mut self, place: &str, bytes: Arc<[u8]>) -> Arc<[u8]> {
        if bytes.is_empty() || image_kind::media_type(&bytes).is_some() {
            return bytes;
        }
        let detail = format!("its {} bytes are not a {} image", bytes.len(), image_kind::LIST);
        self.report.add(FindingCode::ImageMissing, place, detail);
        Arc::default()
    }

    pub(super) fn materials(&mut self, images: &[Image]) -> Result<Vec<Material>, ReadError> {
        let root = self.root;
        let mut materials = Vec::with_capacity(root.materials.len());
        for (index, material) in root.materials.iter().enumerate() {
            let place = format!("materials[{index}]");
            self.note_extensions(&place, &material.extensions);
            self.keep_extras(ExtrasOwner::Material(index), material.extras.as_ref());
            materials.push(self.material(&place, material, images)?);
        }
        Ok(materials)
    }

    fn material(
        &mut self,
        place: &str,
        it: &json::Material,
        images: &[Image],
    ) -> Result<Material, ReadError> {
        let pbr = it.pbr_metallic_roughness.clone().unwrap_or_default();
        let mut texture = |slot: &str, info: &Option<TextureInfo>| match info {
            Some(info) => self.texture(&format!("{place}.{slot}"), info, images),
            None => Ok(None),
        };
        let strength = |info: &Option<TextureInfo>| {
            info.as_ref().and_then(|i| i.scale.or(i.strength)).filter(|s| s.is_finite()).unwrap_or(1.0)
        };
        let material = Material {
            name: it.name.clone().unwrap_or_default(),
            base_color: Vec4::from(pbr.base_color_factor.unwrap_or([1.0; 4])),
            base_color_texture: texture("baseColorTexture", &pbr.base_color_texture)?,
            metallic: pbr.metallic_factor.unwrap_or(1.0),
            roughness: pbr.roughness_factor.unwrap_or(1.0),
            metallic_roughness_texture: texture("metallicRoughnessTexture", &pbr.metallic_roughness_texture)?,
            normal_texture: texture("normalTexture", &it.normal_texture)?
                .map(|t| (t, strength(&it.normal_texture))),
            occlusion_texture: texture("occlusionTexture", &it.occlusion_texture)?
                .map(|t| (t, strength(&it.occlusion_texture))),
            emissive: Vec3::from(it.emissive_factor.unwrap_or_default()),
            emissive_texture: texture("emissiveTexture", &it.emissive_texture)?,
            alpha: match it.alpha_mode.as_deref() {
                Some("MASK") => AlphaMode::Mask { cutoff: it.alpha_cutoff.unwrap_or(0.5) },
                Some("BLEND") => AlphaMode::Blend,
                _ => AlphaMode::Opaque,
            },
            double_sided: it.double_sided,
        };
        let cutoff = if let AlphaMode::Mask { cutoff } = material.alpha { cutoff } else { 0.0 };
        let numbers = [material.metallic, material.roughness, cutoff];
        if numbers.iter().all(|n| n.is_finite())
            && material.base_color.is_finite()
            && material.emissive.is_finite()
        {
            return Ok(material);
        }
        Err(ReadError::invalid(place, "factors must be finite"))
    }

    fn texture(
        &mut self,
        place: &str,
        info: &TextureInfo,
        images: &[Image],
    ) -> Result<Option<Texture>, ReadError> {
        let Some(texture) = self.root.textures.get(info.index) else {
            let what = format!("names texture {}, there are {}", info.index, self.root.textures.len());
            return Err(ReadError::invalid(place, what));
        };
        self.note_extensions(place, &info.extensions);
        // Textures whose image format comes from an extension may have no other source.
        let webp = texture.extensions.get(WEBP_EXTENSION).and_then(|e| e.get("source"));
        let webp = webp.and_then(serde_json::Value::as_u64).and_then(|source| usize::try_from(source).ok());
        let Some(source) = webp.or(texture.source) else {
            let detail = "the texture has no image in a format that is drawn; the base color is used";
            self.report.add(FindingCode::ImageMissing, place, detail);
            return Ok(None);
        };
        if source >= images.len() {
            let what = format!("names image {source}, there are {}", images.len());
            return Err(ReadError::invalid(place, what));
        }
        let (Ok(image), Ok(uv_set)) = (u16::try_from(source), u8::try_from(info.tex_coord)) else {
            let what = format!("image {source} or coordinate set {} is too high", info.tex_coord);
            return Err(ReadError::invalid(place, what));
        };
        let sampler = texture.sampler.and_then(|s| self.root.samplers.get(s)).cloned().unwrap_or_default();
        Ok(Some(Texture {
            image,
            uv_set,
            wrap: [wrap(sampler.wrap_s), wrap(sampler.wrap_t)],
            nearest: sampler.mag_filter == Some(sampler::NEAREST),
        }))
    }
}

fn wrap(mode: Option<u32>) -> TextureWrap {
    match mode {
        Some(sampler::CLAMP_TO_EDGE) => TextureWrap::ClampToEdge,
        Some(sampler::MIRRORED_REPEAT) => TextureWrap::MirroredRepeat,
        _ => TextureWrap::Repeat,
    }
}
