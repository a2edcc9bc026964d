//! The radius of the body around bones, and the ends of bones that lie in a thicker part of the body.

use super::{heat_sources::PlacedBone, voxels::Voxels};
use sinew::glam::{DVec3, Vec3};
use std::collections::HashMap;

/// The distance from each solid cell to the outside, in cells.
///
/// After Pedro Felzenszwalb and Daniel Huttenlocher, 2012, "Distance Transforms of Sampled Functions".
pub(crate) struct InnerDistance {
    squared: Vec<f32>,
}

impl InnerDistance {
    pub(crate) fn new(voxels: &Voxels) -> Self {
        let mut squared: Vec<f32> =
            voxels.is_solid.iter().map(|&solid| if solid { f32::MAX } else { 0.0 }).collect();
        let [width, height, depth] = voxels.dims;
        let mut lower = LowerEnvelope::new(width.max(height).max(depth));
        let passes = [
            (1, width, [height, depth], [width, width * height]),
            (width, height, [width, depth], [1, width * height]),
            (width * height, depth, [width, height], [1, width]),
        ];
        for (step, count, outer, steps) in passes {
            for a in 0..outer[0] {
                for b in 0..outer[1] {
                    lower.pass(&mut squared, a * steps[0] + b * steps[1], step, count);
                }
            }
        }
        Self { squared }
    }

    /// The distance at `place`, in unit-box lengths; 0 outside.
    pub(crate) fn at(&self, voxels: &Voxels, place: DVec3) -> f64 {
        if !voxels.holds(place) {
            return 0.0;
        }
        let squared = self.squared[voxels.index(voxels.cell_at(place))];
        f64::from(squared).sqrt() * voxels.size
    }
}

/// The lower envelope of parabolas along a row of cells.
struct LowerEnvelope {
    values: Vec<f32>,
    apexes: Vec<usize>,
    starts: Vec<f32>,
}

impl LowerEnvelope {
    fn new(longest: usize) -> Self {
        Self { values: vec![0.0; longest], apexes: vec![0; longest], starts: vec![0.0; longest + 1] }
    }

    /// Replaces each value of a row with the smallest sum of a value and the squared distance to it.
    fn pass(&mut self, squared: &mut [f32], first: usize, step: usize, count: usize) {
        let values = &mut self.values[..count];
        values.iter_mut().enumerate().for_each(|(n, value)| *value = squared[first + n * step]);
        let Some(start) = values.iter().position(|&value| value < f32::MAX) else { return };
        let mut last = 0;
        (self.apexes[0], self.starts[0]) = (start, f32::NEG_INFINITY);
        for n in start + 1..count {
            if values[n] == f32::MAX {
                continue;
            }
            let crossing = |apex: usize| {
                let (near, far) = (apex as f32, n as f32);
                (values[n] + far * far - values[apex] - near * near) / (2.0 * (far - near))
            };
            let mut at = crossing(self.apexes[last]);
            while at <= self.starts[last] {
                last -= 1;
                at = crossing(self.apexes[last]);
            }
            last += 1;
            (self.apexes[last], self.starts[last]) = (n, at);
        }
        self.starts[last + 1] = f32::INFINITY;
        let mut part = 0;
        for n in 0..count {
            while self.starts[part + 1] < n as f32 {
                part += 1;
            }
            let off = n as f32 - self.apexes[part] as f32;
            squared[first + n * step] = values[self.apexes[part]] + off * off;
        }
    }
}

/// How many places of a bone are measured.
const PLACES: usize = 24;
/// An end of a bone lies in a thicker part of the body if the radius there is this many times that of the bone.
const THICKER: f64 = 1.2;

/// Cuts off the ends of bones that lie in the thicker part of the body that belongs to the next bone: a thigh begins where it
/// leaves the trunk, and a neck ends where it enters the head. The last bones of limbs taper to their ends and stay whole.
pub(super) fn cut_ends_in_thicker_parts(bones: &mut [PlacedBone], voxels: &Voxels) {
    let inner = InnerDistance::new(voxels);
    let profiles: Vec<RadiusProfile> =
        bones.iter().map(|bone| RadiusProfile::of(bone, voxels, &inner)).collect();
    let mut at_joint: HashMap<[u32; 3], Vec<usize>> = HashMap::new();
    for (index, bone) in bones.iter().enumerate() {
        for end in [bone.joint, bone.end] {
            let of_joint = at_joint.entry(key(end)).or_default();
            if of_joint.len() < PLACES {
                of_joint.push(index);
            }
        }
    }
    for index in 0..bones.len() {
        let bone = &bones[index];
        let thickest_other = |end: Vec3| {
            let others = at_joint.get(&key(end)).into_iter().flatten();
            let others = others.filter(|&&other| bones[other].slot != bone.slot);
            others.map(|&other| profiles[other].typical).fold(0.0, f64::max)
        };
        let own = &profiles[index];
        let limit = own.typical * THICKER;
        let start =
            if !bone.is_open && thickest_other(bone.joint) > limit { own.leading(limit) } else { 0.0 };
        let end = if !bone.is_open && thickest_other(bone.end) > limit { own.trailing(limit) } else { 1.0 };
        let (head, tail) = (bone.head, bone.tail);
        if start < end {
            bones[index].head = head.lerp(tail, start);
            bones[index].tail = head.lerp(tail, end);
        }
    }
}

fn key(place: Vec3) -> [u32; 3] {
    (place + Vec3::ZERO).to_array().map(f32::to_bits)
}

/// The radius of the body along a bone.
struct RadiusProfile {
    radii: [f64; PLACES],
    /// The median, which the end of a bone in another part of the body does not change much.
    typical: f64,
}

impl RadiusProfile {
    fn of(bone: &PlacedBone, voxels: &Voxels, inner: &InnerDistance) -> Self {
        let place = |n: usize| bone.head.lerp(bone.tail, n as f64 / (PLACES - 1) as f64);
        let radii: [f64; PLACES] = std::array::from_fn(|n| inner.at(voxels, place(n)));
        let mut sorted = radii;
        sorted.sort_by(f64::total_cmp);
        Self { radii, typical: sorted[PLACES / 2] }
    }

    /// The fraction of the bone at which the radius first falls to `limit`.
    fn leading(&self, limit: f64) -> f64 {
        let thick = self.radii.iter().take_while(|&&radius| radius > limit).count();
        thick as f64 / PLACES as f64
    }

    /// The fraction of the bone after which the radius stays above `limit`.
    fn trailing(&self, limit: f64) -> f64 {
        let thick = self.radii.iter().rev().take_while(|&&radius| radius > limit).count();
        1.0 - thick as f64 / PLACES as f64
    }
}
