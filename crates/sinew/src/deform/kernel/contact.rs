//! Contact skinning: dual quaternion skinning, then a projection of the vertices of limbs.

use super::{
    dual_quat::{DUAL_QUAT, DUAL_QUAT_STRETCH, DualQuats, Rigid, StretchedDualQuats},
    linear::{MATRIX, stretch_direction, stretch_normal, transform},
    sink::Sink,
    span::{Kernel, OutputStreams, RestSurface},
    vector::{F, V3, cross, dot, load, scale, scale_add, splat},
};
use crate::{
    deform::{
        blocks::ContactEntry,
        methods::contact::{CONTACT_REACH, INNER, SOFTNESS, WEDGE},
    },
    palette::{ContactBonePose, ContactEnd},
};
use fearless_simd::{Simd, SimdBase, SimdFloat, SimdMask};
use glam::Vec3;
use std::ops::Range;

/// The kernel for poses in which every joint is rigid.
pub(super) struct ContactKernel;
/// The kernel for poses in which joints stretch.
pub(super) struct StretchedContact;

impl Kernel<DUAL_QUAT> for ContactKernel {
    const CONTACT: bool = true;
    const TURNED: Range<usize> = DualQuats::TURNED;
    const UNCHECKED: Option<bool> = Some(true);

    fn matrix(numbers: &[f32; DUAL_QUAT]) -> [f32; MATRIX] {
        DualQuats::matrix(numbers)
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
        let position = rest.position();
        let moved = folded(rest, position, rigid.transform(position));
        out.put_positions(simd, rest.place, moved);
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

impl Kernel<DUAL_QUAT_STRETCH> for StretchedContact {
    const CONTACT: bool = true;
    const TURNED: Range<usize> = StretchedDualQuats::TURNED;
    const UNCHECKED: Option<bool> = Some(false);

    fn matrix(numbers: &[f32; DUAL_QUAT_STRETCH]) -> [f32; MATRIX] {
        StretchedDualQuats::matrix(numbers)
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
        let position = rest.position();
        let moved = rigid.transform(transform::<S>(&stretch, position));
        out.put_positions(simd, rest.place, folded(rest, position, moved));
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

/// `moved` with the corrections of all bones on which vertices of this block lie.
#[inline(always)]
fn folded<S: Simd>(rest: RestSurface<'_, S>, position: V3<S>, moved: V3<S>) -> V3<S> {
    let (entries, bones) = rest.contacts();
    let mut out = moved;
    for entry in entries {
        let bone = &bones[usize::from(entry.bone)];
        let mask = load(rest.simd, &entry.mask, rest.place.part);
        if bone.folds() && mask.simd_gt(splat(rest.simd, 0.0)).any_true() {
            let change = change(rest, bone, entry, position, moved);
            out = [out[0] + change[0], out[1] + change[1], out[2] + change[2]];
        }
    }
    out
}

/// How the vertices that lie on `bone` move from `place`; the twin of the reference's `folded`.
#[inline(always)]
fn change<S: Simd>(
    rest: RestSurface<'_, S>,
    bone: &ContactBonePose,
    entry: &ContactEntry,
    position: V3<S>,
    place: V3<S>,
) -> V3<S> {
    let (simd, part) = (rest.simd, rest.place.part);
    let number = |value: f32| splat::<S>(simd, value);
    let (zero, one, least) = (number(0.0), number(1.0), number(f32::MIN_POSITIVE));
    let (head, axis, length) = (wide::<S>(simd, bone.head), wide::<S>(simd, bone.axis), number(bone.length));
    let own = minus::<S>(rigid::<S>(simd, bone, position), head);
    let along = dot::<S>(own, axis);
    let away = scale_add::<S>(axis, -along, own);
    let past = along - along.max(zero).min(length);
    let away_squared = dot::<S>(away, away);
    let distance = past.mul_add(past, away_squared).sqrt();
    let inverse_away = one / away_squared.sqrt().max(least);
    let beyond = entry.beyond.each_ref().map(|lanes| load(simd, lanes, part));
    let away = twisted(simd, bone, beyond, axis, away);
    let inner = bone.ends.each_ref().map(|end| {
        let cosine = dot::<S>(away, wide::<S>(simd, end.normal)) * inverse_away;
        let t = ((cosine - number(INNER[0])) * number(1.0 / (INNER[1] - INNER[0]))).max(zero).min(one);
        number(end.strength) * t * t * (number(3.0) - number(2.0) * t)
    });
    let from_head = minus::<S>(place, head);
    let at = dot::<S>(from_head, axis);
    let side = scale_add::<S>(axis, -at, from_head);
    let toward = one - (one - inner[0]) * (one - inner[1]);
    let side = scale_add::<S>(minus::<S>(away, side), toward, side);
    let on_bone = at.max(zero).min(length);
    let offset = scale_add::<S>(axis, at - on_bone, side);
    let offset_length = dot::<S>(offset, offset).sqrt().max(distance.mul_add(number(1e-6), least));
    let radius = load(simd, &entry.radius, part) * number(bone.strength());
    let pull = radius.mul_add(distance / offset_length - one, one);
    let mut moved = scale_add::<S>(axis, on_bone, scale::<S>(offset, pull));
    let from_ends = [along, length - along].map(|from| from.max(zero));
    for ((end, inner), from_end) in bone.ends.iter().zip(inner).zip(from_ends) {
        let height = dot::<S>(moved, wide::<S>(simd, end.normal)) - number(end.height);
        let beyond = from_end.mul_add(number(WEDGE), height);
        let back = inner * excess(simd, end, own, beyond, distance);
        moved = scale_add::<S>(wide::<S>(simd, end.normal), -back, moved);
    }
    let change = scale::<S>(minus::<S>(moved, from_head), load(simd, &entry.mask, part));
    let limit = number(CONTACT_REACH) * distance;
    scale::<S>(change, (limit / dot::<S>(change, change).sqrt().max(least)).min(one))
}

#[inline(always)]
fn twisted<S: Simd>(
    simd: S,
    bone: &ContactBonePose,
    [before, after]: [F<S>; 2],
    axis: V3<S>,
    away: V3<S>,
) -> V3<S> {
    let [head, tail] = bone.ends.each_ref().map(|end| end.half_twist.map(|n| splat::<S>(simd, n)));
    let one = splat::<S>(simd, 1.0);
    let cosine = before.mul_add(head[0], after.mul_add(tail[0], one - before - after));
    let sine = before.mul_add(head[1], after * tail[1]);
    let squared = cosine.mul_add(cosine, sine * sine).max(splat(simd, f32::MIN_POSITIVE));
    let inverse = one / squared;
    let turn_cosine = cosine.mul_sub(cosine, sine * sine) * inverse;
    let turn_sine = (cosine + cosine) * sine * inverse;
    scale_add::<S>(cross::<S>(axis, away), turn_sine, scale::<S>(away, turn_cosine))
}

#[inline(always)]
fn excess<S: Simd>(simd: S, end: &ContactEnd, own: V3<S>, beyond: F<S>, distance: F<S>) -> F<S> {
    let number = |value: f32| splat::<S>(simd, value);
    let at_rest = dot::<S>(own, wide::<S>(simd, end.rest_normal)) - number(end.rest_height);
    let at_rest = at_rest.max(number(0.0));
    let beyond = beyond - at_rest;
    let width = distance * number(SOFTNESS * end.bend);
    number(0.5) * (beyond + beyond.mul_add(beyond, width * width).sqrt())
}

/// `position` moved by the matrix of `bone`.
#[inline(always)]
fn rigid<S: Simd>(simd: S, bone: &ContactBonePose, position: V3<S>) -> V3<S> {
    let matrix = &bone.model_from_mesh;
    let column = |v: glam::Vec3A| wide::<S>(simd, v.into());
    let moved = scale_add::<S>(column(matrix.matrix3.x_axis), position[0], column(matrix.translation));
    let moved = scale_add::<S>(column(matrix.matrix3.y_axis), position[1], moved);
    scale_add::<S>(column(matrix.matrix3.z_axis), position[2], moved)
}

#[inline(always)]
fn wide<S: Simd>(simd: S, v: Vec3) -> V3<S> {
    [splat(simd, v.x), splat(simd, v.y), splat(simd, v.z)]
}

#[inline(always)]
fn minus<S: Simd>(a: V3<S>, b: V3<S>) -> V3<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
