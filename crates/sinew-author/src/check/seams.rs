//! Seams that open: copies of a point that do not move together.

use super::{Finding, FindingCode, bound::BoundMesh, counted::vertices_do, effect::EffectMeter};

/// Smaller differences of weights are rounding: one step of eight bits is 0.004.
const MIN_DIFFERENCE: f32 = 0.01;

pub(super) fn findings(bound: &BoundMesh<'_>, meter: &EffectMeter<'_>, out: &mut Vec<Finding>) {
    let open = open(bound);
    if open.is_empty() {
        return;
    }
    let first = bound.mesh.points().first_vertex();
    let of_vertex = bound.mesh.points().of_vertex();
    let gap = meter.of_places(bound, &open, |pose, vertex| {
        let copy = first[of_vertex[vertex] as usize] as usize;
        pose.posed(copy, bound.mesh.positions()[copy], bound.weights)
    });
    let message = format!(
        "{} from their copies; the seam opens by up to {:.2} mm",
        vertices_do(open.len(), "differ"),
        gap.max_mm
    );
    out.push(
        Finding::new(FindingCode::SeamOpens, bound.place(open), message)
            .with("gap_mm", gap.max_mm)
            .with_effect(gap),
    );
}

/// Vertices whose weights differ from those of the first copy of their point.
pub(super) fn open(bound: &BoundMesh<'_>) -> Vec<u32> {
    let points = bound.mesh.points();
    let differs = |&(vertex, &point): &(usize, &u32)| {
        let copy = points.first_vertex()[point as usize] as usize;
        copy != vertex && difference(bound, vertex, copy) > MIN_DIFFERENCE
    };
    points.of_vertex().iter().enumerate().filter(differs).map(|(vertex, _)| vertex as u32).collect()
}

/// The total difference between the weights of two vertices, muscle weights included.
fn difference(bound: &BoundMesh<'_>, one: usize, other: usize) -> f32 {
    let weights = bound.weights;
    let own: f32 = weights.influences(one).map(|i| (i.weight - weights.weight_of(other, i.slot)).abs()).sum();
    let missing = weights.influences(other).filter(|i| weights.weight_of(one, i.slot) == 0.0);
    let muscles = |v: usize| weights.muscle_influences(v);
    let swell: f32 = muscles(one).map(|i| (i.weight - weights.muscle_weight_of(other, i.slot)).abs()).sum();
    let missing_swell = muscles(other).filter(|i| weights.muscle_weight_of(one, i.slot) == 0.0);
    own + missing.map(|i| i.weight).sum::<f32>() + swell + missing_swell.map(|i| i.weight.abs()).sum::<f32>()
}
