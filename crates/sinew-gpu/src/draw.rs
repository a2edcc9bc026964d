//! Draws scenes on the GPU.
//!
//! A [`Renderer`] draws the same [`Scene`](sinew_view::scene::Scene) as the software rasterizer and aims at the
//! same picture: its shaders are twins of the rasterizer's shading. It uses the caller's device, records
//! into the caller's encoder and reuses its buffers and pipelines.
//!
//! ```no_run
//! use sinew_gpu::Headless;
//! use sinew_gpu::draw::{RenderTarget, Renderer, RendererOptions};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let scene = sinew_view::scene::Scene::new(sinew_view::camera::Camera::default());
//! let gpu = Headless::open_blocking()?;
//! let options = RendererOptions::default();
//! let mut renderer = Renderer::new(&gpu.device, &gpu.queue, options)?;
//! let target = RenderTarget::new(&gpu.device, options, 640, 480)?;
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
//! # Passes
//!
//! `prepare` uploads what changed: streams are identified by the shared buffers that a scene holds, so an
//! unchanged skin is not uploaded and a moved one uploads its positions and normals only. `draw` records
//!
//! 1. the shadow map: depths of shadow casters from the key light;
//! 2. the shadow on the ground: casters projected along the light into three masks, blurred;
//! 3. background and ground, then all opaque layers;
//! 4. each transparent layer: its depth, then the colors of its nearest surface. Opaque depths are drawn again before
//!    the next one;
//! 5. x-ray layers: the stencil marks where they are not hidden; then, with all other depths cleared,
//!    their own nearest surface is drawn, marked parts with full and others with their hidden opacity.
//!
//! Colors are blended in linear light, as in the rasterizer, because the target's format applies the sRGB
//! curve (or is a float). A scene needs only vertex buffers, uniform buffers and textures, so WebGL2 can draw
//! it; only a [`Crowd`] reads storage buffers.
//!
//! # Picking
//!
//! [`Renderer::pick`] draws the indices of layers and triangles for a pixel or a rectangle and reads them back;
//! [`Picked::hit`] gives the same answer as [`sinew_view::pick::pick`], [`Picked::vertices`] the vertices that
//! are visible in a rectangle. The layer's `outline` shows a selection.

mod blit;
mod crowd;
mod draw_order;
mod ground;
mod layer_buffers;
mod layouts;
mod outline;
mod pick;
mod picture;
mod pipelines;
mod ramp_texture;
mod read_back;
mod renderer;
mod scene_extent;
mod shader;
mod shadow_map;
mod stream;
mod target;
mod textures;
#[cfg(test)]
mod twin;
mod uniform_blocks;
mod uniforms;
mod view_uniform;

pub use blit::{Blit, BlitSource};
pub use crowd::{Crowd, CrowdNormals, CrowdStreams};
pub use pick::{PickRead, PickRegion, Picked, nearest_vertex};
pub use picture::PictureRead;
pub use renderer::{Renderer, RendererOptions};
pub use target::RenderTarget;
