//! Converts faces with attributes per corner to indexed vertices.

use super::{FbxReader, skins::PointSkin, vector};
use crate::{ReadError, report::FindingCode};
use sinew::{
    BlendMap, Mesh, MeshParts, MorphError, MorphTargets, Primitive, Topology, Weights,
    glam::{DVec2, DVec4, Vec2, Vec3, Vec4},
};
use std::{collections::HashMap, sync::Arc};

/// The maximum number of texture coordinate sets; further ones are skipped.
pub(super) const MAX_UV_SETS: usize = 4;

/// Corners with the same point, normal, color and texture coordinates share a vertex.
type CornerKey = [u32; 3 + MAX_UV_SETS];

/// A mesh with indexed vertices.
pub(super) struct FbxCorners<'a> {
    mesh: &'a ufbx::Mesh,
    parts: MeshParts,
    /// For each vertex, its point in the file.
    pub(super) point_of_vertex: Vec<u32>,
}

impl FbxReader<'_> {
    /// The mesh with morph targets and weights; `None` if it has no triangles. `skin` has one entry per point.
    pub(super) fn mesh(
        &mut self,
        place: &str,
        mesh: &ufbx::Mesh,
        skin: Option<&PointSkin>,
    ) -> Result<Option<Mesh>, ReadError> {
        if mesh.num_triangles == 0 {
            self.report.add(FindingCode::PrimitiveEmpty, place, "without triangles, the mesh was ignored");
            return Ok(None);
        }
        self.note_losses(place, mesh);
        // Per corner: an entry of the table, a vertex with all attributes, an index.
        self.budget.charge(place, mesh.num_triangles, 3 * 200)?;
        let mut corners = FbxCorners::new(mesh);
        for (index, faces) in parts(mesh).into_iter().enumerate() {
            let material = mesh.materials.as_ref().get(index).map(|m| m.element.typed_id);
            corners.add(faces, material.and_then(|m| u16::try_from(m).ok()).filter(|&m| m < u16::MAX));
        }
        let morphs = self.morphs(place, mesh, &corners.point_of_vertex)?;
        let FbxCorners { mut parts, point_of_vertex, .. } = corners;
        parts.morphs = morphs;
        if let Some(PointSkin { weights, dual_quats, mesh_scale, .. }) = skin {
            let vertices = point_of_vertex.iter().map(|&point| weights.influences(point as usize));
            let (weights, _) =
                Weights::new(weights.slot_count(), vertices).map_err(|e| ReadError::weights(place, e))?;
            parts.weights = Some(Arc::new(weights));
            if let Some(of_points) = dual_quats {
                let of_vertex = |&point: &u32| of_points.get(point as usize).copied().unwrap_or(0.0);
                let map = BlendMap::new(point_of_vertex.iter().map(of_vertex).collect());
                let map = map.map_err(|e| ReadError::invalid(place, e))?;
                parts.precomputed.blend_map = Some(Arc::new(map));
            }
            if let Some(scale) = mesh_scale {
                rescale(&mut parts, *scale).map_err(|e| ReadError::invalid(place, e))?;
            }
        }
        Mesh::new(parts).map(Some).map_err(|e| ReadError::invalid(place, e))
    }

    fn note_losses(&mut self, place: &str, mesh: &ufbx::Mesh) {
        let small = mesh.num_point_faces + mesh.num_line_faces + mesh.num_empty_faces;
        if small > 0 {
            let detail = format!("{small} faces with fewer than three corners were dropped");
            self.report.add(FindingCode::AttributeIgnored, place, detail);
        }
        if mesh.uv_sets.len() > MAX_UV_SETS {
            let detail = format!("{} sets of texture coordinates, {MAX_UV_SETS} kept", mesh.uv_sets.len());
            self.report.add(FindingCode::AttributeIgnored, place, detail);
        }
    }
}

/// Scales a mesh and its morph targets along its axes.
fn rescale(parts: &mut MeshParts, scale: Vec3) -> Result<(), MorphError> {
    let per_scale = scale.recip();
    parts.positions.iter_mut().for_each(|position| *position *= scale);
    parts.normals.iter_mut().for_each(|normal| *normal = (*normal * per_scale).normalize_or_zero());
    let mut targets = parts.morphs.targets().to_vec();
    for target in &mut targets {
        target.positions.iter_mut().for_each(|offset| *offset *= scale);
        target.normals.iter_mut().for_each(|offset| *offset *= per_scale);
    }
    let weights = parts.morphs.rest_weights().to_vec();
    parts.morphs = MorphTargets::new(parts.positions.len(), targets, weights)?;
    Ok(())
}

