//! How motion is retargeted.

use super::RetargetError;
use sinew::{JointId, constrain::Limit};
use std::collections::BTreeMap;

/// How motion is retargeted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RetargetOptions {
    /// True to pin planted feet and hands.
    pub feet: bool,
    /// The number of poses per second; `None` uses the key times of the clip.
    pub rate_hz: Option<f32>,
    /// The time in the clip whose pose is used as the rest pose of the source, in seconds; `None` uses the rest frame before the
    /// motion if it was dropped, and otherwise the skeleton's own rest pose.
    ///
    /// Use it for skeletons whose rest pose is not a natural pose.
    pub rest_secs: Option<f32>,
    /// True to drop the first frame if it is near the rest pose and the second is far from it, as in many motion captures.
    pub drop_rest_frame: bool,
    /// The scale of root translation; `None` uses the ratio of leg lengths.
    pub root_scale: Option<f32>,
    /// A foot is planted while it is lower than this above the ground, as a fraction of the leg length.
    pub standing_height: f32,
    /// A hand touches the ground while its lowest joint is lower than this above it, as a fraction of the leg length. While the
    /// head is below the hips, hands carry the body, and a quarter of the leg length is low enough: captures place hands less
    /// exactly than feet.
    pub hand_height: f32,
    /// A hand on the ground is also slower than this, in leg lengths per second, or than a tenth of its swing speed.
    pub hand_speed: f32,
    /// A planted foot is also slower than this, in leg lengths per second, or than a tenth of its swing speed.
    pub standing_speed: f32,
    /// The time over which pinning fades in before and out after a contact, in seconds.
    pub fade_secs: f32,
    /// Limits of the target's joints. Motion is not clamped to them; the report lists where it leaves them.
    pub limits: BTreeMap<JointId, Limit>,
}

impl Default for RetargetOptions {
    fn default() -> Self {
        Self {
            feet: true,
            rate_hz: None,
            rest_secs: None,
            drop_rest_frame: true,
            root_scale: None,
            standing_height: 0.06,
            hand_height: 0.1,
            hand_speed: 1.0,
            standing_speed: 0.4,
            fade_secs: 0.12,
            limits: BTreeMap::new(),
        }
    }
}

impl RetargetOptions {
    /// The same options with foot pinning on or off.
    #[must_use]
    pub fn with_feet(self, feet: bool) -> Self {
        Self { feet, ..self }
    }

    /// The same options with a fixed rate of poses per second.
    #[must_use]
    pub fn with_rate_hz(self, rate_hz: f32) -> Self {
        Self { rate_hz: Some(rate_hz), ..self }
    }

    /// The same options with the rest pose of the source taken from a time in the clip.
    #[must_use]
    pub fn with_rest_secs(self, rest_secs: f32) -> Self {
        Self { rest_secs: Some(rest_secs), ..self }
    }

    /// The same options with a fixed scale of root translation.
    #[must_use]
    pub fn with_root_scale(self, root_scale: f32) -> Self {
        Self { root_scale: Some(root_scale), ..self }
    }

    /// The same options with limits of the target's joints, for the report.
    #[must_use]
    pub fn with_limits(self, limits: BTreeMap<JointId, Limit>) -> Self {
        Self { limits, ..self }
    }

    pub(super) fn check(&self) -> Result<(), RetargetError> {
        let numbers = [
            ("standing_height", Some(self.standing_height), 0.0),
            ("hand_height", Some(self.hand_height), 0.0),
            ("hand_speed", Some(self.hand_speed), 0.0),
            ("standing_speed", Some(self.standing_speed), 0.0),
            ("fade_secs", Some(self.fade_secs), 0.0),
            ("rest_secs", self.rest_secs, f32::MIN),
            ("rate_hz", self.rate_hz, f32::MIN_POSITIVE),
            ("root_scale", self.root_scale, f32::MIN_POSITIVE),
        ];
        for (option, value, min) in numbers {
            if let Some(value) = value.filter(|v| !v.is_finite() || *v < min) {
                return Err(RetargetError::BadOption { option, value });
            }
        }
        Ok(())
    }
}
