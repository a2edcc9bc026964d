//! Makes what some deformers need to know about a mesh beforehand.
//!
//! Centres of rotation, delta mush data and direct delta mush data are found once, offline, by the functions here, and are
//! part of the mesh from then on ([`Precomputed`](sinew::Precomputed)); the runtime only applies them. Every function
//! returns its result together with a report of measured figures, tells how far it is, and can be stopped.
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
//! let mesh = mesh.with_precomputed(Precomputed { centers, ..Precomputed::NONE }).expect("one centre a vertex");
//! let mut parts = tube.into_parts();
//! parts.meshes = vec![Arc::new(mesh)];
//! let tube = sinew::Character::new(parts).expect("only the data changed");
//!
//! let mut frame = Frame::new(&tube);
//! frame.deform(Method::Cor)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod centers;
mod character;
pub mod check;
pub mod compare;
mod delta_mush;
mod direct_mush;
mod error;
pub mod helper_joints;
mod laplacian;
pub mod motion;
mod progress;
pub mod retarget;
mod smoothing;
mod topology;
pub mod weights;

pub use centers::{CorOptions, CorReport, centers_of_rotation};
pub use character::{PrepareOptions, PrepareReport, prepare_character, prepare_mesh};
pub use delta_mush::{MushOptions, MushReport, delta_mush};
pub use direct_mush::{DirectMushOptions, DirectMushReport, direct_mush};
pub use error::AuthorError;
pub use laplacian::LaplacianKind;
pub use progress::{Progress, uninterrupted};
