//! Montages: clips that play over the base motion.

use super::{
    Archetype, ClipPlayer, InstanceError, MotionId,
    controller::{ControllerStep, Evaluation},
};
use crate::{
    asset::skeleton::JointId,
    blend::{Crossfade, Easing, Mask, add, layer_over},
    pose::LocalPose,
    sample::Wrap,
};
use std::sync::Arc;

/// The number of montage slots of an instance. Higher slots play over lower ones.
pub const MAX_MONTAGE_SLOTS: usize = 8;

/// A clip that plays over what an instance plays: a wave while walking, a hit reaction.
///
/// Joints that the clip does not animate keep the pose below. An additive clip is added to it.
#[doc(alias = "one-shot")]
#[derive(Clone, Debug, PartialEq)]
pub struct Montage {
    /// The clip to play.
    pub motion: MotionId,
    /// What happens at the end of the clip. A clamped clip fades out so that it is gone when it ends.
    pub wrap: Wrap,
    /// How fast the clip plays: 1 is normal, negative runs backwards from its end.
    pub speed: f32,
    /// The weight between the fades, 0 to 1.
    pub weight: f32,
    /// The weight of each joint; `None` for all joints.
    pub mask: Option<Arc<Mask>>,
    /// How long the clip takes to reach its weight, in seconds.
    pub fade_in_secs: f32,
    /// How long the clip takes to disappear, in seconds.
    pub fade_out_secs: f32,
    /// The course of both fades.
    pub easing: Easing,
}

impl Montage {
    /// The whole body, once, with fades of 0.2 s.
    pub fn new(motion: MotionId) -> Self {
        Self {
            motion,
            wrap: Wrap::Clamp,
            speed: 1.0,
            weight: 1.0,
            mask: None,
            fade_in_secs: 0.2,
            fade_out_secs: 0.2,
            easing: Easing::Smooth,
        }
    }

    /// The same, limited to the joints of `mask`.
    #[must_use]
    pub fn masked(self, mask: impl Into<Arc<Mask>>) -> Self {
        Self { mask: Some(mask.into()), ..self }
    }

    /// The same with other fades, in seconds.
    #[must_use]
    pub fn with_fades(self, fade_in_secs: f32, fade_out_secs: f32) -> Self {
        Self { fade_in_secs, fade_out_secs, ..self }
    }

    fn check(&self, archetype: &Archetype) -> Result<(), InstanceError> {
        InstanceError::check_number("the fade-in of a montage", self.fade_in_secs)?;
        InstanceError::check_number("the fade-out of a montage", self.fade_out_secs)?;
        InstanceError::check_number("the weight of a montage", self.weight)?;
        InstanceError::check_number("the size of the speed of a montage", self.speed.abs())?;
        let (mask, joints) = (self.mask.as_ref().map(|mask| mask.len()), archetype.rest().joints.len());
        match mask.filter(|mask| *mask != joints) {
            Some(mask) => {
                Err(InstanceError::WrongMask { mask, archetype: archetype.character().name().into(), joints })
            }
            None => Ok(()),
        }
    }
}

/// A montage that plays.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SlotPlayer {
    slot: usize,
    player: ClipPlayer,
    mask: Option<Arc<Mask>>,
    full_weight: f32,
    fade_in: Crossfade,
    fade_out: Option<Crossfade>,
    fade_out_secs: f32,
    easing: Easing,
}

impl SlotPlayer {
    fn weight(&self) -> f32 {
        let fading = self.fade_out.as_ref().map_or(0.0, Crossfade::weight);
        self.full_weight * self.fade_in.weight() * (1.0 - fading)
    }

    fn is_over(&self) -> bool {
        self.fade_out.as_ref().is_some_and(Crossfade::is_over)
    }

    fn fade_out(&mut self, secs: f32) {
        if self.fade_out.is_none() {
            self.fade_out = Some(Crossfade::new(secs, self.easing));
        }
    }

