//! Poses that all instances in the same phase of a clip share.

use super::{
    Archetype, DetailId, Instance, InstanceError, InstanceEvent, MotionId, controller::ControllerStep,
};
use crate::{
    palette::write_skinning_matrices,
    pose::{LocalPose, ModelPose},
    sample::ClipCursor,
};
use glam::Affine3A;
use std::{ops::Range, sync::Arc};

/// The largest number of poses of one clip.
const MAX_POSES: f64 = 65_536.0;

/// The poses of a clip at evenly spaced times, with the skinning matrices of every skin.
///
/// [`Archetype::add_shared_poses`] makes them. An instance that plays the clip alone and has
/// [`Instance::set_uses_shared_poses`] shows the pose that is nearest to its time: nothing is sampled and no palette is computed,
/// however many instances there are.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedPoses {
    motion: MotionId,
    detail: Option<DetailId>,
    /// Poses per second of the clip.
    rate_hz: f64,
    poses: Vec<LocalPose>,
    /// For each skin, the matrices of all poses, one pose after the other.
    palettes: Vec<Vec<Affine3A>>,
}

impl SharedPoses {
    fn new(archetype: &Archetype, motion: MotionId, detail: Option<DetailId>, count: usize) -> Self {
        let played = archetype.motion_in(motion, detail);
        let last = count.saturating_sub(1).max(1) as f64;
        let duration_secs = f64::from(archetype.motion(motion).duration_secs());
        let character = archetype.character();
        let (mut cursor, mut model) = (ClipCursor::default(), ModelPose::new(character.skeleton()));
        let (mut poses, mut palettes) =
            (Vec::with_capacity(count), vec![Vec::new(); character.skins().len()]);
        for nth in 0..count {
            let mut pose = archetype.rest().clone();
            let time_secs = (duration_secs * nth as f64 / last) as f32;
            played.sample(time_secs, &mut cursor, &mut pose);
            let mut shown = pose.clone();
            character.apply_helpers(&mut shown);
            model.update(character.skeleton(), &shown);
            for (skin, matrices) in character.skins().iter().zip(&mut palettes) {
                let start = matrices.len();
                matrices.resize(start + skin.joints().len(), Affine3A::IDENTITY);
                write_skinning_matrices(skin, &model, &mut matrices[start..]);
            }
            poses.push(pose);
        }
        let rate_hz = if duration_secs > 0.0 { last / duration_secs } else { 0.0 };
        Self { motion, detail, rate_hz, poses, palettes }
    }

    /// The clip that the poses are of.
    pub fn motion(&self) -> MotionId {
        self.motion
    }

    /// The level of detail of the poses.
    pub fn detail(&self) -> Option<DetailId> {
        self.detail
    }

    /// How many poses per second of the clip there are.
    pub fn rate_hz(&self) -> f64 {
        self.rate_hz
    }

    /// All poses, evenly spaced from the start of the clip to its end, in local space, before helper joints are driven.
    pub fn poses(&self) -> &[LocalPose] {
        &self.poses
    }

    /// The skinning matrices of the skin at index `skin` in all poses, one pose after the other; upload them once.
    ///
    /// # Panics
    /// If the character has no such skin.
    #[track_caller]
    pub fn palettes(&self, skin: usize) -> &[Affine3A] {
        let skins = self.palettes.len();
        assert!(skin < skins, "skin {skin} does not exist: the shared poses have {skins} skins");
        &self.palettes[skin]
    }

    /// The pose that is nearest to a time of the clip.
    fn nearest(&self, clip_secs: f64) -> usize {
        // A negative time and NaN give the first.
        ((clip_secs * self.rate_hz).round() as usize).min(self.poses.len() - 1)
    }

    /// Where the matrices of a pose are among those of a skin.
    fn range(&self, skin: usize, pose: usize) -> Range<usize> {
        let each = self.palettes(skin).len() / self.poses.len();
        pose * each..(pose + 1) * each
    }
}

/// One of [`SharedPoses`], which an instance shows.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedPose {
    poses: Arc<SharedPoses>,
    index: usize,
}

impl SharedPose {
    /// All poses of the clip.
    pub fn poses(&self) -> &Arc<SharedPoses> {
        &self.poses
    }

    /// The index of the pose: which palette of [`SharedPoses::palettes`] to draw with.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The local pose, before helper joints are driven.
    pub fn pose(&self) -> &LocalPose {
        &self.poses.poses[self.index]
    }

