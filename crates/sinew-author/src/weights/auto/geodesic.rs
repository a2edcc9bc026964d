//! Geodesic voxel binding: weights from the distance to each bone through the inside of the body.
//!
//! After Olivier Dionne and Martin de Lasa, 2013, "Geodesic Voxel Binding for Production Character Meshes".

mod walk;

use super::{
    heat_sources::HeatSources,
    solved_weights::{SolvedWeights, SparseWeights},
    voxels::Voxels,
};
use crate::{AuthorError, Progress, progress::tell, weights::surface::WeldedSurface};
use walk::GeodesicWalk;

/// A path is followed only up to this many times the distance to the nearest bone; beyond, the weight is under a thousandth.
const REACH: f64 = 3.5;

/// The falloff of weight with distance, relative to the nearest bone: `(nearest / distance)^FALL`.
const FALL: f64 = 6.0;

/// How many joints a cell is measured from, the nearest ones. Without a limit, thousands of joints in one place would each
/// walk through the whole body.
const KEPT: usize = 32;

/// Finds the distances from the nearest bones, cell by cell, and compares them at each point.
pub(super) fn geodesic(
    surface: &WeldedSurface,
    sources: &HeatSources,
    voxels: &Voxels,
    progress: Progress<'_>,
) -> Result<SolvedWeights, AuthorError> {
    let mut nearest = GeodesicWalk::new(voxels, 1);
    nearest.go(sources, |_| f64::INFINITY, &mut |done| progress(0.2 * done))?;
    let limit = |cell: usize| nearest.shortest(cell).max(voxels.size) * REACH;
    let mut walk = GeodesicWalk::new(voxels, KEPT);
    walk.go(sources, limit, &mut |done| progress(0.2 + 0.6 * done))?;
    tell(progress, 8, 10)?;
    let mut ways: Vec<SparseWeights> = walk.lengths_at(&surface.positions, sources.slots.len());
    for (ways, &place) in ways.iter_mut().zip(&surface.positions) {
        if ways.is_empty() {
            // No path through the body leads here, so the straight distance counts.
            ways.extend(sources.distances(place));
        }
        let shortest = ways.iter().map(|w| w.1).fold(f64::INFINITY, f64::min).max(1e-9);
        ways.iter_mut().for_each(|way| way.1 = (shortest / way.1.max(shortest)).powf(FALL));
    }
    tell(progress, 1, 1)?;
    Ok(SolvedWeights { weights: ways, parts_without_source: 0, cells: walk.cell_count() })
}
