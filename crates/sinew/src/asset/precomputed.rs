//! Precomputed data of skinning methods: computed offline, stored with the mesh, applied at runtime.

mod contact;
mod direct_mush;
mod mush;

pub use contact::{ContactBone, ContactData, ContactParts, ContactVertex};
pub use direct_mush::{DirectMushData, DirectMushParts, MushDetail};
pub use mush::{DeltaMushData, MushParts};

use glam::Vec3;
use std::sync::Arc;
use thiserror::Error;

/// The precomputed data of a mesh; `None` for what has not been computed.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Precomputed {
    /// Centers of rotation, which [`Method::Cor`](crate::Method::Cor) needs.
    pub centers: Option<Arc<CentersOfRotation>>,
    /// Neighbors and detail, which [`Method::DeltaMush`](crate::Method::DeltaMush) needs.
    pub mush: Option<Arc<DeltaMushData>>,
    /// Moments, which [`Method::Ddm`](crate::Method::Ddm) needs.
    pub direct_mush: Option<Arc<DirectMushData>>,
    /// Weight of dual quaternion skinning per vertex, which [`Method::DualQuat`](crate::Method::DualQuat) blends with
    /// linear blend skinning; without it, all of the mesh is deformed by dual quaternions.
    pub blend_map: Option<Arc<BlendMap>>,
    /// Bones and masks, which [`Method::Contact`](crate::Method::Contact) needs.
    pub contact: Option<Arc<ContactData>>,
}

impl Precomputed {
    /// Without any precomputed data.
    pub const NONE: Self =
        Self { centers: None, mush: None, direct_mush: None, blend_map: None, contact: None };

    /// Name and vertex count of all data that exists.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let centers = self.centers.as_ref().map(|c| ("centers of rotation", c.positions().len()));
        let mush = self.mush.as_ref().map(|m| ("delta mush", m.vertex_count()));
        let direct = self.direct_mush.as_ref().map(|d| ("direct delta mush", d.vertex_count()));
        let map = self.blend_map.as_ref().map(|b| ("blend map", b.weights().len()));
        let contact = self.contact.as_ref().map(|c| ("contact data", c.vertex_count()));
        [centers, mush, direct, map, contact].into_iter().flatten()
    }
}

/// Why precomputed data is invalid.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PrecomputedError {
    /// A number is NaN, infinite or outside its range.
    #[error("{what}: entry {at} must be {wanted}, got {value}")]
    BadValue {
        /// Name of the list.
        what: &'static str,
        /// Index of the entry.
        at: usize,
        /// The number that is out of range.
        value: f32,
        /// The range that is required.
        wanted: &'static str,
    },
    /// A list has the wrong length.
    #[error("{what} must have {wanted} entries, got {count}")]
    WrongCount {
        /// Name of the list.
        what: &'static str,
        /// Length of the stream.
        count: usize,
        /// The length that is required.
        wanted: usize,
    },
    /// A list of ranges does not ascend from 0 to the end.
    #[error("{what}: range {at} does not follow the one before it")]
    BadRange {
        /// Name of the list.
        what: &'static str,
        /// Index of the range.
        at: usize,
    },
    /// An index is out of range.
    #[error("{what}: entry {at} must be below {count}, got {index}")]
    OutOfRange {
        /// Name of the list.
        what: &'static str,
        /// Index of the entry.
        at: usize,
        /// The index that it refers to.
        index: u32,
        /// How many items the index may refer to.
        count: usize,
    },
}

/// Refuses numbers that are NaN or infinite.
fn check_finite(what: &'static str, values: impl IntoIterator<Item = f32>) -> Result<(), PrecomputedError> {
    match values.into_iter().enumerate().find(|(_, value)| !value.is_finite()) {
        Some((at, value)) => Err(PrecomputedError::BadValue { what, at, value, wanted: "finite" }),
        None => Ok(()),
    }
}

