//! A number of one bone, or one number of each of eight bones.

use fearless_simd::{f32x8, mask32x8, prelude::*};
use std::ops::{Add, BitAnd, Div, Mul, Neg, Sub};

/// How many bones are evaluated side by side.
pub(super) const WIDTH: usize = 8;

/// A number of one bone or of each of [`WIDTH`] bones. Every operation rounds in the same way, whatever their count: products
/// and sums are not fused.
pub(super) trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Proves the instruction set.
    type Token: Copy;
    /// One truth value per bone.
    type Mask: Copy + BitAnd<Output = Self::Mask>;
    /// How many bones there are.
    const LANES: usize;

    /// The number of each bone.
    fn load(token: Self::Token, lanes: &[f32]) -> Self;
    fn store(self, lanes: &mut [f32]);
    /// The same number for every bone.
    fn splat(token: Self::Token, value: f32) -> Self;
    fn sqrt(self) -> Self;
    fn is_less(self, than: Self) -> Self::Mask;
    /// `a` where the mask is true, `b` elsewhere.
    fn pick(mask: Self::Mask, a: Self, b: Self) -> Self;
    fn all(mask: Self::Mask) -> bool;
    fn any(mask: Self::Mask) -> bool;
}

impl Real for f32 {
    type Token = ();
    type Mask = bool;
    const LANES: usize = 1;

    #[inline(always)]
    fn load((): (), lanes: &[f32]) -> Self {
        lanes[0]
    }

    #[inline(always)]
    fn store(self, lanes: &mut [f32]) {
        lanes[0] = self;
    }

    #[inline(always)]
    fn splat((): (), value: f32) -> Self {
        value
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::sqrt(self)
    }

    #[inline(always)]
    fn is_less(self, than: Self) -> bool {
        self < than
    }

    #[inline(always)]
    fn pick(mask: bool, a: Self, b: Self) -> Self {
        if mask { a } else { b }
    }

    #[inline(always)]
    fn all(mask: bool) -> bool {
        mask
    }

    #[inline(always)]
    fn any(mask: bool) -> bool {
        mask
    }
}

impl<S: Simd> Real for f32x8<S> {
    type Token = S;
    type Mask = mask32x8<S>;
    const LANES: usize = WIDTH;

    #[inline(always)]
    fn load(simd: S, lanes: &[f32]) -> Self {
        Self::from_slice(simd, &lanes[..WIDTH])
    }

    #[inline(always)]
    fn store(self, lanes: &mut [f32]) {
        self.store_slice(&mut lanes[..WIDTH]);
    }

    #[inline(always)]
    fn splat(simd: S, value: f32) -> Self {
        <Self as SimdBase<S>>::splat(simd, value)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        SimdFloat::sqrt(self)
    }

    #[inline(always)]
    fn is_less(self, than: Self) -> Self::Mask {
        self.simd_lt(than)
    }

    #[inline(always)]
    fn pick(mask: Self::Mask, a: Self, b: Self) -> Self {
        mask.select(a, b)
    }

    #[inline(always)]
    fn all(mask: Self::Mask) -> bool {
        mask.all_true()
    }

    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        mask.any_true()
    }
}

/// A vector of each bone.
pub(super) type Vector<R> = [R; 3];
/// The columns of a matrix of each bone.
pub(super) type Matrix<R> = [Vector<R>; 3];
/// The x, y, z and w of a rotation of each bone.
pub(super) type Rotation<R> = [R; 4];

#[inline(always)]
pub(super) fn dot<R: Real>(a: Vector<R>, b: Vector<R>) -> R {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

#[inline(always)]
pub(super) fn cross<R: Real>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(super) fn plus<R: Real>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(super) fn minus<R: Real>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(super) fn times<R: Real>(a: Vector<R>, factor: R) -> Vector<R> {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

/// The product of each component.
#[inline(always)]
pub(super) fn scaled<R: Real>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

/// A matrix times a vector.
#[inline(always)]
pub(super) fn transform<R: Real>(m: &Matrix<R>, v: Vector<R>) -> Vector<R> {
    plus(plus(times(m[0], v[0]), times(m[1], v[1])), times(m[2], v[2]))
}

/// A matrix times the matrix of a rotation.
#[inline(always)]
pub(super) fn turned<R: Real>(one: R, m: &Matrix<R>, [x, y, z, w]: Rotation<R>) -> Matrix<R> {
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [
        transform(m, [one - (yy + zz), xy + wz, xz - wy]),
        transform(m, [xy - wz, one - (xx + zz), yz + wx]),
        transform(m, [xz + wy, yz - wx, one - (xx + yy)]),
    ]
}

/// A vector turned by a rotation.
#[inline(always)]
pub(super) fn turn<R: Real>([x, y, z, w]: Rotation<R>, v: Vector<R>) -> Vector<R> {
    let half = cross([x, y, z], v);
    let whole = plus(half, half);
    plus(plus(v, times(whole, w)), cross([x, y, z], whole))
}

/// A rotation times another.
#[inline(always)]
pub(super) fn product<R: Real>(a: Rotation<R>, b: Rotation<R>) -> Rotation<R> {
    let [ax, ay, az, aw] = a;
    let [bx, by, bz, bw] = b;
    [
        ((aw * bx + ax * bw) + ay * bz) - az * by,
        ((aw * by + ay * bw) + az * bx) - ax * bz,
        ((aw * bz + az * bw) + ax * by) - ay * bx,
        ((aw * bw - ax * bx) - ay * by) - az * bz,
    ]
}
