//! The update of an instance: evaluation, the caller's edits, and placement.

use super::{
    Archetype, Instance, InstanceEvent, InstanceScratch,
    controller::{ControllerStep, Evaluation},
};
use crate::{pose::LocalPose, transform::Transform};

/// What one update did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InstanceUpdate {
    /// True if the pose to show may differ from that of the previous update. If not, palettes and uploads are up to date.
    pub pose_changed: bool,
    /// True if the placement in the world may differ from that of the previous update.
    pub placement_changed: bool,
    /// True if clips or graphs were evaluated; false between the evaluations of a limited rate.
    pub is_evaluated: bool,
    /// True if the evaluation passed more than [`MAX_EVENTS_PER_STEP`](crate::sample::MAX_EVENTS_PER_STEP) events and
    /// dropped the others.
    pub events_are_truncated: bool,
    /// The root motion of the evaluation: `before_from_after`. The identity between evaluations.
    pub root_motion: Transform,
}

/// An instance between its evaluation and its placement: the pose and the root motion can still be edited.
#[derive(Debug)]
#[must_use = "call finish to move the instance by its root motion"]
pub struct SampledInstance<'a> {
    instance: &'a mut Instance,
    update: InstanceUpdate,
}

impl SampledInstance<'_> {
    /// True if there is a new pose to edit. Between the evaluations of a limited rate the pose is the edited one from before.
    pub fn is_evaluated(&self) -> bool {
        self.update.is_evaluated
    }

    /// The sampled local pose.
    pub fn pose(&self) -> &LocalPose {
        self.instance.pose()
    }

    /// The sampled local pose, to edit: inverse kinematics, look-at, physics. The next evaluation starts from the clips
    /// again.
    pub fn pose_mut(&mut self) -> &mut LocalPose {
        self.update.pose_changed = true;
        self.instance.is_moving = true;
        self.instance.leave_shared();
        self.instance.base.invalidate();
        &mut self.instance.latest.pose
    }

    /// The root motion of this step: `before_from_after`.
    pub fn root_motion(&self) -> Transform {
        self.update.root_motion
    }

    /// Replaces the root motion of this step; one that is not finite is the identity.
    pub fn set_root_motion(&mut self, before_from_after: Transform) {
        let is_finite = before_from_after.is_finite();
        self.update.root_motion = if is_finite { before_from_after } else { Transform::IDENTITY };
    }

    /// Moves the instance by its root motion and ends the update.
    pub fn finish(self) -> InstanceUpdate {
        let Self { instance, mut update } = self;
        let is_still = update.root_motion == Transform::IDENTITY;
        if !is_still && instance.moves_by_root_motion {
            let placed = &mut instance.latest.world_from_model;
            placed.translation += placed.rotation * (placed.scale * update.root_motion.translation);
            placed.rotation = (placed.rotation * update.root_motion.rotation).normalize();
            update.placement_changed = true;
        }
        if let Some(before) = instance.before.as_deref().filter(|_| instance.is_between()) {
            update.placement_changed |= before.world_from_model != instance.latest.world_from_model;
        }
        update.placement_changed |= std::mem::take(&mut instance.is_placed);
        instance.latest_update = update;
        update
    }
}

impl Instance {
    /// What the latest update did.
    #[must_use]
    pub fn latest_update(&self) -> InstanceUpdate {
        self.latest_update
    }

    /// True if the latest evaluation passed more than
    /// [`MAX_EVENTS_PER_STEP`](crate::sample::MAX_EVENTS_PER_STEP) events and dropped the others.
    #[must_use]
    pub fn events_are_truncated(&self) -> bool {
        self.latest_update.events_are_truncated
    }

