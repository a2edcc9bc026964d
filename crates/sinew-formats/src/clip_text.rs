//! Clips as text: their keys, to be edited by hand, compared by version control and read back.
//!
//! ```
//! use sinew_formats::clip_text::{ClipTextOptions, parse, to_text};
//!
//! let arm = sinew_samples::arm();
//! let clips = parse(r#"
//!     sinew-clips 1
//!     clip "wave"
//!     duration 2
//!     joint "lower" degrees linear
//!     0    0 0 0
//!     0.5  0 0 -90   # up
//!     1    0 0 0
//!     event 0.5 "top"
//! "#, &arm)?;
//! assert_eq!((clips[0].duration_secs(), clips[0].channels()[0].key_count()), (2.0, 3));
//!
//! let exact = to_text(&clips, &arm, &ClipTextOptions::default());
//! assert_eq!(parse(&exact, &arm)?, clips);
//! # Ok::<(), sinew_formats::clip_text::ClipTextError>(())
//! ```
//!
//! The first line is `sinew-clips 1`. `#` starts a comment. Every other line is one of these:
//!
//! | line | meaning |
//! |---|---|
//! | `clip NAME` | starts a clip |
//! | `duration SECONDS` | how long the clip lasts; without it until its last key or event |
//! | `additive` | the clip stores differences |
//! | `joint NAME translation INTERPOLATION` | starts a channel: x y z relative to the parent, in meters |
//! | `joint NAME rotation INTERPOLATION` | a unit quaternion x y z w relative to the parent |
//! | `joint NAME degrees INTERPOLATION` | angles from rest about the joint's X, then Y, then Z axis; not for `cubic` |
//! | `joint NAME scale INTERPOLATION` | factors x y z |
//! | `slots FIRST COUNT INTERPOLATION` | morph weights of the slots from `FIRST` on |
//! | `meta NAME KIND INTERPOLATION` | a meta-channel: `scalar`, `vector` or `rotation` |
//! | `TIME VALUES…` | a key of the channel above, in seconds from the start of the clip |
//! | `event TIME NAME [PAYLOAD]` | an event |
//!
//! Names are in double quotes. `INTERPOLATION` is `step`, `linear` or `cubic`; a cubic key has in-tangents, values and
//! out-tangents. If several joints have the same name, `"name#12"` is the one with number 12. Numbers are as short as
//! possible and still exact, so that clips read back to the bit, except for `degrees`.

mod error;
mod parse;
mod write;

pub use error::{ClipTextError, ClipTextFault};
pub use parse::parse;
pub use write::{ClipTextOptions, to_text};

/// The maximum size of a text in bytes.
pub const MAX_BYTES: usize = 256 << 20;

/// The first line of every text.
const HEADER: &str = "sinew-clips 1";

#[cfg(test)]
mod tests;
