//! Delta mush: a vertex moves with its smoothed point and rotates with the frame of the smoothed surface.
//!
//! Loops go over indices; [`stage`](super::stage) gives the reason.
#![allow(clippy::needless_range_loop, reason = "see above")]

use super::{
    about::{RotationRows, TurnAbout},
    moments::{JointRows, MomentKernel, blended_stretch},
    sink::Sink,
    span::{OutputStreams, RestSurface},
    vector::{F, V3, cross, dot, load3, scale, splat},
};
use crate::deform::{
    blocks::{Lanes, MomentRows, PackedMush, SMOOTHED, WIDTH},
    methods::delta_mush::frame,
};
use fearless_simd::{Simd, SimdBase, SimdFloat, SimdMask};
use glam::{DMat3, DVec3, Quat, Vec3};

impl MomentKernel for PackedMush {
    fn rows(&self) -> &MomentRows {
        &self.rows
    }

    #[inline(always)]
    fn move_vertices<S: Simd, O: Sink, const GATHERED: bool, const STRETCHED: bool>(
        &self,
        joints: JointRows<'_, GATHERED>,
        block: usize,
        rest: RestSurface<'_, S>,
        wanted: OutputStreams,
        out: &mut O,
    ) {
        let (simd, part) = (rest.simd, rest.place.part);
        let center = load3(simd, &self.pivots[block], part);
        let (moved, tangents) = sums(simd, joints, center, part);
        let stretch =
            if STRETCHED { blended_stretch(simd, joints, SMOOTHED - 1, part) } else { [splat(simd, 0.0); 9] };
        let mut rest_tangents = six(simd, &self.rest_tangents[block], part);
        let before = if STRETCHED {
            let [a, b] = rest_tangents;
            rest_tangents = [stretched::<S>(&stretch, a), stretched::<S>(&stretch, b)];
            Axes::of(simd, rest_tangents)
        } else {
            Axes::stored(simd, six(simd, &self.rest_axes[block], part))
        };
        let after = Axes::of(simd, tangents);
        let mut rotation = after.relative_to(&before);
        let is_lost = !(after.is_good & before.is_good);
        if is_lost.any_true() {
            let fallback = |lane: usize| joints.rotation_at(self.fallback[block][lane]);
            let frames = [rest_tangents, tangents];
            rotation = rescued(simd, frames, rotation, is_lost.to_bitmask(), part, fallback);
        }
        let about = TurnAbout { rotation: RotationRows(rotation), center, moved };
        if STRETCHED {
            about.put_stretched(stretch, rest, wanted, out);
        } else {
            about.put(rest, wanted, out);
        }
    }
}

/// The smoothed points, and the two tangents of the smoothed surface there.
///
/// One row of the matrices at a time, so that the sums stay in registers on AVX2 too.
#[inline(always)]
fn sums<S: Simd, const GATHERED: bool>(
    simd: S,
    joints: JointRows<'_, GATHERED>,
    pivot: V3<S>,
    part: usize,
) -> (V3<S>, [V3<S>; 2]) {
    let zero = splat::<S>(simd, 0.0);
    let mut all = [[zero; 3]; 3];
    for r in 0..3 {
        let mut sums = [zero; 3];
        for nth in 0..joints.count() {
            let row = joints.row(nth);
            let (linear, at) = row.matrix_row(simd, r, pivot, part);
            for n in 0..3 {
                let first = row.vector(simd, 4 * n + 1, part);
                let sum = row.number(simd, 4 * n, part).mul_add(at, sums[n]);
                sums[n] = linear[0]
                    .mul_add(first[0], linear[1].mul_add(first[1], linear[2].mul_add(first[2], sum)));
            }
        }
        for n in 0..3 {
            all[n][r] = sums[n];
        }
    }
    let [moved, tangents @ ..] = all;
    (moved, tangents)
}

/// The range of squared lengths far enough from under- and overflow.
const SAFE_SQUARES: (f32, f32) = (1e-18, 1e18);
/// The smallest squared sum and difference of two tangents, relative to their squared length, for which single precision is
/// enough.
const APART: f32 = 1e-6;

/// The frame of a surface: half-way between its tangents, across, and out of their plane.
#[derive(Clone, Copy)]
struct Axes<S: Simd> {
    along: V3<S>,
    across: V3<S>,
    is_good: <F<S> as SimdBase<S>>::Mask,
}

