//! Biharmonic weights: the smoothest functions in the volume of the body that are one on their bone and zero on the others.
//!
//! After Alec Jacobson, Ilya Baran, Jovan Popović and Olga Sorkine, 2011, "Bounded Biharmonic Weights for Real-Time Deformation",
//! without the bounds as constraints: negative weights are cut off afterwards.

mod lattice;

use super::{
    AutoMethod,
    heat_sources::HeatSources,
    solved_weights::{MIN_WEIGHT, SolvedWeights, SparseWeights, solve_columns, used_columns},
    system::{Factor, MatrixEntry},
    voxels::Voxels,
};
use crate::{AuthorError, Progress, progress::tell, weights::surface::WeldedSurface};
use lattice::{CellCorners, VoxelLattice};

/// Minimizes the squared Laplacian of each joint's weight over the volume, with one factorization for all joints.
///
/// The volume consists of the cells inside the body, each cut into six tetrahedra. `L` is the stiffness matrix of linear
/// elements and `M` the volume of each corner. The energy `L M⁻¹ L` is minimized, with springs along the bones that hold the
/// weights there.
pub(super) fn biharmonic(
    surface: &WeldedSurface,
    sources: &HeatSources,
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
    let mut weights: Vec<SparseWeights> = vec![Vec::new(); surface.len()];
    if let Some(factor) = factor {
        let columns = sources.slots.len();
        let places: Vec<CellCorners> =
            surface.positions.iter().map(|&place| lattice.corners_at(voxels, place)).collect();
        let mut by_column: Vec<Vec<CellCorners>> = vec![Vec::new(); columns];
        holds.springs.iter().for_each(|&(corners, column)| by_column[column as usize].push(corners));
        let used = used_columns(&by_column, AutoMethod::Biharmonic)?;
        let fill = |column: usize, right: &mut [f64]| {
            let own = by_column[column].iter().flatten();
            own.for_each(|&(at, fraction)| right[at] += SPRING * fraction);
        };
        let take = |column: usize, solution: &[f64]| {
            for (of_point, corners) in weights.iter_mut().zip(&places) {
                let value: f64 = corners.iter().map(|&(at, fraction)| solution[at] * fraction).sum();
                if value > MIN_WEIGHT {
                    of_point.push((column as u32, value.min(1.0)));
                }
            }
        };
        let mut later = |fraction: f32| progress(0.5 + 0.5 * fraction);
        solve_columns(&factor, lattice.len(), &used, fill, take, &mut later)?;
    }
    Ok(SolvedWeights { weights, parts_without_source: holds.parts_without_source, cells: lattice.len() })
}

/// Adds springs at points within tetrahedra to the matrix.
fn add_springs(springs: &[(CellCorners, u32)], lower: &mut Vec<MatrixEntry>) {
    for (corners, _) in springs {
        for &(a, share_a) in corners {
            let below = corners.iter().filter(|(b, _)| *b <= a);
            lower.extend(below.map(|&(b, share_b)| MatrixEntry::new(a, b, SPRING * share_a * share_b)));
        }
    }
}

/// The stiffness of a spring at a point of a bone, in units of a cell.
const SPRING: f64 = 100.0;
