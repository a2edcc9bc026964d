//! Morph targets: shapes that are added to a mesh before skinning.

use crate::range::InRange as _;
use glam::Vec3;
use thiserror::Error;

/// One morph target, as differences from the mesh at the vertices that it moves.
#[doc(alias = "blend shape")]
#[doc(alias = "shape key")]
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MorphTarget {
    /// What the file calls it, possibly empty.
    pub name: String,
    /// Indices of the vertices that it moves, ascending.
    pub vertices: Vec<u32>,
    /// The position difference of each of `vertices`, in mesh space.
    pub positions: Vec<Vec3>,
    /// The normal difference of each, or empty if normals do not change.
    pub normals: Vec<Vec3>,
    /// The tangent difference of each, or empty if tangents do not change.
    pub tangents: Vec<Vec3>,
}

impl MorphTarget {
    /// A target from one difference per vertex; vertices without a difference are dropped.
    ///
    /// `normals` and `tangents` may be empty. Missing entries are zero.
    pub fn from_dense(
        name: impl Into<String>,
        positions: &[Vec3],
        normals: &[Vec3],
        tangents: &[Vec3],
    ) -> Self {
        let at = |s: &[Vec3], v: usize| s.get(v).copied().unwrap_or(Vec3::ZERO);
        let moves = |v: &usize| [positions, normals, tangents].iter().any(|s| at(s, *v) != Vec3::ZERO);
        let vertices: Vec<usize> = (0..positions.len()).filter(moves).collect();
        let pick = |s: &[Vec3]| {
            if s.is_empty() { Vec::new() } else { vertices.iter().map(|&v| at(s, v)).collect() }
        };
        Self {
            name: name.into(),
            positions: pick(positions),
            normals: pick(normals),
            tangents: pick(tangents),
            vertices: vertices.iter().map(|&v| v as u32).collect(),
        }
    }
}

/// The morph targets of one mesh and their rest weights.
#[doc(alias = "blend shapes")]
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::serde_form::MorphTargetsForm")
)]
pub struct MorphTargets {
    targets: Vec<MorphTarget>,
    rest_weights: Vec<f32>,
}

/// Why morph targets do not fit a mesh.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MorphError {
    /// A stream is not as long as the vertex list.
    #[error("morph target {target}: {stream} has {count} entries for {vertices} vertices")]
    WrongCount {
        /// Index of the morph target.
        target: usize,
        /// Name of the stream.
        stream: &'static str,
        /// Length of the stream.
        count: usize,
        /// How many vertices the target moves.
        vertices: usize,
    },
    /// A vertex does not exist, or the list does not ascend.
    #[error("morph target {target}: vertex {vertex} is out of order or not below {vertex_count}")]
    BadVertex {
        /// Index of the morph target.
        target: usize,
        /// Index of the vertex that is out of order or range.
        vertex: u32,
        /// How many vertices the mesh has.
        vertex_count: usize,
    },
    /// A difference is not finite or exceeds [`MAX_VALUE`](crate::MAX_VALUE).
    #[error("morph target {target}: the difference of vertex {vertex} is not finite or exceeds 1e12")]
    OutOfRange {
        /// Index of the morph target.
        target: usize,
        /// Index of the vertex.
        vertex: u32,
    },
    /// Each morph target needs one rest weight.
    #[error("{targets} morph targets but {weights} weights")]
    WrongWeightCount {
        /// Number of morph targets.
        targets: usize,
        /// Number of weights that were given.
        weights: usize,
    },
    /// A rest weight is not finite or exceeds [`MAX_VALUE`](crate::MAX_VALUE).
    #[error("the rest weight of morph target {target} must be finite and at most 1e12, got {weight}")]
    BadWeight {
        /// Index of the morph target.
        target: usize,
        /// The value that was given.
        weight: f32,
    },
}

