//! Linear blend skinning of positions and normals in unchecked runs: nearly all blocks of nearly all characters.
//!
//! Normals are stored as slopes where their block has a [`DominantNormalAxis`].
//!
//! Loops go over indices; [`stage`](super::stage) gives the reason.
#![allow(clippy::needless_range_loop, reason = "see above")]

use super::{
    bundle::Bundle,
    linear::{blend_list, cofactors_times, columns_of, transform},
    sink::{EitherSink, Sink},
    span::BlockRange,
    vector::{V3, cross, dot, load3, parts, scale, scale_add, splat},
};
use crate::deform::blocks::DominantNormalAxis;
use fearless_simd::{Simd, SimdFloat};

/// Computes the positions and normals of a bundle of unchecked runs.
///
/// The loop ignores the boundaries between runs. Real characters have runs of about five blocks, and starting a run and
/// mispredicting its end costs as much as one and a half blocks (measured).
#[inline(always)]
pub(super) fn run_bundle<S: Simd, O: EitherSink>(
    simd: S,
    bundle: Bundle<'_>,
    blocks: BlockRange<'_>,
    out: &mut O,
) {
    // A list length that is constant at compile time saves a third of the instructions, so more blocks are in flight.
    match bundle.others {
        1 => run_lists::<S, O, 1>(simd, bundle, blocks, out),
        2 => run_lists::<S, O, 2>(simd, bundle, blocks, out),
        3 => run_lists::<S, O, 3>(simd, bundle, blocks, out),
        _ => run_lists::<S, O, 0>(simd, bundle, blocks, out),
    }
}

/// [`run_bundle`] for lists with `OTHERS` joints after the first, or of any length if `OTHERS` is zero.
fn run_lists<S: Simd, O: EitherSink, const OTHERS: usize>(
    simd: S,
    bundle: Bundle<'_>,
    blocks: BlockRange<'_>,
    out: &mut O,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let count = blocks.outputs.len();
            let others = if OTHERS == 0 { bundle.others } else { OTHERS };
            let mut weights = &bundle.weights[..count * others];
            let list_of_block = &bundle.run_of_block[..count];
            let mut out = out.even::<true, false>();
            for nth in 0..count {
                let (list, dominant) = (bundle.list(list_of_block[nth], others), blocks.dominant_axes[nth]);
                let (own, left) = weights.split_at(others);
                weights = left;
                for part in 0..parts::<S>() {
                    let matrix = blend_list(simd, list, own, dominant.columns, part);
                    let rest = blocks.rest(simd, nth, part);
                    let moved = transform::<S>(&matrix, rest.permuted_position(dominant.columns));
                    out.put_positions(simd, rest.place, moved);
                    let plane = load3(simd, &blocks.slopes[nth], part);
                    let normal = turn_plane(simd, columns_of::<S>(&matrix), dominant, plane);
                    out.put_normals(simd, rest.place, normal);
                }
            }
        },
    );
}

/// The normals transformed by the matrix with these columns; given as slopes if the block has a dominant axis.
#[inline(always)]
fn turn_plane<S: Simd>(simd: S, [x, y, z]: [V3<S>; 3], dominant: DominantNormalAxis, plane: V3<S>) -> V3<S> {
    let (normal, sign) = if dominant.has_slopes {
        (cross::<S>(scale_add::<S>(z, plane[0], x), scale_add::<S>(z, plane[1], y)), plane[2])
    } else {
        (cofactors_times::<S>(x, y, z, cross::<S>(y, z), plane), splat(simd, 1.0))
    };
    scale::<S>(normal, sign / dot::<S>(normal, normal).sqrt())
}
