//! Meshes: vertices, triangles, morph targets and skin weights.

mod error;
mod packed;
mod points;
mod rings;

pub use error::MeshError;
use points::LazyPoints;
pub use points::WeldedPoints;
use rings::LazyRings;
pub use rings::{RingFrame, VertexRings};

use super::{morph::MorphTargets, precomputed::Precomputed, weights::Weights};
use crate::range::{InRange as _, first_bad};
use glam::{Vec2, Vec3, Vec4};
use packed::PackedSkins;
use std::{ops::Range, sync::Arc};

/// How indices form shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Topology {
    /// Three indices per triangle, counterclockwise seen from outside.
    #[default]
    Triangles,
    /// Two indices per segment.
    Lines,
    /// One index per point.
    Points,
}

impl Topology {
    /// Number of indices per shape.
    pub const fn indices_per_shape(self) -> usize {
        match self {
            Self::Triangles => 3,
            Self::Lines => 2,
            Self::Points => 1,
        }
    }
}

/// A part of a mesh with one material.
#[doc(alias = "submesh")]
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Primitive {
    /// The vertices that belong to this part.
    pub vertices: Range<u32>,
    /// The range of the index list that draws it.
    pub indices: Range<u32>,
    /// How those indices form shapes.
    pub topology: Topology,
    /// Index in the character's material list.
    pub material: Option<u16>,
}

/// The parts of a mesh, the input of [`Mesh::new`]. Every stream but `positions` may be empty.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshParts {
    /// Name of the mesh.
    pub name: String,
    /// Vertex positions in mesh space, in meters.
    pub positions: Vec<Vec3>,
    /// Unit vectors (a zero vector is allowed and stays zero).
    pub normals: Vec<Vec3>,
    /// Unit vectors with the handedness of the bitangent, +1 or −1, in w.
    pub tangents: Vec<Vec4>,
    /// Any number of texture coordinate sets.
    pub uv_sets: Vec<Vec<Vec2>>,
    /// Linear RGBA vertex colors.
    pub colors: Vec<Vec4>,
    /// Vertex indices of all primitives, one after the other.
    pub indices: Vec<u32>,
    /// The primitives; together they cover the vertices in order.
    pub primitives: Vec<Primitive>,
    /// Morph targets, applied before skinning.
    pub morphs: MorphTargets,
    /// Skin weights; `None` for a mesh that is rigidly attached to a joint.
    pub weights: Option<Arc<Weights>>,
    /// Precomputed data of the skinning methods that need it.
    pub precomputed: Precomputed,
}

/// Vertices in file order, with indices, primitives, morph targets and skin weights that fit each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    parts: MeshParts,
    /// Shared by meshes that differ only in weights.
    points: LazyPoints,
    rings: LazyRings,
    packed: PackedSkins,
}

impl Mesh {
    /// Checks `parts` and builds a mesh from them.
    ///
    /// # Errors
    /// If stream lengths differ, a number is not finite or exceeds [`MAX_VALUE`](crate::MAX_VALUE), an index or a vertex of a morph target is out of range, or the
    /// primitives do not cover vertices and indices in order.
    pub fn new(parts: MeshParts) -> Result<Self, MeshError> {
        check_streams(&parts)?;
        check_primitives(&parts)?;
        check_morphs(&parts)?;
        Ok(Self {
            parts,
            points: LazyPoints::default(),
            rings: LazyRings::default(),
            packed: PackedSkins::default(),
        })
    }

    /// The mesh's name, possibly empty.
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// Number of vertices of the mesh.
    pub fn vertex_count(&self) -> usize {
        self.parts.positions.len()
    }

    /// Positions in mesh space.
    pub fn positions(&self) -> &[Vec3] {
        &self.parts.positions
    }

    /// Normals, or an empty slice.
    pub fn normals(&self) -> &[Vec3] {
        &self.parts.normals
    }

    /// Tangents with handedness in w, or an empty slice.
    pub fn tangents(&self) -> &[Vec4] {
        &self.parts.tangents
    }

    /// The texture coordinate sets.
    pub fn uv_sets(&self) -> &[Vec<Vec2>] {
        &self.parts.uv_sets
    }

