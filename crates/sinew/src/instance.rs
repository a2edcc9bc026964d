//! Crowds: many instances of one character.
//!
//! An [`Archetype`] holds what all instances share: skeleton, skins, clips, graphs. An [`Instance`] owns its state: the clip or
//! graph that it plays and its position in it, its latest poses, and its placement in the world. Instances do not refer to
//! each other, so a slice of them can be split over any number of threads, and the result has the same bits.
//!
//! ```
//! use sinew::{Wrap, instance::{Archetype, BetweenUpdates, InstanceScratch, UpdateRate, update_all}};
//!
//! let archetype = Archetype::compact(sinew_samples::figure(), &Default::default()).unwrap();
//! let walk = archetype.find_motion("walk").unwrap();
//! let mut crowd: Vec<_> = (0..100)
//!     .map(|n| {
//!         let mut instance = archetype.new_instance();
//!         instance.play(&archetype, walk, Wrap::Loop).unwrap();
//!         instance.seek(n as f64 * 0.1);
//!         let rate = UpdateRate { rate_hz: Some(30.0), between: BetweenUpdates::Interpolate };
//!         instance.set_update_rate(rate, n as f32 / 100.0);
//!         instance
//!     })
//!     .collect();
//! let mut scratch = InstanceScratch::new(&archetype);
//! let mut footfalls = 0;
//! for _ in 0..60 {
//!     update_all(&archetype, &mut crowd, 1.0 / 60.0, &mut scratch, |_, _| footfalls += 1);
//! }
//! assert!(footfalls > 150);                                  // two for each, every 1.067 s
//!
//! // All skinning matrices in one buffer, ready for the GPU.
//! let each = archetype.character().skins()[0].joints().len();
//! let mut matrices = vec![sinew::glam::Affine3A::IDENTITY; each * crowd.len()];
//! for (instance, out) in crowd.iter().zip(matrices.chunks_mut(each)) {
//!     instance.write_palette(&archetype, 0, &mut scratch, out);
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
    constrain::{SpringState, SpringStep},
    identity::Identity,
    palette::write_skinning_matrices,
    pose::{LocalPose, ModelPose},
    sample::{SeekEvents, Wrap},
    transform::Transform,
};
use controller::ControllerStep;
use glam::Affine3A;

/// Buffers in which instances are evaluated, one after the other. Each thread has its own.
#[derive(Clone, Debug, Default)]
pub struct InstanceScratch {
    graphs: GraphScratch,
    driven_pose: LocalPose,
    model: ModelPose,
}

impl InstanceScratch {
    /// Buffers with room for the instances of `archetype`.
    pub fn new(archetype: &Archetype) -> Self {
        let mut graphs = GraphScratch::default();
        archetype.graphs().iter().for_each(|graph| graphs.reserve(graph));
        let model = ModelPose::new(archetype.character().skeleton());
        Self { graphs, driven_pose: archetype.rest().clone(), model }
    }
}

/// A pose and the placement that belongs to it.
#[derive(Clone, Debug, Default, PartialEq)]
struct PlacedPose {
    pose: LocalPose,
    world_from_model: Transform,
}

impl PlacedPose {
    fn copy_from(&mut self, other: &Self) {
        self.pose.copy_from(&other.pose);
        self.world_from_model = other.world_from_model;
    }
}

/// One character of a crowd: what it plays, and its latest pose.
#[doc(alias = "actor")]
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    archetype: Identity,
    controller: Controller,
    speed: f32,
    update_rate: UpdateRate,
    /// Time since the latest evaluation.
    elapsed_secs: f32,
    /// The latest two evaluations, used while the update rate is limited.
    before: PlacedPose,
    after: PlacedPose,
    shown: PlacedPose,
    events_are_truncated: bool,
    /// The state of its spring bones; `None` before the first step.
    springs: Option<Box<SpringState>>,
}

impl Instance {
    fn new(archetype: &Archetype) -> Self {
        Self {
            archetype: archetype.identity(),
            controller: Controller::Still,
            speed: 1.0,
            update_rate: UpdateRate::default(),
            elapsed_secs: 0.0,
            before: PlacedPose::default(),
            after: PlacedPose::default(),
            shown: PlacedPose { pose: archetype.rest().clone(), world_from_model: Transform::IDENTITY },
            events_are_truncated: false,
            springs: None,
        }
    }

    /// Starts a clip at its beginning, at the speed of [`Instance::set_speed`]. The pose changes with the next update.
    ///
    /// # Errors
    /// If the clip is additive, the clip is of another archetype, or the instance is.
    pub fn play(&mut self, archetype: &Archetype, motion: MotionId, wrap: Wrap) -> Result<(), InstanceError> {
        if self.archetype != archetype.identity() {
            return Err(InstanceError::ForeignArchetype {
                archetype: archetype.character().name().into(),
                joints: archetype.rest().joints.len(),
                instance_joints: self.shown.pose.joints.len(),
            });
        }
        self.controller = Controller::clip(archetype, motion, wrap)?;
        self.set_speed(self.speed);
        Ok(())
    }

