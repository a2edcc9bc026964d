//! Where the joints of a vertex meet, for the kernel of quaternion blend.
//!
//! The reference averages over all pairs of a vertex's joints: the bind position of the lower one, weighted by the product
//! of the two weights. With the joints of a list in order of depth, the pairs in which a joint is the lower one sum up to
//! its weight times the weights of all joints above it, so one pass over the list is enough. Every vertex takes the same
//! steps whatever else its block has, so that copies of it land on the same bits.
//!
//! Loops go over indices; [`stage`](super::stage) gives the reason.
#![allow(clippy::needless_range_loop, reason = "see above")]

use super::{
    span::{Kernel, KernelInput},
    stage::{StagedPalette, joint},
    vector::{F, load, parts, splat},
};
use crate::deform::blocks::{LONGEST_LIST, Lanes, WIDTH};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdMask};
use glam::Vec4;

/// The number of floats at the end of a vertex's that are not blended: the meeting point xyz, the rotation xyzw of the
/// strongest joint, and the weight of that joint if there are two, else zero.
///
/// A joint has its bind position xyz and its depth in their place.
pub(super) const MEETING: usize = 8;

/// What a joint adds to the meeting points of its vertices.
#[derive(Clone, Copy)]
struct MeetingJoint {
    pivot: [f32; 3],
    depth: f32,
    rotation: [f32; 4],
}

impl MeetingJoint {
    const NONE: Self = Self { pivot: [0.0; 3], depth: 0.0, rotation: [0.0; 4] };

    #[inline(always)]
    fn of<K: Kernel<N>, const N: usize>(joints: &[Lanes], slot: u16) -> Self {
        let joint = joint::<N>(joints, slot);
        let number = |n: usize| joint[n / WIDTH].0[n % WIDTH];
        let (p, q) = (N - MEETING, K::TURNED.start);
        Self {
            pivot: [number(p), number(p + 1), number(p + 2)],
            depth: number(p + 3),
            rotation: [number(q), number(q + 1), number(q + 2), number(q + 3)],
        }
    }
}

/// The joints of one run's list.
pub(super) struct MeetingList {
    joints: [MeetingJoint; LONGEST_LIST],
    /// The places in the list by depth, the joint nearest to the root first.
    by_depth: [usize; LONGEST_LIST],
    count: usize,
    /// The arc between the rotations, if there are two joints.
    arc: Option<PairArc>,
    /// True if rotations are summed with the signs that they have, also those of two joints.
    followed: bool,
}

impl MeetingList {
    #[inline(always)]
    pub(super) fn of<K: Kernel<N>, const N: usize>(joints: &[Lanes], list: &[u16], followed: bool) -> Self {
        let count = list.len().min(LONGEST_LIST);
        let (places, none) = ([0; LONGEST_LIST], [MeetingJoint::NONE; LONGEST_LIST]);
        let mut out = Self { joints: none, by_depth: places, count, arc: None, followed };
        for nth in 0..count {
            out.joints[nth] = MeetingJoint::of::<K, N>(joints, list[nth]);
            out.by_depth[nth] = nth;
        }
        let joints = &out.joints;
        out.by_depth[..count].sort_unstable_by(|&a, &b| joints[a].depth.total_cmp(&joints[b].depth));
        if count == 2 && !followed {
            out.arc = Some(PairArc::new(joints[0].rotation, joints[1].rotation));
        }
        out
    }
}

/// The shortest arc between two rotations.
///
/// Where all vertices of a block share two joints, the angle is the same for all, and a vertex needs two polynomials in its
/// weights.
#[derive(Clone, Copy)]
struct PairArc {
    ends: [[f32; 4]; 2],
    angle_squared: f32,
}

impl PairArc {
    fn new(first: [f32; 4], second: [f32; 4]) -> Self {
        let (a, b) = (Vec4::from(first), Vec4::from(second));
        let b = if a.dot(b) < 0.0 { -b } else { b };
        // From the chords, which is exact for tiny angles.
        let angle = 2.0 * (a - b).length().atan2((a + b).length());
        Self { ends: [first, b.to_array()], angle_squared: angle * angle }
    }

    /// The rotation at weight `second` of the second end, as a quaternion xyzw of any length.
    #[inline(always)]
    fn at<S: Simd>(&self, simd: S, second: F<S>) -> [F<S>; 4] {
        let (zero, first) = (splat::<S>(simd, 0.0), splat::<S>(simd, 1.0) - second);
        let angle_squared = splat::<S>(simd, self.angle_squared);
        // A vertex with one joint has that joint's rotation to the bit, whatever the other of the list is.
        let has_both = first.simd_gt(zero) & second.simd_gt(zero);
        let on_arc = first * sine_ratio(simd, first * first * angle_squared);
        let first = has_both.select(on_arc, first);
        let on_arc = second * sine_ratio(simd, second * second * angle_squared);
        let second = has_both.select(on_arc, second);
        let [a, b] = &self.ends;
        let mut out = [first; 4];
        for n in 0..4 {
            out[n] = first.mul_add(splat(simd, a[n]), second * splat::<S>(simd, b[n]));
        }
        out
    }
}