    /// Linear RGBA vertex colors, or an empty slice.
    pub fn colors(&self) -> &[Vec4] {
        &self.parts.colors
    }

    /// The indices of all primitives, one after the other.
    pub fn indices(&self) -> &[u32] {
        &self.parts.indices
    }

    /// The primitives, each with one material.
    pub fn primitives(&self) -> &[Primitive] {
        &self.parts.primitives
    }

    /// The indices of one primitive.
    pub fn primitive_indices(&self, primitive: &Primitive) -> &[u32] {
        &self.parts.indices[primitive.indices.start as usize..primitive.indices.end as usize]
    }

    /// Every triangle of every triangle primitive.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        let triangle_parts = self.parts.primitives.iter().filter(|p| p.topology == Topology::Triangles);
        triangle_parts.flat_map(|p| self.primitive_indices(p).chunks_exact(3).map(|t| [t[0], t[1], t[2]]))
    }

    /// The morph targets, applied before skinning.
    pub fn morphs(&self) -> &MorphTargets {
        &self.parts.morphs
    }

    /// The skin weights, if the mesh is skinned.
    pub fn weights(&self) -> Option<&Arc<Weights>> {
        self.parts.weights.as_ref()
    }

    /// The precomputed data of the skinning methods that need it.
    pub fn precomputed(&self) -> &Precomputed {
        &self.parts.precomputed
    }

    /// The same mesh with other precomputed data.
    ///
    /// # Errors
    /// If the data was computed for another number of vertices.
    pub fn with_precomputed(mut self, precomputed: Precomputed) -> Result<Self, MeshError> {
        check_precomputed(&self.parts.name, &precomputed, self.vertex_count())?;
        self.parts.precomputed = precomputed;
        self.packed = PackedSkins::default();
        Ok(self)
    }

    /// The same mesh with other weights and the precomputed data for them. Nothing else is checked again.
    ///
    /// # Errors
    /// If the weights or the data have another number of vertices.
    pub fn with_weights(
        mut self,
        weights: Arc<Weights>,
        precomputed: Precomputed,
    ) -> Result<Self, MeshError> {
        let (vertices, count) = (self.vertex_count(), weights.vertex_count());
        if count != vertices {
            let mesh = self.parts.name;
            return Err(MeshError::WrongCount { mesh, stream: "weights", count, vertices });
        }
        self.parts.weights = Some(weights);
        self.with_precomputed(precomputed)
    }

    /// Which vertices are copies of one point.
    pub fn points(&self) -> &WeldedPoints {
        self.points.get(&self.parts.positions)
    }

    /// The triangles around each vertex, found when they are first needed.
    pub fn rings(&self) -> &VertexRings {
        self.rings.get(self)
    }

    /// True if `other` differs only in weights and precomputed data: one was made from the other by
    /// [`Mesh::with_weights`] or [`Mesh::with_precomputed`]. Data computed from the shape of one is valid for both.
    pub fn shares_shape(&self, other: &Self) -> bool {
        self.points.is_shared_with(&other.points)
    }

    /// The parts, to build a changed mesh from.
    pub fn into_parts(self) -> MeshParts {
        self.parts
    }

    /// The parts, to inspect or clone.
    pub fn parts(&self) -> &MeshParts {
        &self.parts
    }
}

