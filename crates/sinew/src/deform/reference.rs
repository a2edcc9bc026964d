//! The definition of every method, in plain scalar code.
//!
//! All of them take streams and weights in mesh space and palettes of the pose, and write streams in model space. With
//! one influence each of them is that joint's matrix, scale, shear and mirroring included; with several they differ.

mod blend_map;
mod cor;
mod ddm;
mod delta_mush;
mod dual_quat;
mod joint_space;
mod linear;
mod muscle;
mod rotation;
mod shared;
mod slerp;
mod stitch;
mod vertex;

pub use blend_map::blend_methods;
pub use cor::cor;
pub use ddm::ddm;
pub use delta_mush::delta_mush;
pub use dual_quat::{BoneSegment, bone_segments, dual_quat, dual_quat_bulge_free};
pub use joint_space::{JointSpaceMesh, stitch_in_joint_space};
pub use linear::{linear, rigid};
pub use muscle::displace;
pub use shared::{SharedBlends, shared};
pub use slerp::slerp;
pub use stitch::stitch;
pub use vertex::bitangent;
