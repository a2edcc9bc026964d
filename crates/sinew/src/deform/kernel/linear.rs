//! Blended matrices: linear blend skinning, rigid skinning, and the matrix operations that other methods use.
//!
//! Loops go over indices; [`stage`](super::stage) gives the reason.
#![allow(clippy::needless_range_loop, reason = "see above")]

use super::{
    bundle::Bundle,
    sink::{EitherSink, Sink},
    span::{BlockRange, Kernel, OutputStreams, RestSurface},
    stage::splat_all,
    vector::{F, V3, cross, dot, load, parts, scale, scale_add, side, splat, unit, unit_unchecked},
};
use crate::deform::blocks::Lanes;
use fearless_simd::{Simd, SimdFloat};

/// The number of floats of a 3×4 matrix, stored row by row.
pub(super) const MATRIX: usize = 12;

/// Linear blend skinning, or rigid skinning if the input asks for the strongest joint only.
pub(super) struct LinearKernel;

impl Kernel<MATRIX> for LinearKernel {
    const UNCHECKED: Option<bool> = None;

    fn matrix(numbers: &[f32; MATRIX]) -> [f32; MATRIX] {
        *numbers
    }

    #[inline(always)]
    fn move_blended<S: Simd, O: Sink>(
        blended: &[F<S>; MATRIX],
        rest: RestSurface<'_, S>,
        wanted: OutputStreams,
        out: &mut O,
    ) {
        out.put_positions(rest.simd, rest.place, transform::<S>(blended, rest.position()));
        if wanted.normals {
            let (normal, side) = stretch_normal(blended, rest);
            out.put_normals(rest.simd, rest.place, normal);
            if wanted.tangents {
                let ([x, y, z], handedness) = stretch_direction(blended, rest);
                out.put_tangents::<S>(rest.place, [x, y, z, handedness * side]);
            }
        }
    }
}

/// Computes the blocks of a run with one joint.
pub(super) fn run_one<
    S: Simd,
    O: EitherSink,
    const NORMALS: bool,
    const TANGENTS: bool,
    const UNCHECKED: bool,
>(
    simd: S,
    joint: &[f32; MATRIX],
    inverse_factor: f32,
    blocks: BlockRange<'_>,
    out: &mut O,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let fixed = FixedList::of::<UNCHECKED>(simd, &splat_all(simd, joint), inverse_factor);
            let mut out = out.even::<NORMALS, TANGENTS>();
            for nth in 0..blocks.outputs.len() {
                for part in 0..parts::<S>() {
                    fixed.apply::<_, NORMALS, TANGENTS, UNCHECKED>(blocks.rest(simd, nth, part), &mut out);
                }
            }
        },
    );
}

/// Computes the blocks of a bundle of runs, whose joints are blended as differences from the first.
///
/// The loop ignores the boundaries between runs. Real characters have runs of about five blocks, and starting a run and
/// mispredicting its end costs as much as one and a half blocks (measured).
pub(super) fn run_bundle<
    S: Simd,
    O: EitherSink,
    const NORMALS: bool,
    const TANGENTS: bool,
    const UNCHECKED: bool,
>(
    simd: S,
    bundle: Bundle<'_>,
    blocks: BlockRange<'_>,
    out: &mut O,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let (count, others) = (blocks.outputs.len(), bundle.others);
            let weights = &bundle.weights[..count * others];
            let list_of_block = &bundle.run_of_block[..count];
            let mut out = out.even::<NORMALS, TANGENTS>();
            let permutes = permutes::<S, NORMALS, TANGENTS>();
            for nth in 0..count {
                let list = bundle.list(list_of_block[nth], others);
                let columns = if permutes { blocks.dominant_axes[nth].columns } else { NATURAL };
                for part in 0..parts::<S>() {
                    let weights = &weights[nth * others..][..others];
                    let blended = blend_list(simd, list, weights, columns, part);
                    let rest = blocks.rest(simd, nth, part);
                    apply::<S, _, NORMALS, TANGENTS, UNCHECKED>(&blended, columns, rest, &mut out);
                }
            }
        },
    );
}

/// The columns x, y and z of a matrix in their own order.
const NATURAL: [u32; 3] = [0, 1, 2];

/// True if blended matrices have their columns in the order of the block's normals.
///
/// That is for the sake of unchecked runs. But whether a run is unchecked depends on the pose, and the order of the
/// columns decides how a position is rounded: for copies of a vertex in several runs, all runs must use one order.
#[inline(always)]
pub(super) fn permutes<S: Simd, const NORMALS: bool, const TANGENTS: bool>() -> bool {
    // With four lanes, permuting the columns costs as much as it saves.
    NORMALS && !TANGENTS && parts::<S>() < 4
}

