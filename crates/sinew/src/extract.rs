//! Clips from clips, at load time: root motion and differences.
//!
//! An engine that loads plain clips makes its additive clips and its root motion here; everything else that changes clips is
//! in the crate `sinew-author`.
//!
//! ```
//! use sinew::{RootTrack, extract::{RootMotionOptions, additive_from, extract_root_motion}};
//!
//! let figure = sinew_samples::figure();
//! let (skeleton, walk) = (figure.skeleton(), figure.find_clip("walk").unwrap());
//! let root = skeleton.find("root").unwrap();
//! let in_place = extract_root_motion(walk, skeleton, &RootMotionOptions::of(root))?;
//! assert!(RootTrack::of(&in_place).is_some());
//! let wave = additive_from(figure.find_clip("wave").unwrap(), &figure.rest_pose())?;
//! assert_eq!(wave.kind(), sinew::ClipKind::Additive);
//! # Ok::<(), sinew::extract::ExtractError>(())
//! ```

mod additive;
mod error;
mod root_motion;

pub use additive::{additive_from, additive_from_time};
pub use error::ExtractError;
pub use root_motion::{RootMotionOptions, apply_root_motion, extract_root_motion, key_times};
