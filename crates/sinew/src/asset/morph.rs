//! Shapes that are added to a mesh before it is skinned.

use glam::Vec3;
use thiserror::Error;

/// One shape, as differences from the mesh at the vertices that it moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// What the file calls it, possibly empty.
    pub name: String,
    /// The vertices it moves, in rising order.
    pub vertices: Vec<u32>,
    /// The position difference of each of `vertices`, in mesh space.
    pub positions: Vec<Vec3>,
    /// The normal difference of each, or empty where the shape leaves normals alone.
    pub normals: Vec<Vec3>,
    /// The tangent difference of each, or empty where the shape leaves tangents alone.
    pub tangents: Vec<Vec3>,
}

impl MorphTarget {
    /// A target from one difference a vertex; vertices that it leaves alone are dropped.
    ///
    /// `normals` and `tangents` may be empty. Slices of another length than `positions` are read as far as they go.
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

/// The shapes of one mesh and the weights they have when nothing animates them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTargets {
    targets: Vec<MorphTarget>,
    rest_weights: Vec<f32>,
}

/// Why shapes do not fit.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MorphError {
    /// A stream is not as long as the vertex list.
    #[error("morph target {target}: {stream} has {count} entries for {vertices} vertices")]
    WrongCount {
        /// The target's place.
        target: usize,
        /// Which stream.
        stream: &'static str,
        /// Its length.
        count: usize,
        /// How many vertices the target moves.
        vertices: usize,
    },
    /// A vertex that the mesh does not have, or a list that does not rise.
    #[error("morph target {target} moves vertex {vertex}, out of order or beyond {vertex_count}")]
    BadVertex {
        /// The target's place.
        target: usize,
        /// The offending vertex.
        vertex: u32,
        /// How many vertices the mesh has.
        vertex_count: usize,
    },
    /// A difference is NaN or infinite.
    #[error("morph target {target}: the difference of vertex {vertex} is not finite")]
    NotFinite {
        /// The target's place.
        target: usize,
        /// The vertex.
        vertex: u32,
    },
    /// One rest weight a target is needed.
    #[error("{targets} morph targets but {weights} weights")]
    WrongWeightCount {
        /// How many targets there are.
        targets: usize,
        /// How many weights were given.
        weights: usize,
    },
    /// A rest weight is NaN or infinite.
    #[error("the rest weight of morph target {target} is {weight}")]
    BadWeight {
        /// The target's place.
        target: usize,
        /// What was given.
        weight: f32,
    },
}

impl MorphTargets {
    /// Targets for a mesh of `vertex_count` vertices; `rest_weights` may be empty for all zero.
    ///
    /// # Errors
    /// Where stream lengths differ, a vertex is out of order or range, or a number is not finite.
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
        if let Some(target) = rest_weights.iter().position(|w| !w.is_finite()) {
            return Err(MorphError::BadWeight { target, weight: rest_weights[target] });
        }
        Ok(Self { targets, rest_weights })
    }

    /// How many targets there are.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// True for a mesh without targets.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Every target.
    pub fn targets(&self) -> &[MorphTarget] {
        &self.targets
    }

    /// The weight of each target when nothing animates it.
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
        if let Some(k) = values.iter().position(|v| !v.is_finite()) {
            return Err(MorphError::NotFinite { target: index, vertex: target.vertices[k] });
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
        assert!(matches!(MorphTargets::new(1, vec![nan], vec![]), Err(MorphError::NotFinite { .. })));
        assert!(matches!(
            MorphTargets::new(1, vec![MorphTarget::default()], vec![f32::NAN]),
            Err(MorphError::BadWeight { .. })
        ));
    }
}
