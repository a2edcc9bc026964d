//! Centers of rotation: linear blend skinning moves the center, and the vertex rotates around it.

use super::{
    dual_quat::Rotation,
    linear::{MATRIX, stretch_direction, stretch_normal, transform, turn},
    sink::Sink,
    span::{Kernel, OutputStreams, RestSurface},
    vector::{F, V3},
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
        let simd = rest.simd;
        let (matrix, rotation) = split(blended);
        let center = rest.center();
        let moved = transform::<S>(&matrix, center);
        let rotation = Rotation::of(simd, rotation);
        let turned = rotation.turn(minus::<S>(rest.position(), center));
        out.put_positions(simd, rest.place, plus::<S>(turned, moved));
        // A rotation preserves length: no normalization is needed.
        if wanted.normals {
            out.put_normals(simd, rest.place, rotation.turn(rest.normal()));
        }
        if wanted.tangents {
            let (direction, handedness) = rest.tangent();
            let [x, y, z] = rotation.turn(direction);
            out.put_tangents::<S>(rest.place, [x, y, z, handedness]);
        }
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
        let simd = rest.simd;
        let [rigid @ .., a, b, c, d, e, f, g, h, i] = *blended;
        let (matrix, rotation) = split(&rigid);
        // The fourth column is not read.
        let stretch = [a, b, c, a, d, e, f, d, g, h, i, g];
        let center = rest.center();
        let moved = transform::<S>(&matrix, center);
        let rotation = Rotation::of(simd, rotation);
        let offset = turn::<S>(&stretch, minus::<S>(rest.position(), center));
        out.put_positions(simd, rest.place, plus::<S>(rotation.turn(offset), moved));
        if wanted.normals {
            let (normal, side) = stretch_normal(&stretch, rest);
            out.put_normals(simd, rest.place, rotation.turn(normal));
            if wanted.tangents {
                let (direction, handedness) = stretch_direction(&stretch, rest);
                let [x, y, z] = rotation.turn(direction);
                out.put_tangents::<S>(rest.place, [x, y, z, handedness * side]);
            }
        }
    }
}

#[inline(always)]
fn split<F: Copy>(blended: &[F; COR]) -> ([F; MATRIX], [F; 4]) {
    let [matrix @ .., x, y, z, w] = *blended;
    (matrix, [x, y, z, w])
}

#[inline(always)]
fn minus<S: Simd>(a: V3<S>, b: V3<S>) -> V3<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn plus<S: Simd>(a: V3<S>, b: V3<S>) -> V3<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
