//! Memory that methods need between their steps.

use crate::asset::mesh::Mesh;
use glam::DVec3;

/// Buffers that methods use between their steps; the caller keeps them, so that no frame allocates.
///
/// They grow to what is needed when they are too small and never shrink.
#[derive(Clone, Debug, Default)]
pub struct DeformScratch {
    pub(crate) points: [Vec<DVec3>; 2],
}

impl DeformScratch {
    /// Buffers large enough for every method that `mesh` has data for.
    pub fn for_mesh(mesh: &Mesh) -> Self {
        let mut out = Self::default();
        out.reserve_for(mesh);
        out
    }

    /// Grows to what `mesh` needs.
    pub fn reserve_for(&mut self, mesh: &Mesh) {
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