impl MorphTargets {
    /// Morph targets for a mesh of `vertex_count` vertices. Empty `rest_weights` are all zero.
    ///
    /// # Errors
    /// If stream lengths differ, a vertex is out of order or range, or a number is not finite or exceeds
    /// [`MAX_VALUE`](crate::MAX_VALUE).
    pub fn new(
        vertex_count: usize,
        targets: Vec<MorphTarget>,
        rest_weights: Vec<f32>,
    ) -> Result<Self, MorphError> {
        for (index, target) in targets.iter().enumerate() {
            check(index, target, vertex_count)?;
        }
        let rest_weights = if rest_weights.is_empty() { vec![0.0; targets.len()] } else { rest_weights };
        if rest_weights.len() != targets.len() {
            let (targets, weights) = (targets.len(), rest_weights.len());
            return Err(MorphError::WrongWeightCount { targets, weights });
        }
        if let Some(target) = rest_weights.iter().position(|w| !w.is_in_range()) {
            return Err(MorphError::BadWeight { target, weight: rest_weights[target] });
        }
        Ok(Self { targets, rest_weights })
    }

    /// Number of morph targets.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// True for a mesh without targets.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Every morph target, in file order.
    pub fn targets(&self) -> &[MorphTarget] {
        &self.targets
    }

    /// The weight of each target if nothing animates it.
    pub fn rest_weights(&self) -> &[f32] {
        &self.rest_weights
    }
}

fn check(index: usize, target: &MorphTarget, vertex_count: usize) -> Result<(), MorphError> {
    let vertices = target.vertices.len();
    let streams = [
        ("positions", &target.positions, false),
        ("normals", &target.normals, true),
        ("tangents", &target.tangents, true),
    ];
    for (stream, values, may_be_empty) in streams {
        if values.len() != vertices && !(may_be_empty && values.is_empty()) {
            return Err(MorphError::WrongCount { target: index, stream, count: values.len(), vertices });
        }
        if let Some(k) = values.iter().position(|v| !v.is_in_range()) {
            return Err(MorphError::OutOfRange { target: index, vertex: target.vertices[k] });
        }
    }
    let rises = |k: usize| k == 0 || target.vertices[k - 1] < target.vertices[k];
    let bad = |k: &usize| !rises(*k) || target.vertices[*k] as usize >= vertex_count;
    match (0..vertices).find(bad) {
        Some(k) => Err(MorphError::BadVertex { target: index, vertex: target.vertices[k], vertex_count }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dense_shape_keeps_only_the_vertices_it_moves() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::ZERO];
        let normals = [Vec3::ZERO, Vec3::ZERO, Vec3::Y];
        let target = MorphTarget::from_dense("smile", &positions, &normals, &[]);
        assert_eq!(target.vertices, [1, 2]);
        assert_eq!(target.positions, [Vec3::X, Vec3::ZERO]);
        assert_eq!(target.normals, [Vec3::ZERO, Vec3::Y]);
        assert!(target.tangents.is_empty());
    }

    #[test]
    fn rejects_vertices_beyond_the_mesh_and_out_of_order() {
        let target = |vertices: Vec<u32>| MorphTarget {
            positions: vec![Vec3::X; vertices.len()],
            vertices,
            ..MorphTarget::default()
        };
        assert!(MorphTargets::new(3, vec![target(vec![0, 2])], vec![]).is_ok());
        for bad in [vec![3], vec![1, 1], vec![2, 0]] {
            assert!(matches!(
                MorphTargets::new(3, vec![target(bad)], vec![]),
                Err(MorphError::BadVertex { .. })
            ));
        }
    }

    #[test]
    fn rejects_streams_of_another_length_and_numbers_that_are_not_finite() {
        let target = MorphTarget { vertices: vec![0], ..MorphTarget::default() };
        assert!(matches!(
            MorphTargets::new(1, vec![target], vec![]),
            Err(MorphError::WrongCount { stream: "positions", .. })
        ));
        let nan = MorphTarget { vertices: vec![0], positions: vec![Vec3::NAN], ..MorphTarget::default() };
        assert!(matches!(MorphTargets::new(1, vec![nan], vec![]), Err(MorphError::OutOfRange { .. })));
        assert!(matches!(
            MorphTargets::new(1, vec![MorphTarget::default()], vec![f32::NAN]),
            Err(MorphError::BadWeight { .. })
        ));
    }
}