fn check_streams(parts: &MeshParts) -> Result<(), MeshError> {
    let vertices = parts.positions.len();
    let name = || parts.name.clone();
    let largest = vertices.max(parts.indices.len());
    if u32::try_from(largest).is_err() {
        return Err(MeshError::TooLarge { mesh: name(), count: largest });
    }
    let mut streams = vec![
        ("normals", parts.normals.len()),
        ("tangents", parts.tangents.len()),
        ("colors", parts.colors.len()),
    ];
    streams.extend(parts.uv_sets.iter().map(|set| ("texture coordinates", set.len())));
    if let Some((stream, count)) = streams.into_iter().find(|s| s.1 != 0 && s.1 != vertices) {
        return Err(MeshError::WrongCount { mesh: name(), stream, count, vertices });
    }
    if let Some(weights) = parts.weights.as_ref().filter(|w| w.vertex_count() != vertices) {
        let count = weights.vertex_count();
        return Err(MeshError::WrongCount { mesh: name(), stream: "weights", count, vertices });
    }
    check_precomputed(&parts.name, &parts.precomputed, vertices)?;
    let (is_out_of_range, is_infinite) = (|n: f32| !n.is_in_range(), |n: f32| !n.is_finite());
    let bad = [
        ("position", first_bad(&parts.positions, is_out_of_range)),
        ("normal", first_bad(&parts.normals, is_out_of_range)),
        ("tangent", first_bad(&parts.tangents, is_out_of_range)),
        ("color", first_bad(&parts.colors, is_infinite)),
        ("texture coordinate", parts.uv_sets.iter().find_map(|set| first_bad(set, is_infinite))),
    ];
    match bad.into_iter().find_map(|(stream, at)| Some((stream, at?))) {
        Some((stream, vertex)) => Err(MeshError::OutOfRange { mesh: name(), stream, vertex }),
        None => Ok(()),
    }
}

fn check_precomputed(mesh: &str, precomputed: &Precomputed, vertices: usize) -> Result<(), MeshError> {
    match precomputed.counts().find(|(_, count)| *count != vertices) {
        Some((stream, count)) => Err(MeshError::WrongCount { mesh: mesh.into(), stream, count, vertices }),
        None => Ok(()),
    }
}

/// The vertices of a target ascend, so the last decides whether all exist.
fn check_morphs(parts: &MeshParts) -> Result<(), MeshError> {
    let vertices = parts.positions.len();
    for (target, morph) in parts.morphs.targets().iter().enumerate() {
        if let Some(&vertex) = morph.vertices.last().filter(|&&vertex| vertex as usize >= vertices) {
            return Err(MeshError::MorphOutOfRange { mesh: parts.name.clone(), target, vertex, vertices });
        }
    }
    Ok(())
}