/// `first + Σ weight · difference` for a list with at least one difference. The columns x, y and z are in the order of
/// `columns`.
#[inline(always)]
pub(super) fn blend_list<S: Simd>(
    simd: S,
    list: &[Lanes],
    weights: &[Lanes],
    columns: [u32; 3],
    part: usize,
) -> [F<S>; MATRIX] {
    let [i, j, k] = columns.map(|c| c as usize);
    // The first difference is handled before the loop, so the sums need no initialization: 20 % faster at AVX2.
    let (first, second, weight) = (&list[0].0, &list[1].0, load(simd, &weights[0], part));
    let mut blended = [weight; MATRIX];
    for n in 0..MATRIX {
        let from = number(n, i, j, k);
        blended[n] = weight.mul_add(splat(simd, second[from]), splat(simd, first[from]));
    }
    for nth in 1..weights.len() {
        let (joint, weight) = (&list[nth + 1].0, load(simd, &weights[nth], part));
        for n in 0..MATRIX {
            blended[n] = weight.mul_add(splat(simd, joint[number(n, i, j, k)]), blended[n]);
        }
    }
    blended
}

/// The index in a matrix of element `n` once its columns are in the order i, j, k, translation.
#[inline(always)]
fn number(n: usize, i: usize, j: usize, k: usize) -> usize {
    // The mask tells the compiler that the index is below sixteen.
    (n & !3) + ([i, j, k, 3][n & 3] & 3)
}

/// A matrix and its normal matrix, for vertices that share them.
#[derive(Clone, Copy)]
pub(super) struct FixedList<S: Simd> {
    matrix: [F<S>; MATRIX],
    /// The inverse transpose up to a positive factor, row by row; a rotation if the joint is unchecked.
    normal: [V3<S>; 3],
    side: F<S>,
}

impl<S: Simd> FixedList<S> {
    #[inline(always)]
    fn of<const UNCHECKED: bool>(simd: S, matrix: &[F<S>; MATRIX], inverse_factor: f32) -> Self {
        let [x, y, z] = columns_of::<S>(matrix);
        if UNCHECKED {
            // A rotation with a uniform scale: without the scale it preserves length.
            let inverse_factor = splat(simd, inverse_factor);
            let normal = [
                scale::<S>([x[0], y[0], z[0]], inverse_factor),
                scale::<S>([x[1], y[1], z[1]], inverse_factor),
                scale::<S>([x[2], y[2], z[2]], inverse_factor),
            ];
            return Self { matrix: *matrix, normal, side: splat(simd, 1.0) };
        }
        let (yz, zx, xy) = (cross::<S>(y, z), cross::<S>(z, x), cross::<S>(x, y));
        let side = side(simd, dot::<S>(x, yz));
        let normal = [
            scale::<S>([yz[0], zx[0], xy[0]], side),
            scale::<S>([yz[1], zx[1], xy[1]], side),
            scale::<S>([yz[2], zx[2], xy[2]], side),
        ];
        Self { matrix: *matrix, normal, side }
    }

    /// [`FixedList::of`] for a joint that is found to be unchecked at run time.
    #[inline(always)]
    pub(super) fn either(simd: S, matrix: &[f32; MATRIX], is_unchecked: bool, inverse_factor: f32) -> Self {
        let matrix = splat_all(simd, matrix);
        if is_unchecked {
            Self::of::<true>(simd, &matrix, inverse_factor)
        } else {
            Self::of::<false>(simd, &matrix, inverse_factor)
        }
    }

    /// [`FixedList::apply`] with the output streams chosen at run time.
    #[inline(always)]
    pub(super) fn apply_either<O: Sink>(
        &self,
        rest: RestSurface<'_, S>,
        wanted: OutputStreams,
        is_unchecked: bool,
        out: &mut O,
    ) {
        let simd = rest.simd;
        out.put_positions(simd, rest.place, transform::<S>(&self.matrix, rest.position()));
        if wanted.normals {
            let turned = self.turn(rest.normal());
            let normal = if is_unchecked { turned } else { unit(simd, turned, splat(simd, 1.0)) };
            out.put_normals(simd, rest.place, normal);
        }
        if wanted.tangents {
            let (direction, handedness) = rest.tangent();
            let turned = turn::<S>(&self.matrix, direction);
            let [x, y, z] = unit(simd, turned, splat(simd, 1.0));
            out.put_tangents::<S>(rest.place, [x, y, z, handedness * self.side]);
        }
    }

    #[inline(always)]
    fn turn(&self, v: V3<S>) -> V3<S> {
        [dot::<S>(self.normal[0], v), dot::<S>(self.normal[1], v), dot::<S>(self.normal[2], v)]
    }

