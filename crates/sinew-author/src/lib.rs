//! Offline tools for skinned characters.
//!
//! - [`check`] finds faults of a character and fixes them.
//! - [`weights`] computes, edits, transfers, compares and measures skin weights.
//! - [`autorig`] gives a static mesh a skeleton and weights; [`helper_joints`] adds roll joints and muscles.
//! - [`compress`] makes clips small, with a bound on the error; [`cook`] does so for a character.
//! - [`motion`] edits clips; [`retarget`] transfers motion to another skeleton; [`markers`] solves motion capture.
//! - [`decompose`] finds joints, weights and motion that show a mesh sequence; [`linear_fit`] adds corrective joints with which linear
//!   blend skinning shows what another method does.
//! - [`centers_of_rotation`], [`contact_data`], [`delta_mush()`] and [`direct_mush()`] precompute the data that some deformers need. It is part of
//!   the mesh ([`Precomputed`](sinew::Precomputed)); the runtime only applies it. [`prepare_character`] does all at once.
//!
//! Long computations return their result with a report of figures, report progress on the caller's thread, and can be stopped.
//! They use rayon's current pool; no result depends on the number of threads, and nothing reads a clock.
//!
//! ```
//! use sinew::{Frame, Mesh, Method, Precomputed};
//! use sinew_author::{CorOptions, centers_of_rotation, uninterrupted};
//! use std::sync::Arc;
//!
//! let tube = sinew_samples::tube();
//! let mesh = Mesh::clone(&tube.meshes()[0]);
//! let (centers, report) = centers_of_rotation(&mesh, &CorOptions::default(), &mut uninterrupted)?;
//! assert_eq!(report.isolated, 0);
//!
//! let centers = Some(Arc::new(centers));
//! let mesh = mesh.with_precomputed(Precomputed { centers, ..Precomputed::NONE }).expect("one center per vertex");
//! let mut parts = tube.into_parts();
//! parts.meshes = vec![Arc::new(mesh)];
//! let tube = sinew::Character::new(parts).expect("only the data changed");
//!
//! let mut frame = Frame::new(&tube);
//! frame.deform(Method::Cor)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod autorig;
mod centers;
mod character;
pub mod check;
pub mod compare;
pub mod compress;
mod contact;
mod convex_fit;
pub mod cook;
pub mod decompose;
mod delta_mush;
mod direct_mush;
mod eigen;
mod error;
pub mod helper_joints;
mod laplacian;
pub mod linear_fit;
pub mod markers;
pub mod merge;
pub mod motion;
mod progress;
pub mod retarget;
mod scale_bake;
mod self_intersection;
mod smoothing;
mod topology;
pub mod weights;

pub use centers::{CorOptions, CorReport, centers_of_rotation};
pub use character::{PrepareOptions, PrepareReport, prepare_character, prepare_mesh};
pub use contact::{ContactDataReport, ContactOptions, contact_data, recommended_method};
pub use delta_mush::{MushOptions, MushReport, delta_mush};
pub use direct_mush::{DirectMushOptions, DirectMushReport, direct_mush};
pub use error::AuthorError;
pub use laplacian::LaplacianKind;
pub use progress::{Progress, uninterrupted};
pub use scale_bake::{ScaleBakeError, ScaleBakeOptions, ScaleBakeReport, bake_scale};
pub use self_intersection::SelfIntersections;
