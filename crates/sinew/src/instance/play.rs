//! What an instance plays, and how it changes to it.

use super::{
    Archetype, ClipPlayer, Controller, GraphId, Instance, InstanceError, Montage, MotionId, PlayTransition,
};
use crate::{
    blend::{RecentMotion, graph::GraphState},
    pose::LocalPose,
    sample::{EventWindow, MetaValue, Wrap},
};

/// How a clip is started.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayOptions {
    /// What happens at the end of the clip.
    pub wrap: Wrap,
    /// The clip time to start at, in seconds; `None` starts where [`Instance::seek`] put it, or at the beginning.
    pub start_secs: Option<f64>,
    /// How the instance changes from what it plays now.
    pub transition: PlayTransition,
}

impl PlayOptions {
    /// A looping clip that starts at once.
    pub const LOOP: Self = Self { wrap: Wrap::Loop, start_secs: None, transition: PlayTransition::Cut };
    /// A clip that plays once and holds its last pose.
    pub const ONCE: Self = Self { wrap: Wrap::Clamp, ..Self::LOOP };

    /// The same with a crossfade of `secs` seconds.
    #[must_use]
    pub const fn crossfade(self, secs: f32) -> Self {
        Self { transition: PlayTransition::crossfade(secs), ..self }
    }

    /// The same with an inertialized transition of `secs` seconds.
    #[must_use]
    pub const fn inertial(self, secs: f32) -> Self {
        Self { transition: PlayTransition::inertial(secs), ..self }
    }

    /// The same from another time of the clip on, in seconds.
    #[must_use]
    pub const fn from_secs(self, start_secs: f64) -> Self {
        Self { start_secs: Some(start_secs), ..self }
    }
}

impl Instance {
    /// Starts a clip at once, at the speed of [`Instance::set_speed`]: at its beginning, or at its end if it runs backwards,
    /// or where [`Instance::seek`] put it while no clip played. The next update evaluates it.
    ///
    /// # Errors
    /// If the clip is additive, the clip is of another archetype, or the instance is.
    pub fn play(&mut self, archetype: &Archetype, motion: MotionId, wrap: Wrap) -> Result<(), InstanceError> {
        self.play_with(archetype, motion, PlayOptions { wrap, ..PlayOptions::default() })
    }

    /// [`Instance::play`] with a crossfade or an inertialized transition, or from any time of the clip.
    ///
    /// ```
    /// use sinew::instance::{Archetype, InstanceScratch, PlayOptions};
    ///
    /// let archetype = Archetype::new(sinew_samples::figure());
    /// let [walk, run] = ["walk", "run"].map(|name| archetype.find_motion(name).unwrap());
    /// let (mut one, mut scratch) = (archetype.new_instance(), InstanceScratch::new(&archetype));
    /// one.play_with(&archetype, walk, PlayOptions::LOOP)?;
    /// one.update(&archetype, 0.5, &mut scratch, |_| {});
    /// one.play_with(&archetype, run, PlayOptions::LOOP.crossfade(0.3))?;
    /// one.update(&archetype, 1.0 / 60.0, &mut scratch, |_| {});
    /// assert!(one.is_in_transition());
    /// # Ok::<(), sinew::instance::InstanceError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Instance::play`], and if the duration of the transition is negative or not finite.
    pub fn play_with(
        &mut self,
        archetype: &Archetype,
        motion: MotionId,
        options: PlayOptions,
    ) -> Result<(), InstanceError> {
        self.refuse_foreign(archetype)?;
        InstanceError::check_number("the duration of a transition", options.transition.secs())?;
        let mut player = ClipPlayer::new(archetype, motion, options.wrap)?;
        if player.is_additive(archetype) {
            return Err(InstanceError::AdditiveAlone { clip: archetype.motion(motion).name().into() });
        }
        player.restart(self.speed);
        if let Some(start_secs) = options.start_secs.or(self.start_secs.take()) {
            player.seek(start_secs);
        }
        self.base.begin(Controller::Clip(player), options.transition, archetype.rest());
        Ok(())
    }

    /// Starts a graph in its initial state at once. The next update evaluates it.
    ///
    /// # Panics
    /// If the instance or the graph is of another archetype.
    #[track_caller]
    pub fn play_graph(&mut self, archetype: &Archetype, graph: GraphId) {
        self.check(archetype);
        self.base.begin(Controller::graph(archetype, graph), PlayTransition::Cut, archetype.rest());
    }

    /// [`Instance::play_graph`] with a crossfade or an inertialized transition.
    ///
    /// # Errors
    /// If the duration of the transition is negative or not finite.
    ///
    /// # Panics
    /// As [`Instance::play_graph`].
    #[track_caller]
    pub fn play_graph_with(
        &mut self,
        archetype: &Archetype,
        graph: GraphId,
        transition: PlayTransition,
    ) -> Result<(), InstanceError> {
        self.check(archetype);
        InstanceError::check_number("the duration of a transition", transition.secs())?;
        self.base.begin(Controller::graph(archetype, graph), transition, archetype.rest());
        Ok(())
    }

