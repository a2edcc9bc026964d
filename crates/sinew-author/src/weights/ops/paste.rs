//! Pastes copied weights onto selected vertices.

use super::smooth::{mixed, weighted_sum};
use crate::weights::{Edit, EditOutcome, MuscleSlots, WeightError, error::check_count, table::SlotWeights};
use sinew::Influence;

/// Which of the copied weights a selected vertex gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PasteBy {
    /// One by one, in order: as many vertices must be selected as were copied. A single copied vertex is used for all.
    #[default]
    Order,
    /// The mean of all copied weights.
    Mean,
}

/// Sets the weights of the selected vertices, in ascending order, to those of `copied` vertices.
///
/// All copies of a point get the weights of the first one that is selected. The copied influences of joints in `muscles` are
/// muscle weights; the others are normalized.
///
/// # Errors
/// If counts differ for [`PasteBy::Order`], nothing was copied, or a joint is not in the skin.
pub fn paste(
    edit: &Edit<'_>,
    copied: &[Vec<Influence>],
    muscles: &MuscleSlots,
    by: PasteBy,
) -> Result<EditOutcome, WeightError> {
    let selected = edit.selected_vertices();
    let is_for_all = by == PasteBy::Mean || copied.len() == 1;
    let wanted = if is_for_all { copied.len().max(1) } else { selected.len() };
    check_count("vertices with copied weights", copied.len(), wanted)?;
    let slot_count = edit.slot_count();
    if let Some(bad) = copied.iter().flatten().find(|i| usize::from(i.slot) >= slot_count) {
        return Err(WeightError::NoSuchSlot { slot: bad.slot, slot_count });
    }
    let slot_weights = |vertex: &Vec<Influence>| -> PastedWeights {
        let pairs = vertex.iter().map(|i| (i.slot, f64::from(i.weight)));
        let (muscles, carriers) = pairs.partition(|w: &(u16, f64)| muscles.holds(w.0));
        PastedWeights { carriers, muscles }
    };
    let copied: Vec<PastedWeights> = copied.iter().map(slot_weights).collect();
    let fraction = 1.0 / copied.len() as f64;
    let mean = PastedWeights {
        carriers: mixed(copied.iter().map(|one| (&one.carriers[..], fraction))),
        muscles: weighted_sum(copied.iter().map(|one| (&one.muscles[..], fraction))),
    };
    let mut of_point: Vec<Option<&PastedWeights>> = vec![None; edit.points().len()];
    for (number, &vertex) in selected.iter().enumerate() {
        let point = edit.points().of_vertex()[vertex as usize] as usize;
        of_point[point].get_or_insert(if is_for_all { &mean } else { &copied[number] });
    }
    let outcome = edit.for_each_point(|point, _| Some(of_point[point]?.carriers.clone()))?;
    let has_muscles = !muscles.is_empty();
    let weights = edit.with_muscles(outcome.weights, |point| {
        of_point[point].filter(|_| has_muscles).map(|pasted| pasted.muscles.clone())
    })?;
    Ok(edit.outcome_of(weights))
}

/// The weights of one copied vertex.
struct PastedWeights {
    carriers: SlotWeights,
    muscles: SlotWeights,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::VertexSelection;
    use sinew::Mesh;

    fn influences(mesh: &Mesh, vertices: &[usize]) -> Vec<Vec<Influence>> {
        let weights = mesh.weights().unwrap();
        vertices.iter().map(|v| weights.influences(*v).collect()).collect()
    }

    #[test]
    fn pasting_in_order_gives_each_its_own_and_one_is_for_all() {
        let none = MuscleSlots::default();
        let arm = sinew_samples::arm();
        let mesh = &arm.meshes()[0];
        let last = mesh.vertex_count() - 1;
        let edit = Edit::new(mesh).unwrap().select(VertexSelection::of([0, last as u32]));
        let swapped = paste(&edit, &influences(mesh, &[last, 0]), &none, PasteBy::Order).unwrap();
        assert_eq!(swapped.weights.of(0), mesh.weights().unwrap().of(last));
        assert_eq!(swapped.weights.of(last), mesh.weights().unwrap().of(0));
        let same = paste(&edit, &influences(mesh, &[0]), &none, PasteBy::Order).unwrap();
        assert_eq!(same.weights.of(last), mesh.weights().unwrap().of(0));
    }

    #[test]
    fn the_mean_of_two_joints_is_half_of_each() {
        let none = MuscleSlots::default();
        let arm = sinew_samples::arm();
        let mesh = &arm.meshes()[0];
        let edit = Edit::new(mesh).unwrap().select(VertexSelection::of([3]));
        let copied = [0, 1].map(|slot| vec![Influence { slot, weight: 1.0 }]);
        let outcome = paste(&edit, &copied, &none, PasteBy::Mean).unwrap();
        assert_eq!(outcome.weights.weight_of(3, 0), 0.5);
        assert_eq!(outcome.weights.weight_of(3, 1), 0.5);
    }

    #[test]
    fn rejects_different_counts_and_unknown_joints() {
        let none = MuscleSlots::default();
        let arm = sinew_samples::arm();
        let mesh = &arm.meshes()[0];
        let edit = Edit::new(mesh).unwrap().select(VertexSelection::of([0, 1, 2]));
        assert!(paste(&edit, &influences(mesh, &[0, 1]), &none, PasteBy::Order).is_err());
        assert!(paste(&edit, &[], &none, PasteBy::Order).is_err());
        assert!(paste(&edit, &[], &none, PasteBy::Mean).is_err());
        let nowhere = vec![vec![Influence { slot: 999, weight: 1.0 }]];
        assert!(matches!(paste(&edit, &nowhere, &none, PasteBy::Mean), Err(WeightError::NoSuchSlot { .. })));
    }

    #[test]
    fn muscle_weights_are_pasted_as_they_are() {
        let arm = sinew_samples::arm();
        let mesh = &arm.meshes()[0];
        let edit = Edit::new(mesh).unwrap().in_skin_of(3).select(VertexSelection::of([3]));
        let copied = [vec![Influence { slot: 0, weight: 1.0 }, Influence { slot: 2, weight: -1.5 }]];
        let pasted = paste(&edit, &copied, &MuscleSlots::of([2]), PasteBy::Order).unwrap();
        assert_eq!(pasted.weights.of(3), (&[0][..], &[1.0][..]));
        assert_eq!(pasted.weights.muscle_of(3), (&[2][..], &[-1.5][..]));
    }
}
