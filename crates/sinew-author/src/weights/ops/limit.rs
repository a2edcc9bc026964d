//! Limits the number of influences per vertex.

use super::refit::InfluenceFit;
use crate::weights::{Edit, EditOutcome, WeightError, error::check_option, table::SlotWeights};

/// Which influences stay if there are too many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LimitBy {
    /// The largest ones, normalized to a sum of one.
    Size,
    /// The ones that keep the vertex closest to its positions in the poses of the edit, with weights fitted by non-negative least
    /// squares, dropping one influence at a time. Without poses the same as [`LimitBy::Size`].
    #[default]
    Refit,
}

/// Limits every selected vertex to `max_influences`. Locked joints stay and count, but at least one other joint stays.
/// Muscle weights stay and do not count: they are stored separately.
///
/// # Errors
/// If `max_influences` is 0.
pub fn limit(edit: &Edit<'_>, max_influences: usize, by: LimitBy) -> Result<EditOutcome, WeightError> {
    check_option("max_influences", max_influences as f64, max_influences > 0, "at least 1")?;
    let poses = edit.poses().filter(|poses| poses.all().next().is_some());
    edit.for_each_point(|point, slot_weights| {
        if slot_weights.len() <= max_influences {
            return None;
        }
        let (held, mut open): (SlotWeights, SlotWeights) =
            slot_weights.iter().partition(|s| edit.locks().holds(s.0));
        // A vertex keeps an unlocked joint unless locked joints have all of its weight.
        let room = max_influences.saturating_sub(held.len()).max(1);
        if open.len() <= room {
            return None;
        }
        open.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        if let Some(poses) = poses.filter(|_| by == LimitBy::Refit) {
            return Some(InfluenceFit::new(edit, edit.vertex(point), poses, &open).reduce(room));
        }
        open.truncate(room);
        Some(open)
    })
}
