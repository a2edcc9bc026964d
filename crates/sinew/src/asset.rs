//! Assets: the contents of a file, immutable, valid by construction and shared by `Arc`.

pub mod binding;
pub mod character;
pub mod clip;
pub mod compact;
pub mod compressed;
pub mod curve;
pub mod extras;
pub mod humanoid;
pub mod markers;
pub mod material;
pub mod mesh;
pub mod morph;
pub mod precomputed;
#[cfg(feature = "serde")]
mod serde_form;
pub mod skeleton;
pub mod skin;
pub mod source;
pub mod weights;
