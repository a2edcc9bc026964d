//! Signs for things that have no surface: bones, joint axes, normals.

mod axes;
mod bone;
mod normals;

pub use axes::{AxesStyle, axes_layer};
pub use bone::{Bone, BoneStyle, bone_layers};
pub use normals::normals_layer;
