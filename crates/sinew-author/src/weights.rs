//! Which joint moves which part of the skin: found, mended, measured.
//!
//! [`auto`] makes weights from a mesh and its bones, [`ops`] changes them, [`effect`] says in millimetres what a change does to
//! the character, [`text`] writes them so that version control can show what changed, and [`diff`] compares two sets.
//! [`rig`] is for changes that change joints or shapes as well.
//!
//! ```
//! use sinew_author::weights::{Edit, Poses, ops};
//!
//! let figure = sinew_samples::figure();
//! let body = &figure.instances()[0];
//! let poses = Poses::of_character(&figure, body.skin.unwrap(), &Default::default());
//! let edit = Edit::new(figure.mesh_of(body))?.over(&poses);
//! let limited = ops::limit(&edit, 2, ops::LimitBy::Refit)?;
//! assert_eq!(limited.weights.max_influences(), 2);
//! println!("moved vertices by up to {:.2} mm in the clips", limited.effect.clips.max_mm);
//! # Ok::<(), sinew_author::weights::WeightError>(())
//! ```

pub mod auto;
mod bones;
pub mod diff;
mod dress;
mod edit;
pub mod effect;
mod error;
mod ground;
pub mod ops;
pub mod rig;
mod selection;
mod surface;
mod table;
pub mod text;
mod tree;

pub use bones::{BoneSet, SkinBone};
pub use dress::dress;
pub use edit::{Edit, EditOutcome};
pub use effect::{Displacement, Effect, EffectPoses, PoseOptions};
pub use error::WeightError;
pub use ground::VertexAdjacency;
pub use selection::{Locks, VertexSelection};
pub use table::WeightTable;
