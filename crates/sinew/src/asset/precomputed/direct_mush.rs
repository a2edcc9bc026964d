//! Precomputed data of direct delta mush (Le and Lewis 2019, "Direct Delta Mush Skinning and Variants").

use super::{PrecomputedError, check_count, check_finite, check_ranges};
use glam::{Mat3, Vec3};

/// How many moments of the smoothed neighborhood each influence stores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MushDetail {
    /// Weight, first and second moments: the method as published. 10 numbers per influence.
    #[default]
    Full,
    /// Weight and first moments: the same pivots, rotations blended as quaternions. 4 numbers per influence.
    First,
    /// The weight alone: each joint's part of the neighborhood is assumed at the pivot. 1 number per influence.
    Pivot,
}

impl MushDetail {
    /// Every level of detail, the most exact first.
    pub const ALL: [Self; 3] = [Self::Full, Self::First, Self::Pivot];

    /// How many numbers each influence stores.
    pub const fn numbers(self) -> usize {
        match self {
            Self::Full => 10,
            Self::First => 4,
            Self::Pivot => 1,
        }
    }

    /// The name used in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::First => "first",
            Self::Pivot => "pivot",
        }
    }
}

/// The lists of a [`DirectMushData`], the input of [`DirectMushData::new`].
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DirectMushParts {
    /// Which moments each influence stores.
    pub detail: MushDetail,
    /// Position of each vertex on the smoothed rest surface, mesh space.
    pub pivots: Vec<Vec3>,
    /// Vertex v has the influences `first[v]..first[v + 1]`; at least one.
    pub first: Vec<u32>,
    /// The skin slot of each influence, the largest weight of a vertex first.
    pub slots: Vec<u16>,
    /// [`MushDetail::numbers`] for each influence: the weight; then the first moments about the pivot; then the six
    /// different entries xx, yy, zz, xy, yz, zx of the second moments about it.
    pub numbers: Vec<f32>,
}

/// Moments of the smoothed neighborhood of every vertex by joint, from which direct delta mush computes rotations.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectMushData {
    parts: DirectMushParts,
    slot_count: usize,
}

/// The moments of one joint in a vertex's neighborhood, about the vertex's pivot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MushMoments {
    /// Slot of the joint in the skin.
    pub slot: u16,
    /// Weight of the joint; the weights of a vertex sum to one.
    pub weight: f32,
    /// Second moments, symmetric; zero if they are not stored.
    pub second: Mat3,
    /// First moments, which sum to zero over a vertex; zero if they are not stored.
    pub first: Vec3,
}

impl DirectMushData {
    /// Checks `parts` and builds the data from them.
    ///
    /// # Errors
    /// If lists differ in length, a range is invalid or empty, or a number is not finite.
    pub fn new(parts: DirectMushParts) -> Result<Self, PrecomputedError> {
        check_count("direct mush ranges", parts.first.len(), parts.pivots.len() + 1)?;
        check_ranges("direct mush ranges", &parts.first, parts.slots.len())?;
        if let Some(at) = parts.first.windows(2).position(|pair| pair[0] == pair[1]) {
            return Err(PrecomputedError::BadRange { what: "direct mush ranges", at });
        }
        let wanted = parts.slots.len().saturating_mul(parts.detail.numbers());
        check_count("direct mush numbers", parts.numbers.len(), wanted)?;
        check_finite("direct mush pivots", parts.pivots.iter().flat_map(Vec3::to_array))?;
        check_finite("direct mush numbers", parts.numbers.iter().copied())?;
        let slot_count = parts.slots.iter().map(|&s| usize::from(s) + 1).max().unwrap_or(0);
        Ok(Self { parts, slot_count })
    }

    /// The lists that it was made from.
    pub fn parts(&self) -> &DirectMushParts {
        &self.parts
    }

    /// Number of vertices of the mesh.
    pub fn vertex_count(&self) -> usize {
        self.parts.pivots.len()
    }

    /// The number of joints that a skin must have.
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// Average memory use per vertex, in bytes.
    pub fn bytes_per_vertex(&self) -> f64 {
        let influence = size_of::<u16>() + size_of::<f32>() * self.parts.detail.numbers();
        let vertex = size_of::<Vec3>() + size_of::<u32>();
        let total = self.parts.slots.len() * influence + self.vertex_count() * vertex;
        total as f64 / self.vertex_count().max(1) as f64
    }

    /// The moments of each joint in the neighborhood of `vertex`, the largest weight first; never empty.
    pub fn of(&self, vertex: usize) -> impl ExactSizeIterator<Item = MushMoments> + '_ {
        let range = self.parts.first[vertex] as usize..self.parts.first[vertex + 1] as usize;
        let stride = self.parts.detail.numbers();
        let numbers = self.parts.numbers[range.start * stride..range.end * stride].chunks_exact(stride);
        self.parts.slots[range].iter().zip(numbers).map(|(&slot, n)| {
            let at = |i: usize| n.get(i).copied().unwrap_or(0.0);
            let second = Mat3::from_cols(
                Vec3::new(at(4), at(7), at(9)),
                Vec3::new(at(7), at(5), at(8)),
                Vec3::new(at(9), at(8), at(6)),
            );
            MushMoments { slot, weight: at(0), second, first: Vec3::new(at(1), at(2), at(3)) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(detail: MushDetail) -> DirectMushParts {
        DirectMushParts {
            detail,
            pivots: vec![Vec3::ONE],
            first: vec![0, 2],
            slots: vec![3, 1],
            numbers: (0..2 * detail.numbers()).map(|n| n as f32).collect(),
        }
    }

    #[test]
    fn numbers_are_read_where_they_stand() {
        let mush = DirectMushData::new(one(MushDetail::Full)).unwrap();
        let [a, b] = [0, 1].map(|i| mush.of(0).nth(i).unwrap());
        assert_eq!((a.slot, a.weight, a.first), (3, 0.0, Vec3::new(1.0, 2.0, 3.0)));
        assert_eq!(a.second.row(0), Vec3::new(4.0, 7.0, 9.0));
        assert_eq!(a.second.row(1), Vec3::new(7.0, 5.0, 8.0));
        assert_eq!(a.second, a.second.transpose());
        assert_eq!((b.slot, b.weight), (1, 10.0));
        let pivot = DirectMushData::new(one(MushDetail::Pivot)).unwrap();
        assert_eq!(pivot.of(0).map(|m| m.weight).collect::<Vec<_>>(), [0.0, 1.0]);
        assert_eq!(pivot.slot_count(), 4);
        assert!(pivot.bytes_per_vertex() < mush.bytes_per_vertex() / 2.0);
    }

    #[test]
    fn refuses_everything_that_does_not_fit() {
        type Damage = fn(&mut DirectMushParts);
        let damages: [Damage; 6] = [
            |p| p.first = vec![0, 0, 2],
            |p| p.first[1] = 1,
            |p| p.first.push(2),
            |p| p.numbers.truncate(3),
            |p| p.numbers[0] = f32::NAN,
            |p| p.pivots[0].x = f32::INFINITY,
        ];
        for detail in MushDetail::ALL {
            for (at, damage) in damages.into_iter().enumerate() {
                let mut parts = one(detail);
                damage(&mut parts);
                assert!(
                    DirectMushData::new(parts).is_err() || (at == 3 && detail == MushDetail::Pivot),
                    "damage {at}"
                );
            }
        }
    }
}