/// The Taylor series of `sin x / x` in `x²`, from the last term to the first: off by less than 4e-8 up to a right angle, the
/// largest between quaternions of one hemisphere.
const SINE_TERMS: [f32; 6] =
    [-1.0 / 39_916_800.0, 1.0 / 362_880.0, -1.0 / 5_040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0];

/// `sin x / x`, from `x²`.
#[inline(always)]
fn sine_ratio<S: Simd>(simd: S, x_squared: F<S>) -> F<S> {
    let mut sum = splat::<S>(simd, SINE_TERMS[0]);
    for nth in 1..SINE_TERMS.len() {
        sum = sum.mul_add(x_squared, splat(simd, SINE_TERMS[nth]));
    }
    sum
}

/// Writes the rotation of one register of vertices, which have two joints or one of them, and where they meet.
#[inline(always)]
fn put_on_arc<S: Simd, K: Kernel<N>, const N: usize>(
    simd: S,
    stage: &mut StagedPalette<N>,
    block: usize,
    part: usize,
    list: &MeetingList,
    arc: &PairArc,
    weights: ListWeights<'_, S>,
) {
    let rotation = arc.at(simd, weights.at(1));
    for n in 0..4 {
        stage.put::<S>(block, part, K::TURNED.start + n, rotation[n]);
    }
    let [upper, lower] = [list.by_depth[0] & 1, list.by_depth[1] & 1];
    let is_used = weights.at(lower).simd_gt(splat::<S>(simd, 0.0));
    for n in 0..3 {
        let above = splat::<S>(simd, list.joints[upper].pivot[n]);
        let below = splat::<S>(simd, list.joints[lower].pivot[n]);
        stage.put::<S>(block, part, N - MEETING + n, is_used.select(below, above));
    }
    // The rotation is on the arc already.
    stage.put::<S>(block, part, N - 1, splat(simd, 0.0));
}

/// Adds the meeting points of `count` blocks that share a joint list to the stage.
pub(super) fn stage_shared<S: Simd, K: Kernel<N>, const N: usize>(
    simd: S,
    stage: &mut StagedPalette<N>,
    count: usize,
    list: &MeetingList,
    weights: &[Lanes],
    pivots: &[Lanes],
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let others = list.count - 1;
            for nth in 0..count {
                let weights = &weights[nth * others..][..others];
                for part in 0..parts::<S>() {
                    let lanes = ListWeights::of(simd, weights, part);
                    if let Some(arc) = &list.arc {
                        put_on_arc::<S, K, N>(simd, stage, nth, part, list, arc, lanes);
                        continue;
                    }
                    let strongest = load(simd, &pivots[nth], part);
                    let influences = put_strongest(simd, stage, nth, part, list, lanes, strongest);
                    put_meeting_point(simd, stage, nth, part, list, lanes, influences);
                }
            }
        },
    );
}

/// The weights of one register of vertices for the joints of a list.
#[derive(Clone, Copy)]
struct ListWeights<'a, S: Simd> {
    simd: S,
    first: F<S>,
    others: &'a [Lanes],
    part: usize,
}

impl<'a, S: Simd> ListWeights<'a, S> {
    /// The weight of the first joint is what the others leave.
    #[inline(always)]
    fn of(simd: S, others: &'a [Lanes], part: usize) -> Self {
        let mut first = splat::<S>(simd, 1.0);
        for nth in 0..others.len() {
            first -= load(simd, &others[nth], part);
        }
        Self { simd, first, others, part }
    }

    /// The weight of the joint at `place` of the list.
    #[inline(always)]
    fn at(self, place: usize) -> F<S> {
        if place == 0 { self.first } else { load(self.simd, &self.others[place - 1], self.part) }
    }
}

