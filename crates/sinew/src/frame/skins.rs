//! The fast path of a frame: its skinned meshes in blocks, written in the file's order.

use crate::{
    asset::{character::Character, mesh::Mesh, weights::WeightSum},
    deform::{
        DeformError, Method, Surface, SurfaceMut,
        blocks::{PackedSkin, PackedSurface, VertexOrder},
        kernel::{PoseScratch, SkinningPalette},
    },
    palette::{DualQuatPalette, Palette},
    simd,
};
use std::sync::Arc;

/// Every skinned mesh of a character in blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct FrameSkins {
    /// In mesh order; none where a mesh has no weights, or tangents without normals, which kernels leave out.
    packed: Vec<Option<Packed>>,
    scratch: PoseScratch,
}

#[derive(Clone, Debug)]
struct Packed {
    mesh: Arc<Mesh>,
    skin: Arc<PackedSkin>,
    /// Room for a shape that differs from the mesh's own, where it can.
    changed: Option<PackedSurface>,
}

/// The palettes of one skin.
#[derive(Clone, Copy)]
pub(super) struct Palettes<'a> {
    pub(super) matrices: &'a Palette,
    pub(super) dual_quats: &'a DualQuatPalette,
}

impl FrameSkins {
    pub(super) fn new(character: &Character) -> Self {
        let packed = character.meshes().iter().map(Packed::new).collect();
        let mut skins = Self { packed, scratch: PoseScratch::default() };
        skins.reserve();
        skins
    }

    /// Packs the meshes of `character` that are not those packed before.
    pub(super) fn refresh(&mut self, character: &Character) {
        let mut has_changed = false;
        for (packed, mesh) in self.packed.iter_mut().zip(character.meshes()) {
            if packed.as_ref().is_some_and(|packed| !Arc::ptr_eq(&packed.mesh, mesh)) {
                *packed = Packed::new(mesh);
                has_changed = true;
            }
        }
        if has_changed {
            self.reserve();
        }
    }

    fn reserve(&mut self) {
        let skins = self.packed.iter().flatten().map(|packed| &*packed.skin);
        if let Some(largest) = skins.max_by_key(|skin| skin.slot_count()) {
            self.scratch = PoseScratch::for_batch(largest, 1);
        }
    }

    /// Deforms `mesh`, the character's `index`th, into `out`; `changed` is its shape where that is not its own.
    ///
    /// Returns false where there is no kernel for the method and this mesh.
    pub(super) fn deform(
        &mut self,
        (index, mesh): (usize, &Arc<Mesh>),
        changed: Option<Surface<'_>>,
        method: Method,
        palettes: Palettes<'_>,
        out: SurfaceMut<'_>,
    ) -> Result<bool, DeformError> {
        let Some(packed) = self.packed.get_mut(index).and_then(Option::as_mut) else { return Ok(false) };
        let pose = match method {
            Method::Stitch => SkinningPalette::Stitch(palettes.matrices),
            Method::Linear => SkinningPalette::Linear(palettes.matrices),
            Method::DualQuat => SkinningPalette::DualQuat(palettes.dual_quats),
            Method::Cor => SkinningPalette::Cor(palettes.matrices, palettes.dual_quats),
            Method::Slerp | Method::DeltaMush | Method::Ddm => return Ok(false),
        };
        let needs_centers = method == Method::Cor && !packed.skin.has_centers();
        if needs_centers || !Arc::ptr_eq(&packed.mesh, mesh) {
            return Ok(false);
        }
        let surface = match (changed, &mut packed.changed) {
            (None, _) => packed.skin.surface(),
            (Some(changed), Some(room)) => {
                packed.skin.pack_surface(changed, room)?;
                room
            }
            (Some(_), None) => return Ok(false),
        };
        packed.skin.deform_surface(surface, simd::best(), pose, &mut self.scratch, out.into())?;
        Ok(true)
    }
}

impl Packed {
    fn new(mesh: &Arc<Mesh>) -> Option<Self> {
        if mesh.normals().is_empty() && !mesh.tangents().is_empty() {
            return None;
        }
        let skin = Arc::new(PackedSkin::new(mesh, VertexOrder::File).ok()?);
        let can_change =
            !mesh.morphs().is_empty() || mesh.weights().is_some_and(|w| w.sum_kind() == WeightSum::Muscle);
        let changed = can_change.then(|| skin.new_surface());
        Some(Self { mesh: mesh.clone(), skin, changed })
    }
}
