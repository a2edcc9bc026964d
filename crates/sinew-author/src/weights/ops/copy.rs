//! Weights taken over from another mesh, vertex by vertex.

use super::{SlotMap, mirror::SpatialCells};
use crate::weights::{Edit, EditOutcome, WeightError, WeightTable, error::check_count};
use sinew::{Mesh, Weights, glam::Vec3};

/// How a vertex finds the one whose weights it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CopyBy {
    /// The vertex of the same number; both meshes must have as many.
    Order,
    /// The nearest vertex, no further than this many metres.
    Position {
        /// The furthest, in metres.
        tolerance: f32,
    },
    /// The vertex nearest in texture space, no further than this.
    Uv {
        /// The texture coordinate set of both meshes.
        set: usize,
        /// The furthest, in units of the texture.
        tolerance: f32,
    },
}

/// Copied weights, and which points found nothing to copy.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyOutcome {
    /// The weights and what they do.
    pub outcome: EditOutcome,
    /// The first vertex of every selected point that found no vertex: it is left as it was.
    pub unmatched: Vec<u32>,
}

/// Gives every selected point the weights of its counterpart in `source`.
///
/// # Errors
/// Where counts differ for [`CopyBy::VertexOrder`], or a mesh has no such texture coordinates.
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
        Some(slots.apply(table.shares(from)))
    })?;
    Ok(CopyOutcome { outcome, unmatched })
}

type Find<'a> = Box<dyn Fn(usize) -> Option<usize> + 'a>;

fn finder<'a>(target: &'a Mesh, source: &'a Mesh, by: CopyBy) -> Result<Find<'a>, WeightError> {
    match by {
        CopyBy::Order => {
            check_count("vertices of the source", source.vertex_count(), target.vertex_count())?;
            Ok(Box::new(Some))
        }
        CopyBy::Position { tolerance } => {
            Ok(nearest(source.positions().to_vec(), target.positions().to_vec(), tolerance))
        }
        CopyBy::Uv { set, tolerance } => {
            let places = |mesh: &Mesh| -> Result<Vec<Vec3>, WeightError> {
                let missing =
                    || WeightError::Missing { mesh: mesh.name().into(), what: "such texture coordinates" };
                Ok(mesh.uv_sets().get(set).ok_or_else(missing)?.iter().map(|uv| uv.extend(0.0)).collect())
            };
            Ok(nearest(places(source)?, places(target)?, tolerance))
        }
    }
}

fn nearest<'a>(from: Vec<Vec3>, to: Vec<Vec3>, tolerance: f32) -> Find<'a> {
    let reach = tolerance.max(0.0);
    let cells = SpatialCells::new(&from, reach);
    Box::new(move |vertex| Some(cells.nearest(&from, *to.get(vertex)?, reach)? as usize))
}
