//! Scenes drawn on the card.
//!
//! A [`Renderer`] draws the same [`Scene`](sinew_view::scene::Scene) as the software rasteriser and aims at the
//! same picture: its shaders are twins of the rasteriser's shading. It works on the caller's device, records
//! into the caller's encoder and keeps what it made.
//!
//! ```no_run
//! use sinew_gpu::Headless;
//! use sinew_gpu::draw::{Renderer, RendererOptions, Target};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let scene = sinew_view::scene::Scene::new(sinew_view::camera::Camera::default());
//! let gpu = Headless::open_blocking()?;
//! let options = RendererOptions::default();
//! let mut renderer = Renderer::new(&gpu.device, &gpu.queue, options)?;
//! let target = Target::new(&gpu.device, options, 640, 480)?;
//!
//! renderer.prepare(&gpu.device, &gpu.queue, &scene, target.size())?;
//! let mut encoder = gpu.device.create_command_encoder(&Default::default());
//! renderer.draw(&mut encoder, &target);
//! let picture = target.read(&gpu.device, &gpu.queue, encoder)?.wait(&gpu.device)?;
//! assert_eq!(picture.width(), 640);
//! # Ok(())
//! # }
//! ```
//!
//! # How a picture is made
//!
//! `prepare` uploads what changed: streams are told apart by the shared buffers that a scene holds, so an
//! unchanged skin costs nothing and a moved one costs its positions and normals. `draw` records
//!
//! 1. the shadow map: depths of casting meshes seen from the key light;
//! 2. the shadow on the ground: casters thrown along the light into three masks, blurred;
//! 3. the wall and the ground, then all opaque layers;
//! 4. each sheer layer: its depth, then the colours of its nearest surface. Opaque depths are drawn again before
//!    the next one;
//! 5. x-ray layers: where they are not hidden is marked in the stencil; then, with all other depths forgotten,
//!    their own nearest surface is drawn, marked parts with full and others with their hidden opacity.
//!
//! Colours are mixed in linear light, as the rasteriser mixes them, because the target's format has the sRGB
//! curve (or is a float). Vertex and uniform buffers and textures are all that a scene needs, so WebGL2 can draw
//! it; only a [`Crowd`] reads storage buffers.
//!
//! # Picking
//!
//! [`Renderer::pick`] draws numbers of layers and triangles for a pixel or a rectangle and reads them back;
//! [`Picked::hit`] gives the same answer as [`sinew_view::pick::pick`], [`Picked::vertices`] the vertices that
//! are seen in a rectangle. A selection is shown by the layer's `outline`.

mod blit;
mod blocks;
mod crowd;
mod extent;
mod floor;
mod layouts;
mod outline;
mod pick;
mod picture;
mod pipelines;
mod plan;
mod read_back;
mod renderer;
mod shader;
mod shadow_map;
mod slot;
mod stream;
mod target;
mod textures;
#[cfg(test)]
mod twin;
mod uniforms;
mod view;

pub use blit::{Blit, BlitSource};
pub use crowd::{Crowd, CrowdNormals, CrowdStreams};
pub use pick::{PickRead, PickRegion, Picked, nearest_vertex};
pub use picture::PictureRead;
pub use renderer::{Renderer, RendererOptions};
pub use target::RenderTarget;
