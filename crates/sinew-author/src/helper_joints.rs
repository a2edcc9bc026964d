//! Joints that help a skin: roll joints that spread a limb's twist, muscles that swell with a bend, and the way back.
//!
//! Each function takes a character and gives another one with joints at its end, weights for them and a
//! [`HelperJoint`](sinew::constrain::HelperJoint) that moves them; clips stay as they are, and at rest nothing has moved.
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

mod error;
mod limb;
mod muscle;
mod removal;
mod rolls;
mod skins;

pub use error::HelperJointError;
pub use muscle::{MuscleOptions, MuscleReport, add_muscle, bend_side};
pub use removal::{Renumbering, remove_helper};
pub use rolls::{RollOptions, RollReport, TwistEnd, add_rolls};

use sinew::{Character, JointId};

/// A character with one helper more.
#[derive(Clone, Debug, PartialEq)]
pub struct Added<R> {
    /// The character; the new joints are its last, and so is the new helper.
    pub character: Character,
    /// The new joints.
    pub joints: Vec<JointId>,
    /// What was done.
    pub report: R,
}
