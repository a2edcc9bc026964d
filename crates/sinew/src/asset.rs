//! What a file holds: immutable, valid by construction, shared by `Arc`.

pub mod character;
pub mod clip;
pub mod compact;
pub mod curve;
pub mod extras;
pub mod material;
pub mod mesh;
pub mod morph;
pub mod precomputed;
pub mod skeleton;
pub mod skin;
pub mod weights;