    /// Advances by `dt_secs` and says what changed. Events go to `on_event` in the update that evaluates them; nothing is
    /// allocated.
    ///
    /// At a limited rate the pose is evaluated once per period, for all the time that has passed. A held pose stays until
    /// the next evaluation; an interpolated one moves from the previous evaluation to the latest and is one period late. What
    /// was just started is evaluated at once.
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
    ) -> InstanceUpdate {
        self.sample(archetype, dt_secs, scratch, on_event).finish()
    }

    /// The first part of [`Instance::update`]: advances by `dt_secs` and evaluates the local pose, which can be edited before
    /// [`SampledInstance::finish`] ends the update.
    ///
    /// ```
    /// use sinew::{Wrap, glam::Quat, instance::{Archetype, InstanceScratch}};
    ///
    /// let archetype = Archetype::new(sinew_samples::figure());
    /// let head = archetype.character().skeleton().find("head").unwrap();
    /// let (mut one, mut scratch) = (archetype.new_instance(), InstanceScratch::new(&archetype));
    /// one.play(&archetype, archetype.find_motion("walk").unwrap(), Wrap::Loop)?;
    /// let mut sampled = one.sample(&archetype, 1.0 / 60.0, &mut scratch, |_| {});
    /// if sampled.is_evaluated() {
    ///     sampled.pose_mut().joints[head.index()].rotation *= Quat::from_rotation_y(0.5);
    /// }
    /// assert!(sampled.finish().pose_changed);
    /// # Ok::<(), sinew::instance::InstanceError>(())
    /// ```
    ///
    /// # Panics
    /// As [`Instance::update`].
    #[track_caller]
    pub fn sample(
        &mut self,
        archetype: &Archetype,
        dt_secs: f32,
        scratch: &mut InstanceScratch,
        mut on_event: impl FnMut(InstanceEvent<'_>),
    ) -> SampledInstance<'_> {
        self.check(archetype);
        scratch.fit(archetype);
        let dt_secs = if dt_secs.is_finite() { dt_secs.max(0.0) } else { 0.0 };
        self.elapsed_secs += dt_secs;
        let was_moving = self.is_interpolated();
        let mut update = InstanceUpdate { pose_changed: was_moving, ..InstanceUpdate::default() };
        if let Some(passed_secs) = self.due_step() {
            let step = self.evaluate(archetype, passed_secs, scratch, &mut on_event);
            self.is_moving = step.is_changed;
            update = InstanceUpdate {
                pose_changed: step.is_changed || was_moving,
                is_evaluated: true,
                events_are_truncated: step.is_truncated,
                root_motion: step.root,
                ..update
            };
        }
        SampledInstance { instance: self, update }
    }

    /// The time to evaluate now, in seconds; `None` if nothing is due.
    fn due_step(&mut self) -> Option<f32> {
        let Some(period_secs) = self.update_rate.period_secs() else {
            return Some(std::mem::take(&mut self.elapsed_secs));
        };
        let elapsed_secs = self.elapsed_secs;
        if elapsed_secs >= self.due_secs {
            let periods = ((elapsed_secs - self.due_secs) / period_secs).floor();
            let passed_secs = (self.due_secs + periods * period_secs).min(elapsed_secs);
            self.elapsed_secs = (elapsed_secs - passed_secs).clamp(0.0, period_secs);
            self.due_secs = period_secs;
            return Some(passed_secs);
        }
        // A new motion is shown at once; the next evaluation keeps its turn.
        self.base.is_beginning().then(|| {
            self.due_secs -= elapsed_secs;
            std::mem::take(&mut self.elapsed_secs)
        })
    }

    /// Replaces the latest pose by that `dt_secs` later.
    fn evaluate(
        &mut self,
        archetype: &Archetype,
        dt_secs: f32,
        scratch: &mut InstanceScratch,
        on_event: &mut dyn FnMut(InstanceEvent<'_>),
    ) -> ControllerStep {
        if let Some(step) = self.advance_shared(archetype, dt_secs, on_event) {
            return step;
        }
        self.leave_shared();
        let is_swapped = self.is_between();
        if let Some(before) = self.before.as_mut().filter(|_| is_swapped) {
            std::mem::swap(&mut **before, &mut self.latest);
            self.latest.world_from_model = before.world_from_model;
        }
        let InstanceScratch { graphs, base, slots, .. } = scratch;
        let mut with = Evaluation { archetype, detail: self.detail, graphs, on_event };
        let pose = &mut self.latest.pose;
        let step = self.base.evaluate(&mut with, dt_secs, base, pose, is_swapped);
        if self.slots.is_empty() {
            return step;
        }
        self.base.invalidate();
        self.slots.evaluate(&mut with, dt_secs, slots, step, pose)
    }
}
