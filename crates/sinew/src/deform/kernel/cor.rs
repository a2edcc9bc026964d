//! Centers of rotation: linear blend skinning moves the center, and the vertex rotates around it.

use super::{
    about::TurnAbout,
    dual_quat::Rotation,
    linear::{MATRIX, transform},
    sink::Sink,
    span::{Kernel, OutputStreams, RestSurface},
    vector::F,
};
use fearless_simd::Simd;
use std::ops::Range;

/// The number of floats per joint: its matrix, then its rotation xyzw.
pub(super) const COR: usize = MATRIX + 4;
/// [`COR`] plus the linear part of the stretch, row by row.
pub(super) const COR_STRETCH: usize = COR + 9;

/// The kernel for poses in which every joint is rigid.
pub(super) struct CorKernel;
/// The kernel for poses in which joints stretch.
pub(super) struct StretchedCenters;

impl Kernel<COR> for CorKernel {
    const CENTERS: bool = true;
    const TURNED: Range<usize> = MATRIX..COR;
    const UNCHECKED: Option<bool> = None;

    // A single joint transforms a vertex by its matrix, whatever the center.
    fn matrix(numbers: &[f32; COR]) -> [f32; MATRIX] {
        split(numbers).0
    }

    #[inline(always)]
    fn move_blended<S: Simd, O: Sink>(
        blended: &[F<S>; COR],
        rest: RestSurface<'_, S>,
        wanted: OutputStreams,
        out: &mut O,
    ) {
        let (matrix, rotation) = split(blended);
        turn_about_center(&matrix, rotation, rest).put(rest, wanted, out);
    }
}

impl Kernel<COR_STRETCH> for StretchedCenters {
    const CENTERS: bool = true;
    const TURNED: Range<usize> = MATRIX..COR;
    const UNCHECKED: Option<bool> = None;

    fn matrix(numbers: &[f32; COR_STRETCH]) -> [f32; MATRIX] {
        let [matrix @ .., _, _, _, _, _, _, _, _, _, _, _, _, _] = *numbers;
        matrix
    }

    #[inline(always)]
    fn move_blended<S: Simd, O: Sink>(
        blended: &[F<S>; COR_STRETCH],
        rest: RestSurface<'_, S>,
        wanted: OutputStreams,
        out: &mut O,
    ) {
        let [rigid @ .., a, b, c, d, e, f, g, h, i] = *blended;
        let (matrix, rotation) = split(&rigid);
        let about = turn_about_center(&matrix, rotation, rest);
        about.put_stretched([a, b, c, d, e, f, g, h, i], rest, wanted, out);
    }
}

/// The rotation about the center of rotation, which `matrix` moves.
#[inline(always)]
fn turn_about_center<S: Simd>(
    matrix: &[F<S>; MATRIX],
    rotation: [F<S>; 4],
    rest: RestSurface<'_, S>,
) -> TurnAbout<S, Rotation<S>> {
    let center = rest.center();
    let rotation = Rotation::of(rest.simd, rotation);
    TurnAbout { rotation, center, moved: transform::<S>(matrix, center) }
}

#[inline(always)]
fn split<F: Copy>(blended: &[F; COR]) -> ([F; MATRIX], [F; 4]) {
    let [matrix @ .., x, y, z, w] = *blended;
    (matrix, [x, y, z, w])
}
