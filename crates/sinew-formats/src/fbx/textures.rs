//! The textures of base colors: embedded in the file or next to it.

use super::FbxReader;
use crate::{ReadError, report::FindingCode};
use sinew::{Image, Texture, TextureWrap};
use std::{collections::HashMap, sync::Arc};

/// The images that were read so far.
#[derive(Default)]
pub(super) struct FbxImages {
    pub(super) list: Vec<Image>,
    /// The image of each file that textures name; `None` if it cannot be used.
    of_file: HashMap<u32, Option<u16>>,
}

impl FbxReader<'_> {
    /// The texture of a material's base color; `None` if it has none or its image is missing, which is reported.
    pub(super) fn base_color_texture(
        &mut self,
        place: &str,
        material: &ufbx::Material,
        images: &mut FbxImages,
    ) -> Result<Option<Texture>, ReadError> {
        let map = &material.pbr.base_color;
        let Some(found) = map.texture.as_ref().filter(|_| map.texture_enabled) else { return Ok(None) };
        // The first file of a layered texture.
        let file = if found.has_file { Some(found) } else { found.file_textures.as_ref().first() };
        let Some(texture) = file else {
            self.report.add(FindingCode::ImageMissing, place, "its texture is not an image file");
            return Ok(None);
        };
        let Some(image) = self.image(place, texture, images)? else { return Ok(None) };
        if texture.has_uv_transform {
            let detail = "the scale and offset of its texture were ignored";
            self.report.add(FindingCode::AttributeIgnored, place, detail);
        }
        let wrap = |mode: ufbx::WrapMode| match mode {
            ufbx::WrapMode::Repeat => TextureWrap::Repeat,
            ufbx::WrapMode::Clamp => TextureWrap::ClampToEdge,
        };
        let wrap = [wrap(texture.wrap_u), wrap(texture.wrap_v)];
        Ok(Some(Texture { image, uv_set: self.uv_set(material, texture), wrap, nearest: false }))
    }

    /// The index of the texture coordinates that a texture names, in the first mesh of the material that has them.
    fn uv_set(&self, material: &ufbx::Material, texture: &ufbx::Texture) -> u8 {
        let id = material.element.element_id;
        let uses = |mesh: &ufbx::Mesh| mesh.materials.as_ref().iter().any(|m| m.element.element_id == id);
        let named = |mesh: &ufbx::Mesh| mesh.uv_sets.iter().position(|set| *set.name == *texture.uv_set);
        let meshes = self.scene.meshes.as_ref().iter().filter(|mesh| uses(mesh));
        let index = meshes.into_iter().find_map(|mesh| named(mesh)).unwrap_or(0);
        u8::try_from(index).ok().filter(|&i| usize::from(i) < super::meshes::MAX_UV_SETS).unwrap_or(0)
    }

    fn image(
        &mut self,
        place: &str,
        texture: &ufbx::Texture,
        images: &mut FbxImages,
    ) -> Result<Option<u16>, ReadError> {
        if let Some(known) = images.of_file.get(&texture.file_index) {
            return Ok(*known);
        }
        let image = match self.image_bytes(place, texture)? {
            Ok((bytes, mime_type)) => {
                let name = file_name(&texture.filename).to_owned();
                images.list.push(Image { name, mime_type: mime_type.into(), bytes: Arc::from(bytes) });
                u16::try_from(images.list.len() - 1).ok()
            }
            Err(why) => {
                self.report.add(FindingCode::ImageMissing, place, why);
                None
            }
        };
        images.of_file.insert(texture.file_index, image);
        Ok(image)
    }

    /// The bytes of an image and its kind, or why it cannot be used.
    fn image_bytes(
        &self,
        place: &str,
        texture: &ufbx::Texture,
    ) -> Result<Result<(Vec<u8>, &'static str), String>, ReadError> {
        let embedded: &[u8] = &texture.content;
        let bytes = if embedded.is_empty() {
            let Some(beside) = self.beside(texture) else {
                return Ok(Err(format!("{:?} is not next to the file", file_name(&texture.filename))));
            };
            self.budget.charge(place, beside.len(), 1)?;
            beside
        } else {
            self.budget.charge(place, embedded.len(), 1)?;
            embedded.to_vec()
        };
        Ok(match kind(&bytes) {
            Some(kind) => Ok((bytes, kind)),
            None => Err(format!("{:?} is not a PNG, JPEG or WebP image", file_name(&texture.filename))),
        })
    }

    /// Loads an image by its relative path, or by its name from the folder of the file. Absolute paths, which FBX stores
    /// too, are those of another computer.
    fn beside(&self, texture: &ufbx::Texture) -> Option<Vec<u8>> {
        let relative = texture.relative_filename.replace('\\', "/");
        let names = [&*relative, file_name(&texture.relative_filename), file_name(&texture.filename)];
        let is_relative = |name: &&str| !name.is_empty() && !name.starts_with('/') && !name.contains(':');
        names.iter().filter(|name| is_relative(name)).find_map(|name| (self.fetch)(name).ok())
    }
}

/// The last part of a path with slashes of either kind.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The kind of an image that characters can have.
fn kind(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}
