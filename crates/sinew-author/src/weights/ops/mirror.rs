//! Mirrors the weights of one side of the body to the other.

mod joint_map;
mod joint_map_text;
mod places;
mod surface;

pub use joint_map::MirrorJointMap;
pub use joint_map_text::MirrorMapError;
pub(crate) use places::JointPairs;
pub use places::VertexMirrorMap;
pub use surface::mirror_over_surface;

use super::smooth::weighted_sum;
use crate::weights::{
    Edit, EditOutcome, WeightError, error::check_option, muscle_slots::muscle_weights, table::SlotWeights,
};
use sinew::{Mesh, WeightSum, glam::Vec3};

/// An axis of mesh space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MirrorAxis {
    /// Left and right, for a character that looks along z.
    #[default]
    X,
    /// The vertical axis, up and down.
    Y,
    /// The axis of front and back.
    Z,
}

impl MirrorAxis {
    /// The index of the axis in a vector.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `place` mirrored at the plane at `middle`.
    #[must_use]
    pub fn mirrored(self, place: Vec3, middle: f32) -> Vec3 {
        let mut out = place;
        out[self.index()] = 2.0 * middle - place[self.index()];
        out
    }
}

/// Which side is copied to the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MirrorSide {
    /// The side of larger coordinates is copied: for most characters, their left to their right.
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
    /// The coordinate of the plane on that axis, in mesh space.
    pub middle: f32,
    /// The side that is copied to the other.
    pub from: MirrorSide,
    /// The maximum distance of a point from the mirrored position of its partner, or from the mirrored surface, in units of
    /// mesh space.
    pub tolerance: f32,
}

impl Default for MirrorOptions {
    fn default() -> Self {
        Self { axis: MirrorAxis::X, middle: 0.0, from: MirrorSide::Positive, tolerance: 1e-3 }
    }
}

/// Where a point lies relative to the plane of symmetry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PointSide {
    /// On the side that is copied.
    Source,
    /// In the plane, within the tolerance.
    Middle,
    /// On the side that is changed.
    Target,
}

/// The usual tolerance of mirroring over the surface, as a fraction of the diagonal of the mesh.
const SURFACE_TOLERANCE: f32 = 0.02;

impl MirrorOptions {
    /// The usual options of [`mirror_over_surface`]: a tolerance of 2 % of the diagonal of `mesh`.
    #[must_use]
    pub fn over_surface_of(mesh: &Mesh) -> Self {
        let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (low, high) = mesh.positions().iter().fold(start, |(l, h), p| (l.min(*p), h.max(*p)));
        let diagonal = if low.is_finite() && high.is_finite() { low.distance(high) } else { 0.0 };
        Self { tolerance: SURFACE_TOLERANCE * diagonal, ..Self::default() }
    }

    fn side_of(&self, edit: &Edit<'_>, point: usize) -> PointSide {
        let off = edit.mesh().positions()[edit.vertex(point)][self.axis.index()] - self.middle;
        match (off > 0.0) == (self.from == MirrorSide::Positive) {
            _ if off.abs() <= self.tolerance => PointSide::Middle,
            true => PointSide::Source,
            false => PointSide::Target,
        }
    }
}

/// Mirrored weights, and the points without a partner.
#[derive(Clone, Debug, PartialEq)]
pub struct MirrorOutcome {
    /// The new weights with their effect.
    pub outcome: EditOutcome,
    /// The number of points that took the weights of their partner.
    pub mirrored: usize,
    /// The number of points in the middle, whose weights are now symmetric.
    pub centered: usize,
    /// The first vertex of each point without a partner. It is not changed.
    pub unmatched: Vec<u32>,
}

/// Copies the weights of its partner to every selected point of the other side, with joints exchanged by `map`.
///
/// Muscle weights are mirrored too. A muscle of one side without a partner on the other keeps its weights.
///
/// # Errors
/// If the map belongs to another mesh.
pub fn mirror(
    edit: &Edit<'_>,
    map: &VertexMirrorMap,
    options: &MirrorOptions,
) -> Result<MirrorOutcome, WeightError> {
    check_option("tolerance", options.tolerance.into(), options.tolerance >= 0.0, "at least 0")?;
    crate::weights::error::check_count("points of the mirror map", map.point_count(), edit.points().len())?;
    // The joints of the other side may have no weight yet.
    let edit = edit.clone().in_skin_of(map.slot_count());
    let table = edit.table();
    let (mut mirrored, mut centered, mut unmatched) = (0, 0, Vec::new());
    let outcome = edit.for_each_point(|point, slot_weights| {
        match options.side_of(&edit, point) {
            PointSide::Middle => {
                centered += 1;
                return Some(map.balanced(slot_weights));
            }
            PointSide::Source => return None,
            PointSide::Target => {}
        }
        let Some(partner) = map.partner(point) else {
            unmatched.push(edit.vertex(point) as u32);
            return None;
        };
        mirrored += 1;
        Some(
            table
                .slot_weights(edit.vertex(partner))
                .map(|(slot, fraction)| (map.slot(slot), fraction))
                .collect(),
        )
    })?;
    let weights = edit.with_muscles(outcome.weights, |point| mirrored_muscles(&edit, map, options, point))?;
    Ok(MirrorOutcome { outcome: edit.outcome_of(weights), mirrored, centered, unmatched })
}

/// The muscle weights of a point after mirroring; `None` if it is on the side that is copied or has no partner.
fn mirrored_muscles(
    edit: &Edit<'_>,
    map: &VertexMirrorMap,
    options: &MirrorOptions,
    point: usize,
) -> Option<SlotWeights> {
    let weights = edit.weights();
    let side = (weights.sum_kind() == WeightSum::Muscle).then(|| options.side_of(edit, point))?;
    let vertex = edit.vertex(point);
    let is_paired = |w: &(u16, f64)| !map.unpaired().contains(&w.0);
    let (paired, mut out): (SlotWeights, SlotWeights) =
        muscle_weights(weights, vertex).into_iter().partition(is_paired);
    let image = |slot_weights: SlotWeights| -> SlotWeights {
        let paired = slot_weights.into_iter().filter(is_paired);
        paired.map(|(slot, weight)| (map.slot(slot), weight)).collect()
    };
    match side {
        PointSide::Source => return None,
        PointSide::Middle => {
            let image = image(paired.clone());
            out.extend(weighted_sum([(&paired[..], 0.5), (&image[..], 0.5)].into_iter()));
        }
        PointSide::Target => out.extend(image(muscle_weights(weights, edit.vertex(map.partner(point)?)))),
    }
    Some(out)
}
