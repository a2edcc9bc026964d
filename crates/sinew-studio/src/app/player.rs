//! A clip or a graph that plays. Playing is looking: the document changes when it stops.

mod graph;

use super::shown::Preview;
use crate::document::{AtEnd, Document};
use graph::GraphPlayer;
use sinew::{LocalPose, Playback, SeekEvents, instance::LimitedSampler};

/// Where what plays is, and the pose there.
#[derive(Debug, Default)]
pub(super) struct Player {
    is_playing: bool,
    /// Seconds from the clip's start, counted on through its repetitions.
    counted_secs: f64,
    shown_secs: f32,
    pose: LocalPose,
    paced: LimitedSampler,
    /// Changes whenever the pose does.
    number: u64,
    graph: Option<GraphPlayer>,
}

/// What the document should do when playing stops.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stopped {
    /// Go to the clip's moment.
    AtTime(f32),
    /// Take a graph's pose.
    InPose(LocalPose),
}

impl Player {
    /// Starts where the document is; or stops, and gives where that was.
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
        // A clip that holds at its end begins anew from there.
        let is_over = document.playhead().end == AtEnd::Hold && start >= range.end_secs();
        self.counted_secs = f64::from(if is_over { range.start_secs() } else { start });
        self.is_playing = true;
        self.paced.restart();
        self.advance(document, 0.0);
        None
    }

    pub(super) fn stop(&mut self) {
        self.is_playing = false;
    }

    /// Goes on by `step_secs`; true while something plays.
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
        let Self { counted_secs, shown_secs, paced, pose, .. } = self;
        let evaluate = |passed_secs: f32, out: &mut LocalPose| {
            let share = playhead.mix.map_or(0.0, |mix| mix.share);
            let pace = pair.as_ref().map_or(1.0, |pair| pair.playback_rate(*shown_secs, share));
            let mut playback = Playback::new(playhead.range(clip.duration_secs()))
                .with_wrap(playhead.end.wrap())
                .with_speed(playhead.speed * pace);
            playback.seek(*counted_secs, SeekEvents::Skip);
            playback.advance(passed_secs);
            (*counted_secs, *shown_secs) = (playback.time_secs(), playback.clip_time_secs());
            *out = document.pose_at(*shown_secs);
        };
        let rest = document.character().rest_pose();
        let is_new = paced.advance(playhead.rate.pace(), step_secs, &rest, evaluate, pose);
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
        let is_new = self.paced.advance(playhead.rate.pace(), step_secs, &rest, evaluate, &mut self.pose);
        self.number += u64::from(is_new);
    }

    /// Sets a trigger of the graph.
    pub(super) fn fire(&mut self, document: &Document, trigger: &str) {
        if !self.graph.as_ref().is_some_and(|graph| graph.is_of(document)) {
            self.graph = GraphPlayer::new(document);
        }
        if let Some(graph) = &mut self.graph {
            graph.fire(trigger);
        }
    }

    /// The graph begins anew.
    pub(super) fn restart_graph(&mut self) {
        self.graph = None;
        self.paced.restart();
    }

    /// The machines of the graph that plays, and the states that they are in.
    pub(super) fn states(&self) -> Vec<(String, String)> {
        self.graph.as_ref().map(GraphPlayer::states).unwrap_or_default()
    }

    pub(super) fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// Where the clip is, while one plays.
    pub(super) fn time_secs(&self) -> Option<f32> {
        (self.is_playing && self.graph.is_none()).then_some(self.shown_secs)
    }

    /// The pose to show in place of the document's.
    pub(super) fn preview(&self) -> Option<Preview<'_>> {
        self.is_playing.then_some(Preview { pose: &self.pose, number: self.number })
    }
}
