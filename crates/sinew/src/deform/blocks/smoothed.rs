//! Delta mush without its iterations: what smoothing does to the influences of a mesh.
//!
//! Smoothing a posed surface is linear in its points, and linear blend skinning is linear in the joints' matrices. A
//! smoothed point is therefore `Σ (s K p + L d)` over the joints, with the smoothed weight `s` and first moment `d` about
//! the point's smoothed rest position `p`, and the two tangents of its frame are sums of the same form. Smoothing the
//! weights once gives what smoothing the points gives in every pose.

use crate::asset::{precomputed::DeltaMushData, weights::Weights};
use glam::{DVec3, DVec4};

/// The numbers per influence: smoothed weight and first moment of the point, then of its two tangents; then the weight
/// before smoothing.
pub(crate) const SMOOTHED: usize = 13;

/// Influences with less weight, relative to a vertex's own size, are below the rounding of single precision.
const NEGLIGIBLE: f64 = 5e-7;
/// Weights below this are not smoothed further.
const FADED: f64 = 1e-9;
/// The maximum number of points that smoothing may touch, summed over joints and iterations: about two seconds.
const MAX_STEPS: usize = 100_000_000;
/// The maximum mean number of influences of a point.
const MAX_INFLUENCES: usize = 64;

/// The smoothed influences of every point, one list after the other.
#[derive(Debug, Default)]
pub(super) struct SmoothedMoments {
    pub(super) first: Vec<u32>,
    pub(super) slots: Vec<u16>,
    /// [`SMOOTHED`] numbers per influence.
    pub(super) numbers: Vec<f32>,
}

/// The weight and first moment, about the origin, of one joint in a point's neighborhood: xyz, w.
type Column = DVec4;

impl SmoothedMoments {
    /// The moments of a mesh, or `None` if smoothing spreads so far that its iterations are cheaper.
    pub(super) fn new(mush: &DeltaMushData, weights: &Weights) -> Option<Self> {
        let columns = Columns::smoothed(mush, weights)?;
        let reach = mush.parts().rest.iter().map(|p| p.length()).fold(0.0, f32::max);
        let mut out = Self { first: vec![0], ..Self::default() };
        let mut merge = Merge::default();
        for point in 0..mush.point_count() {
            let own = weights.of(mush.parts().vertex_of_point[point] as usize);
            merge.collect(mush, &columns, point, own.0);
            out.push(&merge, mush, own.0, own.1, point, f64::from(reach));
            if out.slots.len() > MAX_INFLUENCES * (point + MAX_INFLUENCES) {
                return None;
            }
        }
        Some(out)
    }

    /// Appends the influences of a point, about its smoothed position at rest.
    fn push(
        &mut self,
        merge: &Merge,
        mush: &DeltaMushData,
        slots: &[u16],
        own: &[f32],
        point: usize,
        reach: f64,
    ) {
        let parts = mush.parts();
        let pivot = parts.smoothed[point].as_dvec3();
        let sizes = parts.rest_tangents[point].map(|t| f64::from(t.length()).max(f64::MIN_POSITIVE));
        let mut kept: Vec<(u16, f32, [Column; 3])> = Vec::new();
        for (slot, sums) in merge.entries() {
            let sums = sums.map(|sum| about(sum, pivot));
            let weight = slots.iter().position(|s| *s == slot).map_or(0.0, |at| own[at]);
            let is_small = |(sum, size): (&Column, f64)| {
                sum.w.abs() * reach + sum.truncate().length() <= NEGLIGIBLE * size
            };
            let is_negligible =
                sums[0].w <= NEGLIGIBLE && sums[1..].iter().zip(sizes).all(is_small) && weight == 0.0;
            if !is_negligible {
                kept.push((slot, weight, sums));
            }
        }
        close(&mut kept);
        // The strongest first, as in every list of influences.
        kept.sort_by(|a, b| b.2[0].w.total_cmp(&a.2[0].w));
        for (slot, weight, sums) in kept {
            self.slots.push(slot);
            for sum in sums {
                self.numbers.extend([sum.w, sum.x, sum.y, sum.z].map(|n| n as f32));
            }
            self.numbers.push(weight);
        }
        self.first.push(self.slots.len() as u32);
    }
}

/// A moment about `pivot` instead of the origin.
fn about(sum: Column, pivot: DVec3) -> Column {
    (sum.truncate() - pivot * sum.w).extend(sum.w)
}

/// Makes the weights sum to one and those of the tangents to zero, as they did before small ones were left out.
fn close(kept: &mut [(u16, f32, [Column; 3])]) {
    let sums: [f64; 3] = std::array::from_fn(|n| kept.iter().map(|(_, _, sums)| sums[n].w).sum());
    let strongest = kept.iter_mut().max_by(|a, b| a.2[0].w.total_cmp(&b.2[0].w));
    if let Some((_, _, strongest)) = strongest {
        strongest[0].w += 1.0 - sums[0];
        strongest[1].w -= sums[1];
        strongest[2].w -= sums[2];
    }
}

/// The columns of every point by joint.
struct Columns {
    of_point: Vec<Vec<(u16, Column)>>,
}

impl Columns {
    /// Smooths the weights and first moments of one joint after the other.
    fn smoothed(mush: &DeltaMushData, weights: &Weights) -> Option<Self> {
        let points = mush.point_count();
        let mut of_slot: Vec<Vec<(u32, f32)>> = vec![Vec::new(); weights.slot_count()];
        for (point, &vertex) in mush.parts().vertex_of_point.iter().enumerate() {
            let (slots, own) = weights.of(vertex as usize);
            for (&slot, &weight) in slots.iter().zip(own) {
                of_slot[usize::from(slot)].push((point as u32, weight));
            }
        }
        let mut out = Self { of_point: vec![Vec::new(); points] };
        let mut pass = Pass::new(mush);
        for (slot, entries) in of_slot.iter().enumerate().filter(|(_, entries)| !entries.is_empty()) {
            pass.smooth(entries)?;
            let result = std::mem::take(&mut pass.active);
            for &point in &result {
                let column = std::mem::take(&mut pass.from[point as usize]);
                out.of_point[point as usize].push((slot as u16, column));
            }
        }
        Some(out)
    }
}