/// Refuses ranges that do not run from 0 to `end` in order.
pub(super) fn check_ranges(what: &'static str, first: &[u32], end: usize) -> Result<(), PrecomputedError> {
    let bad = |at| Err(PrecomputedError::BadRange { what, at });
    match first {
        [0, ..] if first.last().is_some_and(|&last| last as usize == end) => {
            first.windows(2).position(|pair| pair[1] < pair[0]).map_or(Ok(()), bad)
        }
        _ => bad(0),
    }
}

/// Refuses indices that are not below `count`.
fn check_indices(
    what: &'static str,
    indices: impl IntoIterator<Item = u32>,
    count: usize,
) -> Result<(), PrecomputedError> {
    match indices.into_iter().enumerate().find(|&(_, index)| index as usize >= count) {
        Some((at, index)) => Err(PrecomputedError::OutOfRange { what, at, index, count }),
        None => Ok(()),
    }
}

/// Refuses a list of another length.
pub(super) fn check_count(what: &'static str, count: usize, wanted: usize) -> Result<(), PrecomputedError> {
    if count == wanted { Ok(()) } else { Err(PrecomputedError::WrongCount { what, count, wanted }) }
}

/// One center of rotation per vertex, in mesh space (Le and Hodgins 2016, "Real-time Skeletal Skinning with Optimized
/// Centers of Rotation").
///
/// A vertex that follows one joint alone has its own position as its center: there the method equals linear blend
/// skinning.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::serde_form::CentersForm")
)]
pub struct CentersOfRotation {
    positions: Vec<Vec3>,
}

impl CentersOfRotation {
    /// Centers of rotation from one position per vertex.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn new(positions: Vec<Vec3>) -> Result<Self, PrecomputedError> {
        check_finite("centers of rotation", positions.iter().flat_map(Vec3::to_array))?;
        Ok(Self { positions })
    }

    /// The center of each vertex.
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }
}

/// Per-vertex weight of a second skinning method: 0 is the first method, 1 the second.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::serde_form::BlendMapForm")
)]
pub struct BlendMap {
    weights: Vec<f32>,
}

impl BlendMap {
    /// A map from one weight per vertex.
    ///
    /// # Errors
    /// If a weight is not between 0 and 1.
    pub fn new(weights: Vec<f32>) -> Result<Self, PrecomputedError> {
        match weights.iter().position(|s| !(0.0..=1.0).contains(s)) {
            Some(at) => {
                let (what, wanted) = ("blend map", "between 0 and 1");
                Err(PrecomputedError::BadValue { what, at, value: weights[at], wanted })
            }
            None => Ok(Self { weights }),
        }
    }

    /// The weight of the second method for each vertex.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centers_must_be_finite() {
        assert!(CentersOfRotation::new(vec![Vec3::ZERO, Vec3::ONE]).is_ok());
        let error = CentersOfRotation::new(vec![Vec3::ZERO, Vec3::new(0.0, f32::NAN, 0.0)]).unwrap_err();
        assert!(matches!(error, PrecomputedError::BadValue { at: 4, .. }));
    }

    #[test]
    fn weights_of_a_blend_map_must_lie_between_zero_and_one() {
        assert!(BlendMap::new(vec![0.0, 0.5, 1.0]).is_ok());
        for bad in [-0.1, 1.1, f32::NAN, f32::INFINITY] {
            assert!(BlendMap::new(vec![0.0, bad]).is_err(), "{bad}");
        }
    }

    #[test]
    fn ranges_start_at_zero_never_go_back_and_end_at_the_end() {
        assert_eq!(check_ranges("r", &[0, 2, 2, 5], 5), Ok(()));
        assert_eq!(check_ranges("r", &[0], 0), Ok(()));
        for bad in [&[][..], &[1, 5], &[0, 3, 2, 5], &[0, 4]] {
            assert!(check_ranges("r", bad, 5).is_err(), "{bad:?}");
        }
    }
}
