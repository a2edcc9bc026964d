//! Deformation: from a palette to deformed vertices.
//!
//! [`deform()`] is the fast path: it runs a [kernel] if the method has one and returns which code ran. The definition of
//! every method is plain scalar code, [`reference::deform`]; tests compare the kernels with it.
//!
//! Poses and palettes are bit-identical on all SIMD levels. Vertices are bit-identical within scalar and SSE4.2, and
//! within AVX2 and AVX-512, which fuse products with sums; between the two groups they differ by up to 1e-5 of the
//! size of the mesh.

mod binding;
pub mod blocks;
mod fast_path;
mod interleaved_layout;
pub mod kernel;
mod method;
mod methods;
mod morph;
pub mod reference;
mod scratch;
mod streams;
mod surface_normals;

pub use binding::Binding;
pub use fast_path::{DeformInput, DeformPath, ReferenceReason, deform};
pub use interleaved_layout::{InterleavedError, InterleavedLayout};
pub use method::{Method, UnknownMethod};
pub use methods::contact::CONTACT_REACH;
pub use morph::apply_morphs;
pub use scratch::DeformScratch;
pub use streams::{DeformError, Streams, Surface, SurfaceMut};
pub use surface_normals::{NormalSource, UnknownNormalSource, write_surface_normals};