    /// The skinning matrices of the skin at index `skin`.
    ///
    /// # Panics
    /// If the character has no such skin.
    #[track_caller]
    pub fn palette(&self, skin: usize) -> &[Affine3A] {
        &self.poses.palettes(skin)[self.poses.range(skin, self.index)]
    }
}

impl Archetype {
    /// Evaluates `motion` at a level of detail, `rate_hz` poses per second of the clip and one at its end, for instances that
    /// [share poses](Instance::set_uses_shared_poses). Poses that are shared already are replaced.
    ///
    /// They take 40 bytes per joint and 64 per joint of a skin for each pose: for a body of 60 joints at 30 Hz, 190 kB per
    /// second of the clip.
    ///
    /// # Errors
    /// If the clip is of another archetype, the rate is not positive and finite, or there would be more than 65,536 poses.
    ///
    /// # Panics
    /// If the level of detail is of another archetype.
    #[track_caller]
    pub fn add_shared_poses(
        &mut self,
        motion: MotionId,
        detail: Option<DetailId>,
        rate_hz: f32,
    ) -> Result<&Arc<SharedPoses>, InstanceError> {
        if !self.owns(motion) {
            let (name, clips) = (self.character().name().to_owned(), self.motions().len());
            return Err(InstanceError::ForeignMotion { archetype: name, clips });
        }
        detail.iter().for_each(|detail| self.check_detail(*detail));
        if !(rate_hz > 0.0 && rate_hz.is_finite()) {
            return Err(InstanceError::NoRate { rate_hz });
        }
        let count = (f64::from(self.motion(motion).duration_secs()) * f64::from(rate_hz)).round() + 1.0;
        if count > MAX_POSES {
            return Err(InstanceError::TooManyPoses { poses: count, most: MAX_POSES as usize });
        }
        let made = Arc::new(SharedPoses::new(self, motion, detail, count as usize));
        Ok(self.keep_shared(made))
    }
}

impl Instance {
    /// Sets whether the instance shows shared poses while it plays nothing but a clip for which its archetype has them
    /// ([`Archetype::add_shared_poses`]), at its level of detail.
    ///
    /// Time, events, windows and root motion go on as they do otherwise, and an update rate limits them in the same way.
    /// Transitions, montages, graphs, interpolated poses and edited ones are the instance's own; afterwards it shares again.
    pub fn set_uses_shared_poses(&mut self, uses: bool) {
        self.uses_shared_poses = uses;
        if !uses {
            self.leave_shared();
        }
    }

    /// The shared pose that the instance shows, if it does.
    pub fn shared_pose(&self) -> Option<&SharedPose> {
        self.shared.as_ref()
    }

    /// Makes the shared pose the instance's own.
    pub(super) fn leave_shared(&mut self) {
        if let Some(shared) = self.shared.take() {
            self.latest.pose.copy_from(shared.pose());
            self.base.invalidate();
        }
    }

    /// Advances by `dt_secs` and finds the shared pose; `None`, and nothing has advanced, if there is none.
    pub(super) fn advance_shared(
        &mut self,
        archetype: &Archetype,
        dt_secs: f32,
        on_event: &mut dyn FnMut(InstanceEvent<'_>),
    ) -> Option<ControllerStep> {
        let is_alone = self.slots.is_empty() && !self.base.is_in_transition() && !self.is_between();
        if !self.uses_shared_poses || !is_alone {
            return None;
        }
        let (detail, shared) = (self.detail, &mut self.shared);
        let player = self.base.controller_mut().clip_mut()?;
        let is_right = |poses: &SharedPoses| poses.motion == player.motion() && poses.detail == detail;
        let mut now = match shared.take().filter(|shared| is_right(&shared.poses)) {
            Some(shared) => shared,
            // No pose has this index, so the first one counts as a change.
            None => SharedPose {
                poses: archetype.shared().find(|poses| is_right(poses))?.clone(),
                index: usize::MAX,
            },
        };
        let step = player.advance(archetype, dt_secs, 1.0, on_event);
        let index = now.poses.nearest(player.playback().clip_time_secs().into());
        let is_changed = index != std::mem::replace(&mut now.index, index);
        *shared = Some(now);
        self.base.invalidate();
        Some(ControllerStep { is_changed, ..step })
    }
}
