//! Pastes copied weights onto selected vertices.

use super::smooth::mixed;
use crate::weights::{Edit, EditOutcome, WeightError, error::check_count, table::SlotWeights};
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
/// All copies of a point get the weights of the first one that is selected.
///
/// # Errors
/// If counts differ for [`PasteBy::Order`], nothing was copied, or a joint is not in the skin.
pub fn paste(edit: &Edit<'_>, copied: &[Vec<Influence>], by: PasteBy) -> Result<EditOutcome, WeightError> {
    let selected = edit.selected_vertices();
    let is_for_all = by == PasteBy::Mean || copied.len() == 1;
    let wanted = if is_for_all { copied.len().max(1) } else { selected.len() };
    check_count("vertices with copied weights", copied.len(), wanted)?;
    let slot_count = edit.slot_count();
    if let Some(bad) = copied.iter().flatten().find(|i| usize::from(i.slot) >= slot_count) {
        return Err(WeightError::NoSuchSlot { slot: bad.slot, slot_count });
    }
    let slot_weights =
        |vertex: &Vec<Influence>| vertex.iter().map(|i| (i.slot, f64::from(i.weight))).collect();
    let copied: Vec<SlotWeights> = copied.iter().map(slot_weights).collect();
    let mean = mixed(copied.iter().map(|slot_weights| (&slot_weights[..], 1.0 / copied.len() as f64)));
    let mut of_point: Vec<Option<&SlotWeights>> = vec![None; edit.points().len()];
    for (number, &vertex) in selected.iter().enumerate() {
        let point = edit.points().of_vertex()[vertex as usize] as usize;
        of_point[point].get_or_insert(if is_for_all { &mean } else { &copied[number] });
    }
    edit.for_each_point(|point, _| of_point[point].cloned())
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
        let arm = sinew_samples::arm();
        let mesh = &arm.meshes()[0];
        let last = mesh.vertex_count() - 1;
        let edit = Edit::new(mesh).unwrap().select(VertexSelection::of([0, last as u32]));
        let swapped = paste(&edit, &influences(mesh, &[last, 0]), PasteBy::Order).unwrap();
        assert_eq!(swapped.weights.of(0), mesh.weights().unwrap().of(last));
        assert_eq!(swapped.weights.of(last), mesh.weights().unwrap().of(0));
        let same = paste(&edit, &influences(mesh, &[0]), PasteBy::Order).unwrap();
        assert_eq!(same.weights.of(last), mesh.weights().unwrap().of(0));
    }

    #[test]
    fn the_mean_of_two_joints_is_half_of_each() {
        let arm = sinew_samples::arm();
        let mesh = &arm.meshes()[0];
        let edit = Edit::new(mesh).unwrap().select(VertexSelection::of([3]));
        let copied = [0, 1].map(|slot| vec![Influence { slot, weight: 1.0 }]);
        let outcome = paste(&edit, &copied, PasteBy::Mean).unwrap();
        assert_eq!(outcome.weights.weight_of(3, 0), 0.5);
        assert_eq!(outcome.weights.weight_of(3, 1), 0.5);
    }

    #[test]
    fn rejects_different_counts_and_unknown_joints() {
        let arm = sinew_samples::arm();
        let mesh = &arm.meshes()[0];
        let edit = Edit::new(mesh).unwrap().select(VertexSelection::of([0, 1, 2]));
        assert!(paste(&edit, &influences(mesh, &[0, 1]), PasteBy::Order).is_err());
        assert!(paste(&edit, &[], PasteBy::Order).is_err());
        assert!(paste(&edit, &[], PasteBy::Mean).is_err());
        let nowhere = vec![vec![Influence { slot: 999, weight: 1.0 }]];
        assert!(matches!(paste(&edit, &nowhere, PasteBy::Mean), Err(WeightError::NoSuchSlot { .. })));
    }
}
