//! A graph evaluated over time.

use super::args::{ParameterChange, ParameterValue};
use sinew::blend::graph::{Graph, GraphScratch, GraphState};
use sinew::{LocalPose, Transform};

/// A graph that is evaluated at rising times.
pub(super) struct GraphRun<'a> {
    graph: &'a Graph,
    changes: std::iter::Peekable<std::slice::Iter<'a, ParameterChange>>,
    state: GraphState,
    workspace: GraphScratch,
    world_from_model: Transform,
    now_secs: f32,
}

impl<'a> GraphRun<'a> {
    pub(super) fn new(graph: &'a Graph, changes: &'a [ParameterChange]) -> Self {
        Self {
            graph,
            changes: changes.iter().peekable(),
            state: graph.new_state(),
            workspace: GraphScratch::new(graph),
            world_from_model: Transform::IDENTITY,
            now_secs: 0.0,
        }
    }

    /// The poses at rising times, with root motion applied to the first joint.
    pub(super) fn poses(mut self, times_secs: &[f32]) -> Vec<LocalPose> {
        times_secs.iter().map(|&time| self.pose_at(time)).collect()
    }

    /// Advances to `time_secs` in steps of at most 1/60 s, as a game would.
    fn pose_at(&mut self, time_secs: f32) -> LocalPose {
        let mut pose = self.step(0.0);
        while self.now_secs < time_secs {
            let dt_secs = (time_secs - self.now_secs).min(1.0 / 60.0);
            self.now_secs += dt_secs;
            pose = self.step(dt_secs);
        }
        pose
    }

    fn step(&mut self, dt_secs: f32) -> LocalPose {
        while let Some(change) = self.changes.next_if(|change| change.at_secs <= self.now_secs) {
            let Some(id) = self.graph.find_parameter(&change.name) else { continue };
            match change.value {
                ParameterValue::Number(number) => self.state.set(id, number),
                ParameterValue::Switch(is_on) => self.state.switch(id, is_on),
                ParameterValue::Fire => self.state.fire(id),
            }
        }
        let now = self.graph.evaluate(&mut self.state, &mut self.workspace, dt_secs);
        let root = now.root_motion();
        let mut pose = now.pose().clone();
        let moved = &mut self.world_from_model;
        moved.translation += moved.rotation * root.translation;
        moved.rotation = (moved.rotation * root.rotation).normalize();
        if let Some(first) = pose.joints.first_mut() {
            first.translation = moved.translation + moved.rotation * first.translation;
            first.rotation = moved.rotation * first.rotation;
        }
        pose
    }
}
