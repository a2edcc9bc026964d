//! What some methods need to know about a mesh beforehand; made offline, stored with the mesh, only applied here.

mod direct_mush;
mod mush;

pub use direct_mush::{DirectMushData, DirectMushParts, MushDetail};
pub use mush::{DeltaMushData, MushParts};

use glam::Vec3;
use std::sync::Arc;
use thiserror::Error;

/// Everything that was made for a mesh beforehand; what is `None` has not been made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Precomputed {
    /// For [`Method::Cor`](crate::Method::Cor).
    pub centers: Option<Arc<CentersOfRotation>>,
    /// For [`Method::DeltaMush`](crate::Method::DeltaMush).
    pub mush: Option<Arc<DeltaMushData>>,
    /// For [`Method::Ddm`](crate::Method::Ddm).
    pub direct_mush: Option<Arc<DirectMushData>>,
    /// Where to use which of two methods.
    pub blend_map: Option<Arc<BlendMap>>,
}

impl Precomputed {
    /// Nothing has been made: what a mesh without any refers to.
    pub const NONE: Self = Self { centers: None, mush: None, direct_mush: None, blend_map: None };

    /// The name and vertex count of everything that is there.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let centers = self.centers.as_ref().map(|c| ("centers of rotation", c.positions().len()));
        let mush = self.mush.as_ref().map(|m| ("delta mush", m.vertex_count()));
        let direct = self.direct_mush.as_ref().map(|d| ("direct delta mush", d.vertex_count()));
        let map = self.blend_map.as_ref().map(|b| ("blend map", b.weights().len()));
        [centers, mush, direct, map].into_iter().flatten()
    }
}

/// Why data cannot be used by a method.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PrecomputedError {
    /// A number is NaN, infinite or outside its range.
    #[error("{what}: entry {at} is {value}, which is not {wanted}")]
    BadValue {
        /// What it is part of.
        what: &'static str,
        /// Its place.
        at: usize,
        /// The offending number.
        value: f32,
        /// What it must be.
        wanted: &'static str,
    },
    /// Two lists that belong together differ in length.
    #[error("{what} has {count} entries where {wanted} are needed")]
    WrongCount {
        /// The list.
        what: &'static str,
        /// Its length.
        count: usize,
        /// The length it must have.
        wanted: usize,
    },
    /// A list of ranges does not run from 0 to the end without going back.
    #[error("{what}: range {at} does not follow the one before it")]
    BadRange {
        /// The list.
        what: &'static str,
        /// The place of the range.
        at: usize,
    },
    /// An index points at something that is not there.
    #[error("{what}: entry {at} names {index} of {count}")]
    OutOfRange {
        /// The list.
        what: &'static str,
        /// The entry's place.
        at: usize,
        /// What it names.
        index: u32,
        /// How many there are.
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
fn check_ranges(what: &'static str, first: &[u32], end: usize) -> Result<(), PrecomputedError> {
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
fn check_count(what: &'static str, count: usize, wanted: usize) -> Result<(), PrecomputedError> {
    if count == wanted { Ok(()) } else { Err(PrecomputedError::WrongCount { what, count, wanted }) }
}

/// One centre of rotation a vertex, in mesh space.
///
/// A vertex that has none, because one joint alone moves it, has its own position: there the method is linear blend.
#[derive(Clone, Debug, PartialEq)]
pub struct CentersOfRotation {
    positions: Vec<Vec3>,
}

impl CentersOfRotation {
    /// Centres for as many vertices as there are positions.
    ///
    /// # Errors
    /// Where a number is not finite.
    pub fn new(positions: Vec<Vec3>) -> Result<Self, PrecomputedError> {
        check_finite("centers of rotation", positions.iter().flat_map(Vec3::to_array))?;
        Ok(Self { positions })
    }

    /// The centre of each vertex.
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }
}

/// How much of a second method each vertex gets: 0 is the first alone, 1 the second.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendMap {
    weights: Vec<f32>,
}

impl BlendMap {
    /// A map for as many vertices as there are shares.
    ///
    /// # Errors
    /// Where a share is not between 0 and 1.
    pub fn new(shares: Vec<f32>) -> Result<Self, PrecomputedError> {
        match shares.iter().position(|s| !(0.0..=1.0).contains(s)) {
            Some(at) => {
                let (what, wanted) = ("blend map", "between 0 and 1");
                Err(PrecomputedError::BadValue { what, at, value: shares[at], wanted })
            }
            None => Ok(Self { weights: shares }),
        }
    }

    /// The second method's share in each vertex.
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
    fn shares_of_a_blend_map_lie_between_zero_and_one() {
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