    /// Lets the difference between a motion from elsewhere, such as a ragdoll, and what the instance plays decay within
    /// `secs` (inertialization). It replaces a running transition.
    ///
    /// # Errors
    /// If the duration is negative or not finite, or a pose has another size.
    pub fn inertialize_from(&mut self, source: RecentMotion<'_>, secs: f32) -> Result<(), InstanceError> {
        InstanceError::check_number("the duration of a transition", secs)?;
        let own = &self.latest.pose;
        let sizes = |pose: &LocalPose| (pose.joints.len(), pose.morphs.len());
        if let Some(bad) = [source.now, source.before].into_iter().find(|pose| sizes(pose) != sizes(own)) {
            return Err(InstanceError::WrongPose {
                joints: bad.joints.len(),
                morphs: bad.morphs.len(),
                instance_joints: own.joints.len(),
                instance_morphs: own.morphs.len(),
            });
        }
        self.base.begin_from(source, secs);
        Ok(())
    }

    fn refuse_foreign(&self, archetype: &Archetype) -> Result<(), InstanceError> {
        if self.archetype == archetype.identity() {
            return Ok(());
        }
        Err(InstanceError::ForeignArchetype {
            archetype: archetype.character().name().into(),
            joints: archetype.rest().joints.len(),
            instance_joints: self.latest.pose.joints.len(),
        })
    }

    /// What the instance plays; during a transition, what it changes to.
    pub fn controller(&self) -> &Controller {
        self.base.controller()
    }

    /// True if a crossfade or an inertialized transition runs, or begins with the next update.
    pub fn is_in_transition(&self) -> bool {
        self.base.is_in_transition()
    }

    /// The state of the graph that the instance plays, through which its parameters are set.
    pub fn graph_state_mut(&mut self) -> Option<&mut GraphState> {
        match self.base.controller_mut() {
            Controller::Graph(player) => Some(&mut player.state),
            Controller::Still | Controller::Clip(_) => None,
        }
    }

    /// Jumps to a time of the clip without firing the events between. If no clip plays, the next one starts at that time.
    pub fn seek(&mut self, time_secs: f64) {
        match self.base.controller_mut().clip_mut() {
            Some(player) => {
                player.seek(time_secs);
                self.base.invalidate();
            }
            None => self.start_secs = Some(time_secs),
        }
    }

    /// Sets how fast clips play: 1 is normal, negative runs backwards, a value that is not finite is 0.
    ///
    /// The speed is kept for every clip that is played later. Graphs and montages set the speed of their clips themselves.
    pub fn set_speed(&mut self, speed: f32) {
        self.speed = if speed.is_finite() { speed } else { 0.0 };
        let speed = self.speed;
        self.base.controller_mut().clip_mut().into_iter().for_each(|player| player.set_speed(speed));
    }

    /// How fast clips play.
    pub fn speed(&self) -> f32 {
        self.speed
    }

    /// Plays a clip over what the instance plays, in one of [`MAX_MONTAGE_SLOTS`](super::MAX_MONTAGE_SLOTS) slots; higher
    /// slots play over lower ones. A montage that plays in the slot fades out meanwhile.
    ///
    /// # Errors
    /// If there is no such slot, the clip or the instance is of another archetype, the mask is of another skeleton, or a
    /// fade, weight or speed is out of range.
    pub fn play_montage(
        &mut self,
        archetype: &Archetype,
        slot: usize,
        montage: &Montage,
    ) -> Result<(), InstanceError> {
        self.refuse_foreign(archetype)?;
        self.slots.play(archetype, slot, montage)
    }

    /// Fades out the montage in `slot` within `fade_out_secs`; does nothing if none plays there.
    pub fn stop_montage(&mut self, slot: usize, fade_out_secs: f32) {
        self.slots.stop(slot, fade_out_secs);
    }

    /// The weight of the montage in `slot`, fades included, 0 to 1; 0 if none plays there.
    pub fn montage_weight(&self, slot: usize) -> f32 {
        self.slots.weight(slot)
    }

    /// The value of a meta-channel in the latest evaluation, faded and layered like the pose; `None` if nothing that plays
    /// has one with that name.
    ///
    /// # Panics
    /// If the instance was made by another archetype.
    #[track_caller]
    pub fn meta(&self, archetype: &Archetype, name: &str) -> Option<MetaValue> {
        self.check(archetype);
        let over = self.slots.players().filter_map(|(player, weight)| {
            Some((player.meta(archetype, name)?, weight)).filter(|(_, weight)| *weight > 0.0)
        });
        over.fold(self.base.meta(archetype, name), |below, (value, weight)| {
            Some(below.map_or(value, |below| below.blend(value, weight)))
        })
    }

    /// The event windows that are open in the clips that play, montages included.
    ///
    /// # Panics
    /// If the instance was made by another archetype.
    #[track_caller]
    pub fn open_windows<'a>(&'a self, archetype: &'a Archetype) -> impl Iterator<Item = &'a EventWindow> {
        self.check(archetype);
        let over = self.slots.players().flat_map(move |(player, _)| player.open_windows(archetype));
        self.base.open_windows(archetype).chain(over)
    }
}