impl<S: Simd> Axes<S> {
    /// The axes of two tangents of any lengths.
    #[inline(always)]
    fn of(simd: S, [a, b]: [V3<S>; 2]) -> Self {
        let (a_squared, b_squared) = (dot::<S>(a, a), dot::<S>(b, b));
        let (low, high) = (splat::<S>(simd, SAFE_SQUARES.0), splat::<S>(simd, SAFE_SQUARES.1));
        let is_safe = a_squared.simd_gt(low)
            & b_squared.simd_gt(low)
            & a_squared.simd_lt(high)
            & b_squared.simd_lt(high);
        // Tangents of one length have perpendicular sums and differences.
        let b = scale::<S>(b, (a_squared / b_squared).sqrt());
        let sum = [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
        let difference = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        let (along, across) = (dot::<S>(sum, sum), dot::<S>(difference, difference));
        let smallest = a_squared * splat::<S>(simd, APART);
        let one = splat::<S>(simd, 1.0);
        Self {
            along: scale::<S>(sum, one / along.sqrt()),
            across: scale::<S>(difference, one / across.sqrt()),
            is_good: is_safe & along.simd_gt(smallest) & across.simd_gt(smallest),
        }
    }

    /// Axes that were computed before; zeros are not good.
    #[inline(always)]
    fn stored(simd: S, [along, across]: [V3<S>; 2]) -> Self {
        Self { along, across, is_good: dot::<S>(along, along).simd_gt(splat(simd, 0.5)) }
    }

    /// The rows of the rotation that takes `before` to these axes.
    #[inline(always)]
    fn relative_to(&self, before: &Self) -> [V3<S>; 3] {
        let (out, out_before) =
            (cross::<S>(self.along, self.across), cross::<S>(before.along, before.across));
        // Perpendicular to the last bit, unlike the difference of the tangents.
        let (across, across_before) = (cross::<S>(out, self.along), cross::<S>(out_before, before.along));
        let mut rows = [self.along; 3];
        for r in 0..3 {
            for n in 0..3 {
                rows[r][n] = self.along[r]
                    .mul_add(before.along[n], across[r].mul_add(across_before[n], out[r] * out_before[n]));
            }
        }
        rows
    }
}

#[inline(always)]
fn six<S: Simd>(simd: S, [a, b, c, d, e, f]: &[Lanes; 6], part: usize) -> [V3<S>; 2] {
    [load3(simd, &[*a, *b, *c], part), load3(simd, &[*d, *e, *f], part)]
}

/// A linear map, given row by row, times `v`.
#[inline(always)]
fn stretched<S: Simd>([a, b, c, d, e, f, g, h, i]: &[F<S>; 9], v: V3<S>) -> V3<S> {
    [dot::<S>([*a, *b, *c], v), dot::<S>([*d, *e, *f], v), dot::<S>([*g, *h, *i], v)]
}

/// The rotations of the lanes in `lost`, in double precision, or those that `fallback` gives where the surface has
/// collapsed; the rows of `rotation` elsewhere. `frames` are the tangents at rest and posed.
#[inline(always)]
fn rescued<S: Simd>(
    simd: S,
    frames: [[V3<S>; 2]; 2],
    rotation: [V3<S>; 3],
    lost: u64,
    part: usize,
    fallback: impl Fn(usize) -> Quat,
) -> [V3<S>; 3] {
    let width = F::<S>::LEN;
    let (mut tangents, mut rows) = ([[0.0; WIDTH]; 12], [[0.0; WIDTH]; 9]);
    for n in 0..3 {
        for at in 0..4 {
            frames[at / 2][at % 2][n].store_slice(&mut tangents[at * 3 + n][..width]);
        }
        for row in 0..3 {
            rotation[row][n].store_slice(&mut rows[row * 3 + n][..width]);
        }
    }
    for lane in (0..width).filter(|lane| lost >> lane & 1 == 1) {
        rescue(&tangents, &mut rows, lane, fallback(part * width + lane));
    }
    let mut out = rotation;
    for row in 0..3 {
        for n in 0..3 {
            out[row][n] = F::<S>::from_slice(simd, &rows[row * 3 + n][..width]);
        }
    }
    out
}

#[cold]
#[inline(never)]
fn rescue(tangents: &[[f32; WIDTH]; 12], rows: &mut [[f32; WIDTH]; 9], lane: usize, fallback: Quat) {
    let vector = |at: usize| {
        DVec3::from(Vec3::new(tangents[at][lane], tangents[at + 1][lane], tangents[at + 2][lane]))
    };
    let frames = frame([vector(0), vector(3)]).zip(frame([vector(6), vector(9)]));
    let turned = frames.map(|(before, after)| after * before.transpose()).filter(DMat3::is_finite);
    let turned = turned.unwrap_or_else(|| DMat3::from_quat(fallback.as_dquat()));
    for (numbers, number) in rows.iter_mut().zip(turned.transpose().to_cols_array()) {
        numbers[lane] = number as f32;
    }
}
