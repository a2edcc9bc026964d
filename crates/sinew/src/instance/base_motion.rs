//! The clip or graph that moves the whole body, and the transition to it.

use super::controller::{Controller, ControllerStep, Evaluation};
use crate::{
    blend::{Crossfade, Easing, Inertializer, PoseLayer, RecentMotion, blend},
    pose::LocalPose,
    sample::{EventWindow, MetaValue},
};

/// How an instance changes from what it plays to something else.
#[doc(alias = "blend in")]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum PlayTransition {
    /// The new motion replaces the old one at once.
    #[default]
    Cut,
    /// Both motions play while one fades into the other. If a transition is running, the current pose fades instead.
    Crossfade {
        /// How long the fade takes, in seconds.
        secs: f32,
        /// The course of the fade.
        easing: Easing,
    },
    /// Only the new motion plays; offset and velocity of every joint decay (inertialization, Bollo 2018).
    Inertial {
        /// How long the decay takes at most, in seconds.
        secs: f32,
    },
}

impl PlayTransition {
    /// A crossfade of `secs` seconds that starts and ends slowly.
    pub const fn crossfade(secs: f32) -> Self {
        Self::Crossfade { secs, easing: Easing::Smooth }
    }

    /// An inertialized transition that takes at most `secs` seconds.
    pub const fn inertial(secs: f32) -> Self {
        Self::Inertial { secs }
    }

    /// The duration in seconds.
    pub fn secs(&self) -> f32 {
        match self {
            Self::Cut => 0.0,
            Self::Crossfade { secs, .. } | Self::Inertial { secs } => *secs,
        }
    }
}

/// A transition that runs, or is about to.
#[derive(Clone, Debug, PartialEq)]
enum ActiveTransition {
    /// Both motions play, and the new one gains weight.
    Crossfade { from: Controller, fade: Crossfade },
    /// A pose fades into the motion.
    Frozen { source: LocalPose, fade: Crossfade },
    /// An offset decays over the motion.
    Inertia { inertia: Inertializer, secs: f32 },
}

/// The motion that begins with the next evaluation. All its memory is allocated when it is made.
#[derive(Clone, Debug, PartialEq)]
struct NextMotion {
    controller: Controller,
    transition: Option<Box<ActiveTransition>>,
}

/// Poses that are handed in from outside, from which the next evaluation continues.
#[derive(Clone, Debug, PartialEq)]
struct GivenMotion {
    now: LocalPose,
    before: LocalPose,
    step_secs: f32,
    transition: Box<ActiveTransition>,
}

/// Poses that an evaluation needs for a moment.
#[derive(Clone, Debug, Default)]
pub(super) struct BaseScratch {
    source: LocalPose,
    target: LocalPose,
    now: LocalPose,
    before: LocalPose,
}

impl BaseScratch {
    pub(super) fn new(rest: &LocalPose) -> Self {
        Self { source: rest.clone(), target: rest.clone(), now: rest.clone(), before: rest.clone() }
    }
}

/// What moves the whole body.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BaseMotion {
    controller: Controller,
    transition: Option<Box<ActiveTransition>>,
    next: Option<Box<NextMotion>>,
    given: Option<Box<GivenMotion>>,
    /// True if the pose that it last wrote is unchanged and nothing but the controller's own.
    is_current: bool,
}

impl BaseMotion {
    pub(super) fn still() -> Self {
        Self { controller: Controller::Still, transition: None, next: None, given: None, is_current: false }
    }

    /// What plays from the next evaluation on.
    pub(super) fn controller(&self) -> &Controller {
        self.next.as_ref().map_or(&self.controller, |next| &next.controller)
    }

    pub(super) fn controller_mut(&mut self) -> &mut Controller {
        self.next.as_mut().map_or(&mut self.controller, |next| &mut next.controller)
    }

    /// Everything that plays or is about to: the motion, the one that it fades from, and the next.
    pub(super) fn controllers_mut(&mut self) -> impl Iterator<Item = &mut Controller> {
        fn fading(transition: Option<&mut ActiveTransition>) -> Option<&mut Controller> {
            match transition? {
                ActiveTransition::Crossfade { from, .. } => Some(from),
                ActiveTransition::Frozen { .. } | ActiveTransition::Inertia { .. } => None,
            }
        }
        let Self { controller, transition, next, .. } = self;
        let next = next.as_deref_mut().into_iter().flat_map(|next| {
            [Some(&mut next.controller), fading(next.transition.as_deref_mut())].into_iter().flatten()
        });
        [Some(controller), fading(transition.as_deref_mut())].into_iter().flatten().chain(next)
    }