fn check_primitives(parts: &MeshParts) -> Result<(), MeshError> {
    let mut next_vertex = 0;
    let mut next_index = 0;
    for (at, primitive) in parts.primitives.iter().enumerate() {
        let bad = |what| MeshError::BadPrimitive { mesh: parts.name.clone(), primitive: at, what };
        if primitive.vertices.start != next_vertex || primitive.vertices.end < next_vertex {
            return Err(bad("its vertices do not follow the previous part's"));
        }
        if primitive.indices.start != next_index || primitive.indices.end < next_index {
            return Err(bad("its indices do not follow the previous part's"));
        }
        next_vertex = primitive.vertices.end;
        next_index = primitive.indices.end;
        let Some(indices) = parts.indices.get(primitive.indices.start as usize..next_index as usize) else {
            return Err(bad("its indices reach beyond the index list"));
        };
        if !indices.len().is_multiple_of(primitive.topology.indices_per_shape()) {
            return Err(bad("its index count does not fit the topology"));
        }
        // Every index is compared without a branch; the one at fault is only looked for if there is one.
        let is_outside = |index: &u32| !primitive.vertices.contains(index);
        let any_outside = indices.iter().fold(false, |any, index| any | is_outside(index));
        if let Some(&index) = indices.iter().filter(|_| any_outside).find(|index| is_outside(index)) {
            let (mesh, vertices) = (parts.name.clone(), primitive.vertices.clone());
            return Err(MeshError::IndexOutOfRange { mesh, primitive: at, index, vertices });
        }
    }
    let covers = next_vertex as usize == parts.positions.len() && next_index as usize == parts.indices.len();
    let last = parts.primitives.len().saturating_sub(1);
    let bad = |what| MeshError::BadPrimitive { mesh: parts.name.clone(), primitive: last, what };
    if covers { Ok(()) } else { Err(bad("vertices or indices are left over after the last part")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::{morph::MorphTarget, precomputed::CentersOfRotation};

    fn triangle() -> MeshParts {
        MeshParts {
            name: "t".into(),
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            indices: vec![0, 1, 2],
            primitives: vec![Primitive {
                vertices: 0..3,
                indices: 0..3,
                topology: Topology::Triangles,
                material: None,
            }],
            ..MeshParts::default()
        }
    }

    #[test]
    fn rejects_morph_targets_of_a_mesh_with_more_vertices() {
        let mut deltas = vec![Vec3::ZERO; 5];
        deltas[4] = Vec3::X;
        let target = MorphTarget::from_dense("smile", &deltas, &[], &[]);
        let mut parts = triangle();
        parts.morphs = MorphTargets::new(5, vec![target], vec![]).unwrap();
        let error = Mesh::new(parts).unwrap_err();
        assert!(matches!(error, MeshError::MorphOutOfRange { target: 0, vertex: 4, vertices: 3, .. }));
    }

    #[test]
    fn rejects_an_index_outside_its_primitive() {
        let mut parts = triangle();
        parts.indices[2] = 3;
        assert!(matches!(Mesh::new(parts), Err(MeshError::IndexOutOfRange { index: 3, .. })));
    }

    #[test]
    fn rejects_streams_of_another_length() {
        let mut parts = triangle();
        parts.normals = vec![Vec3::Z; 2];
        assert!(matches!(Mesh::new(parts), Err(MeshError::WrongCount { stream: "normals", .. })));
        let mut parts = triangle();
        parts.uv_sets = vec![vec![Vec2::ZERO; 4]];
        assert!(matches!(Mesh::new(parts), Err(MeshError::WrongCount { .. })));
    }

    #[test]
    fn rejects_precomputed_data_of_another_mesh() {
        let centers = |count| Some(Arc::new(CentersOfRotation::new(vec![Vec3::ZERO; count]).unwrap()));
        let precomputed = |count| Precomputed { centers: centers(count), ..Precomputed::NONE };
        let parts = MeshParts { precomputed: precomputed(2), ..triangle() };
        assert!(matches!(Mesh::new(parts), Err(MeshError::WrongCount { count: 2, vertices: 3, .. })));
        let mesh = Mesh::new(triangle()).unwrap();
        assert!(mesh.clone().with_precomputed(precomputed(4)).is_err());
        assert!(mesh.with_precomputed(precomputed(3)).is_ok());
    }

    #[test]
    fn other_weights_leave_the_shape_and_must_be_of_as_many_vertices() {
        let weights = |count| {
            let vertex = [super::super::weights::Influence { slot: 0, weight: 1.0 }];
            Arc::new(Weights::new(1, vec![vertex; count]).unwrap().0)
        };
        let mesh = Mesh::new(triangle()).unwrap();
        let skinned = mesh.clone().with_weights(weights(3), Precomputed::NONE).unwrap();
        assert!(skinned.shares_shape(&mesh) && skinned.weights().is_some());
        assert!(!Mesh::new(triangle()).unwrap().shares_shape(&mesh));
        let error = mesh.with_weights(weights(2), Precomputed::NONE);
        assert!(matches!(error, Err(MeshError::WrongCount { stream: "weights", count: 2, .. })));
    }

    #[test]
    fn rejects_numbers_that_are_not_finite() {
        let mut parts = triangle();
        parts.positions[1].y = f32::INFINITY;
        assert!(matches!(Mesh::new(parts), Err(MeshError::OutOfRange { vertex: 1, .. })));
    }

    #[test]
    fn primitives_must_cover_everything_in_order() {
        let mut parts = triangle();
        parts.primitives[0].vertices = 0..2;
        assert!(Mesh::new(parts).is_err());
        let mut parts = triangle();
        parts.primitives[0].indices = 0..2;
        assert!(matches!(Mesh::new(parts), Err(MeshError::BadPrimitive { .. })));
        let mut parts = triangle();
        parts.primitives.clear();
        assert!(Mesh::new(parts).is_err());
    }

    #[test]
    fn copies_of_one_point_are_found_and_minus_zero_is_zero() {
        let p = WeldedPoints::by_position(&[Vec3::ZERO, Vec3::X, Vec3::new(-0.0, 0.0, -0.0), Vec3::X]);
        assert_eq!(p.of_vertex(), [0, 1, 0, 1]);
        assert_eq!(p.first_vertex(), [0, 1]);
    }
}
