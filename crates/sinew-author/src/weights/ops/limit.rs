//! Fewer influences a vertex.

use super::refit::Fit;
use crate::weights::{Edit, EditOutcome, WeightError, error::check_option, table::SlotWeights};

/// Which influences stay when there are too many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LimitBy {
    /// The largest, scaled up to sum to one.
    Size,
    /// Those with which the vertex moves least from where it was in the poses of the edit, with weights fitted to that: by
    /// non-negative least squares, dropping one after the other. Without poses as [`LimitBy::Size`].
    #[default]
    Refit,
}

/// Leaves every selected vertex at most `most` influences. Locked joints stay and count; beside them at least
/// one other joint stays.
///
/// # Errors
/// Where `most` is 0.
pub fn limit(edit: &Edit<'_>, most: usize, by: LimitBy) -> Result<EditOutcome, WeightError> {
    check_option("most", most as f64, most > 0, "at least 1")?;
    let poses = edit.poses().filter(|poses| poses.all().next().is_some());
    edit.for_each_point(|point, shares| {
        if shares.len() <= most {
            return None;
        }
        let (held, mut open): (SlotWeights, SlotWeights) =
            shares.iter().partition(|s| edit.locks().holds(s.0));
        // A vertex is never left to locked joints alone unless they have it all.
        let room = most.saturating_sub(held.len()).max(1);
        if open.len() <= room {
            return None;
        }
        open.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        if let Some(poses) = poses.filter(|_| by == LimitBy::Refit) {
            let place = edit.mesh().positions()[edit.vertex(point)];
            return Some(Fit::new(place, poses, &open).reduce(room));
        }
        open.truncate(room);
        Some(open)
    })
}
