//! Where in which clip the pose is.

use serde::{Deserialize, Serialize};
use sinew::Wrap;

/// The chosen clip, a moment of it, and how it plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playhead {
    /// The clip's place in the character's list.
    pub clip: Option<usize>,
    /// Seconds from the clip's start.
    pub time_secs: f32,
    /// What happens at its end.
    pub end: AtEnd,
    /// Seconds of the clip in one second; negative to run backwards.
    pub speed: f32,
}

/// What happens when a clip has been played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AtEnd {
    /// It starts anew.
    #[default]
    Loop,
    /// It runs back.
    PingPong,
    /// It holds its last moment.
    Hold,
}

impl AtEnd {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::Loop, Self::PingPong, Self::Hold];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loop => "loop",
            Self::PingPong => "back and forth",
            Self::Hold => "hold",
        }
    }

    /// How times outside the clip are read.
    pub const fn wrap(self) -> Wrap {
        match self {
            Self::Loop => Wrap::Loop,
            Self::PingPong => Wrap::PingPong,
            Self::Hold => Wrap::Clamp,
        }
    }
}

impl Default for Playhead {
    fn default() -> Self {
        Self { clip: None, time_secs: 0.0, end: AtEnd::Loop, speed: 1.0 }
    }
}
