//! Deformation on the GPU.
//!
//! The data flow is that of [`sinew::deform`]: a [`SkinnedMesh`] holds the constant data, a [`PoseBatch`] the palettes of any
//! number of poses, and a [`DeformJob`] binds both to the [`Deformed`] streams it writes. Nothing is created per frame: a frame
//! sets poses, uploads them once and records one dispatch, whatever the number of instances. Each thread reads its
//! vertex once and deforms it by several poses, so the cost of a crowd of one mesh is bound by what it writes.
//!
//! ```
//! use sinew::{Method, Palette};
//! use sinew_gpu::{Headless, deform::{Deformed, Kernels, MeshOptions, PoseLayout, PoseBatch, PoseView, SkinnedMesh, VertexReadBack}};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let Ok(gpu) = Headless::open_blocking() else { return Ok(()) };
//! let (device, queue) = (&gpu.device, &gpu.queue);
//! let figure = sinew_samples::figure();
//! let (mesh, skin) = (&figure.meshes()[0], &figure.skins()[0]);
//! let mut kernels = Kernels::new(device)?;
//! let skinned = SkinnedMesh::new(device, mesh, MeshOptions::default())?;
//! let layout = PoseLayout::new(&skinned, skin.joints().len(), Method::Linear);
//! let mut poses = PoseBatch::new(device, layout, 1)?;
//! let deformed = Deformed::new(device, &skinned, poses.capacity())?;
//! let job = kernels.job(device, Method::Linear, &skinned, &poses, &deformed)?;
//! let mut read_back = VertexReadBack::new(device, &deformed)?;
//!
//! // Every frame.
//! let palette = Palette::new(skin);
//! poses.set(0, &PoseView::new(&palette))?;
//! poses.upload(queue, 1);
//! let mut encoder = device.create_command_encoder(&Default::default());
//! job.record(&mut encoder, 1);
//! read_back.record(&mut encoder, &deformed, 1);
//! queue.submit([encoder.finish()]);
//!
//! // Only where the CPU needs the vertices.
//! let streams = read_back.wait(device)?;
//! assert_eq!(streams.positions.len(), mesh.positions().len());
//! # Ok(())
//! # }
//! ```

mod character;
mod fold;
mod job;
mod kernels;
mod layout;
mod mesh;
mod method;
mod normals;
mod output;
mod poses;
mod read_back;
mod shader;
#[cfg(test)]
mod tests;
pub mod vertex_path;

pub use character::{CharacterJobs, CharacterPose};
pub use fold::{fold, unfold};
pub use job::DeformJob;
pub use kernels::{Kernels, Tuning};
pub use mesh::{MeshOptions, MuscleSpan, SkinnedMesh};
pub(crate) use method::rejection_hint;
pub use normals::SurfaceNormalJob;
pub use output::Deformed;
pub use poses::{PoseBatch, PoseLayout, PoseRecord, PoseView};
pub use read_back::VertexReadBack;
