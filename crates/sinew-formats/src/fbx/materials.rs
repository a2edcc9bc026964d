//! Materials: base color, metalness, roughness, normals, emission and occlusion, with their textures.

use super::{FbxReader, textures::FbxImages};
use crate::{ReadError, names::shortened, report::FindingCode};
use sinew::{
    Image, Material,
    glam::{DVec4, Vec3, Vec4},
};

impl FbxReader<'_> {
    /// The materials of the file, with their textures.
    pub(super) fn materials(&mut self) -> Result<(Vec<Material>, Vec<Image>), ReadError> {
        let scene = self.scene;
        let (mut out, mut images) = (Vec::new(), FbxImages::default());
        // Primitives have sixteen bits for a material.
        for (index, material) in scene.materials.as_ref().iter().take(usize::from(u16::MAX)).enumerate() {
            let place = format!("material {index} ({:?})", shortened(&material.element.name));
            out.push(self.material(&place, material, &mut images)?);
            self.note_other_textures(&place, material);
        }
        Ok((out, images.list))
    }

    fn material(
        &mut self,
        place: &str,
        material: &ufbx::Material,
        images: &mut FbxImages,
    ) -> Result<Material, ReadError> {
        let pbr = &material.pbr;
        let base_color_texture = self.texture(place, material, &pbr.base_color, images)?;
        let normal = self.texture(place, material, &pbr.normal_map, images)?;
        let emissive_texture = self.texture(place, material, &pbr.emission_color, images)?;
        let occlusion = self.texture(place, material, &pbr.ambient_occlusion, images)?;
        let is_packed = is_packed(pbr);
        let packed = if is_packed { self.texture(place, material, &pbr.roughness, images)? } else { None };
        let factor = number(&pbr.base_factor, 1.0);
        // A texture replaces the color.
        let is_plain = pbr.base_color.has_value && base_color_texture.is_none();
        let color = if is_plain { four(&pbr.base_color) } else { Vec4::ONE };
        let color = (color.truncate() * factor).extend(1.0);
        let is_plain = emissive_texture.is_none();
        let emitted = if is_plain { four(&pbr.emission_color).truncate() } else { Vec3::ONE };
        let emitted = emitted * number(&pbr.emission_factor, 1.0);
        // The factors of an image with both are one.
        let of_packed = |own: f32| if packed.is_some() { 1.0 } else { own };
        Ok(Material {
            name: super::name_of(&material.element),
            base_color: if color.is_finite() { color.clamp(Vec4::ZERO, Vec4::ONE) } else { Vec4::ONE },
            base_color_texture,
            metallic: of_packed(number(&pbr.metalness, 0.0).clamp(0.0, 1.0)),
            roughness: of_packed(number(&pbr.roughness, 1.0).clamp(0.0, 1.0)),
            metallic_roughness_texture: packed,
            normal_texture: normal.map(|texture| (texture, 1.0)),
            occlusion_texture: occlusion.map(|texture| (texture, 1.0)),
            emissive: if emitted.is_finite() { emitted.clamp(Vec3::ZERO, Vec3::ONE) } else { Vec3::ZERO },
            emissive_texture,
            ..Material::default()
        })
    }

    fn note_other_textures(&mut self, place: &str, material: &ufbx::Material) {
        let pbr = &material.pbr;
        let mut read = vec![&pbr.base_color, &pbr.normal_map, &pbr.emission_color, &pbr.ambient_occlusion];
        if is_packed(pbr) {
            read.extend([&pbr.roughness, &pbr.metalness]);
        }
        let read: Vec<u32> = read.into_iter().filter_map(texture_id).collect();
        let is_other = |t: &&ufbx::MaterialTexture| !read.contains(&t.texture.element.element_id);
        let count = material.textures.iter().filter(is_other).count();
        if count > 0 {
            let detail = format!("{count} textures without a place in the material were ignored");
            self.report.add(FindingCode::AttributeIgnored, place, detail);
        }
    }
}

/// The element of a property's texture.
fn texture_id(map: &ufbx::MaterialMap) -> Option<u32> {
    map.texture.as_ref().map(|texture| texture.element.element_id)
}

/// True if metalness and roughness are in one image, as glTF has them. Two images would have to be joined.
fn is_packed(pbr: &ufbx::MaterialPbrMaps) -> bool {
    let files = [&pbr.roughness, &pbr.metalness].map(|map| {
        let texture = map.texture.as_ref().filter(|texture| map.texture_enabled && texture.has_file)?;
        Some(texture.file_index)
    });
    files[0].is_some() && files[0] == files[1]
}

fn four(map: &ufbx::MaterialMap) -> Vec4 {
    let v = map.value_vec4;
    DVec4::new(v.x, v.y, v.z, v.w).as_vec4()
}

fn number(map: &ufbx::MaterialMap, otherwise: f32) -> f32 {
    let value = four(map).x;
    if map.has_value && value.is_finite() { value } else { otherwise }
}
