//! Blended matrices: linear blend and stitching.

use super::{
    sink::Sink,
    span::{Kernel, Rest},
    vector::{F, V3, cross, dot, scale, scale_add, side, splat, unit, unit_of_tame},
};
use fearless_simd::{Simd, SimdFloat};

/// The numbers of a 3×4 matrix, row by row.
pub(super) const MATRIX: usize = 12;

pub(super) struct Linear;
pub(super) struct Stitch;

impl Kernel<MATRIX> for Linear {
    type Fixed<S: Simd> = Fixed<S>;

    #[inline(always)]
    fn fix<S: Simd, const TAME: bool>(simd: S, blended: &[F<S>; MATRIX]) -> Fixed<S> {
        Fixed::of::<TAME>(simd, blended)
    }

    #[inline(always)]
    fn move_fixed<S: Simd, O: Sink, const NORMALS: bool, const TANGENTS: bool, const TAME: bool>(
        fixed: &Fixed<S>,
        rest: Rest<'_, S>,
        out: &mut O,
    ) {
        fixed.apply::<O, NORMALS, TANGENTS, TAME>(rest, out);
    }

    #[inline(always)]
    fn move_blended<S: Simd, O: Sink, const NORMALS: bool, const TANGENTS: bool, const TAME: bool>(
        blended: &[F<S>; MATRIX],
        rest: Rest<'_, S>,
        out: &mut O,
    ) {
        apply::<S, O, NORMALS, TANGENTS, TAME>(blended, rest, out);
    }
}

impl Kernel<MATRIX> for Stitch {
    const STRONGEST: bool = true;
    type Fixed<S: Simd> = Fixed<S>;

    #[inline(always)]
    fn fix<S: Simd, const TAME: bool>(simd: S, blended: &[F<S>; MATRIX]) -> Fixed<S> {
        Fixed::of::<TAME>(simd, blended)
    }

    #[inline(always)]
    fn move_fixed<S: Simd, O: Sink, const NORMALS: bool, const TANGENTS: bool, const TAME: bool>(
        fixed: &Fixed<S>,
        rest: Rest<'_, S>,
        out: &mut O,
    ) {
        fixed.apply::<O, NORMALS, TANGENTS, TAME>(rest, out);
    }

    #[inline(always)]
    fn move_blended<S: Simd, O: Sink, const NORMALS: bool, const TANGENTS: bool, const TAME: bool>(
        blended: &[F<S>; MATRIX],
        rest: Rest<'_, S>,
        out: &mut O,
    ) {
        apply::<S, O, NORMALS, TANGENTS, TAME>(blended, rest, out);
    }
}

/// A matrix with what it does to normals, for vertices that share it.
#[derive(Clone, Copy)]
pub(super) struct Fixed<S: Simd> {
    matrix: [F<S>; MATRIX],
    /// The inverse transpose but for a positive factor, row by row; a rotation where the joint is tame.
    normal: [V3<S>; 3],
    side: F<S>,
}

impl<S: Simd> Fixed<S> {
    #[inline(always)]
    pub(super) fn of<const TAME: bool>(simd: S, matrix: &[F<S>; MATRIX]) -> Self {
        let [x, y, z] = columns::<S>(matrix);
        if TAME {
            // A rotation with a factor: without the factor it takes units to units.
            let inverse_factor = splat::<S>(simd, 1.0) / dot::<S>(x, x).sqrt();
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

    #[inline(always)]
    fn turn(&self, v: V3<S>) -> V3<S> {
        [dot::<S>(self.normal[0], v), dot::<S>(self.normal[1], v), dot::<S>(self.normal[2], v)]
    }

    #[inline(always)]
    fn apply<O: Sink, const NORMALS: bool, const TANGENTS: bool, const TAME: bool>(
        &self,
        rest: Rest<'_, S>,
        out: &mut O,
    ) {
        let simd = rest.simd;
        out.put_positions(simd, rest.place, transform::<S>(&self.matrix, rest.position()));
        if NORMALS {
            let turned = self.turn(rest.normal());
            let normal = if TAME { turned } else { unit(simd, turned, splat(simd, 1.0)) };
            out.put_normals(simd, rest.place, normal);
        }
        if TANGENTS {
            let (direction, handedness) = rest.tangent();
            let [x, y, z] = if TAME {
                self.turn(direction)
            } else {
                unit(simd, turn::<S>(&self.matrix, direction), splat(simd, 1.0))
            };
            out.put_tangents::<S>(rest.place, [x, y, z, handedness * self.side]);
        }
    }
}

/// Moves vertices each of which has a matrix of its own.
#[inline(always)]
pub(super) fn apply<S: Simd, O: Sink, const NORMALS: bool, const TANGENTS: bool, const TAME: bool>(
    matrix: &[F<S>; MATRIX],
    rest: Rest<'_, S>,
    out: &mut O,
) {
    let simd = rest.simd;
    out.put_positions(simd, rest.place, transform::<S>(matrix, rest.position()));
    if NORMALS || TANGENTS {
        let [x, y, z] = columns::<S>(matrix);
        let yz = cross::<S>(y, z);
        let side = if TAME { splat(simd, 1.0) } else { side(simd, dot::<S>(x, yz)) };
        if NORMALS {
            let moved = cofactors_times::<S>(x, y, z, yz, rest.normal());
            let normal = if TAME { unit_of_tame(simd, moved) } else { unit(simd, moved, side) };
            out.put_normals(simd, rest.place, normal);
        }
        if TANGENTS {
            let (direction, handedness) = rest.tangent();
            let moved = turn::<S>(matrix, direction);
            let [x, y, z] =
                if TAME { unit_of_tame(simd, moved) } else { unit(simd, moved, splat(simd, 1.0)) };
            out.put_tangents::<S>(rest.place, [x, y, z, handedness * side]);
        }
    }
}

/// `(y×z) n.x + (z×x) n.y + (x×y) n.z`, the cofactor matrix times `n`, with `y×z` given.
///
/// The last two terms are `x × (n.z y − n.y z)`: six multiplications fewer than forming all cofactors.
#[inline(always)]
fn cofactors_times<S: Simd>(x: V3<S>, y: V3<S>, z: V3<S>, yz: V3<S>, n: V3<S>) -> V3<S> {
    let between = [
        n[2].mul_sub(y[0], n[1] * z[0]),
        n[2].mul_sub(y[1], n[1] * z[1]),
        n[2].mul_sub(y[2], n[1] * z[2]),
    ];
    scale_add::<S>(yz, n[0], cross::<S>(x, between))
}

#[inline(always)]
pub(super) fn columns<S: Simd>(m: &[F<S>; MATRIX]) -> [V3<S>; 3] {
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
    [
        dot::<S>([m[0], m[1], m[2]], v),
        dot::<S>([m[4], m[5], m[6]], v),
        dot::<S>([m[8], m[9], m[10]], v),
    ]
}
