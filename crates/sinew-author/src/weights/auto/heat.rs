//! Heat diffusion: joints heat the skin that they see, and heat spreads along it.

use super::{
    contact::Contact,
    seen::Visibility,
    shares::{LEAST, SolvedWeights, SparseWeights, solve_columns},
    sources::Sources,
    system::Factor,
};
use crate::{AuthorError, Progress, weights::surface::WeldedSurface};

/// How strongly the nearest joint heats against how strongly skin conducts. At 5 the weights of a well-known program's heat come
/// out, within .02 to .15 (L1) on clean meshes; at 1 they are blurred, .14 to .5 off.
const HEAT: f64 = 5.0;

/// Solves `(L + M H) w = M H p` for all joints at once.
///
/// `p` is 1 for the nearest joint that a point sees, `H` is [`HEAT`] over the squared distance to it. In this form the system is
/// symmetric, and positive definite wherever every body has a source, which [`Seen`] makes sure of.
pub(super) fn heat(
    surface: &WeldedSurface,
    sources: &Sources,
    progress: Progress<'_>,
) -> Result<SolvedWeights, AuthorError> {
    let tree = surface.tree();
    let mut seen = Visibility::new(surface, &tree, sources, &mut |share| progress(0.6 * share))?;
    let contact = Contact::new(surface, &tree, &seen);
    seen.fill_bodies(surface, &contact, sources);
    let areas = surface.point_areas();
    let heat: Vec<f64> =
        seen.strength.iter().zip(&areas).map(|(strength, area)| HEAT * strength * area).collect();
    let mut shares: Vec<SparseWeights> = vec![Vec::new(); surface.len()];
    let mut edges = surface.cotangent_edges();
    edges.extend(contact.edges.iter().map(|&(from, to, each)| (from, to, each * areas[from as usize])));
    if let Some(factor) = Factor::of_graph(&edges, heat.clone()) {
        let columns = sources.slots.len();
        let by_column = seen.by_column(columns);
        let fill = |column: usize, right: &mut [f64]| {
            by_column[column]
                .iter()
                .for_each(|&(point, share)| right[point as usize] = share * heat[point as usize]);
        };
        let take = |column: usize, solution: &[f64]| {
            let some = solution.iter().enumerate().filter(|(_, value)| **value > LEAST);
            some.for_each(|(point, &value)| shares[point].push((column as u32, value)));
        };
        let mut later = |share: f32| progress(0.75 + 0.25 * share);
        solve_columns(&factor, surface.len(), columns, fill, take, &mut later)?;
    }
    Ok(SolvedWeights { shares, parts_without_source: seen.parts_without_source, cells: 0 })
}
