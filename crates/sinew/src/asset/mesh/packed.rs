//! The packed skins of a mesh: built on first use, then shared.

use super::Mesh;
use crate::{
    bytes::ByteReader,
    deform::blocks::{PackError, PackedBytesError, PackedSkin, VertexOrder},
};
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

type PackedCell = OnceLock<Result<Arc<PackedSkin>, PackError>>;

/// The packed forms of a mesh, one per vertex order. Clones share them. They are derived from the mesh, so the comparison
/// of meshes and their debug output ignore them.
#[derive(Clone, Default)]
pub(super) struct PackedSkins {
    packed: PackedCell,
    file: PackedCell,
}

impl fmt::Debug for PackedSkins {
    /// Whether a form is built says nothing about the mesh: two equal meshes print alike.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PackedSkins")
    }
}

impl PartialEq for PackedSkins {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl PackedSkins {
    fn of(&self, order: VertexOrder) -> &PackedCell {
        match order {
            VertexOrder::Packed => &self.packed,
            VertexOrder::File => &self.file,
        }
    }
}

impl Mesh {
    /// The mesh in blocks for the [kernels](crate::deform::kernel), with output in `order`.
    ///
    /// The first call packs it; all characters with this mesh share the result. A mesh with other
    /// [weights](Mesh::with_weights) or [precomputed data](Mesh::with_precomputed) is packed again.
    ///
    /// # Errors
    /// If the mesh has no weights.
    pub fn packed(&self, order: VertexOrder) -> Result<&Arc<PackedSkin>, PackError> {
        let pack = || PackedSkin::new(self, order).map(Arc::new);
        self.packed.of(order).get_or_init(pack).as_ref().map_err(Clone::clone)
    }

    /// The same mesh with a packed form of `bytes`, as [`PackedSkin::write`] stored it, so that it is not packed again.
    /// A form in a layout of another version is ignored.
    ///
    /// # Errors
    /// If the bytes end too early, or an index or a count does not fit the mesh.
    pub fn with_packed_bytes(self, from: &mut ByteReader<'_>) -> Result<Self, PackedBytesError> {
        if let Some(skin) = PackedSkin::read(from, &self)? {
            // A form that is there already is as good.
            let _ = self.packed.of(skin.order()).set(Ok(Arc::new(skin)));
        }
        Ok(self)
    }

    /// True if [`Mesh::packed`] returns a form that is already built.
    pub fn is_packed(&self, order: VertexOrder) -> bool {
        self.packed.of(order).get().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Frame, sinew_samples};

    #[test]
    fn a_packed_mesh_prints_and_compares_like_an_unpacked_one() {
        let figure = sinew_samples::figure();
        let fresh = Mesh::new(Mesh::clone(&figure.meshes()[0]).into_parts()).unwrap();
        let packed = Mesh::new(Mesh::clone(&fresh).into_parts()).unwrap();
        packed.packed(VertexOrder::File).unwrap();
        assert!(!fresh.is_packed(VertexOrder::File) && packed.is_packed(VertexOrder::File));
        assert_eq!(format!("{fresh:?}"), format!("{packed:?}"));
        assert_eq!(fresh, packed);
    }

    #[test]
    fn frames_of_one_character_share_one_packed_skin() {
        let figure = Arc::new(sinew_samples::figure());
        let mesh = Mesh::clone(&figure.meshes()[0]);
        let frames = [Frame::new(figure.clone()), Frame::new(figure)];
        let [one, other] =
            frames.each_ref().map(|f| f.character().meshes()[0].packed(VertexOrder::File).unwrap());
        assert!(Arc::ptr_eq(one, other));
        assert_eq!(mesh, *frames[0].character().meshes()[0]);
    }

    #[test]
    fn a_mesh_with_other_weights_is_packed_anew() {
        let arm = sinew_samples::arm();
        let mesh = Mesh::clone(&arm.meshes()[0]);
        let before = mesh.packed(VertexOrder::File).unwrap().clone();
        let shared = mesh.clone();
        assert!(Arc::ptr_eq(&before, shared.packed(VertexOrder::File).unwrap()));
        let strongest = Arc::new(mesh.weights().unwrap().strongest());
        let edited = mesh.with_weights(strongest, Default::default()).unwrap();
        assert!(!edited.is_packed(VertexOrder::File));
        assert!(!Arc::ptr_eq(&before, edited.packed(VertexOrder::File).unwrap()));
    }
}
