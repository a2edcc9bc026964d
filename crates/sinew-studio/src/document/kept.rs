//! What was found out about meshes, so that it need not be found again with every dab of a brush.

use sinew::Mesh;
use sinew_author::weights::{VertexAdjacency, ops::VertexMirrorMap};
use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

/// Neighbours and mirror partners by mesh. It is no part of a document: documents are equal whatever was found out.
#[derive(Clone, Default)]
pub(super) struct RememberedSkins(Arc<Mutex<BTreeMap<usize, RememberedSkin>>>);

/// What is known of a shape.
#[derive(Clone)]
struct RememberedSkin {
    mesh: Arc<Mesh>,
    ground: Arc<VertexAdjacency>,
    /// By the skin whose joints are paired.
    mirrors: BTreeMap<usize, Arc<VertexMirrorMap>>,
}

impl RememberedSkins {
    /// The ground of the mesh at `place`.
    pub(super) fn ground(&self, place: usize, mesh: &Arc<Mesh>) -> Arc<VertexAdjacency> {
        self.with(place, mesh, |found| Arc::clone(&found.ground))
    }

    /// The mirror map of the mesh at `place` with the skin at `skin`, made by `make` where it is not known yet.
    pub(super) fn mirror(
        &self,
        place: usize,
        mesh: &Arc<Mesh>,
        skin: usize,
        make: impl FnOnce() -> VertexMirrorMap,
    ) -> Arc<VertexMirrorMap> {
        self.with(place, mesh, |found| {
            Arc::clone(found.mirrors.entry(skin).or_insert_with(|| Arc::new(make())))
        })
    }

    fn with<T>(&self, place: usize, mesh: &Arc<Mesh>, take: impl FnOnce(&mut RememberedSkin) -> T) -> T {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let look = || RememberedSkin {
            mesh: Arc::clone(mesh),
            ground: Arc::new(VertexAdjacency::new(mesh)),
            mirrors: BTreeMap::new(),
        };
        let found = all.entry(place).or_insert_with(look);
        if !found.mesh.shares_shape(mesh) {
            *found = look();
        }
        take(found)
    }
}

impl PartialEq for RememberedSkins {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for RememberedSkins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}
