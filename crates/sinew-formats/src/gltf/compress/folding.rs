//! Undoes the quantization of positions in nodes and skins.

use super::{
    accessors::AccessorStore,
    spaces::{Dequantization, PositionSpaces},
};
use crate::gltf::{
    json::{Node, Root},
    patch::PatchedDocument,
    raw::RawObject,
};
use sinew::glam::{Mat4, Quat, Vec3};

/// Gives every skin without inverse binds of its own the transform of its space, and every node without a skin.
pub(super) fn fold(
    root: &Root,
    spaces: &PositionSpaces,
    out: &mut PatchedDocument,
    store: &mut AccessorStore<'_>,
) {
    for space in spaces.all() {
        let Some(transform) = space.transform else { continue };
        for &skin in &space.skins {
            if root.skins[skin].inverse_bind_matrices.is_none() {
                let bind = transform.before(Mat4::IDENTITY.to_cols_array());
                let accessor = store.add_matrices(&vec![bind; root.skins[skin].joints.len()], out);
                out.document.edit("skins", skin, |raw| raw.set("inverseBindMatrices", &accessor));
            }
        }
        for &node in &space.nodes {
            out.document.edit("nodes", node, |raw| transform.fold(&root.nodes[node], raw));
        }
    }
}

impl Dequantization {
    /// Puts this transform before that of a node.
    fn fold(&self, node: &Node, raw: &mut RawObject) {
        if let Some(matrix) = node.matrix {
            raw.set("matrix", &self.before(matrix));
            return;
        }
        let translation = Vec3::from(node.translation.unwrap_or_default());
        let rotation = node.rotation.map_or(Quat::IDENTITY, Quat::from_array).normalize();
        let scale = node.scale.map_or(Vec3::ONE, Vec3::from);
        raw.set("translation", &(translation + rotation * (scale * self.center)).to_array());
        raw.set("scale", &(scale * self.scale).to_array());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_with_the_transform_shows_what_it_showed() {
        let transform = Dequantization { center: Vec3::new(1.0, -2.0, 3.0), scale: 0.25 };
        let [translation, scale] = [[4.0, 5.0, 6.0], [1.0, 2.0, 3.0]];
        let rotation = Quat::from_xyzw(0.1, 0.7, -0.2, 0.5).normalize();
        let plain = Mat4::from_scale_rotation_translation(scale.into(), rotation, translation.into());
        let quantized = Vec3::new(0.5, -1.0, 0.75);
        let want = plain.transform_point3(transform.center + quantized * transform.scale);

        let node = Node {
            translation: Some(translation),
            rotation: Some(rotation.to_array()),
            scale: Some(scale),
            ..Node::default()
        };
        let mut raw = RawObject::default();
        transform.fold(&node, &mut raw);
        let [translation, scale] =
            ["translation", "scale"].map(|key| Vec3::from(raw.read::<[f32; 3]>(key).unwrap()));
        let folded = Mat4::from_scale_rotation_translation(scale, rotation, translation);
        assert!(folded.transform_point3(quantized).abs_diff_eq(want, 1e-5));

        let node = Node { matrix: Some(plain.to_cols_array()), ..Node::default() };
        transform.fold(&node, &mut raw);
        let folded = Mat4::from_cols_array(&raw.read::<[f32; 16]>("matrix").unwrap());
        assert!(folded.transform_point3(quantized).abs_diff_eq(want, 1e-5));
    }
}
