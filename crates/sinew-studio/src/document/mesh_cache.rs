//! Vertex adjacency and mirror maps of meshes, computed once and shared by all brush stamps.

use sinew::Mesh;
use sinew_author::weights::{VertexAdjacency, ops::VertexMirrorMap};
use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

/// Vertex adjacency and mirror maps by mesh. Two documents are equal whatever their caches hold.
#[derive(Clone, Default)]
pub(super) struct MeshCache(Arc<Mutex<BTreeMap<usize, CachedMesh>>>);

/// The cached data of one mesh.
#[derive(Clone)]
struct CachedMesh {
    mesh: Arc<Mesh>,
    adjacency: Arc<VertexAdjacency>,
    /// Mirror maps by the index of the skin.
    mirrors: BTreeMap<usize, Arc<VertexMirrorMap>>,
}

impl MeshCache {
    /// The vertex adjacency of the mesh with that index.
    pub(super) fn adjacency(&self, index: usize, mesh: &Arc<Mesh>) -> Arc<VertexAdjacency> {
        self.with(index, mesh, |cached| Arc::clone(&cached.adjacency))
    }

    /// The mirror map of a mesh with the skin at index `skin`, computed by `make` the first time.
    pub(super) fn mirror(
        &self,
        index: usize,
        mesh: &Arc<Mesh>,
        skin: usize,
        make: impl FnOnce() -> VertexMirrorMap,
    ) -> Arc<VertexMirrorMap> {
        self.with(index, mesh, |cached| {
            Arc::clone(cached.mirrors.entry(skin).or_insert_with(|| Arc::new(make())))
        })
    }

    fn with<T>(&self, index: usize, mesh: &Arc<Mesh>, take: impl FnOnce(&mut CachedMesh) -> T) -> T {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let compute = || CachedMesh {
            mesh: Arc::clone(mesh),
            adjacency: Arc::new(VertexAdjacency::new(mesh)),
            mirrors: BTreeMap::new(),
        };
        let cached = all.entry(index).or_insert_with(compute);
        if !cached.mesh.shares_shape(mesh) {
            *cached = compute();
        }
        take(cached)
    }
}

impl PartialEq for MeshCache {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for MeshCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MeshCache")
    }
}
