//! One step of a bone, or of eight bones side by side: the arithmetic without branches.
//!
//! Bones for which it is not meant are only noticed: a flattened joint, a bone without length, a tail in the middle of a
//! collider, a bone that points away from its rest direction. [`super::pass`] evaluates them one by one.

use super::{
    collide::{WorldKind, WorldShape},
    real::{
        Matrix, Real, Rotation, Vector, cross, dot, minus, plus, product, scaled, times, transform, turn,
        turned,
    },
};

/// Squares of lengths whose square root and reciprocal are accurate.
const SAFE_SQUARES: (f32, f32) = (1e-30, 1e30);
/// Determinants whose reciprocal is accurate.
const SAFE_DETERMINANTS: (f32, f32) = (1e-20, 1e20);
/// Twice the cosine of half the largest angle between a bone and its rest direction: 163 degrees.
const SHORTEST_SUM: f32 = 0.3;

/// What a step of a bone starts from.
pub(super) struct BoneInput<R> {
    /// The matrix of the joint without its own rotation and scale.
    pub(super) linear: Matrix<R>,
    pub(super) scale: Vector<R>,
    pub(super) rest: Rotation<R>,
    /// The direction of the bone in joint space at rest.
    pub(super) axis: Vector<R>,
    /// The rotation and the end of the bone in joint space before the step.
    pub(super) rotation: Rotation<R>,
    pub(super) tail: Vector<R>,
    pub(super) radius: R,
    pub(super) stiffness: R,
    pub(super) gravity: Vector<R>,
    /// Where the tail would be without forces, in world space relative to the head.
    pub(super) inert: Vector<R>,
}

/// What does not differ between the bones of a step.
#[derive(Clone, Copy)]
pub(super) struct StepNumbers<R> {
    pub(super) one: R,
    /// The time over which forces act, in seconds.
    pub(super) secs: R,
    pub(super) scales_radii: bool,
}

/// What a step of a bone gives.
pub(super) struct BoneOutput<R> {
    /// The end of the bone in world space relative to the head.
    pub(super) tail: Vector<R>,
    pub(super) rotation: Rotation<R>,
    /// The linear part of the joint's matrix, with and without its own scale.
    pub(super) linear: Matrix<R>,
    pub(super) unscaled: Matrix<R>,
}

/// A bone before it swings, in world space relative to its head.
pub(super) struct Bone<R: Real> {
    token: R::Token,
    numbers: StepNumbers<R>,
    world_from_rest: Matrix<R>,
    length: R,
    radius: R,
    tail: Vector<R>,
    /// False for bones that this arithmetic is not meant for.
    is_usual: R::Mask,
}

/// A vector of unit length, and where that is accurate.
#[inline(always)]
fn unit<R: Real>(token: R::Token, one: R, v: Vector<R>) -> (Vector<R>, R::Mask) {
    let squared = dot(v, v);
    (times(v, one / squared.sqrt()), is_between(token, squared, SAFE_SQUARES))
}

#[inline(always)]
fn is_between<R: Real>(token: R::Token, value: R, range: (f32, f32)) -> R::Mask {
    let (low, high) = range;
    R::splat(token, low).is_less(value) & value.is_less(R::splat(token, high))
}

#[inline(always)]
fn larger<R: Real>(a: R, b: R) -> R {
    R::pick(a.is_less(b), b, a)
}

impl<R: Real> Bone<R> {
    /// The bone after inertia and forces, and before collisions.
    #[inline(always)]
    pub(super) fn new(token: R::Token, numbers: StepNumbers<R>, input: &BoneInput<R>) -> Self {
        let [x, y, z] = turned(numbers.one, &input.linear, input.rest);
        let world_from_rest = [times(x, input.scale[0]), times(y, input.scale[1]), times(z, input.scale[2])];
        let (axis, has_axis) = unit(token, numbers.one, transform(&world_from_rest, input.axis));
        // Below an uneven scale the length depends on the rotation.
        let end = transform(&input.linear, turn(input.rotation, scaled(input.tail, input.scale)));
        let squared = dot(end, end);
        let mut bone = Self {
            token,
            numbers,
            world_from_rest,
            length: squared.sqrt(),
            radius: input.radius,
            tail: axis,
            is_usual: has_axis & is_between(token, squared, SAFE_SQUARES),
        };
        if numbers.scales_radii {
            bone.radius = bone.radius * bone.largest_scale();
        }
        let forces = plus(times(axis, input.stiffness), input.gravity);
        bone.point_at(plus(input.inert, times(forces, numbers.secs)));
        bone
    }

