//! Meshes: primitives joined into one list of vertices.

use super::{Reader, morphs::TARGET_NAMES, primitives::RawPrimitive};
use crate::{ReadError, gltf::json};
use sinew::{ExtrasOwner, Mesh, MeshParts, Primitive};

impl Reader<'_> {
    pub(super) fn meshes(&mut self) -> Result<Vec<Mesh>, ReadError> {
        let root = self.root;
        let mut meshes = Vec::with_capacity(root.meshes.len());
        for (index, mesh) in root.meshes.iter().enumerate() {
            let slot_count = self.smallest_skin(index)?;
            meshes.push(self.mesh(index, mesh, slot_count)?);
        }
        Ok(meshes)
    }

    /// How many joints every skin has at least that is used with this mesh.
    fn smallest_skin(&self, mesh: usize) -> Result<usize, ReadError> {
        let mut smallest = usize::from(u16::MAX);
        for (index, node) in self.root.nodes.iter().enumerate().filter(|(_, n)| n.mesh == Some(mesh)) {
            let Some(skin) = node.skin else { continue };
            let Some(skin) = self.root.skins.get(skin) else {
                let what = format!("names skin {skin}, there are {}", self.root.skins.len());
                return Err(ReadError::invalid(format!("nodes[{index}].skin"), what));
            };
            smallest = smallest.min(skin.joints.len());
        }
        Ok(smallest)
    }

    fn mesh(&mut self, index: usize, mesh: &json::Mesh, slot_count: usize) -> Result<Mesh, ReadError> {
        let place = format!("meshes[{index}]");
        let mut raw = Vec::with_capacity(mesh.primitives.len());
        let mut sources = Vec::with_capacity(mesh.primitives.len());
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            let primitive_place = format!("{place}.primitives[{number}]");
            if let Some(read) = self.raw_primitive(primitive_place, primitive)? {
                self.keep_extras(ExtrasOwner::Primitive(index, raw.len()), primitive.extras.as_ref());
                raw.push(read);
                sources.push(primitive);
            }
        }
        let streams = self.vertex_streams(&raw)?;
        let weights = self.weights(&place, &raw, slot_count)?;
        let morphs = self.morphs(&place, mesh, &raw, &sources)?;
        let (primitives, indices) = join(&raw, &sources)?;
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
        };
        Mesh::new(parts).map_err(|e| ReadError::invalid(place, e))
    }

    /// Everything but the target names, which the morph targets carry.
    fn keep_mesh_extras(&mut self, index: usize, mesh: &json::Mesh) {
        let mut extras = mesh.extras.clone();
        if let Some(object) = extras.as_mut().and_then(|e| e.as_object_mut()) {
            object.remove(TARGET_NAMES);
        }
        self.keep_extras(ExtrasOwner::Mesh(index), extras.as_ref());
    }
}

/// Puts primitives one behind the other.
fn join(raw: &[RawPrimitive], sources: &[&json::Primitive]) -> Result<(Vec<Primitive>, Vec<u32>), ReadError> {
    let mut primitives = Vec::with_capacity(raw.len());
    let mut indices = Vec::new();
    let mut first_vertex = 0_u32;
    for (primitive, source) in raw.iter().zip(sources) {
        let too_large = || ReadError::invalid(&primitive.place, "vertices and indices pass four billion");
        let vertex_count = u32::try_from(primitive.vertex_count).map_err(|_| too_large())?;
        let next_vertex = first_vertex.checked_add(vertex_count).ok_or_else(too_large)?;
        if let Some(index) = primitive.indices.iter().find(|&&i| i >= vertex_count) {
            let what = format!("names vertex {index}, there are {vertex_count}");
            return Err(ReadError::invalid(format!("{}.indices", primitive.place), what));
        }
        let first_index = u32::try_from(indices.len()).map_err(|_| too_large())?;
        indices.extend(primitive.indices.iter().map(|i| i + first_vertex));
        let next_index = u32::try_from(indices.len()).map_err(|_| too_large())?;
        let material = source.material.map(|m| {
            u16::try_from(m).map_err(|_| ReadError::invalid(&primitive.place, format!("names material {m}")))
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
