//! What the script calls.
//!
//! Handles come back from [`open`] and are passed as references, which are pointers to the script. Numbers that name
//! nothing give NaN, null or zero: a panic inside WebAssembly would reach the script without its message.
#![expect(
    unsafe_code,
    reason = "an exported name is an unsafe attribute: nothing else in the program may have the same"
)]

use crate::check::Check;
use sinew::deform::blocks::VertexOrder;
use std::{
    ffi::{CStr, c_char},
    ptr,
};

/// Everything that the other functions need, or null where it cannot be made.
#[unsafe(no_mangle)]
pub extern "C" fn open() -> Option<Box<Check>> {
    Check::new().ok().map(Box::new)
}

/// The name of the level that runs, such as `simd128`.
#[unsafe(no_mangle)]
pub extern "C" fn level_name(check: &Check) -> *const c_char {
    check.level_name().as_ptr()
}

/// How many methods are checked.
#[unsafe(no_mangle)]
pub extern "C" fn method_count(check: &Check) -> usize {
    check.method_names().len()
}

/// The name of a method, or null.
#[unsafe(no_mangle)]
pub extern "C" fn method_name(check: &Check, method: usize) -> *const c_char {
    let name = check.method_names().get(method);
    name.map_or(ptr::null(), |name| CStr::as_ptr(name))
}

/// How many poses are checked.
#[unsafe(no_mangle)]
pub extern "C" fn pose_count(check: &Check) -> usize {
    check.pose_count()
}

/// How many vertices the mesh has.
#[unsafe(no_mangle)]
pub extern "C" fn vertex_count(check: &Check) -> usize {
    check.vertex_count()
}

/// How far the kernels of a method are from its reference at worst: positions relative to the character's extent,
/// directions as they are. NaN where anything failed.
#[unsafe(no_mangle)]
pub extern "C" fn difference(check: &Check, method: usize) -> f32 {
    check.difference(method).unwrap_or(f32::NAN)
}

/// The positions that the kernel gives, x y z by vertex in the mesh's order, or null where it failed.
///
/// They stay until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn deformed_positions(check: &mut Check, method: usize, pose: usize) -> *const f32 {
    match check.deform(method, pose) {
        Ok(positions) => positions.as_ptr().cast(),
        Err(_) => ptr::null(),
    }
}

/// Deforms positions and normals `rounds` times, in the mesh's order or in the packed one, and tells how often it did.
#[unsafe(no_mangle)]
pub extern "C" fn run(check: &mut Check, method: usize, is_packed: bool, rounds: usize) -> usize {
    let order = if is_packed { VertexOrder::Packed } else { VertexOrder::File };
    check.run(method, order, rounds)
}