/// Writes the meeting point of one register of vertices with this number of influences each.
///
/// Two joints meet at the lower one, and a single joint transforms the vertex by its matrix, whatever the point; only more
/// joints need sums.
#[inline(always)]
fn put_meeting_point<S: Simd, const N: usize>(
    simd: S,
    stage: &mut StagedPalette<N>,
    block: usize,
    part: usize,
    list: &MeetingList,
    weights: ListWeights<'_, S>,
    influences: F<S>,
) {
    let zero = splat::<S>(simd, 0.0);
    let has_more = influences.simd_gt(splat::<S>(simd, 2.0));
    let (mut lowest, mut sum) = ([zero; 3], [zero; 3]);
    let (mut total, mut above) = (zero, zero);
    for nth in 0..list.count {
        let place = list.by_depth[nth] & (LONGEST_LIST - 1);
        let weight = weights.at(place);
        let is_used = weight.simd_gt(zero);
        let pairs = weight * above;
        for n in 0..3 {
            let pivot = splat::<S>(simd, list.joints[place].pivot[n]);
            lowest[n] = is_used.select(pivot, lowest[n]);
            sum[n] = pairs.mul_add(pivot, sum[n]);
        }
        total += pairs;
        above += weight;
    }
    if has_more.any_true() {
        let inverse = splat::<S>(simd, 1.0) / has_more.select(total, splat(simd, 1.0));
        for n in 0..3 {
            lowest[n] = has_more.select(sum[n] * inverse, lowest[n]);
        }
    }
    for n in 0..3 {
        stage.put::<S>(block, part, N - MEETING + n, lowest[n]);
    }
}

/// Writes the rotation of each vertex's strongest joint, and its weight if there are two. Returns the number of influences.
#[inline(always)]
fn put_strongest<S: Simd, const N: usize>(
    simd: S,
    stage: &mut StagedPalette<N>,
    block: usize,
    part: usize,
    list: &MeetingList,
    weights: ListWeights<'_, S>,
    strongest: F<S>,
) -> F<S> {
    let (zero, one) = (splat::<S>(simd, 0.0), splat::<S>(simd, 1.0));
    let first = &list.joints[0].rotation;
    let mut rotation =
        [splat(simd, first[0]), splat(simd, first[1]), splat(simd, first[2]), splat(simd, first[3])];
    let mut own = weights.first;
    let mut influences = own.simd_gt(zero).select(one, zero);
    for nth in 1..list.count {
        let weight = weights.at(nth);
        let is_this = strongest.simd_eq(splat::<S>(simd, nth as f32));
        for n in 0..4 {
            rotation[n] = is_this.select(splat(simd, list.joints[nth].rotation[n]), rotation[n]);
        }
        own = is_this.select(weight, own);
        influences += weight.simd_gt(zero).select(one, zero);
    }
    for n in 0..4 {
        stage.put::<S>(block, part, N - MEETING + 3 + n, rotation[n]);
    }
    let is_on_arc = influences.simd_eq(splat::<S>(simd, 2.0));
    let own = if list.followed { zero } else { is_on_arc.select(own, zero) };
    stage.put::<S>(block, part, N - 1, own);
    influences
}

/// Adds the meeting points of `count` blocks that are blended vertex by vertex to the stage.
pub(super) fn stage_single<K: Kernel<N>, const N: usize>(
    stage: &mut StagedPalette<N>,
    count: usize,
    input: KernelInput<'_>,
    first: usize,
    influences: usize,
) {
    for nth in 0..count {
        for lane in 0..WIDTH {
            let from = first + (nth * WIDTH + lane) * influences;
            let slots = &input.runs.single_slots[from..from + influences];
            let weights = &input.runs.single_weights[from..from + influences];
            let mut vertex = meeting_of::<K, N>(input.joints, slots, weights);
            if input.followed {
                vertex[MEETING - 1] = 0.0;
            }
            for n in 0..MEETING {
                stage.put_lane(nth, lane, N - MEETING + n, vertex[n]);
            }
        }
    }
}

/// The [`MEETING`] floats of one vertex, whose missing influences have weight zero.
fn meeting_of<K: Kernel<N>, const N: usize>(
    joints: &[Lanes],
    slots: &[u16],
    weights: &[f32],
) -> [f32; MEETING] {
    let (mut sum, mut total) = ([0.0; 3], 0.0);
    let mut lowest = MeetingJoint::of::<K, N>(joints, slots[0]);
    let [q_x, q_y, q_z, q_w] = lowest.rotation;
    let used = weights.iter().take_while(|&&weight| weight > 0.0).count();
    for a in 0..used {
        let first = MeetingJoint::of::<K, N>(joints, slots[a]);
        for b in a + 1..used {
            let second = MeetingJoint::of::<K, N>(joints, slots[b]);
            let lower = if first.depth > second.depth { first } else { second };
            lowest = lower;
            let pair = weights[a] * weights[b];
            for n in 0..3 {
                sum[n] += lower.pivot[n] * pair;
            }
            total += pair;
        }
    }
    let [x, y, z] = if used > 2 { sum.map(|n| n / total) } else { lowest.pivot };
    [x, y, z, q_x, q_y, q_z, q_w, if used == 2 { weights[0] } else { 0.0 }]
}