/// Memory to smooth the columns of one joint.
struct Pass<'a> {
    mush: &'a DeltaMushData,
    /// The points that have a point in their rings: `readers[first_reader[p]..first_reader[p + 1]]`.
    first_reader: Vec<u32>,
    readers: Vec<u32>,
    /// Columns of the current and the next iteration; zero where a point is not active.
    from: Vec<Column>,
    to: Vec<Column>,
    /// The points whose columns are not zero.
    active: Vec<u32>,
    /// The last iteration that activated each point.
    stamps: Vec<u32>,
    stamp: u32,
    steps: usize,
}

impl<'a> Pass<'a> {
    fn new(mush: &'a DeltaMushData) -> Self {
        let (points, parts) = (mush.point_count(), mush.parts());
        let mut first_reader = vec![0_u32; points + 1];
        parts.neighbors.iter().for_each(|&n| first_reader[n as usize + 1] += 1);
        for point in 0..points {
            first_reader[point + 1] += first_reader[point];
        }
        let (mut next, mut readers) = (first_reader.clone(), vec![0; parts.neighbors.len()]);
        for point in 0..points {
            for (neighbor, _) in mush.ring(point) {
                let place = &mut next[neighbor as usize];
                readers[*place as usize] = point as u32;
                *place += 1;
            }
        }
        let zeros = vec![Column::ZERO; points];
        let (from, to, stamps) = (zeros.clone(), zeros, vec![0; points]);
        Self { mush, first_reader, readers, from, to, active: Vec::new(), stamps, stamp: 0, steps: 0 }
    }

    /// Smooths the weights of one joint into `from`; `None` if it is too much work.
    fn smooth(&mut self, entries: &[(u32, f32)]) -> Option<()> {
        self.active.clear();
        for &(point, weight) in entries {
            let rest = self.mush.parts().rest[point as usize].as_dvec3();
            self.from[point as usize] = (rest * f64::from(weight)).extend(f64::from(weight));
            self.active.push(point);
        }
        for _ in 0..self.mush.parts().iterations {
            self.iterate();
            self.steps = self.steps.saturating_add(self.active.len());
            if self.steps > MAX_STEPS {
                return None;
            }
        }
        Some(())
    }

    fn iterate(&mut self) {
        let step = f64::from(self.mush.parts().step);
        let before = std::mem::take(&mut self.active);
        let mut after = self.reached(&before);
        for &point in &after {
            let ring = self.mush.ring(point as usize);
            let (count, here) = (ring.len(), self.from[point as usize]);
            let sum: Column = ring.map(|(neighbor, _)| self.from[neighbor as usize]).sum();
            let moved = if count == 0 { here } else { here + (sum / count as f64 - here) * step };
            self.to[point as usize] = if moved.w > FADED { moved } else { Column::ZERO };
        }
        before.iter().for_each(|&point| self.from[point as usize] = Column::ZERO);
        std::mem::swap(&mut self.from, &mut self.to);
        after.retain(|&point| self.from[point as usize].w > 0.0);
        self.active = after;
    }

    /// `points` and all that have one of them in their rings.
    fn reached(&mut self, points: &[u32]) -> Vec<u32> {
        self.stamp += 1;
        let mut out = Vec::with_capacity(points.len() * 2);
        for &point in points {
            let readers = self.first_reader[point as usize]..self.first_reader[point as usize + 1];
            let readers = &self.readers[readers.start as usize..readers.end as usize];
            for &reached in std::iter::once(&point).chain(readers) {
                if self.stamps[reached as usize] != self.stamp {
                    self.stamps[reached as usize] = self.stamp;
                    out.push(reached);
                }
            }
        }
        out
    }
}

/// The moments of one point and of its tangents, by joint.
#[derive(Default)]
struct Merge {
    slots: Vec<u16>,
    sums: Vec<[Column; 3]>,
}

impl Merge {
    /// Sums over the point, which follows the joints `own`, and its ring.
    fn collect(&mut self, mush: &DeltaMushData, columns: &Columns, point: usize, own: &[u16]) {
        self.slots.clear();
        self.sums.clear();
        let (mut u, mut v) = (0.0, 0.0);
        for (neighbor, weights) in mush.ring(point) {
            let (x, y) = (f64::from(weights.x), f64::from(weights.y));
            (u, v) = (u + x, v + y);
            for &(slot, column) in &columns.of_point[neighbor as usize] {
                self.add(slot, [Column::ZERO, column * x, column * y]);
            }
        }
        for &(slot, column) in &columns.of_point[point] {
            self.add(slot, [column, column * -u, column * -v]);
        }
        own.iter().for_each(|&slot| self.add(slot, [Column::ZERO; 3]));
    }

    fn add(&mut self, slot: u16, sums: [Column; 3]) {
        let at = self.slots.iter().position(|s| *s == slot).unwrap_or_else(|| {
            self.slots.push(slot);
            self.sums.push([Column::ZERO; 3]);
            self.slots.len() - 1
        });
        self.sums[at].iter_mut().zip(sums).for_each(|(to, sum)| *to += sum);
    }

    fn entries(&self) -> impl Iterator<Item = (u16, [Column; 3])> + '_ {
        self.slots.iter().copied().zip(self.sums.iter().copied())
    }
}
