//! What direct delta mush remembers of a mesh at rest.

use super::{PrecomputedError, check_count, check_finite, check_ranges};
use glam::{Mat3, Vec3};

/// How much of the smoothed neighbourhood each influence remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MushDetail {
    /// Share, first and second moments: the method as it was defined. 10 numbers an influence.
    #[default]
    Full,
    /// Share and first moments: pivots go where the full method takes them, rotations are blended as quaternions. 4 numbers.
    First,
    /// The share alone: as before, with a joint's part of the neighbourhood taken to lie around the pivot. 1 number.
    Pivot,
}

impl MushDetail {
    /// Every detail, the most exact first.
    pub const ALL: [Self; 3] = [Self::Full, Self::First, Self::Pivot];

    /// How many numbers an influence has.
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
pub struct DirectMushParts {
    /// What an influence remembers.
    pub detail: MushDetail,
    /// Where each vertex goes when the surface at rest is smoothed, mesh space.
    pub pivots: Vec<Vec3>,
    /// Vertex v has the influences `first[v]..first[v + 1]`; at least one.
    pub first: Vec<u32>,
    /// The skin slot of each influence, the largest share of a vertex first.
    pub slots: Vec<u16>,
    /// [`MushDetail::numbers`] for each influence: the share; then the first moments about the pivot; then the six
    /// different entries xx, yy, zz, xy, yz, zx of the second moments about it.
    pub numbers: Vec<f32>,
}

/// Moments of every vertex's smoothed neighbourhood by joint: what direct delta mush finds its rotation from.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectMushData {
    parts: DirectMushParts,
    slot_count: usize,
}

/// What one joint has in a vertex's neighbourhood, about the vertex's pivot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MushMoments {
    /// The joint's place in the skin.
    pub slot: u16,
    /// Its share: those of a vertex sum to one.
    pub weight: f32,
    /// Second moments, symmetric; zero where they are not kept.
    pub second: Mat3,
    /// First moments: those of a vertex sum to zero; zero where they are not kept.
    pub first: Vec3,
}

impl DirectMushData {
    /// Direct delta mush data of `parts`.
    ///
    /// # Errors
    /// Where lists differ in length, a range is wrong or empty, or a number is not finite.
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

    /// The lists.
    pub fn parts(&self) -> &DirectMushParts {
        &self.parts
    }

    /// How many vertices it was made for.
    pub fn vertex_count(&self) -> usize {
        self.parts.pivots.len()
    }

    /// How many joints a skin must have at least.
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// How many bytes a vertex takes on average.
    pub fn bytes_per_vertex(&self) -> f64 {
        let influence = size_of::<u16>() + size_of::<f32>() * self.parts.detail.numbers();
        let vertex = size_of::<Vec3>() + size_of::<u32>();
        let total = self.parts.slots.len() * influence + self.vertex_count() * vertex;
        total as f64 / self.vertex_count().max(1) as f64
    }

    /// What each joint has in the neighbourhood of `vertex`, the largest share first; never empty.
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
