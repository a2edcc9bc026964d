//! Helper joints: roll joints that distribute the twist of a limb, muscles that swell with a bend, and their removal.
//!
//! Each function takes a character and returns another one with joints appended, weights for them and a
//! [`HelperJoint`](sinew::constrain::HelperJoint) that drives them. Clips are unchanged, and at rest no vertex moves.
//!
//! ```
//! use sinew_author::helper_joints::{MuscleOptions, RollOptions, add_muscle, add_rolls, remove_helper};
//!
//! let figure = sinew_samples::figure();
//! let find = |name: &str| figure.skeleton().find(name).unwrap();
//! let (upper, fore, hand) = (find("upper_arm.L"), find("forearm.L"), find("hand.L"));
//! let rolled = add_rolls(&figure, fore, hand, &RollOptions::default())?;
//! let muscled = add_muscle(&rolled.character, upper, fore, &MuscleOptions::default())?;
//! assert_eq!(muscled.character.helpers().len(), 2);
//!
//! let (without, _) = remove_helper(&muscled.character, 1)?;
//! assert_eq!(without, rolled.character);
//! # Ok::<(), sinew_author::helper_joints::HelperJointError>(())
//! ```

mod bend_side;
mod error;
mod limb;
mod muscle;
mod removal;
mod rolls;
mod skins;

pub use bend_side::{BendEvidence, BendSide, bend_side};
pub use error::HelperJointError;
pub use muscle::{MuscleOptions, MuscleReport, add_muscle};
pub use removal::{Renumbering, remove_helper};
pub use rolls::{RollOptions, RollReport, TwistEnd, add_rolls};

use sinew::{Character, JointId};

/// A character with one more helper.
#[derive(Clone, Debug, PartialEq)]
pub struct AddedHelper<R> {
    /// The new character. The new joints and the new helper are its last.
    pub character: Character,
    /// The joints that were added.
    pub joints: Vec<JointId>,
    /// Figures about the change.
    pub report: R,
}
