//! Many characters over one asset: what they share, what each owns, and how often each is worked out.
//!
//! An [`Archetype`] holds what all characters of a kind share: skeleton, skins, clips, graphs. An [`Instance`] owns its state alone:
//! which clip or graph it plays and where it is in it, its latest poses, and where it stands. Instances do not know of each
//! other, so a slice of them can be cut in any way over any threads, and the result is the same to the bit.
//!
//! ```
//! use sinew::{Wrap, instance::{Archetype, BetweenUpdates, UpdateRate, InstanceScratch, update_all}};
//!
//! let kind = Archetype::compact(sinew_samples::figure(), &Default::default()).unwrap();
//! let walk = kind.find_motion("walk").unwrap();
//! let mut crowd: Vec<_> = (0..100)
//!     .map(|n| {
//!         let mut one = kind.new_instance();
//!         one.play(&kind, walk, Wrap::Loop).unwrap();
//!         one.seek(n as f64 * 0.1);
//!         one.set_update_rate(UpdateRate { rate_hz: Some(30.0), between: BetweenUpdates::Interpolate }, n as f32 / 100.0);
//!         one
//!     })
//!     .collect();
//! let mut scratch = InstanceScratch::new(&kind);
//! let mut footfalls = 0;
//! for _ in 0..60 {
//!     update_all(&kind, &mut crowd, 1.0 / 60.0, &mut scratch, |_, _| footfalls += 1);
//! }
//! assert!(footfalls > 150);                                  // two for each, every 1.067 s
//!
//! // All skinning matrices in a row, as a graphics card wants them.
//! let each = kind.character().skins()[0].joints().len();
//! let mut matrices = vec![sinew::glam::Affine3A::IDENTITY; each * crowd.len()];
//! for (one, out) in crowd.iter().zip(matrices.chunks_mut(each)) {
//!     one.write_palette(&kind, 0, &mut scratch, out);
//! }
//! ```

mod archetype;
mod controller;
mod crowd;
mod limited_sampler;
mod update_rate;

pub use archetype::{Archetype, GraphId, MotionId};
pub use controller::{Controller, InstanceError, InstanceEvent};
pub use crowd::update_all;
#[cfg(feature = "rayon")]
pub use crowd::update_all_parallel;
pub use limited_sampler::LimitedSampler;
pub use update_rate::{BetweenUpdates, LodLevel, LodLevels, UpdateRate};

use crate::{
    blend::{GraphScratch, PoseLayer, blend, graph::GraphState},
    palette::write_skinning_matrices,
    pose::{LocalPose, ModelPose},
    sample::{SeekEvents, Wrap},
    transform::Transform,
};
use glam::Affine3A;

/// Buffers for working instances out, one after the other: one for each thread.
#[derive(Clone, Debug, Default)]
pub struct InstanceScratch {
    workspace: GraphScratch,
    driven_pose: LocalPose,
    model: ModelPose,
}

impl InstanceScratch {
    /// Room for the instances of `kind`.
    pub fn new(kind: &Archetype) -> Self {
        let mut workspace = GraphScratch::default();
        kind.graphs().iter().for_each(|graph| workspace.reserve(graph));
        Self {
            workspace,
            driven_pose: kind.rest().clone(),
            model: ModelPose::new(kind.character().skeleton()),
        }
    }
}

/// A pose and where the character stands in it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Moment {
    pose: LocalPose,
    world_from_model: Transform,
}

impl Moment {
    fn copy_from(&mut self, other: &Self) {
        self.pose.copy_from(&other.pose);
        self.world_from_model = other.world_from_model;
    }
}

/// One character: what it plays, and its latest pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    controller: Controller,
    update_rate: UpdateRate,
    /// Time since the latest evaluation.
    waited_secs: f32,
    /// The latest two evaluations, where the pace is limited.
    before: Moment,
    after: Moment,
    shown: Moment,
}

impl Instance {
    pub(super) fn new(rest: &LocalPose) -> Self {
        Self {
            controller: Controller::Still,
            update_rate: UpdateRate::default(),
            waited_secs: 0.0,
            before: Moment::default(),
            after: Moment::default(),
            shown: Moment { pose: rest.clone(), world_from_model: Transform::IDENTITY },
        }
    }

    /// Begins to play a clip from its start; it starts with the next update.
    ///
    /// # Errors
    /// Where the clip is additive: it is nothing alone.
    pub fn play(&mut self, kind: &Archetype, motion: MotionId, wrap: Wrap) -> Result<(), InstanceError> {
        self.controller = Controller::clip(kind, motion, wrap)?;
        Ok(())
    }

    /// Begins to play a graph.
    pub fn play_graph(&mut self, kind: &Archetype, graph: GraphId) {
        self.controller = Controller::graph(kind, graph);
    }

    /// What it plays.
    pub fn controller(&self) -> &Controller {
        &self.controller
    }

    /// The state of the graph that it plays, to set parameters.
    pub fn graph_state_mut(&mut self) -> Option<&mut GraphState> {
        match &mut self.controller {
            Controller::Graph { state, .. } => Some(state),
            _ => None,
        }
    }

