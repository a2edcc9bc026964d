//! Skin weights: computed, edited, compared and measured.
//!
//! [`auto`] computes weights from a mesh and its bones, [`ops`] edits them, [`effect`] measures in millimeters what a change does
//! to the character, [`text`] writes them in a form that version control can compare, and [`diff`] compares two sets. [`rig`]
//! holds the edits that change joints or shapes as well.
//!
//! ```
//! use sinew_author::weights::{Edit, EffectPoses, ops};
//!
//! let figure = sinew_samples::figure();
//! let body = &figure.instances()[0];
//! let poses = EffectPoses::of_character(&figure, body.skin.unwrap(), &Default::default());
//! let edit = Edit::new(figure.mesh_of(body))?.over(&poses);
//! let limited = ops::limit(&edit, 2, ops::LimitBy::Refit)?;
//! assert_eq!(limited.weights.max_influences(), 2);
//! println!("moved vertices by up to {:.2} mm in the clips", limited.effect.clips.max_mm);
//! # Ok::<(), sinew_author::weights::WeightError>(())
//! ```

mod adjacency;
pub mod auto;
mod bind_to_skeleton;
mod bones;
pub mod diff;
mod edit;
pub mod effect;
mod error;
mod muscle_slots;
pub mod ops;
pub mod rig;
mod selection;
mod surface;
mod table;
pub mod text;
mod tree;

pub(crate) use tree::TriangleTree;

pub use adjacency::VertexAdjacency;
pub(crate) use auto::{InnerDistance, Voxels};
pub use bind_to_skeleton::{ClothesPose, bind_to_skeleton, clothes_pose};
pub use bones::{BoneSet, SkinBone};
pub use edit::{Edit, EditOutcome};
pub use effect::{Displacement, Effect, EffectPose, EffectPoses, PoseOptions};
pub use error::WeightError;
pub use muscle_slots::MuscleSlots;
pub use selection::{Locks, VertexSelection};
pub(crate) use surface::WeldedSurface;
pub use table::WeightTable;
