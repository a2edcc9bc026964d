//! A clip that plays. Playing is looking: the document changes when it stops.

use super::shown::Preview;
use crate::document::{AtEnd, Document};
use sinew::{LocalPose, Wrap, sample_clip};

/// Where a playing clip is, and the pose there.
#[derive(Debug, Default)]
pub(super) struct Player {
    /// Seconds from the clip's start, counted on through its repetitions.
    counted_secs: Option<f32>,
    shown_secs: f32,
    pose: LocalPose,
}

impl Player {
    /// Starts where the document is; or stops, and gives the time at which it was.
    pub(super) fn toggle(&mut self, document: &Document) -> Option<f32> {
        if self.counted_secs.take().is_some() {
            return Some(self.shown_secs);
        }
        let clip = document.clip()?;
        let start = document.playhead().time_secs;
        // A clip that holds at its end begins anew from there.
        let is_over = document.playhead().end == AtEnd::Hold && start >= clip.duration_secs();
        self.counted_secs = Some(if is_over { 0.0 } else { start });
        self.take_pose(document);
        None
    }

    pub(super) fn stop(&mut self) {
        self.counted_secs = None;
    }

    /// Goes on by `step_secs`; true while a clip plays.
    pub(super) fn advance(&mut self, document: &Document, step_secs: f32) -> bool {
        if let Some(counted_secs) = &mut self.counted_secs {
            *counted_secs += step_secs * document.playhead().speed;
            self.take_pose(document);
        }
        self.counted_secs.is_some()
    }

    fn take_pose(&mut self, document: &Document) {
        let (Some(counted_secs), Some(clip)) = (self.counted_secs, document.clip()) else {
            self.stop();
            return;
        };
        let wrap = document.playhead().end.wrap();
        self.shown_secs = wrap.apply(counted_secs, clip.duration_secs());
        self.pose.copy_from(&document.character().rest_pose());
        sample_clip(clip, self.shown_secs, Wrap::Clamp, &mut self.pose);
    }

    /// Where the clip is, while it plays.
    pub(super) fn time_secs(&self) -> Option<f32> {
        self.counted_secs.map(|_| self.shown_secs)
    }

    /// The pose to show in place of the document's.
    pub(super) fn preview(&self) -> Option<Preview<'_>> {
        self.counted_secs.map(|_| Preview { pose: &self.pose, time_secs: self.shown_secs })
    }
}
