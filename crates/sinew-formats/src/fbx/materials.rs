//! Materials: base color with its texture, metalness and roughness.

use super::{FbxReader, textures::FbxImages};
use crate::{ReadError, names::shortened, report::FindingCode};
use sinew::{
    Image, Material,
    glam::{DVec4, Vec4},
};

impl FbxReader<'_> {
    /// The materials of the file, with the textures of their base colors.
    pub(super) fn materials(&mut self) -> Result<(Vec<Material>, Vec<Image>), ReadError> {
        let scene = self.scene;
        let (mut out, mut images) = (Vec::new(), FbxImages::default());
        // Primitives have sixteen bits for a material.
        for (index, material) in scene.materials.as_ref().iter().take(usize::from(u16::MAX)).enumerate() {
            let place = format!("material {index} ({:?})", shortened(&material.element.name));
            let pbr = &material.pbr;
            let texture = self.base_color_texture(&place, material, &mut images)?;
            self.note_other_textures(&place, material);
            let factor = number(&pbr.base_factor, 1.0);
            // A texture replaces the color.
            let is_plain = pbr.base_color.has_value && texture.is_none();
            let color = if is_plain { four(&pbr.base_color) } else { Vec4::ONE };
            let color = (color.truncate() * factor).extend(1.0);
            out.push(Material {
                name: super::name_of(&material.element),
                base_color: if color.is_finite() { color.clamp(Vec4::ZERO, Vec4::ONE) } else { Vec4::ONE },
                base_color_texture: texture,
                metallic: number(&pbr.metalness, 0.0).clamp(0.0, 1.0),
                roughness: number(&pbr.roughness, 1.0).clamp(0.0, 1.0),
                ..Material::default()
            });
        }
        Ok((out, images.list))
    }

    fn note_other_textures(&mut self, place: &str, material: &ufbx::Material) {
        let base = material.pbr.base_color.texture.as_ref().map(|t| t.element.element_id);
        let is_other = |t: &&ufbx::MaterialTexture| Some(t.texture.element.element_id) != base;
        let count = material.textures.iter().filter(is_other).count();
        if count > 0 {
            let detail = format!("{count} textures that are not of the base color were ignored");
            self.report.add(FindingCode::AttributeIgnored, place, detail);
        }
    }
}

fn four(map: &ufbx::MaterialMap) -> Vec4 {
    let v = map.value_vec4;
    DVec4::new(v.x, v.y, v.z, v.w).as_vec4()
}

fn number(map: &ufbx::MaterialMap, otherwise: f32) -> f32 {
    let value = four(map).x;
    if map.has_value && value.is_finite() { value } else { otherwise }
}