    /// Starts a graph in its initial state. The pose changes with the next update.
    ///
    /// # Panics
    /// If the instance or the graph is of another archetype.
    #[track_caller]
    pub fn play_graph(&mut self, archetype: &Archetype, graph: GraphId) {
        self.check(archetype);
        self.controller = Controller::graph(archetype, graph);
    }

    /// What the instance plays.
    pub fn controller(&self) -> &Controller {
        &self.controller
    }

    /// The state of the graph that the instance plays, through which its parameters are set.
    pub fn graph_state_mut(&mut self) -> Option<&mut GraphState> {
        match &mut self.controller {
            Controller::Graph { state, .. } => Some(state),
            Controller::Still | Controller::Clip { .. } => None,
        }
    }

    /// Jumps to a time of the clip without firing the events between; does nothing if no clip plays.
    pub fn seek(&mut self, time_secs: f64) {
        if let Controller::Clip { playback, .. } = &mut self.controller {
            playback.seek(time_secs, SeekEvents::Skip);
        }
    }

    /// Sets how fast clips play: 1 is normal, negative runs backwards, a value that is not finite is 0.
    ///
    /// The speed is kept for every clip that is played later. Graphs set the speed of their clips themselves.
    pub fn set_speed(&mut self, speed: f32) {
        self.speed = if speed.is_finite() { speed } else { 0.0 };
        if let Controller::Clip { playback, .. } = &mut self.controller {
            playback.set_speed(self.speed);
        }
    }

    /// How fast clips play.
    pub fn speed(&self) -> f32 {
        self.speed
    }

    /// Limits how often the instance is evaluated. `phase`, 0 to 1, is the fraction of the first period that has already
    /// passed: spread it over a crowd to evaluate equally many instances in each frame.
    pub fn set_update_rate(&mut self, update_rate: UpdateRate, phase: f32) {
        if update_rate == self.update_rate {
            return;
        }
        self.update_rate = update_rate;
        if let Some(period_secs) = update_rate.period_secs() {
            self.before.copy_from(&self.shown);
            self.after.copy_from(&self.shown);
            self.elapsed_secs = if phase.is_finite() { phase.clamp(0.0, 1.0) * period_secs } else { 0.0 };
        }
    }

    /// How often the instance is evaluated.
    pub fn update_rate(&self) -> UpdateRate {
        self.update_rate
    }

    /// Moves the instance to another placement. Root motion continues from there.
    ///
    /// # Errors
    /// If a number is not finite or the rotation is not a unit quaternion (within 1e-3 of its squared length).
    pub fn place(&mut self, world_from_model: Transform) -> Result<(), InstanceError> {
        let is_unit = (world_from_model.rotation.length_squared() - 1.0).abs() <= 1e-3;
        if !(world_from_model.is_finite() && is_unit) {
            return Err(InstanceError::BadPlacement { world_from_model });
        }
        for placed in [&mut self.before, &mut self.after, &mut self.shown] {
            placed.world_from_model = world_from_model;
        }
        Ok(())
    }

    /// The placement in the world, root motion included.
    #[must_use]
    pub fn world_from_model(&self) -> Transform {
        self.shown.world_from_model
    }

    /// The local pose of the latest update, before helper joints are driven.
    #[must_use]
    pub fn pose(&self) -> &LocalPose {
        &self.shown.pose
    }

    /// True if the latest evaluation passed more than
    /// [`MAX_EVENTS_PER_STEP`](crate::sample::MAX_EVENTS_PER_STEP) events and dropped the others.
    #[must_use]
    pub fn events_are_truncated(&self) -> bool {
        self.events_are_truncated
    }

