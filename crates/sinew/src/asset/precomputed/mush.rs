//! Precomputed data of delta mush (Mancewicz et al. 2014, "Delta Mush: Smoothing Deformations While Preserving Detail").

use super::{PrecomputedError, check_count, check_finite, check_indices, check_ranges};
use glam::{Vec2, Vec3};

/// The lists of a [`DeltaMushData`], the input of [`DeltaMushData::new`].
///
/// A point stands for all vertices at one position, so that the surface does not open at its seams.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MushParts {
    /// Number of smoothing iterations.
    pub iterations: u32,
    /// Step of each iteration towards the mean of the neighbors, 0 to 1.
    pub step: f32,
    /// The point of every vertex.
    pub point_of_vertex: Vec<u32>,
    /// The vertex of every point whose weights move it.
    pub vertex_of_point: Vec<u32>,
    /// Point p's neighbors are `neighbors[first[p]..first[p + 1]]`; a point without any is not smoothed.
    pub first: Vec<u32>,
    /// Neighbors of all points, one after the other.
    pub neighbors: Vec<u32>,
    /// Weight of the edge to each neighbor in the two tangents of the point.
    pub edge_weights: Vec<Vec2>,
    /// The two tangents of the smoothed rest surface.
    pub rest_tangents: Vec<[Vec3; 2]>,
    /// Positions of the points at rest, mesh space.
    pub rest: Vec<Vec3>,
    /// Positions at rest after smoothing; the difference is the detail that is restored on the posed surface.
    pub smoothed: Vec<Vec3>,
}

/// Neighbors, tangent frames and the detail that delta mush restores after smoothing.
#[derive(Clone, Debug, PartialEq)]
pub struct DeltaMushData {
    parts: MushParts,
}

/// With more iterations a frame would take minutes: such data is a mistake or an attack.
const MAX_ITERATIONS: u32 = 1000;

impl DeltaMushData {
    /// Checks `parts` and builds the data from them.
    ///
    /// # Errors
    /// If lists differ in length, an index or a range is invalid, or a number is not finite or out of range.
    pub fn new(parts: MushParts) -> Result<Self, PrecomputedError> {
        let points = parts.vertex_of_point.len();
        let bad = |what, value, wanted| Err(PrecomputedError::BadValue { what, at: 0, value, wanted });
        if parts.iterations > MAX_ITERATIONS {
            return bad("mush iterations", parts.iterations as f32, "at most 1000");
        }
        if !(0.0..=1.0).contains(&parts.step) {
            return bad("mush step", parts.step, "between 0 and 1");
        }
        check_indices("mush points", parts.point_of_vertex.iter().copied(), points)?;
        check_indices("mush vertices", parts.vertex_of_point.iter().copied(), parts.point_of_vertex.len())?;
        check_count("mush ranges", parts.first.len(), points + 1)?;
        check_ranges("mush ranges", &parts.first, parts.neighbors.len())?;
        check_indices("mush neighbors", parts.neighbors.iter().copied(), points)?;
        check_count("mush edge weights", parts.edge_weights.len(), parts.neighbors.len())?;
        check_count("mush tangents", parts.rest_tangents.len(), points)?;
        check_count("mush rest", parts.rest.len(), points)?;
        check_count("mush smoothed", parts.smoothed.len(), points)?;
        check_finite("mush edge weights", parts.edge_weights.iter().flat_map(Vec2::to_array))?;
        check_finite("mush tangents", parts.rest_tangents.iter().flatten().flat_map(Vec3::to_array))?;
        check_finite("mush rest", parts.rest.iter().flat_map(Vec3::to_array))?;
        check_finite("mush smoothed", parts.smoothed.iter().flat_map(Vec3::to_array))?;
        Ok(Self { parts })
    }

    /// The lists that it was made from.
    pub fn parts(&self) -> &MushParts {
        &self.parts
    }

    /// Number of vertices of the mesh.
    pub fn vertex_count(&self) -> usize {
        self.parts.point_of_vertex.len()
    }

    /// Number of points with distinct positions.
    pub fn point_count(&self) -> usize {
        self.parts.vertex_of_point.len()
    }

    /// The neighbors of a point, each with the weight of its edge in the point's tangents.
    pub fn ring(&self, point: usize) -> impl ExactSizeIterator<Item = (u32, Vec2)> + '_ {
        let range = self.parts.first[point] as usize..self.parts.first[point + 1] as usize;
        self.parts.neighbors[range.clone()]
            .iter()
            .copied()
            .zip(self.parts.edge_weights[range].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> MushParts {
        MushParts {
            iterations: 2,
            step: 0.5,
            point_of_vertex: vec![0, 1, 1],
            vertex_of_point: vec![0, 1],
            first: vec![0, 1, 2],
            neighbors: vec![1, 0],
            edge_weights: vec![Vec2::X; 2],
            rest_tangents: vec![[Vec3::X, Vec3::Y]; 2],
            rest: vec![Vec3::ZERO; 2],
            smoothed: vec![Vec3::ZERO; 2],
        }
    }

    #[test]
    fn refuses_everything_that_does_not_fit() {
        assert!(DeltaMushData::new(pair()).is_ok());
        type Damage = fn(&mut MushParts);
        let damages: [Damage; 10] = [
            |p| p.iterations = u32::MAX,
            |p| p.step = f32::NAN,
            |p| p.point_of_vertex[1] = 2,
            |p| p.vertex_of_point[0] = 3,
            |p| p.first[1] = 9,
            |p| p.neighbors[0] = 2,
            |p| p.edge_weights.truncate(1),
            |p| p.rest_tangents[0][1].x = f32::INFINITY,
            |p| p.rest.clear(),
            |p| p.smoothed[1].z = f32::NAN,
        ];
        for (at, damage) in damages.into_iter().enumerate() {
            let mut parts = pair();
            damage(&mut parts);
            assert!(DeltaMushData::new(parts).is_err(), "damage {at}");
        }
    }
}
