//! Animation textures: motion that a GPU plays by itself, for crowds.
//!
//! A [`VertexAnimation`] stores the deformed vertices of clips, frame by frame, in a texture of positions and one of normals;
//! a static mesh has the place of each vertex in an extra set of texture coordinates. A [`BoneAnimation`] stores skinning
//! matrices instead, for meshes whose weights are read by the shader.
//!
//! ```
//! use sinew::Method;
//! use sinew_formats::bake::vat::{TextureOptions, VertexAnimation};
//!
//! let figure = sinew_samples::figure();
//! let clips = [figure.find_clip("walk").unwrap().as_ref()];
//! let options = TextureOptions { rate_hz: 10.0, ..TextureOptions::default() };
//! let animation = VertexAnimation::record(&figure, &clips, Method::Linear, &options, &mut |_| {}).unwrap();
//! assert!(animation.error().max_position_mm < 1.0);
//! let files = animation.files("walk").unwrap();
//! assert!(files.iter().any(|file| file.suffix == ".positions.exr"));
//! ```

mod bones;
mod error;
mod exr;
mod frames;
mod layout;
mod mesh;
mod options;
mod png;
mod sidecar;
mod texture;
mod vertices;

pub use bones::{BoneAnimation, BonePart};
pub use error::{PlaybackError, TexelError, TextureBakeError};
pub use frames::TextureClip;
pub use layout::{MAX_TEXTURE_SIZE, TextureLayout};
pub use options::TextureOptions;
pub use texture::{AnimationTexture, NormalTexels, TexelPrecision, TextureFile};
pub use vertices::VertexAnimation;

#[cfg(test)]
mod tests;