/// The faces of each material, in the order of the mesh's materials.
fn parts(mesh: &ufbx::Mesh) -> Vec<Vec<ufbx::Face>> {
    let faces = |part: &ufbx::MeshPart| {
        part.face_indices.iter().filter_map(|&f| mesh.faces.get(f as usize).copied()).collect()
    };
    match mesh.material_parts.as_ref() {
        [] => vec![mesh.faces.to_vec()],
        parts => parts.iter().map(faces).collect(),
    }
}

impl<'a> FbxCorners<'a> {
    fn new(mesh: &'a ufbx::Mesh) -> Self {
        let uv_sets = vec![Vec::new(); mesh.uv_sets.len().min(MAX_UV_SETS)];
        let parts = MeshParts { name: super::name_of(&mesh.element), uv_sets, ..MeshParts::default() };
        Self { mesh, parts, point_of_vertex: Vec::new() }
    }

    /// One primitive of `faces`; `None` if they have no triangles.
    fn add(&mut self, faces: Vec<ufbx::Face>, material: Option<u16>) {
        let (first_vertex, first_index) =
            (self.parts.positions.len() as u32, self.parts.indices.len() as u32);
        let mut seen: HashMap<CornerKey, u32> = HashMap::new();
        let mut triangles = Vec::new();
        for face in faces.into_iter().filter(|f| f.num_indices >= 3) {
            let count = ufbx::triangulate_face_vec(&mut triangles, self.mesh, face) as usize;
            for &corner in triangles.iter().take(count * 3) {
                let key = self.key(corner as usize);
                let vertex = match seen.get(&key) {
                    Some(&vertex) => vertex,
                    None => self.push(&key),
                };
                seen.insert(key, vertex);
                self.parts.indices.push(vertex);
            }
        }
        let (vertices, indices) =
            (first_vertex..self.parts.positions.len() as u32, first_index..self.parts.indices.len() as u32);
        if !indices.is_empty() {
            self.parts.primitives.push(Primitive {
                vertices,
                indices,
                topology: Topology::Triangles,
                material,
            });
        }
    }

    fn key(&self, corner: usize) -> CornerKey {
        let at = |list: &[u32]| list.get(corner).copied().unwrap_or(0);
        let mut key = [0; 3 + MAX_UV_SETS];
        key[0] = at(&self.mesh.vertex_indices);
        key[1] = at(&self.mesh.vertex_normal.indices);
        key[2] = at(&self.mesh.vertex_color.indices);
        for (key, set) in key[3..].iter_mut().zip(self.mesh.uv_sets.as_ref()) {
            *key = at(&set.vertex_uv.indices);
        }
        key
    }

    /// Adds the vertex of a corner.
    fn push(&mut self, key: &CornerKey) -> u32 {
        let mesh = self.mesh;
        let vertex = self.parts.positions.len() as u32;
        let position = mesh.vertices.get(key[0] as usize).map_or(Vec3::ZERO, |&v| vector(v));
        self.parts.positions.push(position);
        self.point_of_vertex.push(key[0]);
        if mesh.vertex_normal.exists {
            let normal = mesh.vertex_normal.values.get(key[1] as usize).map_or(Vec3::ZERO, |&v| vector(v));
            self.parts.normals.push(normal.normalize_or_zero());
        }
        if mesh.vertex_color.exists {
            let color = mesh.vertex_color.values.get(key[2] as usize);
            let color = color.map_or(Vec4::ONE, |c| DVec4::new(c.x, c.y, c.z, c.w).as_vec4());
            self.parts.colors.push(color);
        }
        for ((out, set), &index) in self.parts.uv_sets.iter_mut().zip(mesh.uv_sets.as_ref()).zip(&key[3..]) {
            let uv = set.vertex_uv.values.get(index as usize);
            // The origin of v is at the bottom in FBX.
            out.push(uv.map_or(Vec2::ZERO, |uv| DVec2::new(uv.x, 1.0 - uv.y).as_vec2()));
        }
        vertex
    }
}
