//! Procedural sample characters, so that everything works without a file.

#![forbid(unsafe_code)]

mod arm;
mod figure;
mod sprung_figure;
mod sweep;
mod tint;
mod tube;
mod two_bone;

pub use arm::{arm, arm_pose, rigid_arm};
pub use figure::{figure, figure_humanoid};
pub use sprung_figure::figure_with_springs;
pub use tube::{TUBE_LENGTH, TUBE_RADIUS, TUBE_SIDES, tube, tube_pose, tube_with_rolls};

use sinew::Character;

/// The names of the built-in characters, in the order they are shown.
pub const NAMES: [&str; 4] = ["arm", "arm-rigid", "tube", "figure"];

/// The built-in character called `name`, without the prefix `builtin:` of the command line.
pub fn find(name: &str) -> Option<Character> {
    match name {
        "arm" => Some(arm()),
        // `arm-stitched` is its older name.
        "arm-rigid" | "arm-stitched" => Some(rigid_arm()),
        "tube" => Some(tube()),
        "figure" => Some(figure()),
        _ => None,
    }
}
