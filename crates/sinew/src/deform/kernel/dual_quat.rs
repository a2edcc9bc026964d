//! Dual quaternion skinning, with and without a stretch before the rigid motion.

use super::{
    linear::{MATRIX, stretch_direction, stretch_normal, transform},
    sink::Sink,
    span::{Kernel, OutputStreams, RestSurface},
    vector::{F, V3, cross, scale_add, splat},
};
use crate::palette::DualQuat;
use fearless_simd::{Simd, SimdFloat};
use glam::{Affine3A, Quat, Vec3A};
use std::ops::Range;

/// The number of floats of a dual quaternion: real part xyzw, dual part xyzw.
pub(super) const DUAL_QUAT: usize = 8;
/// [`DUAL_QUAT`] plus the matrix of the stretch.
pub(super) const DUAL_QUAT_STRETCH: usize = DUAL_QUAT + MATRIX;

/// The kernel for poses in which every joint is rigid.
pub(super) struct DualQuats;
/// The kernel for poses in which joints stretch.
pub(super) struct StretchedDualQuats;

impl Kernel<DUAL_QUAT> for DualQuats {
    const TURNED: Range<usize> = 0..DUAL_QUAT;
    const UNCHECKED: Option<bool> = Some(true);

    fn matrix(&[x, y, z, w, dual_x, dual_y, dual_z, dual_w]: &[f32; DUAL_QUAT]) -> [f32; MATRIX] {
        let dual = Quat::from_xyzw(dual_x, dual_y, dual_z, dual_w);
        matrix_of(DualQuat { real: Quat::from_xyzw(x, y, z, w), dual }, Affine3A::IDENTITY)
    }

    #[inline(always)]
    fn move_blended<S: Simd, O: Sink>(
        blended: &[F<S>; DUAL_QUAT],
        rest: RestSurface<'_, S>,
        wanted: OutputStreams,
        out: &mut O,
    ) {
        let simd = rest.simd;
        let rigid = Rigid::of(simd, blended);
        out.put_positions(simd, rest.place, rigid.transform(rest.position()));
        // A rotation preserves length: no normalization is needed.
        if wanted.normals {
            out.put_normals(simd, rest.place, rigid.rotation.rotated(rest.normal()));
        }
        if wanted.tangents {
            let (direction, handedness) = rest.tangent();
            let [x, y, z] = rigid.rotation.rotated(direction);
            out.put_tangents::<S>(rest.place, [x, y, z, handedness]);
        }
    }
}

impl Kernel<DUAL_QUAT_STRETCH> for StretchedDualQuats {
    const TURNED: Range<usize> = 0..DUAL_QUAT;
    const UNCHECKED: Option<bool> = Some(false);

    fn matrix(numbers: &[f32; DUAL_QUAT_STRETCH]) -> [f32; MATRIX] {
        let [x, y, z, w, dual_x, dual_y, dual_z, dual_w, rows @ ..] = *numbers;
        let dual = Quat::from_xyzw(dual_x, dual_y, dual_z, dual_w);
        matrix_of(DualQuat { real: Quat::from_xyzw(x, y, z, w), dual }, affine_of_rows(&rows))
    }

    #[inline(always)]
    fn move_blended<S: Simd, O: Sink>(
        blended: &[F<S>; DUAL_QUAT_STRETCH],
        rest: RestSurface<'_, S>,
        wanted: OutputStreams,
        out: &mut O,
    ) {
        let simd = rest.simd;
        let [a, b, c, d, e, f, g, h, stretch @ ..] = *blended;
        let rigid = Rigid::of(simd, &[a, b, c, d, e, f, g, h]);
        out.put_positions(simd, rest.place, rigid.transform(transform::<S>(&stretch, rest.position())));
        if wanted.normals {
            let (normal, side) = stretch_normal(&stretch, rest);
            out.put_normals(simd, rest.place, rigid.rotation.rotated(normal));
            if wanted.tangents {
                let (direction, handedness) = stretch_direction(&stretch, rest);
                let [x, y, z] = rigid.rotation.rotated(direction);
                out.put_tangents::<S>(rest.place, [x, y, z, handedness * side]);
            }
        }
    }
}

/// The rows of `rigid · stretch`.
fn matrix_of(rigid: DualQuat, stretch: Affine3A) -> [f32; MATRIX] {
    let matrix = Affine3A::from_rotation_translation(rigid.real, rigid.translation()) * stretch;
    let rows = matrix.matrix3.transpose();
    let t = matrix.translation;
    let (x, y, z) = (rows.x_axis, rows.y_axis, rows.z_axis);
    [x.x, x.y, x.z, t.x, y.x, y.y, y.z, t.y, z.x, z.y, z.z, t.z]
}

fn affine_of_rows(m: &[f32; MATRIX]) -> Affine3A {
    Affine3A::from_cols(
        Vec3A::new(m[0], m[4], m[8]),
        Vec3A::new(m[1], m[5], m[9]),
        Vec3A::new(m[2], m[6], m[10]),
        Vec3A::new(m[3], m[7], m[11]),
    )
}

/// A rotation by a quaternion that need not be of unit length.
#[derive(Clone, Copy)]
pub(super) struct Rotation<S: Simd> {
    vector: V3<S>,
    scalar: F<S>,
    /// Two divided by the squared length, which compensates for a length other than 1.
    twice: F<S>,
}

impl<S: Simd> Rotation<S> {
    #[inline(always)]
    pub(super) fn of(simd: S, [x, y, z, w]: [F<S>; 4]) -> Self {
        let squared = x.mul_add(x, y.mul_add(y, z.mul_add(z, w * w)));
        Self { vector: [x, y, z], scalar: w, twice: splat::<S>(simd, 2.0) / squared }
    }

    /// Rotates `v`: `v + 2 r × (r × v + w v)`, with the product divided by the squared length.
    #[inline(always)]
    pub(super) fn rotated(&self, v: V3<S>) -> V3<S> {
        let inner = scale_add::<S>(v, self.scalar, cross::<S>(self.vector, v));
        scale_add::<S>(cross::<S>(self.vector, inner), self.twice, v)
    }
}

/// A dual quaternion whose real part need not be of unit length.
#[derive(Clone, Copy)]
pub(super) struct Rigid<S: Simd> {
    pub(super) rotation: Rotation<S>,
    dual_vector: V3<S>,
    dual_scalar: F<S>,
}

impl<S: Simd> Rigid<S> {
    #[inline(always)]
    pub(super) fn of(simd: S, blended: &[F<S>; DUAL_QUAT]) -> Self {
        let [x, y, z, w, dual_x, dual_y, dual_z, dual_scalar] = *blended;
        let rotation = Rotation::of(simd, [x, y, z, w]);
        Self { rotation, dual_vector: [dual_x, dual_y, dual_z], dual_scalar }
    }

    /// Rotates and translates `v`.
    ///
    /// The translation `2 (w d − d.w r + r × d)` reuses the rotation's cross product.
    #[inline(always)]
    pub(super) fn transform(&self, v: V3<S>) -> V3<S> {
        let (r, w, d) = (self.rotation.vector, self.rotation.scalar, self.dual_vector);
        let inner = scale_add::<S>(v, w, cross::<S>(r, v));
        let inner = [inner[0] + d[0], inner[1] + d[1], inner[2] + d[2]];
        let moved = scale_add::<S>(d, w, cross::<S>(r, inner));
        let moved = scale_add::<S>(r, -self.dual_scalar, moved);
        scale_add::<S>(moved, self.rotation.twice, v)
    }
}
