//! Playback of a clip or a graph. The document changes only when playback stops.

mod graph;

use super::viewport::scene::Preview;
use crate::document::{AtEnd, Document};
use graph::GraphPlayer;
use sinew::{LocalPose, Playback, SeekEvents, instance::LimitedSampler};

/// The playback position and its pose.
#[derive(Debug, Default)]
pub(super) struct Player {
    is_playing: bool,
    /// Seconds from the start of the clip, continued through its repetitions.
    counted_secs: f64,
    shown_secs: f32,
    pose: LocalPose,
    sampler: LimitedSampler,
    /// A number that changes with the pose.
    number: u64,
    graph: Option<GraphPlayer>,
}

/// What the document takes over when playback stops.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stopped {
    /// The time of the clip.
    AtTime(f32),
    /// The pose of the graph.
    InPose(LocalPose),
}

impl Player {
    /// Starts at the playhead, or stops and returns where.
    pub(super) fn toggle(&mut self, document: &Document) -> Option<Stopped> {
        if self.is_playing {
            self.is_playing = false;
            return Some(match document.graph() {
                Some(_) => Stopped::InPose(self.pose.clone()),
                None => Stopped::AtTime(self.shown_secs),
            });
        }
        let duration_secs = match (document.graph(), document.clip()) {
            (Some(_), _) => 0.0,
            (None, Some(clip)) => clip.duration_secs(),
            (None, None) => return None,
        };
        let (start, range) = (document.playhead().time_secs, document.playhead().range(duration_secs));
        // A clip that was held at its end starts again.
        let is_over = document.playhead().end == AtEnd::Hold && start >= range.end_secs();
        self.counted_secs = f64::from(if is_over { range.start_secs() } else { start });
        self.is_playing = true;
        self.sampler.restart();
        self.advance(document, 0.0);
        None
    }

    pub(super) fn stop(&mut self) {
        self.is_playing = false;
    }

    /// Advances by `step_secs`; true during playback.
    pub(super) fn advance(&mut self, document: &Document, step_secs: f32) -> bool {
        if !self.is_playing {
            return false;
        }
        if document.graph().is_none() {
            self.graph = None;
        }
        match document.graph() {
            Some(_) => self.advance_graph(document, step_secs),
            None if document.clip().is_some() => self.advance_clip(document, step_secs),
            None => self.is_playing = false,
        }
        self.is_playing
    }

    fn advance_clip(&mut self, document: &Document, step_secs: f32) {
        let Some(clip) = document.clip() else { return };
        let (playhead, pair) = (document.playhead(), document.pair());
        let Self { counted_secs, shown_secs, sampler, pose, .. } = self;
        let evaluate = |passed_secs: f32, out: &mut LocalPose| {
            let weight = playhead.mix.map_or(0.0, |mix| mix.weight);
            let pace = pair.as_ref().map_or(1.0, |pair| pair.playback_rate(*shown_secs, weight));
            let mut playback = Playback::new(playhead.range(clip.duration_secs()))
                .with_wrap(playhead.end.wrap())
                .with_speed(playhead.speed * pace);
            playback.seek(*counted_secs, SeekEvents::Skip);
            playback.advance(passed_secs);
            (*counted_secs, *shown_secs) = (playback.time_secs(), playback.clip_time_secs());
            *out = document.pose_at(*shown_secs);
        };
        let rest = document.character().rest_pose();
        let is_new = sampler.advance(playhead.rate.update_rate(), step_secs, &rest, evaluate, pose);
        self.number += u64::from(is_new);
    }

    fn advance_graph(&mut self, document: &Document, step_secs: f32) {
        if !self.graph.as_ref().is_some_and(|graph| graph.is_of(document)) {
            self.graph = GraphPlayer::new(document);
        }
        let Some(graph) = &mut self.graph else {
            self.is_playing = false;
            return;
        };
        graph.set_parameters(document);
        let (playhead, rest) = (document.playhead(), document.character().rest_pose());
        let step_secs = step_secs * playhead.speed.max(0.0);
        let evaluate = |passed_secs: f32, out: &mut LocalPose| graph.evaluate(passed_secs, out);
        let is_new =
            self.sampler.advance(playhead.rate.update_rate(), step_secs, &rest, evaluate, &mut self.pose);
        self.number += u64::from(is_new);
    }

    /// Fires a trigger of the graph.
    pub(super) fn fire(&mut self, document: &Document, trigger: &str) {
        if !self.graph.as_ref().is_some_and(|graph| graph.is_of(document)) {
            self.graph = GraphPlayer::new(document);
        }
        if let Some(graph) = &mut self.graph {
            graph.fire(trigger);
        }
    }

    /// Returns the graph to its start.
    pub(super) fn restart_graph(&mut self) {
        self.graph = None;
        self.sampler.restart();
    }

    /// The state machines of the playing graph with their current states.
    pub(super) fn states(&self) -> Vec<(String, String)> {
        self.graph.as_ref().map(GraphPlayer::states).unwrap_or_default()
    }

    pub(super) fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// The time of the playing clip.
    pub(super) fn time_secs(&self) -> Option<f32> {
        (self.is_playing && self.graph.is_none()).then_some(self.shown_secs)
    }

    /// The pose to show in place of the document's, during playback.
    pub(super) fn preview(&self) -> Option<Preview<'_>> {
        self.is_playing.then_some(Preview { pose: &self.pose, number: self.number })
    }
}
