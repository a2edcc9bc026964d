//! Materials: base color, metalness and roughness.

use super::FbxReader;
use crate::report::FindingCode;
use sinew::{
    Material,
    glam::{DVec4, Vec4},
};

impl FbxReader<'_> {
    /// The materials of the file without their textures.
    pub(super) fn materials(&mut self) -> Vec<Material> {
        let mut out = Vec::new();
        // Primitives have sixteen bits for a material.
        for (index, material) in self.scene.materials.as_ref().iter().take(usize::from(u16::MAX)).enumerate()
        {
            if !material.textures.is_empty() {
                let place = format!("material {index} ({:?})", &*material.element.name);
                let detail = format!("{} textures were ignored", material.textures.len());
                self.report.add(FindingCode::ImageMissing, place, detail);
            }
            let pbr = &material.pbr;
            let factor = number(&pbr.base_factor, 1.0);
            let color = if pbr.base_color.has_value { four(&pbr.base_color) } else { Vec4::ONE };
            let color = (color.truncate() * factor).extend(1.0);
            out.push(Material {
                name: material.element.name.to_string(),
                base_color: if color.is_finite() { color.clamp(Vec4::ZERO, Vec4::ONE) } else { Vec4::ONE },
                metallic: number(&pbr.metalness, 0.0).clamp(0.0, 1.0),
                roughness: number(&pbr.roughness, 1.0).clamp(0.0, 1.0),
                ..Material::default()
            });
        }
        out
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
