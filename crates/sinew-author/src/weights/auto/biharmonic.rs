//! Biharmonic weights: the smoothest functions of the body's volume that are one on their bone and zero on the others.

mod lattice;

use super::{
    shares::{LEAST, SolvedWeights, SparseWeights, solve_columns},
    sources::Sources,
    system::{Factor, MatrixEntry},
    voxels::Voxels,
};
use crate::{AuthorError, Progress, progress::tell, weights::surface::WeldedSurface};
use lattice::{CellCorners, VoxelLattice};

/// Minimises the squared Laplacian of every joint's weight over the volume, in one factorisation.
///
/// The volume is the cells that the body fills, each cut into six tetrahedra. `L` is the stiffness of linear elements, `M` the
/// volume of each corner; `L M⁻¹ L` is what is minimised, and bones hold it by springs at places along them.
pub(super) fn biharmonic(
    surface: &WeldedSurface,
    sources: &Sources,
    voxels: &Voxels,
    progress: Progress<'_>,
) -> Result<SolvedWeights, AuthorError> {
    let lattice = VoxelLattice::new(voxels);
    let holds = lattice.holds(voxels, sources);
    let mut lower = lattice.squared_laplacian();
    add_springs(&holds.springs, &mut lower);
    tell(progress, 1, 10)?;
    let factor = Factor::new(lattice.len(), &lower);
    drop(lower);
    tell(progress, 5, 10)?;
    let mut shares: Vec<SparseWeights> = vec![Vec::new(); surface.len()];
    if let Some(factor) = factor {
        let columns = sources.slots.len();
        let places: Vec<CellCorners> =
            surface.positions.iter().map(|&place| lattice.corners_at(voxels, place)).collect();
        let fill = |column: usize, right: &mut [f64]| {
            let own = holds.springs.iter().filter(|spring| spring.1 as usize == column);
            own.flat_map(|spring| spring.0).for_each(|(at, share)| right[at] += SPRING * share);
        };
        let take = |column: usize, solution: &[f64]| {
            for (shares, corners) in shares.iter_mut().zip(&places) {
                let value: f64 = corners.iter().map(|&(at, share)| solution[at] * share).sum();
                if value > LEAST {
                    shares.push((column as u32, value.min(1.0)));
                }
            }
        };
        let mut later = |share: f32| progress(0.5 + 0.5 * share);
        solve_columns(&factor, lattice.len(), columns, fill, take, &mut later)?;
    }
    Ok(SolvedWeights { shares, parts_without_source: holds.parts_without_source, cells: lattice.len() })
}

/// Adds what springs at places within tetrahedra hold to the matrix.
fn add_springs(springs: &[(CellCorners, u32)], lower: &mut Vec<MatrixEntry>) {
    for (corners, _) in springs {
        for &(a, share_a) in corners {
            let below = corners.iter().filter(|(b, _)| *b <= a);
            lower.extend(below.map(|&(b, share_b)| MatrixEntry::new(a, b, SPRING * share_a * share_b)));
        }
    }
}

/// How hard a place on a bone holds, in units of a cell.
const SPRING: f64 = 100.0;
