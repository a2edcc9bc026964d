//! How contact skinning moves one vertex.

use crate::{
    asset::precomputed::ContactVertex,
    palette::{ContactBonePose, ContactEnd, smoothstep},
};
use glam::Vec3;

/// A vertex moves at most this far from dual quaternion skinning, in distances from its bone.
pub const CONTACT_REACH: f32 = 1.5;
/// The directions around the bone between which the inner side of a bend begins, as cosines against the plane's normal.
pub(crate) const INNER: [f32; 2] = [-0.1, 0.15];
/// The distance that a vertex keeps from a plane, in distances along the bone from that end. So what lies on the plane is in the
/// order in which it is on the bone, and does not pass through itself.
pub(crate) const WEDGE: f32 = 0.03;
/// The width of the transition to a plane, in distances from the bone at the largest bend.
pub(crate) const SOFTNESS: f32 = 0.06;

/// The vertex at `rest` in mesh space that dual quaternion skinning moves to `place`, moved to its bone's side.
pub(crate) fn folded(bone: &ContactBonePose, vertex: &ContactVertex, rest: Vec3, place: Vec3) -> Vec3 {
    let [mask, radius, before, after] =
        [vertex.mask, vertex.radius, vertex.beyond[0], vertex.beyond[1]].map(ContactVertex::number);
    // Where the bone alone would move the vertex, as a place along the bone and a direction away from it.
    let own = bone.model_from_mesh.transform_point3(rest) - bone.head;
    let along = own.dot(bone.axis);
    let away = own - bone.axis * along;
    let past = along - along.clamp(0.0, bone.length);
    let distance = (away.length_squared() + past * past).sqrt();
    let away = twisted(bone, [before, after], away);
    let direction = away.normalize_or_zero();
    let inner = bone
        .ends
        .each_ref()
        .map(|end| end.strength * smoothstep(INNER[0], INNER[1], direction.dot(end.normal)));
    // On the inner side of a bend, dual quaternions turn vertices about the bone: take the direction from the bone alone.
    let from_head = place - bone.head;
    let at = from_head.dot(bone.axis);
    let side = from_head - bone.axis * at;
    let side = side + (away - side) * (1.0 - (1.0 - inner[0]) * (1.0 - inner[1]));
    // Then restore the distance from the bone, with round ends.
    let on_bone = at.clamp(0.0, bone.length);
    let offset = side + bone.axis * (at - on_bone);
    let length = offset.length().max(1e-6 * distance + f32::MIN_POSITIVE);
    let pull = radius * bone.strength();
    let mut moved = bone.axis * on_bone + offset * (1.0 + pull * (distance / length - 1.0));
    let from_ends = [along, bone.length - along].map(|from| from.max(0.0));
    for ((end, inner), from_end) in bone.ends.iter().zip(inner).zip(from_ends) {
        let beyond = moved.dot(end.normal) - end.height + WEDGE * from_end;
        moved -= end.normal * (inner * excess(end, own, beyond, distance));
    }
    let change = (moved - from_head) * mask;
    let limit = CONTACT_REACH * distance;
    let scale = (limit / change.length().max(f32::MIN_POSITIVE)).min(1.0);
    place + change * scale
}

/// `away` from the bone, twisted about it as the vertex is by the bones beyond its ends.
fn twisted(bone: &ContactBonePose, beyond: [f32; 2], away: Vec3) -> Vec3 {
    let [head, tail] = bone.ends.each_ref().map(|end| end.half_twist);
    let own = 1.0 - beyond[0] - beyond[1];
    let cosine = own + beyond[0] * head[0] + beyond[1] * tail[0];
    let sine = beyond[0] * head[1] + beyond[1] * tail[1];
    let squared = (cosine * cosine + sine * sine).max(f32::MIN_POSITIVE);
    let (turn_cosine, turn_sine) = ((cosine * cosine - sine * sine) / squared, 2.0 * cosine * sine / squared);
    away * turn_cosine + bone.axis.cross(away) * turn_sine
}

/// How much farther than at rest a vertex that is `beyond` the plane of `end` is beyond it; smooth and never negative.
fn excess(end: &ContactEnd, own: Vec3, beyond: f32, distance: f32) -> f32 {
    let at_rest = (own.dot(end.rest_normal) - end.rest_height).max(0.0);
    let beyond = beyond - at_rest;
    let width = SOFTNESS * distance * end.bend;
    0.5 * (beyond + (beyond * beyond + width * width).sqrt())
}