    #[inline(always)]
    fn largest_scale(&self) -> R {
        let [x, y, z] = self.world_from_rest;
        larger(larger(dot(x, x), dot(y, y)), dot(z, z)).sqrt()
    }

    /// Moves the tail to the length of the bone in the direction of a point.
    #[inline(always)]
    fn point_at(&mut self, point: Vector<R>) {
        let (unit, is_good) = unit(self.token, self.numbers.one, point);
        self.is_usual = self.is_usual & is_good;
        self.tail = times(unit, self.length);
    }

    /// Pushes the tail out of a collider whose place is `place`, relative to the head.
    #[inline(always)]
    pub(super) fn collide(&mut self, shape: &WorldShape, place: Vector<R>) {
        let token = self.token;
        let (zero, radius) = (R::splat(token, 0.0), R::splat(token, shape.radius));
        let glam::Vec3 { x, y, z } = shape.along;
        let along = [R::splat(token, x), R::splat(token, y), R::splat(token, z)];
        let mut from = minus(self.tail, place);
        let (toward, distance) = if shape.kind == WorldKind::Plane {
            (along, dot(from, along) - self.radius)
        } else {
            let squared = shape.along.length_squared();
            if squared > 0.0 {
                let part = dot(along, from) / R::splat(token, squared);
                let part = R::pick(part.is_less(zero), zero, part);
                let part = R::pick(self.numbers.one.is_less(part), self.numbers.one, part);
                from = minus(from, times(along, part));
            }
            let length = dot(from, from).sqrt();
            let distance = match shape.kind {
                WorldKind::Inside => (radius - self.radius) - length,
                WorldKind::Outside | WorldKind::Plane => (length - self.radius) - radius,
            };
            if !R::any(distance.is_less(zero)) {
                return;
            }
            let (unit, is_good) = unit(token, self.numbers.one, from);
            self.is_usual = self.is_usual & is_good;
            let [x, y, z] = unit;
            (if shape.kind == WorldKind::Inside { [-x, -y, -z] } else { unit }, distance)
        };
        let (before, touches) = (self.tail, distance.is_less(zero));
        if R::any(touches) {
            self.point_at(minus(before, times(toward, distance)));
            let ([x, y, z], [a, b, c]) = (self.tail, before);
            self.tail = [R::pick(touches, x, a), R::pick(touches, y, b), R::pick(touches, z, c)];
        }
    }

    /// The rotation and the matrix that point the bone at its tail; `None` if a bone is not usual.
    #[inline(always)]
    pub(super) fn finish(mut self, input: &BoneInput<R>) -> Option<BoneOutput<R>> {
        let (token, one) = (self.token, self.numbers.one);
        let [x, y, z] = self.world_from_rest;
        let yz = cross(y, z);
        let determinant = dot(x, yz);
        let size = R::pick(determinant.is_less(R::splat(token, 0.0)), -determinant, determinant);
        let inverse = one / determinant;
        let rest_tail = [dot(yz, self.tail), dot(cross(z, x), self.tail), dot(cross(x, y), self.tail)];
        let (to, has_direction) = unit(token, one, times(rest_tail, inverse));
        let sum = plus(input.axis, to);
        let length = dot(sum, sum).sqrt();
        let [a, b, c] = times(cross(input.axis, to), one / length);
        let [a, b, c, d] = product(input.rest, [a, b, c, R::splat(token, 0.5) * length]);
        let factor = one / ((a * a + b * b) + (c * c + d * d)).sqrt();
        let rotation = [a * factor, b * factor, c * factor, d * factor];
        self.is_usual = self.is_usual
            & has_direction
            & is_between(token, size, SAFE_DETERMINANTS)
            & is_between(token, length, (SHORTEST_SUM, 3.0));
        if !R::all(self.is_usual) {
            return None;
        }
        let unscaled = turned(one, &input.linear, rotation);
        let [x, y, z] = unscaled;
        let linear = [times(x, input.scale[0]), times(y, input.scale[1]), times(z, input.scale[2])];
        Some(BoneOutput { tail: self.tail, rotation, linear, unscaled })
    }
}
