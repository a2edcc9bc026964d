//! The frames of clips.

use super::{TextureBakeError, TextureOptions};
use crate::bake::BakeMotion;
use serde::Serialize;
use sinew::{Character, Clip, ClipKind, Frame};

/// The most frames that are counted before a texture is refused.
const MAX_FRAMES: f64 = 1e6;

/// A clip in an animation texture.
///
/// Its frames are evenly spaced from its start to its end, both included: frame `first_frame + t · rate_hz` belongs to the
/// time `t`, and the last frame of a loop equals its first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TextureClip {
    /// The name of the clip, possibly empty.
    pub name: String,
    /// The frame of the texture that the clip starts with.
    pub first_frame: usize,
    /// How many frames it has, at least one.
    pub frame_count: usize,
    /// The number of frames per second.
    pub rate_hz: f32,
    /// The duration of the clip in seconds.
    pub duration_secs: f32,
}

impl TextureClip {
    fn new(clip: &Clip, first_frame: usize, rate_hz: f32) -> Result<Self, TextureBakeError> {
        if clip.kind() == ClipKind::Additive {
            return Err(TextureBakeError::Additive { clip: clip.name().into() });
        }
        let duration_secs = clip.duration_secs();
        let steps = (f64::from(duration_secs) * f64::from(rate_hz) - 1e-3).ceil().clamp(0.0, MAX_FRAMES);
        Ok(Self {
            name: clip.name().into(),
            first_frame,
            frame_count: steps as usize + 1,
            rate_hz: if steps > 0.0 { (steps / f64::from(duration_secs)) as f32 } else { rate_hz },
            duration_secs,
        })
    }

    /// The time in the clip, in seconds, at `frames` frames from its start.
    #[must_use]
    pub fn time_secs(&self, frames: f32) -> f32 {
        (frames / self.rate_hz).min(self.duration_secs)
    }

    /// The two frames of the texture between which the time is, and the weight of the second, 0 to 1.
    #[must_use]
    pub fn frames_at(&self, time_secs: f32) -> (usize, usize, f32) {
        let last = self.frame_count - 1;
        let at = (time_secs * self.rate_hz).clamp(0.0, last as f32);
        let frame = (at as usize).min(last);
        let first = self.first_frame;
        (first + frame, first + (frame + 1).min(last), at - frame as f32)
    }
}

/// Clips of one character that are sampled frame by frame.
pub(super) struct FrameWalk<'a> {
    clips: &'a [&'a Clip],
    pub(super) places: Vec<TextureClip>,
}

impl<'a> FrameWalk<'a> {
    pub(super) fn new(
        character: &Character,
        clips: &'a [&'a Clip],
        options: &TextureOptions,
    ) -> Result<Self, TextureBakeError> {
        options.check()?;
        let mut places: Vec<TextureClip> = Vec::with_capacity(clips.len());
        for clip in clips {
            BakeMotion::Clip(clip).check(character, 0)?;
            let first_frame = places.last().map_or(0, |last| last.first_frame + last.frame_count);
            places.push(TextureClip::new(clip, first_frame, options.rate_hz)?);
        }
        if places.is_empty() { Err(TextureBakeError::NoClip) } else { Ok(Self { clips, places }) }
    }

    /// The frames of all clips.
    pub(super) fn frame_count(&self) -> usize {
        self.places.iter().map(|place| place.frame_count).sum()
    }

    /// Visits every stored frame with its number, posed in `frame`.
    pub(super) fn each<E>(
        &self,
        frame: &mut Frame,
        mut see: impl FnMut(&TextureClip, usize, &mut Frame) -> Result<(), E>,
    ) -> Result<(), E> {
        for (clip, place) in self.clips.iter().zip(&self.places) {
            for at in 0..place.frame_count {
                pose(frame, clip, place.time_secs(at as f32));
                see(place, place.first_frame + at, frame)?;
            }
        }
        Ok(())
    }

    /// Visits the moments halfway between neighboring frames, with the first of the two.
    pub(super) fn each_between<E>(
        &self,
        frame: &mut Frame,
        mut see: impl FnMut(usize, &mut Frame) -> Result<(), E>,
    ) -> Result<(), E> {
        for (clip, place) in self.clips.iter().zip(&self.places) {
            for at in 0..place.frame_count - 1 {
                pose(frame, clip, place.time_secs(at as f32 + 0.5));
                see(place.first_frame + at, frame)?;
            }
        }
        Ok(())
    }
}

fn pose(frame: &mut Frame, clip: &Clip, time_secs: f32) {
    frame.reset();
    BakeMotion::Clip(clip).sample(0, time_secs, frame.local_mut());
}
