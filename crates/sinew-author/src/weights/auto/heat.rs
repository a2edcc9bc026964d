//! Bone heat: bones heat the skin from which they are visible, and heat diffuses over the skin.
//!
//! After Ilya Baran and Jovan Popović, 2007, "Automatic Rigging and Animation of 3D Characters".

use super::{
    AutoMethod,
    contact::Contact,
    heat_sources::HeatSources,
    solved_weights::{MIN_WEIGHT, SolvedWeights, SparseWeights, solve_columns, used_columns},
    system::Factor,
    visibility::Visibility,
};
use crate::{AuthorError, Progress, weights::surface::WeldedSurface};

/// The strength of the nearest bone relative to the conductivity of skin. At 5 the weights match those of a well-known program
/// within 0.02 to 0.15 (L1) on clean meshes; at 1 they are blurred and differ by 0.14 to 0.5.
const HEAT: f64 = 5.0;

/// Solves `(L + M H) w = M H p` for all joints at once.
///
/// `p` is 1 for the nearest joint that is visible from a point, and `H` is [`HEAT`] over the squared distance to it. In this form
/// the system is symmetric, and positive definite because [`Visibility`] ensures that every body has a source.
pub(super) fn heat(
    surface: &WeldedSurface,
    sources: &HeatSources,
    progress: Progress<'_>,
) -> Result<SolvedWeights, AuthorError> {
    let tree = surface.tree();
    let mut visibility = Visibility::new(surface, &tree, sources, &mut |fraction| progress(0.6 * fraction))?;
    let contact = Contact::new(surface, &tree, &visibility);
    visibility.fill_bodies(surface, &contact, sources);
    let areas = surface.point_areas();
    let heat: Vec<f64> =
        visibility.strength.iter().zip(&areas).map(|(strength, area)| HEAT * strength * area).collect();
    let mut weights: Vec<SparseWeights> = vec![Vec::new(); surface.len()];
    let mut edges = surface.cotangent_edges();
    edges.extend(contact.edges.iter().map(|&(from, to, each)| (from, to, each * areas[from as usize])));
    if let Some(factor) = Factor::of_graph(&edges, heat.clone()) {
        let by_column = visibility.by_column(sources.slots.len());
        let used = used_columns(&by_column, AutoMethod::Heat)?;
        let fill = |column: usize, right: &mut [f64]| {
            by_column[column]
                .iter()
                .for_each(|&(point, fraction)| right[point as usize] = fraction * heat[point as usize]);
        };
        let take = |column: usize, solution: &[f64]| {
            let some = solution.iter().enumerate().filter(|(_, value)| **value > MIN_WEIGHT);
            some.for_each(|(point, &value)| weights[point].push((column as u32, value)));
        };
        let mut later = |fraction: f32| progress(0.75 + 0.25 * fraction);
        solve_columns(&factor, surface.len(), &used, fill, take, &mut later)?;
    }
    Ok(SolvedWeights { weights, parts_without_source: visibility.parts_without_source, cells: 0 })
}