    #[inline(always)]
    fn apply<O: Sink, const NORMALS: bool, const TANGENTS: bool, const UNCHECKED: bool>(
        &self,
        rest: RestSurface<'_, S>,
        out: &mut O,
    ) {
        let simd = rest.simd;
        out.put_positions(simd, rest.place, transform::<S>(&self.matrix, rest.position()));
        if NORMALS {
            let turned = self.turn(rest.normal());
            let normal = if UNCHECKED { turned } else { unit(simd, turned, splat(simd, 1.0)) };
            out.put_normals(simd, rest.place, normal);
        }
        if TANGENTS {
            let (direction, handedness) = rest.tangent();
            let [x, y, z] = if UNCHECKED {
                self.turn(direction)
            } else {
                unit(simd, turn::<S>(&self.matrix, direction), splat(simd, 1.0))
            };
            out.put_tangents::<S>(rest.place, [x, y, z, handedness * self.side]);
        }
    }
}

/// Transforms vertices that have a matrix each, with the columns of all matrices in the order of `columns`.
#[inline(always)]
fn apply<S: Simd, O: Sink, const NORMALS: bool, const TANGENTS: bool, const UNCHECKED: bool>(
    matrix: &[F<S>; MATRIX],
    columns: [u32; 3],
    rest: RestSurface<'_, S>,
    out: &mut O,
) {
    let simd = rest.simd;
    out.put_positions(simd, rest.place, transform::<S>(matrix, rest.permuted_position(columns)));
    if NORMALS || TANGENTS {
        let [x, y, z] = columns_of::<S>(matrix);
        let yz = cross::<S>(y, z);
        let side = if UNCHECKED { splat(simd, 1.0) } else { side(simd, dot::<S>(x, yz)) };
        if NORMALS {
            let moved = cofactors_times::<S>(x, y, z, yz, rest.permuted_normal(columns));
            let normal = if UNCHECKED { unit_unchecked(simd, moved) } else { unit(simd, moved, side) };
            out.put_normals(simd, rest.place, normal);
        }
        if TANGENTS {
            let (direction, handedness) = rest.tangent();
            let moved = turn::<S>(matrix, direction);
            let [x, y, z] =
                if UNCHECKED { unit_unchecked(simd, moved) } else { unit(simd, moved, splat(simd, 1.0)) };
            out.put_tangents::<S>(rest.place, [x, y, z, handedness * side]);
        }
    }
}

/// Unit normals transformed by the inverse transpose of `matrix`, and the sign of its determinant.
#[inline(always)]
pub(super) fn stretch_normal<S: Simd>(matrix: &[F<S>; MATRIX], rest: RestSurface<'_, S>) -> (V3<S>, F<S>) {
    let [x, y, z] = columns_of::<S>(matrix);
    let yz = cross::<S>(y, z);
    let side = side(rest.simd, dot::<S>(x, yz));
    (unit(rest.simd, cofactors_times::<S>(x, y, z, yz, rest.normal()), side), side)
}

/// Unit tangents transformed by `matrix`, and their handedness at rest.
#[inline(always)]
pub(super) fn stretch_direction<S: Simd>(matrix: &[F<S>; MATRIX], rest: RestSurface<'_, S>) -> (V3<S>, F<S>) {
    let (direction, handedness) = rest.tangent();
    (unit(rest.simd, turn::<S>(matrix, direction), splat(rest.simd, 1.0)), handedness)
}

/// `(y×z) n.x + (z×x) n.y + (x×y) n.z`, the cofactor matrix times `n`, with `y×z` given.
///
/// The last two terms are `x × (n.z y − n.y z)`, which takes six multiplications fewer than forming all cofactors.
#[inline(always)]
pub(super) fn cofactors_times<S: Simd>(x: V3<S>, y: V3<S>, z: V3<S>, yz: V3<S>, n: V3<S>) -> V3<S> {
    let between =
        [n[2].mul_sub(y[0], n[1] * z[0]), n[2].mul_sub(y[1], n[1] * z[1]), n[2].mul_sub(y[2], n[1] * z[2])];
    scale_add::<S>(yz, n[0], cross::<S>(x, between))
}

#[inline(always)]
pub(super) fn columns_of<S: Simd>(m: &[F<S>; MATRIX]) -> [V3<S>; 3] {
    [[m[0], m[4], m[8]], [m[1], m[5], m[9]], [m[2], m[6], m[10]]]
}

#[inline(always)]
pub(super) fn transform<S: Simd>(m: &[F<S>; MATRIX], p: V3<S>) -> V3<S> {
    [transform_row::<S>(m, 0, p), transform_row::<S>(m, 4, p), transform_row::<S>(m, 8, p)]
}

/// The row at `from` times `p`, translation included.
#[inline(always)]
fn transform_row<S: Simd>(m: &[F<S>; MATRIX], from: usize, p: V3<S>) -> F<S> {
    m[from].mul_add(p[0], m[from + 1].mul_add(p[1], m[from + 2].mul_add(p[2], m[from + 3])))
}

/// The linear part of `m` times `v`.
#[inline(always)]
pub(super) fn turn<S: Simd>(m: &[F<S>; MATRIX], v: V3<S>) -> V3<S> {
    [dot::<S>([m[0], m[1], m[2]], v), dot::<S>([m[4], m[5], m[6]], v), dot::<S>([m[8], m[9], m[10]], v)]
}
