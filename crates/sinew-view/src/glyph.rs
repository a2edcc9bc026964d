//! Glyphs for what has no surface: bones, joint axes, normals, points and boxes.

mod axes;
mod bone;
mod boxes;
mod normals;
mod points;

pub use axes::{AxesStyle, axes_layer};
pub use bone::{BoneGlyph, BoneStyle, bone_layers, highlight_layers};
pub use boxes::{BoxGlyph, box_layer};
pub use normals::normals_layer;
pub use points::point_layer;