    /// Advances by `dt_secs`. Events go to `on_event` in the update that evaluates them; nothing is allocated.
    ///
    /// At a limited rate the pose is evaluated once per period, for all the time that has passed. A held pose stays until
    /// the next evaluation; an interpolated one moves from the previous evaluation to the latest and is one period late.
    ///
    /// # Panics
    /// If the instance was made by another archetype.
    #[track_caller]
    pub fn update(
        &mut self,
        archetype: &Archetype,
        dt_secs: f32,
        scratch: &mut InstanceScratch,
        on_event: impl FnMut(InstanceEvent<'_>),
    ) {
        self.check(archetype);
        let dt_secs = if dt_secs.is_finite() { dt_secs.max(0.0) } else { 0.0 };
        let Some(period_secs) = self.update_rate.period_secs() else {
            let shown = &mut self.shown;
            let step = evaluate(&mut self.controller, archetype, dt_secs, scratch, shown, on_event);
            self.events_are_truncated = step.is_truncated;
            return;
        };
        self.elapsed_secs += dt_secs;
        self.events_are_truncated = false;
        if self.elapsed_secs >= period_secs {
            let periods = (self.elapsed_secs / period_secs).floor();
            let passed_secs = periods * period_secs;
            self.elapsed_secs = (self.elapsed_secs - passed_secs).clamp(0.0, period_secs);
            std::mem::swap(&mut self.before, &mut self.after);
            self.after.world_from_model = self.before.world_from_model;
            let after = &mut self.after;
            let step = evaluate(&mut self.controller, archetype, passed_secs, scratch, after, on_event);
            self.events_are_truncated = step.is_truncated;
        }
        match self.update_rate.between {
            BetweenUpdates::Hold => self.shown.copy_from(&self.after),
            BetweenUpdates::Interpolate => self.show_between(archetype, self.elapsed_secs / period_secs),
        }
    }

    fn show_between(&mut self, archetype: &Archetype, fraction: f32) {
        let layers =
            [PoseLayer::new(&self.before.pose, 1.0 - fraction), PoseLayer::new(&self.after.pose, fraction)];
        blend(&layers, archetype.rest(), &mut self.shown.pose);
        let (from, to) = (self.before.world_from_model, self.after.world_from_model);
        self.shown.world_from_model = Transform {
            translation: from.translation.lerp(to.translation, fraction),
            rotation: crate::sample::slerp(from.rotation, to.rotation, fraction),
            scale: from.scale.lerp(to.scale, fraction),
        };
    }

    /// Advances the spring bones of the character to the latest pose and placement by `dt_secs`. Call it once after each
    /// update; [`Instance::write_palette`] then shows the springs. Only the first step allocates: an instance that never
    /// steps its springs does not pay for them.
    ///
    /// Springs swing when the placement moves, root motion included. After a jump, call [`Instance::springs_mut`] and
    /// [`SpringState::reset`] or [`SpringState::teleport`].
    ///
    /// # Panics
    /// If the instance was made by another archetype.
    #[track_caller]
    pub fn step_springs(&mut self, archetype: &Archetype, dt_secs: f32, scratch: &mut InstanceScratch) {
        self.check(archetype);
        let character = archetype.character();
        let springs = character.springs();
        if springs.is_empty() {
            return;
        }
        scratch.driven_pose.copy_from(&self.shown.pose);
        character.apply_helpers(&mut scratch.driven_pose);
        scratch.model.update(character.skeleton(), &scratch.driven_pose);
        let state = self.springs.get_or_insert_with(|| Box::new(springs.new_state()));
        let step = SpringStep { dt_secs, world_from_model: self.shown.world_from_model };
        springs.step(step, &scratch.model, state, &mut scratch.driven_pose);
    }

    /// The state of the spring bones; `None` before the first [`Instance::step_springs`].
    pub fn springs_mut(&mut self) -> Option<&mut SpringState> {
        self.springs.as_deref_mut()
    }

    /// Writes the skinning matrices of the skin at index `skin` of the character in the latest pose, helper joints
    /// and stepped springs included.
    ///
    /// # Panics
    /// If the instance was made by another archetype, the character has no such skin, or `out` does not have one matrix
    /// for each joint of the skin.
    #[track_caller]
    pub fn write_palette(
        &self,
        archetype: &Archetype,
        skin: usize,
        scratch: &mut InstanceScratch,
        out: &mut [Affine3A],
    ) {
        self.check(archetype);
        let character = archetype.character();
        let skins = character.skins();
        assert!(
            skin < skins.len(),
            "skin {skin} does not exist: character {:?} has {} skins",
            character.name(),
            skins.len()
        );
        let pose = if character.is_without_helpers() && self.springs.is_none() {
            &self.shown.pose
        } else {
            scratch.driven_pose.copy_from(&self.shown.pose);
            character.apply_helpers(&mut scratch.driven_pose);
            if let Some(state) = &self.springs {
                character.springs().apply(state, &mut scratch.driven_pose);
            }
            &scratch.driven_pose
        };
        scratch.model.update(character.skeleton(), pose);
        write_skinning_matrices(&skins[skin], &scratch.model, out);
    }

    #[track_caller]
    fn check(&self, archetype: &Archetype) {
        assert!(
            self.archetype == archetype.identity(),
            "the instance was made by archetype {} with {} joints, not by {} ({:?}) with {} joints",
            self.archetype,
            self.shown.pose.joints.len(),
            archetype.identity(),
            archetype.character().name(),
            archetype.rest().joints.len()
        );
    }
}

/// Replaces `placed` by the pose and placement `dt_secs` later.
fn evaluate(
    controller: &mut Controller,
    archetype: &Archetype,
    dt_secs: f32,
    scratch: &mut InstanceScratch,
    placed: &mut PlacedPose,
    on_event: impl FnMut(InstanceEvent<'_>),
) -> ControllerStep {
    let step = controller.advance(archetype, dt_secs, &mut scratch.graphs, &mut placed.pose, on_event);
    let world_from_model = &mut placed.world_from_model;
    world_from_model.translation +=
        world_from_model.rotation * (world_from_model.scale * step.root.translation);
    world_from_model.rotation = (world_from_model.rotation * step.root.rotation).normalize();
    step
}

#[cfg(test)]
mod tests;
