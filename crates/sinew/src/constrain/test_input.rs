//! Random directions and rotations for the tests of solvers.

use glam::{Quat, Vec3};
use proptest::prelude::*;

/// A random vector with components between −`size` and `size`.
pub(super) fn vector(size: f32) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from)
}

/// A random unit quaternion.
pub(super) fn rotation() -> impl Strategy<Value = Quat> {
    [-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0]
        .prop_map(Quat::from_array)
        .prop_filter_map("too short", |q| (q.length() > 0.1).then(|| q.normalize()))
}
