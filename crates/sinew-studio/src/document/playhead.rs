//! The playhead: the chosen clip, its time and its playback settings.

use serde::{Deserialize, Serialize};
use sinew::{
    TimeRange, Wrap,
    instance::{BetweenUpdates, UpdateRate},
};

/// The chosen clip, the current time and the playback settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playhead {
    /// The index of the clip in the character.
    pub clip: Option<usize>,
    /// Seconds from the start of the clip.
    pub time_secs: f32,
    /// What happens at the end of the clip.
    pub end: AtEnd,
    /// Playback speed as a factor; negative values play backward.
    pub speed: f32,
    /// The played range in seconds; `None` plays the whole clip.
    pub range_secs: Option<[f32; 2]>,
    /// How often poses are evaluated during playback.
    pub rate: PlaybackRate,
    /// A second clip that is blended in.
    pub mix: Option<Mix>,
}

/// How often poses are evaluated during playback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlaybackRate {
    /// Evaluations per second; `None` evaluates every frame of the window.
    pub hz: Option<f32>,
    /// True if each pose is held until the next; otherwise poses are interpolated.
    pub is_held: bool,
}

impl PlaybackRate {
    /// The update rate as the runtime takes it.
    pub fn update_rate(self) -> UpdateRate {
        UpdateRate {
            rate_hz: self.hz,
            between: if self.is_held { BetweenUpdates::Hold } else { BetweenUpdates::Interpolate },
        }
    }
}

/// A clip that is blended into the chosen one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mix {
    /// The index of the clip in the character.
    pub clip: usize,
    /// The blend weight, 0 to 1.
    #[serde(alias = "share")]
    pub weight: f32,
    /// True if both clips are synchronized, by their events or by their lengths.
    #[serde(alias = "is_in_step")]
    pub is_synchronized: bool,
}

impl Playhead {
    /// The played range of a clip of `duration_secs`.
    pub fn range(&self, duration_secs: f32) -> TimeRange {
        let cut = self.range_secs.map(|ends| ends.map(|end| end.min(duration_secs)));
        let cut = cut.and_then(|[start, end]| TimeRange::new(start, end).ok());
        cut.filter(|range| range.length_secs() > 0.0).unwrap_or_else(|| TimeRange::whole(duration_secs))
    }
}

/// What happens at the end of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AtEnd {
    /// The clip starts again.
    #[default]
    Loop,
    /// The clip plays backward.
    PingPong,
    /// The clip holds its last pose.
    Hold,
}

impl AtEnd {
    /// Every variant, in the order of the menu.
    pub const ALL: [Self; 3] = [Self::Loop, Self::PingPong, Self::Hold];

    /// The label in menus.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loop => "loop",
            Self::PingPong => "ping-pong",
            Self::Hold => "hold",
        }
    }

    /// How the runtime wraps times outside the clip.
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