    /// True if a motion is about to begin.
    pub(super) fn is_beginning(&self) -> bool {
        self.next.is_some() || self.given.is_some()
    }

    /// True if a transition runs or is about to.
    pub(super) fn is_in_transition(&self) -> bool {
        self.transition.is_some() || self.is_beginning()
    }

    /// The pose was changed by others, or the time was: it must be written again.
    pub(super) fn invalidate(&mut self) {
        self.is_current = false;
    }

    /// Plays `controller` from the next evaluation on.
    pub(super) fn begin(&mut self, controller: Controller, by: PlayTransition, rest: &LocalPose) {
        let transition = match by {
            _ if by.secs() <= 0.0 => None,
            PlayTransition::Cut => None,
            PlayTransition::Crossfade { secs, easing } => {
                let fade = Crossfade::new(secs, easing);
                Some(if self.transition.is_some() {
                    ActiveTransition::Frozen { source: rest.clone(), fade }
                } else {
                    ActiveTransition::Crossfade { from: Controller::Still, fade }
                })
            }
            PlayTransition::Inertial { secs } => {
                Some(ActiveTransition::Inertia { inertia: Inertializer::new(rest), secs })
            }
        };
        let transition = transition.map(Box::new);
        self.next = Some(Box::new(NextMotion { controller, transition }));
    }

    /// Lets the difference between `source` and the motion decay, from the next evaluation on.
    pub(super) fn begin_from(&mut self, source: RecentMotion<'_>, secs: f32) {
        let inertia = Inertializer::new(source.now);
        self.given = Some(Box::new(GivenMotion {
            now: source.now.clone(),
            before: source.before.clone(),
            step_secs: source.step_secs,
            transition: Box::new(ActiveTransition::Inertia { inertia, secs }),
        }));
    }

    /// Advances by `dt_secs` and writes the pose; `is_swapped` if `pose` is not the one that it wrote last.
    pub(super) fn evaluate(
        &mut self,
        with: &mut Evaluation<'_>,
        dt_secs: f32,
        scratch: &mut BaseScratch,
        pose: &mut LocalPose,
        is_swapped: bool,
    ) -> ControllerStep {
        if is_swapped && !self.is_in_transition() {
            let step = self.controller.advance(with, dt_secs, 1.0, pose, false);
            let is_changed = step.is_changed || !self.is_current;
            self.is_current = true;
            return ControllerStep { is_changed, ..step };
        }
        if let Some(given) = self.given.take() {
            return self.take_over(*given, with, dt_secs, scratch, pose);
        }
        match self.next.take() {
            Some(next) => self.switch(*next, with, dt_secs, scratch, pose),
            None => self.run(with, dt_secs, scratch, pose),
        }
    }

    /// Begins `next` by its transition.
    fn switch(
        &mut self,
        next: NextMotion,
        with: &mut Evaluation<'_>,
        dt_secs: f32,
        scratch: &mut BaseScratch,
        pose: &mut LocalPose,
    ) -> ControllerStep {
        let NextMotion { controller, mut transition } = next;
        self.is_current = false;
        match transition.as_deref_mut() {
            Some(ActiveTransition::Crossfade { from, .. }) => {
                *from = std::mem::replace(&mut self.controller, controller);
            }
            Some(ActiveTransition::Frozen { source, .. }) => {
                self.run(with, 0.0, scratch, source);
                self.replace(controller, with);
            }
            Some(ActiveTransition::Inertia { inertia, secs }) => {
                let (mut now, mut before) =
                    (std::mem::take(&mut scratch.now), std::mem::take(&mut scratch.before));
                // The old motion plays one step further: its last two poses give its velocity.
                self.run(with, 0.0, scratch, &mut before);
                self.is_current = false;
                self.run(with, dt_secs, scratch, &mut now);
                self.replace(controller, with);
                let step = self.run(with, dt_secs, scratch, pose);
                let source = RecentMotion { now: &now, before: &before, step_secs: dt_secs };
                inertia.begin(source, pose, *secs);
                inertia.apply(0.0, pose);
                (scratch.now, scratch.before) = (now, before);
                (self.transition, self.is_current) = (transition, false);
                return step;
            }
            None => self.replace(controller, with),
        }
        self.transition = transition;
        self.run(with, dt_secs, scratch, pose)
    }

