//! Scratch memory of the deformation methods.

use super::{
    blocks::{PackedSurface, VertexOrder},
    kernel::PoseScratch,
};
use crate::{
    asset::{mesh::Mesh, weights::WeightSum},
    palette::ContactPalette,
};
use glam::DVec3;

/// Scratch buffers of the deformation methods. The caller keeps them, so that no frame allocates.
///
/// They grow when they are too small and never shrink. One instance serves any number of meshes; one per mesh avoids
/// repeated growth when meshes with morph targets alternate.
#[derive(Clone, Debug, Default)]
pub struct DeformScratch {
    points: [Vec<DVec3>; 2],
    pub(super) contact: ContactPalette,
    pub(super) pose: PoseScratch,
    pub(super) surface: Option<PackedSurface>,
}

impl DeformScratch {
    /// Buffers large enough for every method that `mesh` has data for. Packs the mesh and its moments if they are not
    /// packed yet.
    pub fn for_mesh(mesh: &Mesh) -> Self {
        let mut out = Self::default();
        out.reserve_smoothing(mesh);
        out.contact.reserve(mesh);
        if let Ok(skin) = mesh.packed(VertexOrder::File) {
            skin.prepare_smoothing();
            out.pose = PoseScratch::for_batch(skin, 1);
            let is_free = mesh.weights().is_some_and(|w| w.sum_kind() == WeightSum::Muscle);
            let can_change = is_free || !mesh.morphs().is_empty();
            out.surface = can_change.then(|| skin.new_surface());
        }
        out
    }

    /// Grows the buffers to the size that smoothing `mesh` needs.
    pub fn reserve_smoothing(&mut self, mesh: &Mesh) {
        if let Some(mush) = &mesh.precomputed().mush {
            self.points(mush.point_count());
        }
    }

    /// Two buffers of `count` points.
    pub(crate) fn points(&mut self, count: usize) -> [&mut [DVec3]; 2] {
        let [a, b] = &mut self.points;
        for buffer in [&mut *a, &mut *b] {
            if buffer.len() < count {
                buffer.resize(count, DVec3::ZERO);
            }
        }
        [&mut a[..count], &mut b[..count]]
    }
}
