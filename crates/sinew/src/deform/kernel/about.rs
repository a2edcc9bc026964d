//! Vertices that rotate about a point of their own, which moves: centers of rotation, meeting points, pivots.

use super::{
    dual_quat::Rotation,
    linear::{MATRIX, stretch_direction, stretch_normal, turn},
    sink::Sink,
    span::{OutputStreams, RestSurface},
    vector::{F, V3, dot},
};
use fearless_simd::Simd;

/// A rotation of one register of vertices.
pub(super) trait Turn<S: Simd>: Copy {
    fn turn(&self, v: V3<S>) -> V3<S>;
}

impl<S: Simd> Turn<S> for Rotation<S> {
    #[inline(always)]
    fn turn(&self, v: V3<S>) -> V3<S> {
        self.rotated(v)
    }
}

/// A rotation as the rows of its matrix.
#[derive(Clone, Copy)]
pub(super) struct RotationRows<S: Simd>(pub(super) [V3<S>; 3]);

impl<S: Simd> Turn<S> for RotationRows<S> {
    #[inline(always)]
    fn turn(&self, v: V3<S>) -> V3<S> {
        [dot::<S>(self.0[0], v), dot::<S>(self.0[1], v), dot::<S>(self.0[2], v)]
    }
}

/// A rotation about `center`, which moves to `moved`.
#[derive(Clone, Copy)]
pub(super) struct TurnAbout<S: Simd, R> {
    pub(super) rotation: R,
    /// Where the center is in mesh space.
    pub(super) center: V3<S>,
    /// Where the center moves to in model space.
    pub(super) moved: V3<S>,
}

impl<S: Simd, R: Turn<S>> TurnAbout<S, R> {
    /// Rotates vertices into `out`.
    #[inline(always)]
    pub(super) fn put<O: Sink>(self, rest: RestSurface<'_, S>, wanted: OutputStreams, out: &mut O) {
        let simd = rest.simd;
        let turned = self.rotation.turn(minus::<S>(rest.position(), self.center));
        out.put_positions(simd, rest.place, plus::<S>(turned, self.moved));
        // A rotation preserves length: no normalization is needed.
        if wanted.normals {
            out.put_normals(simd, rest.place, self.rotation.turn(rest.normal()));
        }
        if wanted.tangents {
            let (direction, handedness) = rest.tangent();
            let [x, y, z] = self.rotation.turn(direction);
            out.put_tangents::<S>(rest.place, [x, y, z, handedness]);
        }
    }

    /// Stretches vertices by a linear map, given row by row, and rotates them into `out`.
    #[inline(always)]
    pub(super) fn put_stretched<O: Sink>(
        self,
        stretch: [F<S>; 9],
        rest: RestSurface<'_, S>,
        wanted: OutputStreams,
        out: &mut O,
    ) {
        let simd = rest.simd;
        let stretch = padded::<S>(stretch);
        let offset = turn::<S>(&stretch, minus::<S>(rest.position(), self.center));
        out.put_positions(simd, rest.place, plus::<S>(self.rotation.turn(offset), self.moved));
        if wanted.normals {
            let (normal, side) = stretch_normal(&stretch, rest);
            out.put_normals(simd, rest.place, self.rotation.turn(normal));
            if wanted.tangents {
                let (direction, handedness) = stretch_direction(&stretch, rest);
                let [x, y, z] = self.rotation.turn(direction);
                out.put_tangents::<S>(rest.place, [x, y, z, handedness * side]);
            }
        }
    }
}

/// The rows of a linear map as those of a matrix whose fourth column is not read.
#[inline(always)]
fn padded<S: Simd>([a, b, c, d, e, f, g, h, i]: [F<S>; 9]) -> [F<S>; MATRIX] {
    [a, b, c, a, d, e, f, d, g, h, i, g]
}

#[inline(always)]
fn minus<S: Simd>(a: V3<S>, b: V3<S>) -> V3<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn plus<S: Simd>(a: V3<S>, b: V3<S>) -> V3<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
