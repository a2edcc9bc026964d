//! Copies weights from another mesh, vertex by vertex.

use super::SlotMap;
use crate::weights::{
    Edit, EditOutcome, MuscleSlots, TriangleTree, WeightError, WeightTable, error::check_count,
    muscle_slots::muscle_weights,
};
use sinew::{
    Mesh, Weights, WeldedPoints,
    glam::{DVec3, Vec3},
};

/// How a vertex finds its counterpart in the other mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CopyBy {
    /// The vertex with the same index. Both meshes must have equally many.
    Order,
    /// The nearest vertex within a distance.
    Position {
        /// The maximum distance, in meters.
        tolerance: f32,
    },
    /// The nearest vertex in texture space within a distance.
    Uv {
        /// The texture coordinate set of both meshes.
        set: usize,
        /// The maximum distance, in texture coordinates.
        tolerance: f32,
    },
}

/// Copied weights, and the points without a counterpart.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyOutcome {
    /// The new weights with their effect.
    pub outcome: EditOutcome,
    /// The first vertex of each selected point without a counterpart. It is not changed.
    pub unmatched: Vec<u32>,
}

/// Copies the weights of its counterpart in `source` to every selected point. Muscle weights are copied for muscles that both
/// skins have.
///
/// # Errors
/// If counts differ for [`CopyBy::Order`], or a mesh has no such texture coordinates.
pub fn copy(
    edit: &Edit<'_>,
    source: &Mesh,
    source_weights: &Weights,
    slots: &SlotMap,
    by: CopyBy,
) -> Result<CopyOutcome, WeightError> {
    check_count("vertices with weights", source_weights.vertex_count(), source.vertex_count())?;
    let edit = edit.clone().in_skin_of(slots.slot_count());
    let find = finder(edit.mesh(), source, by)?;
    let table = WeightTable::new(source_weights, source_weights.slot_count());
    let mut unmatched = Vec::new();
    let outcome = edit.for_each_point(|point, _| {
        let vertex = edit.vertex(point);
        let Some(from) = find(vertex) else {
            unmatched.push(vertex as u32);
            return None;
        };
        Some(slots.apply(table.slot_weights(from)))
    })?;
    let taken: MuscleSlots = slots.muscles_of(source_weights);
    let weights = edit.with_muscles(outcome.weights, |point| {
        let vertex = edit.vertex(point);
        let from = find(vertex).filter(|_| !taken.is_empty())?;
        let given = slots.apply_to_muscles(&muscle_weights(source_weights, from));
        Some(taken.replaced(edit.weights(), vertex, given))
    })?;
    Ok(CopyOutcome { outcome: edit.outcome_of(weights), unmatched })
}

type Find<'a> = Box<dyn Fn(usize) -> Option<usize> + 'a>;

fn finder<'a>(target: &'a Mesh, source: &'a Mesh, by: CopyBy) -> Result<Find<'a>, WeightError> {
    match by {
        CopyBy::Order => {
            check_count("vertices of the source", source.vertex_count(), target.vertex_count())?;
            Ok(Box::new(Some))
        }
        CopyBy::Position { tolerance } => {
            Ok(nearest(source.positions(), target.positions().to_vec(), tolerance))
        }
        CopyBy::Uv { set, tolerance } => {
            let places = |mesh: &Mesh| -> Result<Vec<Vec3>, WeightError> {
                let missing =
                    || WeightError::Missing { mesh: mesh.name().into(), what: "such texture coordinates" };
                Ok(mesh.uv_sets().get(set).ok_or_else(missing)?.iter().map(|uv| uv.extend(0.0)).collect())
            };
            Ok(nearest(&places(source)?, places(target)?, tolerance))
        }
    }
}

fn nearest<'a>(from: &[Vec3], to: Vec<Vec3>, tolerance: f32) -> Find<'a> {
    let reach = tolerance.max(0.0);
    // Of vertices in one place the first counts.
    let first = WeldedPoints::by_position(from).first_vertex().to_vec();
    let places: Vec<DVec3> = first.iter().map(|&v| from[v as usize].as_dvec3()).collect();
    let tree = TriangleTree::of_points(&places);
    Box::new(move |vertex| {
        let near = tree.nearest(to.get(vertex)?.as_dvec3(), f64::from(reach), |_| true)?;
        Some(first[near.triangle as usize] as usize)
    })
}