    /// Advances by `dt_secs` and lays the clip over `pose`.
    fn evaluate(
        &mut self,
        with: &mut Evaluation<'_>,
        dt_secs: f32,
        scratch: &mut SlotScratch,
        pose: &mut LocalPose,
    ) -> (ControllerStep, f32) {
        self.fade_in.advance(dt_secs);
        self.fade_out.iter_mut().for_each(|fade| fade.advance(dt_secs));
        let step = self.player.advance(with.archetype, dt_secs, self.weight(), with.on_event);
        if self.player.left_secs() <= self.fade_out_secs {
            self.fade_out(self.player.left_secs());
        }
        let (weight, mask) = (self.weight(), self.mask.as_deref());
        if weight > 0.0 {
            if self.player.is_additive(with.archetype) {
                scratch.layer.copy_from(&scratch.no_change);
                self.player.sample(with.archetype, with.detail, &mut scratch.layer);
                add(pose, &scratch.layer, weight, mask);
            } else {
                scratch.layer.copy_from(pose);
                self.player.sample(with.archetype, with.detail, &mut scratch.layer);
                layer_over(pose, &scratch.layer, weight, mask);
            }
        }
        // As in a graph, the weight of the first joint decides about root motion; differences have none.
        let carries = if self.player.is_additive(with.archetype) { 0.0 } else { 1.0 };
        (step, weight.min(1.0) * carries * mask.map_or(1.0, |mask| mask.weight(JointId(0))))
    }
}

/// Poses that montages need for a moment.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotScratch {
    layer: LocalPose,
    no_change: LocalPose,
}

impl SlotScratch {
    pub(super) fn new(rest: &LocalPose) -> Self {
        Self { layer: rest.clone(), no_change: crate::blend::additive_identity(rest) }
    }
}

/// The montages of an instance, lowest slot first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Slots {
    players: Vec<SlotPlayer>,
}

impl Slots {
    /// Keeps the montages for whose clip `is_kept` returns true.
    pub(super) fn retain_players(&mut self, mut is_kept: impl FnMut(&mut ClipPlayer) -> bool) {
        self.players.retain_mut(|one| is_kept(&mut one.player));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.players.is_empty()
    }

    /// Plays `montage` in `slot`. What plays there fades out below it.
    pub(super) fn play(
        &mut self,
        archetype: &Archetype,
        slot: usize,
        montage: &Montage,
    ) -> Result<(), InstanceError> {
        if slot >= MAX_MONTAGE_SLOTS {
            return Err(InstanceError::NoSuchSlot { slot, slots: MAX_MONTAGE_SLOTS });
        }
        montage.check(archetype)?;
        let mut player = ClipPlayer::new(archetype, montage.motion, montage.wrap)?;
        player.restart(montage.speed);
        self.stop(slot, montage.fade_in_secs);
        // Of the montages that leave a slot only the latest remains, so that a slot holds at most two.
        let leaving = self.players.iter().filter(|one| one.slot == slot).count();
        if leaving > 1 {
            let first = self.players.iter().position(|one| one.slot == slot);
            first.into_iter().for_each(|first| self.players[first].fade_out = Some(Crossfade::over()));
        }
        let at = self.players.iter().take_while(|one| one.slot <= slot).count();
        let new = SlotPlayer {
            slot,
            player,
            mask: montage.mask.clone(),
            full_weight: montage.weight.min(1.0),
            fade_in: Crossfade::new(montage.fade_in_secs, montage.easing),
            fade_out: None,
            fade_out_secs: montage.fade_out_secs,
            easing: montage.easing,
        };
        self.players.insert(at, new);
        Ok(())
    }

    /// Fades out what plays in `slot`.
    pub(super) fn stop(&mut self, slot: usize, secs: f32) {
        self.players.iter_mut().filter(|one| one.slot == slot).for_each(|one| one.fade_out(secs));
    }

    /// The weight of the latest montage in `slot`; 0 if none plays.
    pub(super) fn weight(&self, slot: usize) -> f32 {
        self.players.iter().rfind(|one| one.slot == slot).map_or(0.0, SlotPlayer::weight)
    }

    /// The players, lowest slot first, with their weights.
    pub(super) fn players(&self) -> impl Iterator<Item = (&ClipPlayer, f32)> {
        self.players.iter().map(|one| (&one.player, one.weight()))
    }

    /// Advances all montages by `dt_secs` and lays them over `pose`; `base` is the step of the motion below.
    pub(super) fn evaluate(
        &mut self,
        with: &mut Evaluation<'_>,
        dt_secs: f32,
        scratch: &mut SlotScratch,
        base: ControllerStep,
        pose: &mut LocalPose,
    ) -> ControllerStep {
        let mut step = base;
        for one in &mut self.players {
            let (over, weight) = one.evaluate(with, dt_secs, scratch, pose);
            step = step.blend(over, weight);
            if one.is_over() {
                one.player.close_windows(with.archetype, with.on_event);
            }
        }
        self.players.retain(|one| !one.is_over());
        step
    }
}