    /// Continues from poses that are given from outside.
    fn take_over(
        &mut self,
        mut given: GivenMotion,
        with: &mut Evaluation<'_>,
        dt_secs: f32,
        scratch: &mut BaseScratch,
        pose: &mut LocalPose,
    ) -> ControllerStep {
        match self.next.take() {
            Some(next) => self.replace(next.controller, with),
            None => self.end_transition(with),
        }
        self.is_current = false;
        let step = self.run(with, dt_secs, scratch, pose);
        if let ActiveTransition::Inertia { inertia, secs } = &mut *given.transition {
            let source = RecentMotion { now: &given.now, before: &given.before, step_secs: given.step_secs };
            inertia.begin(source, pose, *secs);
            inertia.apply(dt_secs, pose);
        }
        (self.transition, self.is_current) = (Some(given.transition), false);
        step
    }

    /// Ends all that plays and plays `controller`.
    fn replace(&mut self, controller: Controller, with: &mut Evaluation<'_>) {
        self.end_transition(with);
        self.controller.close_windows(with);
        self.controller = controller;
        self.is_current = false;
    }

    fn end_transition(&mut self, with: &mut Evaluation<'_>) {
        if let Some(ActiveTransition::Crossfade { from, .. }) = self.transition.as_deref_mut() {
            from.close_windows(with);
        }
        self.transition = None;
    }

    /// Advances the motion and its transition by `dt_secs`.
    fn run(
        &mut self,
        with: &mut Evaluation<'_>,
        dt_secs: f32,
        scratch: &mut BaseScratch,
        pose: &mut LocalPose,
    ) -> ControllerStep {
        let Some(transition) = self.transition.as_deref_mut() else {
            let step = self.controller.advance(with, dt_secs, 1.0, pose, self.is_current);
            let is_changed = step.is_changed || !self.is_current;
            self.is_current = true;
            return ControllerStep { is_changed, ..step };
        };
        let BaseScratch { source: from_pose, target, .. } = scratch;
        let is_over;
        let step = match transition {
            ActiveTransition::Crossfade { from, fade } => {
                fade.advance(dt_secs);
                is_over = fade.is_over();
                let (rest, weight) = (with.archetype.rest(), fade.weight());
                let old = from.advance(with, dt_secs, 1.0 - weight, from_pose, false);
                let new = self.controller.advance(with, dt_secs, weight, target, false);
                blend(&[PoseLayer::new(from_pose, 1.0 - weight), PoseLayer::new(target, weight)], rest, pose);
                old.blend(new, weight)
            }
            ActiveTransition::Frozen { source, fade } => {
                fade.advance(dt_secs);
                is_over = fade.is_over();
                let new = self.controller.advance(with, dt_secs, fade.weight(), target, false);
                fade.blend(source, target, with.archetype.rest(), pose);
                ControllerStep::STILL.blend(new, fade.weight())
            }
            ActiveTransition::Inertia { inertia, .. } => {
                let step = self.controller.advance(with, dt_secs, 1.0, pose, false);
                inertia.apply(dt_secs, pose);
                is_over = inertia.is_over();
                step
            }
        };
        if is_over {
            self.end_transition(with);
        }
        self.is_current = false;
        ControllerStep { is_changed: true, ..step }
    }

    /// The value of a meta-channel, faded like the pose.
    pub(super) fn meta(&self, archetype: &super::Archetype, name: &str) -> Option<MetaValue> {
        let new = self.controller.meta(archetype, name);
        let Some(ActiveTransition::Crossfade { from, fade }) = self.transition.as_deref() else { return new };
        match (from.meta(archetype, name), new) {
            (Some(old), Some(new)) => Some(old.blend(new, fade.weight())),
            (old, new) => new.or(old),
        }
    }

    /// The windows that are open in the motions that play.
    pub(super) fn open_windows<'a>(
        &'a self,
        archetype: &'a super::Archetype,
    ) -> impl Iterator<Item = &'a EventWindow> {
        let from = match self.transition.as_deref() {
            Some(ActiveTransition::Crossfade { from, .. }) => Some(from),
            _ => None,
        };
        from.into_iter().chain([&self.controller]).flat_map(move |one| one.open_windows(archetype))
    }
}
