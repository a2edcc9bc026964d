//! Reads meshes and joins their primitives.

use super::{GltfReader, primitives::RawPrimitive};
use crate::{
    ReadError,
    gltf::json::{
        self,
        extras::{SINEW, TARGET_NAMES},
    },
};
use sinew::{ExtrasOwner, Mesh, MeshParts, Primitive};
use std::thread;

impl GltfReader<'_> {
    pub(super) fn meshes(&mut self) -> Result<Vec<Mesh>, ReadError> {
        let root = self.root;
        let slot_counts = self.smallest_skins()?;
        let mut meshes = Vec::with_capacity(root.meshes.len());
        for (index, mesh) in root.meshes.iter().enumerate() {
            meshes.push(self.mesh(index, mesh, slot_counts[index])?);
        }
        Ok(meshes)
    }

    /// For each mesh, the size of the smallest skin that it is used with.
    fn smallest_skins(&self) -> Result<Vec<usize>, ReadError> {
        let (meshes, skins) = (self.root.meshes.len(), &self.root.skins);
        let mut smallest = vec![usize::from(u16::MAX); meshes];
        for (index, node) in self.root.nodes.iter().enumerate() {
            let missing = |field, named, count| {
                let what = format!("names {field} {named}, there are {count}");
                Err(ReadError::invalid(format!("nodes[{index}].{field}"), what))
            };
            let joints = match node.skin {
                Some(skin) if skin >= skins.len() => return missing("skin", skin, skins.len()),
                Some(skin) => skins[skin].joints.len(),
                None => usize::from(u16::MAX),
            };
            match node.mesh {
                Some(mesh) if mesh >= meshes => return missing("mesh", mesh, meshes),
                Some(mesh) => smallest[mesh] = smallest[mesh].min(joints),
                None => {}
            }
        }
        Ok(smallest)
    }

    fn mesh(&mut self, index: usize, mesh: &json::Mesh, slot_count: usize) -> Result<Mesh, ReadError> {
        let place = format!("meshes[{index}]");
        let mut raw = Vec::with_capacity(mesh.primitives.len());
        let mut sources = Vec::with_capacity(mesh.primitives.len());
        let mut numbers = Vec::with_capacity(mesh.primitives.len());
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            let primitive_place = format!("{place}.primitives[{number}]");
            let first_vertex = raw.last().map_or(0, |p: &RawPrimitive| p.first_vertex + p.vertex_count);
            if let Some(read) = self.raw_primitive(primitive_place, primitive, first_vertex)? {
                self.keep_extras(ExtrasOwner::Primitive(index, raw.len()), primitive.extras.as_ref());
                raw.push(read);
                sources.push(primitive);
                numbers.push(number);
            }
        }
        self.map.primitives.push(numbers);
        let stored = self.stored_influences(&raw, slot_count)?;
        let vertices = raw.last().map_or(0, |p: &RawPrimitive| p.first_vertex + p.vertex_count);
        let (weights, streams) = beside(
            vertices >= LARGE_VERTICES,
            || stored.as_ref().map(|stored| stored.read(&place)).transpose(),
            || self.vertex_streams(&raw),
        );
        let (streams, weights) = (streams?, weights?);
        drop(stored);
        let own = self.mesh_extras(&place, mesh)?;
        let weights = weights.map(|read| self.reported_weights(&place, &raw, slot_count, read));
        let weights = self.free_weights(&place, &own, weights, slot_count)?;
        let precomputed = self.precomputed(&place, &own, &raw, slot_count)?;
        let morphs = self.morphs(&place, mesh, &raw, &sources)?;
        let (primitives, indices) = join(raw, &sources, self.root.materials.len())?;
        self.keep_mesh_extras(index, mesh);
        let parts = MeshParts {
            name: mesh.name.clone().unwrap_or_default(),
            positions: streams.positions,
            normals: streams.normals,
            tangents: streams.tangents,
            uv_sets: streams.uv_sets,
            colors: streams.colors,
            indices,
            primitives,
            morphs,
            weights,
            precomputed,
        };
        Mesh::new(parts).map_err(|e| ReadError::invalid(place, e))
    }

    /// The extras of a mesh without the names of its morph targets and Sinew's data.
    fn keep_mesh_extras(&mut self, index: usize, mesh: &json::Mesh) {
        let mut extras = mesh.extras.clone();
        if let Some(object) = extras.as_mut().and_then(|e| e.as_object_mut()) {
            object.remove(TARGET_NAMES);
            object.remove(SINEW);
        }
        self.keep_extras(ExtrasOwner::Mesh(index), extras.as_ref());
    }
}

/// The number of vertices from which a thread of its own reads the weights of a mesh.
const LARGE_VERTICES: usize = 1 << 17;

/// The results of both functions. The first runs on a thread of its own if it is worth it, and if there are threads.
fn beside<A: Send, B>(
    is_worth_it: bool,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B,
) -> (A, B) {
    if !is_worth_it || cfg!(target_family = "wasm") {
        return (first(), second());
    }
    thread::scope(|scope| {
        let first = scope.spawn(first);
        let second = second();
        match first.join() {
            Ok(first) => (first, second),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Concatenates the primitives of a mesh.
fn join(
    raw: Vec<RawPrimitive>,
    sources: &[&json::Primitive],
    material_count: usize,
) -> Result<(Vec<Primitive>, Vec<u32>), ReadError> {
    let mut primitives = Vec::with_capacity(raw.len());
    let mut indices = Vec::new();
    let mut first_vertex = 0_u32;
    for (primitive, source) in raw.into_iter().zip(sources) {
        let too_large = || ReadError::invalid(&primitive.place, "vertices and indices must be below 2^32");
        let vertex_count = u32::try_from(primitive.vertex_count).map_err(|_| too_large())?;
        let next_vertex = first_vertex.checked_add(vertex_count).ok_or_else(too_large)?;
        if let Some(index) = primitive.indices.iter().find(|&&i| i >= vertex_count) {
            let what = format!("names vertex {index}, there are {vertex_count}");
            return Err(ReadError::invalid(format!("{}.indices", primitive.place), what));
        }
        let first_index = u32::try_from(indices.len()).map_err(|_| too_large())?;
        match first_vertex {
            // The only primitive of most meshes: its indices are taken as they are.
            0 if indices.is_empty() => indices = primitive.indices,
            _ => indices.extend(primitive.indices.iter().map(|i| i + first_vertex)),
        }
        let next_index = u32::try_from(indices.len()).map_err(|_| too_large())?;
        let material = source.material.map(|m| {
            let named = u16::try_from(m).ok().filter(|_| m < material_count);
            let what = || format!("names material {m}, there are {material_count}");
            named.ok_or_else(|| ReadError::invalid(format!("{}.material", primitive.place), what()))
        });
        primitives.push(Primitive {
            vertices: first_vertex..next_vertex,
            indices: first_index..next_index,
            topology: primitive.topology,
            material: material.transpose()?,
        });
        first_vertex = next_vertex;
    }
    Ok((primitives, indices))
}
