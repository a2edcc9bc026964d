//! Spreads the weight of one joint over a row of joints along a segment.

use super::joints::check_slots;
use crate::weights::{Edit, EditOutcome, WeightError, table::SlotWeights};
use sinew::glam::Vec3;

/// The segment along which a row of joints takes over the weight of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpreadAlong<'a> {
    /// All weight stays before this position, in mesh space.
    pub start: Vec3,
    /// The last joint of the row has all weight beyond this position, in mesh space.
    pub end: Vec3,
    /// The slots of the joints that receive the weight, at even distances.
    pub row: &'a [u16],
    /// The maximum number of influences per vertex afterwards, 0 for no limit. At the limit, the closer of two joints gets all.
    pub max_influences: usize,
}

/// Spread weights, and the points at the influence limit.
#[derive(Clone, Debug, PartialEq)]
pub struct SpreadOutcome {
    /// The new weights with their effect.
    pub outcome: EditOutcome,
    /// The number of points at the limit, for which one joint of two was chosen.
    pub held_points: usize,
}

/// Spreads the weight of joint `from` over the joints of a row, linearly interpolated between adjacent joints of the row. Other
/// joints keep their weights bit-identical.
///
/// # Errors
/// If a joint is not in the skin.
pub fn spread_joint(
    edit: &Edit<'_>,
    from: u16,
    along: &SpreadAlong<'_>,
) -> Result<SpreadOutcome, WeightError> {
    check_slots(edit, &[from])?;
    check_slots(edit, along.row)?;
    let way = along.end - along.start;
    let length = way.length_squared();
    let mut held_points = 0;
    let outcome = edit.for_each_point(|point, slot_weights| {
        let own = slot_weights.iter().find(|s| s.0 == from)?.1;
        let place = edit.mesh().positions()[edit.vertex(point)];
        let passed = if length > 0.0 { (place - along.start).dot(way) / length } else { 1.0 };
        let passed = f64::from(passed).clamp(0.0, 1.0) * along.row.len() as f64;
        let step = (passed.floor() as usize).min(along.row.len().checked_sub(1)?);
        let lower = if step == 0 { from } else { along.row[step - 1] };
        let mut fraction = passed - step as f64;
        let is_full = along.max_influences > 0 && slot_weights.len() >= along.max_influences;
        if is_full && fraction > 0.0 && fraction < 1.0 {
            held_points += 1;
            fraction = fraction.round();
        }
        let parts = [(lower, own * (1.0 - fraction)), (along.row[step], own * fraction)];
        let mut out: SlotWeights = slot_weights.iter().copied().filter(|s| s.0 != from).collect();
        for (slot, part) in parts {
            match out.iter_mut().find(|s| s.0 == slot) {
                Some(same) => same.1 += part,
                None => out.push((slot, part)),
            }
        }
        Some(out)
    })?;
    Ok(SpreadOutcome { outcome, held_points })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(max_influences: usize) -> SpreadOutcome {
        let tube = sinew_samples::tube();
        let edit = Edit::new(&tube.meshes()[0]).unwrap().in_skin_of(4);
        let along = SpreadAlong { start: Vec3::ZERO, end: Vec3::Y * 4.0, row: &[2, 3], max_influences };
        spread_joint(&edit, 0, &along).unwrap()
    }

    #[test]
    fn adjacent_joints_interpolate_and_the_others_keep_their_weights() {
        let tube = sinew_samples::tube();
        let mesh = &tube.meshes()[0];
        let weights = spread(0).outcome.weights;
        for (vertex, place) in mesh.positions().iter().enumerate() {
            let before = mesh.weights().unwrap();
            assert_eq!(weights.weight_of(vertex, 1), before.weight_of(vertex, 1));
            let sum: f32 = weights.of(vertex).1.iter().sum();
            assert_eq!(sum, 1.0);
            let along: f32 =
                [0, 2, 3].iter().zip([0.0, 2.0, 4.0]).map(|(&s, y)| weights.weight_of(vertex, s) * y).sum();
            let want = place.y.clamp(0.0, 4.0) * before.weight_of(vertex, 0);
            assert!((along - want).abs() < 1e-5, "{place}: {along} for {want}");
        }
    }

    #[test]
    fn the_influence_limit_is_kept() {
        assert_eq!((spread(0).outcome.weights.max_influences(), spread(0).held_points), (3, 0));
        let held = spread(2);
        assert_eq!(held.outcome.weights.max_influences(), 2);
        assert!(held.held_points > 0);
    }
}