    /// Goes to a time of its clip without firing what lies between; nothing where it plays none.
    pub fn seek(&mut self, time_secs: f64) {
        if let Controller::Clip { playback, .. } = &mut self.controller {
            playback.seek(time_secs, SeekEvents::Skip);
        }
    }

    /// How fast time runs for its clip; negative runs backwards.
    pub fn set_speed(&mut self, speed: f32) {
        if let Controller::Clip { playback, .. } = &mut self.controller {
            playback.set_speed(speed);
        }
    }

    /// Limits how often it is worked out. `phase`, 0 to 1, says how much of the first period has passed already: spread it
    /// over a crowd, and each frame works out as many as any other.
    pub fn set_update_rate(&mut self, pace: UpdateRate, phase: f32) {
        if pace == self.update_rate {
            return;
        }
        self.update_rate = pace;
        if let Some(period_secs) = pace.period_secs() {
            self.before.copy_from(&self.shown);
            self.after.copy_from(&self.shown);
            self.waited_secs = if phase.is_finite() { phase.clamp(0.0, 1.0) * period_secs } else { 0.0 };
        }
    }

    /// How often it is worked out.
    pub fn update_rate(&self) -> UpdateRate {
        self.update_rate
    }

    /// Puts it somewhere else.
    pub fn place(&mut self, world_from_model: Transform) {
        for moment in [&mut self.before, &mut self.after, &mut self.shown] {
            moment.world_from_model = world_from_model;
        }
    }

    /// Where it stands; root motion has been added.
    pub fn world_from_model(&self) -> Transform {
        self.shown.world_from_model
    }

    /// Every joint relative to its parent, as of the latest update; helper joints are not moved yet.
    pub fn pose(&self) -> &LocalPose {
        &self.shown.pose
    }

    /// Lets time pass. Events go to `on_event` in the update in which they are worked out; nothing is allocated.
    ///
    /// At a limited pace the pose is worked out once a period, for all the time that has passed. Held, it stays until
    /// the next; interpolated, it goes from one to the next and so is late by one period.
    ///
    /// # Panics
    /// Where the instance is of another kind.
    pub fn update(
        &mut self,
        kind: &Archetype,
        dt_secs: f32,
        scratch: &mut InstanceScratch,
        on_event: impl FnMut(InstanceEvent<'_>),
    ) {
        let dt_secs = if dt_secs.is_finite() { dt_secs.max(0.0) } else { 0.0 };
        let Some(period_secs) = self.update_rate.period_secs() else {
            evaluate(&mut self.controller, kind, dt_secs, scratch, &mut self.shown, on_event);
            return;
        };
        self.waited_secs += dt_secs;
        if self.waited_secs >= period_secs {
            let periods = (self.waited_secs / period_secs).floor();
            let passed_secs = periods * period_secs;
            self.waited_secs = (self.waited_secs - passed_secs).clamp(0.0, period_secs);
            std::mem::swap(&mut self.before, &mut self.after);
            self.after.world_from_model = self.before.world_from_model;
            evaluate(&mut self.controller, kind, passed_secs, scratch, &mut self.after, on_event);
        }
        match self.update_rate.between {
            BetweenUpdates::Hold => self.shown.copy_from(&self.after),
            BetweenUpdates::Interpolate => self.show_between(kind, self.waited_secs / period_secs),
        }
    }

    fn show_between(&mut self, kind: &Archetype, fraction: f32) {
        let layers =
            [PoseLayer::new(&self.before.pose, 1.0 - fraction), PoseLayer::new(&self.after.pose, fraction)];
        blend(&layers, kind.rest(), &mut self.shown.pose);
        let (from, to) = (self.before.world_from_model, self.after.world_from_model);
        self.shown.world_from_model = Transform {
            translation: from.translation.lerp(to.translation, fraction),
            rotation: crate::sample::slerp(from.rotation, to.rotation, fraction),
            scale: from.scale.lerp(to.scale, fraction),
        };
    }

    /// Writes the matrices of skin `skin` of the archetype's character in the latest pose, with its helper joints moved.
    ///
    /// # Panics
    /// Where there is no such skin, or `out` has not as many places as it has joints.
    pub fn write_palette(
        &self,
        kind: &Archetype,
        skin: usize,
        scratch: &mut InstanceScratch,
        out: &mut [Affine3A],
    ) {
        let character = kind.character();
        let pose = if character.is_without_helpers() {
            &self.shown.pose
        } else {
            scratch.driven_pose.copy_from(&self.shown.pose);
            character.apply_helpers(&mut scratch.driven_pose);
            &scratch.driven_pose
        };
        scratch.model.update(character.skeleton(), pose);
        write_skinning_matrices(&character.skins()[skin], &scratch.model, out);
    }
}

/// Works out the next moment after `moment` in place.
fn evaluate(
    controller: &mut Controller,
    kind: &Archetype,
    dt_secs: f32,
    scratch: &mut InstanceScratch,
    moment: &mut Moment,
    on_event: impl FnMut(InstanceEvent<'_>),
) {
    let root = controller.advance(kind, dt_secs, &mut scratch.workspace, &mut moment.pose, on_event);
    let placed = &mut moment.world_from_model;
    placed.translation += placed.rotation * (placed.scale * root.translation);
    placed.rotation = (placed.rotation * root.rotation).normalize();
}

#[cfg(test)]
mod tests;
