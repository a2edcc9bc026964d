//! One side of the body like the other.

mod places;

pub(super) use places::SpatialCells;
pub use places::VertexMirrorMap;

use crate::weights::{Edit, EditOutcome, WeightError, error::check_option};
use sinew::glam::Vec3;

/// An axis of mesh space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MirrorAxis {
    /// Left and right, where the character looks along z.
    #[default]
    X,
    /// Up and down.
    Y,
    /// Front and back.
    Z,
}

impl MirrorAxis {
    /// The axis' place in a vector.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `place` on the other side of the plane at `middle`.
    pub fn mirrored(self, place: Vec3, middle: f32) -> Vec3 {
        let mut out = place;
        out[self.index()] = 2.0 * middle - place[self.index()];
        out
    }
}

/// Which side is copied to the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MirrorSide {
    /// The side of larger coordinates is copied to the other: for most characters, their left to their right.
    #[default]
    Positive,
    /// The side of smaller coordinates is copied.
    Negative,
}

/// How weights are mirrored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MirrorOptions {
    /// The axis across the plane of symmetry.
    pub axis: MirrorAxis,
    /// Where the plane is on that axis.
    pub middle: f32,
    /// The side that is copied.
    pub from: MirrorSide,
    /// How far a point may be from the mirrored place of its partner, in metres.
    pub tolerance: f32,
}

impl Default for MirrorOptions {
    fn default() -> Self {
        Self { axis: MirrorAxis::X, middle: 0.0, from: MirrorSide::Positive, tolerance: 1e-3 }
    }
}

/// Mirrored weights, and which points had no partner.
#[derive(Clone, Debug, PartialEq)]
pub struct MirrorOutcome {
    /// The weights and what they do.
    pub outcome: EditOutcome,
    /// Points that took their partner's weights.
    pub mirrored: usize,
    /// Points in the middle, which now are the same on both sides.
    pub centered: usize,
    /// The first vertex of every point without a partner: it is left as it was.
    pub unmatched: Vec<u32>,
}

/// Gives every selected point of one side the weights of its partner on the other, with joints exchanged by `map`.
///
/// # Errors
/// Where the map is of another mesh.
pub fn mirror(
    edit: &Edit<'_>,
    map: &VertexMirrorMap,
    options: &MirrorOptions,
) -> Result<MirrorOutcome, WeightError> {
    check_option("tolerance", options.tolerance.into(), options.tolerance >= 0.0, "at least 0")?;
    crate::weights::error::check_count("points of the mirror map", map.point_count(), edit.points().len())?;
    // The other side's joints may have had no weight so far.
    let edit = edit.clone().in_skin_of(map.slot_count());
    let table = edit.table();
    let (mut mirrored, mut centered, mut unmatched) = (0, 0, Vec::new());
    let outcome = edit.for_each_point(|point, shares| {
        let vertex = edit.vertex(point);
        let off = edit.mesh().positions()[vertex][options.axis.index()] - options.middle;
        if off.abs() <= options.tolerance {
            centered += 1;
            return Some(map.balanced(shares));
        }
        if (off > 0.0) == (options.from == MirrorSide::Positive) {
            return None;
        }
        let Some(partner) = map.partner(point) else {
            unmatched.push(vertex as u32);
            return None;
        };
        mirrored += 1;
        Some(table.shares(edit.vertex(partner)).map(|(slot, share)| (map.slot(slot), share)).collect())
    })?;
    Ok(MirrorOutcome { outcome, mirrored, centered, unmatched })
}
