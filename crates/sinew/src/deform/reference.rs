//! The definition of every method, in plain scalar code.
//!
//! [`deform`] runs a method by name; each is also a function of its own. All of them read streams and weights in mesh space
//! and palettes of the pose, and write streams in model space. With one influence each of them applies that joint's
//! matrix, scale, shear and mirroring included; with several they differ.

mod blend_map;
mod muscle;
mod transform;

pub use super::methods::{
    contact::contact,
    cor::cor,
    ddm::ddm,
    delta_mush::delta_mush,
    dual_quat::{BoneSegment, bone_segments, dual_quat, dual_quat_blended, dual_quat_bulge_free},
    linear::linear,
    rigid::rigid,
    slerp::slerp,
    vertex::bitangent,
};
pub use blend_map::blend_methods;
pub use muscle::displace;
pub use transform::transform_surface;

use super::{Binding, DeformError, DeformScratch, Method, Surface, SurfaceMut};

/// Deforms `surface` by the definition of `method` into `out`.
///
/// Positions are written in model space. Normals are transformed by the inverse transpose and tangents by the matrix
/// itself; both are normalized, or zero if they have no direction. Handedness flips if a joint mirrors. Methods that smooth
/// use `scratch`, which grows as needed.
///
/// # Errors
/// If stream lengths differ, a palette is missing or has fewer joints than the weights use, or the method needs
/// precomputed data that is missing or belongs to another mesh.
pub fn deform(
    method: Method,
    surface: Surface<'_>,
    binding: &Binding<'_>,
    scratch: &mut DeformScratch,
    out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    method.reference()(surface, binding, scratch, out)
}
