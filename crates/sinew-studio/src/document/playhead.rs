//! Where in which clip the pose is.

use serde::{Deserialize, Serialize};
use sinew::{
    TimeRange, Wrap,
    instance::{BetweenUpdates, UpdateRate},
};

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
    /// The part that is played, from one moment to a later one; all of the clip where there is none.
    pub range_secs: Option<[f32; 2]>,
    /// How often poses are worked out while it plays.
    pub rate: PlaybackRate,
    /// Another clip that is mixed in.
    pub mix: Option<Mix>,
}

/// How often poses are worked out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlaybackRate {
    /// Times a second; as often as the window is drawn where there is none.
    pub hz: Option<f32>,
    /// Whether a pose stays until the next, rather than going over into it.
    pub is_held: bool,
}

impl PlaybackRate {
    /// The same for the runtime.
    pub fn pace(self) -> UpdateRate {
        UpdateRate {
            rate_hz: self.hz,
            between: if self.is_held { BetweenUpdates::Hold } else { BetweenUpdates::Interpolate },
        }
    }
}

/// A clip that is mixed into the chosen one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mix {
    /// The clip's place in the character's list.
    pub clip: usize,
    /// How much it counts, 0 to 1.
    pub share: f32,
    /// Whether both keep in step, by their events or else by their lengths.
    pub is_in_step: bool,
}

impl Playhead {
    /// The part of a clip of `duration_secs` that is played.
    pub fn range(&self, duration_secs: f32) -> TimeRange {
        let cut = self.range_secs.map(|ends| ends.map(|end| end.min(duration_secs)));
        let cut = cut.and_then(|[start, end]| TimeRange::new(start, end).ok());
        cut.filter(|range| range.length_secs() > 0.0).unwrap_or_else(|| TimeRange::whole(duration_secs))
    }
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
        Self {
            clip: None,
            time_secs: 0.0,
            end: AtEnd::Loop,
            speed: 1.0,
            range_secs: None,
            rate: PlaybackRate::default(),
            mix: None,
        }
    }
}
