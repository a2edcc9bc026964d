//! Which axis of a capture is up.

use super::MarkerCapture;
use glam::Vec3;
use std::{fmt, str::FromStr};

/// The axis of a capture that points up. Laboratories use Z or Y; characters have Y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UpAxis {
    /// X is up, as in a few laboratories.
    X,
    /// Y is up, as in glTF.
    #[default]
    Y,
    /// Z is up, as in most laboratories.
    Z,
}

impl UpAxis {
    /// All three, in order.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// The letter of the axis: `x`, `y` or `z`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
        }
    }

    /// `point` of a space with this axis up, in the right-handed space with Y up.
    #[must_use]
    pub fn to_y_up(self, point: Vec3) -> Vec3 {
        match self {
            Self::X => Vec3::new(-point.y, point.x, point.z),
            Self::Y => point,
            Self::Z => Vec3::new(point.x, point.z, -point.y),
        }
    }

    /// `point` of the space with Y up, in the space with this axis up; the inverse of [`UpAxis::to_y_up`].
    #[must_use]
    pub fn from_y_up(self, point: Vec3) -> Vec3 {
        match self {
            Self::X => Vec3::new(point.y, -point.x, point.z),
            Self::Y => point,
            Self::Z => Vec3::new(point.x, -point.z, point.y),
        }
    }
}

impl fmt::Display for UpAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for UpAxis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let letter = text.to_ascii_lowercase();
        Self::ALL
            .into_iter()
            .find(|axis| axis.name() == letter)
            .ok_or_else(|| format!("the axis must be x, y or z, got {text:?}"))
    }
}

/// The axis that [`MarkerCapture::guess_up`] returns.
pub(super) fn guess(capture: &MarkerCapture) -> Option<UpAxis> {
    // A thousand frames tell as much as all of them.
    let step = (capture.frame_count() / 1000).max(1);
    let (mut lows, mut extents) = (Vec::new(), Vec::new());
    for frame in capture.frames().step_by(step) {
        let seen: Vec<Vec3> = frame.iter().flatten().copied().collect();
        if seen.len() >= 3 {
            let low = seen.iter().copied().reduce(Vec3::min)?;
            lows.push(low);
            extents.push(seen.iter().copied().reduce(Vec3::max)? - low);
        }
    }
    let fault = |axis: usize| {
        let low = median(lows.iter().map(|v| v[axis]).collect())?;
        let spread = median(lows.iter().map(|v| (v[axis] - low).abs()).collect())?;
        let extent = median(extents.iter().map(|v| v[axis]).collect())?;
        Some((low.abs() + 3.0 * spread) / extent.max(1e-6))
    };
    let (y, z) = (fault(1)?, fault(2)?);
    Some(if y <= z { UpAxis::Y } else { UpAxis::Z })
}

fn median(mut values: Vec<f32>) -> Option<f32> {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ModelPose, Wrap, sample_clip};

    #[test]
    fn turning_is_a_rotation_that_takes_the_axis_to_y() {
        for (index, axis) in UpAxis::ALL.into_iter().enumerate() {
            assert_eq!(axis.to_y_up(Vec3::AXES[index]), Vec3::Y);
            let [x, y, z] = Vec3::AXES.map(|v| axis.to_y_up(v));
            assert_eq!(x.cross(y), z, "{axis} stays right-handed");
            assert_eq!(axis.from_y_up(axis.to_y_up(Vec3::new(1.0, 2.0, 3.0))), Vec3::new(1.0, 2.0, 3.0));
            assert_eq!(axis.name().to_uppercase().parse(), Ok(axis));
        }
        assert!("w".parse::<UpAxis>().is_err());
    }

    /// The joints of a clip of the figure as markers.
    fn joints_of(clip: &str, up: UpAxis) -> MarkerCapture {
        let figure = crate::sinew_samples::figure();
        let (skeleton, clip) = (figure.skeleton(), figure.find_clip(clip).unwrap());
        let mut model = ModelPose::new(skeleton);
        let mut positions = Vec::new();
        for frame in 0..40_u8 {
            let mut pose = figure.rest_pose();
            sample_clip(clip, f32::from(frame) * 0.03, Wrap::Clamp, &mut pose);
            model.update(skeleton, &pose);
            positions
                .extend(model.joints().iter().skip(1).map(|m| Some(up.from_y_up(Vec3::from(m.translation)))));
        }
        let labels = (1..skeleton.len()).map(|j| format!("m{j}")).collect();
        MarkerCapture::new(labels, 30.0, positions).unwrap()
    }

    #[test]
    fn the_up_axis_of_a_moving_figure_is_guessed() {
        for clip in ["walk", "run", "wave"] {
            for up in [UpAxis::Y, UpAxis::Z] {
                assert_eq!(joints_of(clip, up).guess_up(), Some(up), "{clip}");
            }
        }
        let empty = MarkerCapture::new(vec!["a".into()], 1.0, vec![None]).unwrap();
        assert_eq!(empty.guess_up(), None);
    }
}
