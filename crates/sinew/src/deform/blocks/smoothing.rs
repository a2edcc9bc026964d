//! The data of the mush methods, and its form for kernels, which is made when a kernel first needs it.

use super::{PackedSkin, direct_mush::PackedDirectMush, mush::PackedMush};
use crate::asset::{
    mesh::Mesh,
    precomputed::{DeltaMushData, DirectMushData},
    weights::Weights,
};
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

/// What a mesh has for delta mush and direct delta mush. Clones share what is packed.
#[derive(Clone, Default)]
pub(super) struct PackedSmoothing {
    mush: Option<(Arc<DeltaMushData>, Arc<Weights>)>,
    direct_mush: Option<Arc<DirectMushData>>,
    packed_mush: OnceLock<Option<Arc<PackedMush>>>,
    packed_direct_mush: OnceLock<Option<Arc<PackedDirectMush>>>,
}

impl fmt::Debug for PackedSmoothing {
    /// The data belongs to the mesh, and whether it is packed says nothing about the skin.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PackedSmoothing")
    }
}

impl PackedSmoothing {
    pub(super) fn of(mesh: &Mesh) -> Self {
        let data = mesh.precomputed();
        Self {
            mush: data.mush.clone().zip(mesh.weights().cloned()),
            direct_mush: data.direct_mush.clone(),
            ..Self::default()
        }
    }
}

impl PackedSkin {
    /// Makes the moments that the kernels of delta mush and direct delta mush read, if the mesh has data for them.
    ///
    /// A kernel makes them when it first runs. For delta mush that takes as long as some dozens of frames of its reference.
    pub fn prepare_smoothing(&self) {
        self.mush();
        self.direct_mush();
    }

    /// The number of joints that the data of direct delta mush uses.
    pub(crate) fn direct_mush_slots(&self) -> usize {
        self.smoothing.direct_mush.as_ref().map_or(0, |data| data.slot_count())
    }

    /// The moments of delta mush; `None` without data, and where the iterations are cheaper than the moments.
    pub(crate) fn mush(&self) -> Option<&PackedMush> {
        let pack = || {
            let (data, weights) = self.smoothing.mush.as_ref()?;
            PackedMush::new(data, weights, &self.runs.vertex_of_lane).map(Arc::new)
        };
        self.smoothing.packed_mush.get_or_init(pack).as_deref()
    }

    /// The moments of direct delta mush; `None` without data.
    pub(crate) fn direct_mush(&self) -> Option<&PackedDirectMush> {
        let pack = || {
            let data = self.smoothing.direct_mush.as_ref()?;
            Some(Arc::new(PackedDirectMush::new(data, &self.runs.vertex_of_lane)))
        };
        self.smoothing.packed_direct_mush.get_or_init(pack).as_deref()
    }
}
