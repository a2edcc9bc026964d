//! The textures of materials: embedded in the file or next to it.

use super::FbxReader;
use crate::{ReadError, image_kind, report::FindingCode};
use sinew::{Image, Texture, TextureWrap};
use std::{collections::HashMap, io, sync::Arc};

/// The images that were read so far.
#[derive(Default)]
pub(super) struct FbxImages {
    pub(super) list: Vec<Image>,
    /// The image of each file that textures name; `None` if it cannot be used.
    of_file: HashMap<u32, Option<u16>>,
}

impl FbxReader<'_> {
    /// The texture of a property of a material; `None` if it has none or its image is missing, which is reported.
    pub(super) fn texture(
        &mut self,
        place: &str,
        material: &ufbx::Material,
        map: &ufbx::MaterialMap,
        images: &mut FbxImages,
    ) -> Result<Option<Texture>, ReadError> {
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
        let uv_set = self.uv_set(place, material, texture)?;
        Ok(Some(Texture { image, uv_set, wrap, nearest: false }))
    }

    /// The index of the texture coordinates that a texture names, in the first mesh of the material that has them.
    fn uv_set(
        &self,
        place: &str,
        material: &ufbx::Material,
        texture: &ufbx::Texture,
    ) -> Result<u8, ReadError> {
        let id = material.element.element_id;
        let slots: usize = self.scene.meshes.as_ref().iter().map(|mesh| 1 + mesh.materials.len()).sum();
        self.budget.charge_work(place, 8 * slots)?;
        let uses = |mesh: &ufbx::Mesh| mesh.materials.as_ref().iter().any(|m| m.element.element_id == id);
        let named = |mesh: &ufbx::Mesh| mesh.uv_sets.iter().position(|set| *set.name == *texture.uv_set);
        let meshes = self.scene.meshes.as_ref().iter().filter(|mesh| uses(mesh));
        let index = meshes.into_iter().find_map(|mesh| named(mesh)).unwrap_or(0);
        Ok(u8::try_from(index).ok().filter(|&i| usize::from(i) < super::meshes::MAX_UV_SETS).unwrap_or(0))
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
            let beside = match self.beside(texture) {
                Ok(beside) => beside,
                Err(why) => return Ok(Err(format!("{:?} {why}", file_name(&texture.filename)))),
            };
            self.budget.charge_read(place, beside.len())?;
            beside
        } else {
            self.budget.charge(place, embedded.len(), 1)?;
            embedded.to_vec()
        };
        Ok(match image_kind::media_type(&bytes) {
            Some(kind) => Ok((bytes, kind)),
            None => Err(format!("{:?} is not a {} image", file_name(&texture.filename), image_kind::LIST)),
        })
    }

    /// Loads an image by its relative path, or by its name from the folder of the file. Absolute paths, which FBX stores
    /// too, are those of another computer.
    fn beside(&self, texture: &ufbx::Texture) -> Result<Vec<u8>, String> {
        let relative = texture.relative_filename.replace('\\', "/");
        let names = [&*relative, file_name(&texture.relative_filename), file_name(&texture.filename)];
        let is_relative = |name: &&str| !name.is_empty() && !name.starts_with('/') && !name.contains(':');
        let mut why = "is not next to the file".to_owned();
        for name in names.iter().filter(|name| is_relative(name)) {
            match (self.fetch)(name) {
                Ok(bytes) => return Ok(bytes),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => why = format!("cannot be read: {error}"),
            }
        }
        Err(why)
    }
}

/// The last part of a path with slashes of either kind.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
