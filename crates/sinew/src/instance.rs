//! Crowds: many instances of one character.
//!
//! An [`Archetype`] holds what all instances share: skeleton, skins, clips, graphs. An [`Instance`] owns its state: the clip or
//! graph that it plays and its position in it, its latest poses, and its placement in the world. Instances do not refer to
//! each other, so a slice of them can be split over any number of threads, and the result has the same bits.
//!
//! ```
//! use sinew::{Wrap, instance::{Archetype, InstanceScratch, UpdateRate, update_all}};
//!
//! let archetype = Archetype::compact(sinew_samples::figure(), &Default::default()).unwrap();
//! let walk = archetype.find_motion("walk").unwrap();
//! let mut crowd: Vec<_> = (0..100)
//!     .map(|n| {
//!         let mut instance = archetype.new_instance();
//!         instance.play(&archetype, walk, Wrap::Loop).unwrap();
//!         instance.seek(n as f64 * 0.1);
//!         instance.set_update_rate(UpdateRate::held(30.0), UpdateRate::phase_of(n));
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
//!     if instance.latest_update().pose_changed {                // else the buffer is up to date
//!         instance.write_palette(&archetype, 0, &mut scratch, out);
//!     }
//! }
//! ```

mod archetype;
mod base_motion;
mod clip_player;
mod controller;
mod crowd;
mod detail;
mod error;
mod limited_sampler;
mod montage;
mod play;
mod posed;
mod rebind;
mod shared_poses;
mod update;
mod update_rate;

pub use archetype::{Archetype, ArchetypeError, GraphId, MotionId};
pub use base_motion::PlayTransition;
pub use clip_player::ClipPlayer;
pub use controller::{Controller, GraphPlayer, InstanceEvent};
pub use crowd::update_all;
#[cfg(feature = "rayon")]
pub use crowd::update_all_parallel;
pub use detail::DetailId;
pub use error::InstanceError;
pub use limited_sampler::LimitedSampler;
pub use montage::{MAX_MONTAGE_SLOTS, Montage};
pub use play::PlayOptions;
pub use posed::PosedInstance;
pub use rebind::RebindReport;
pub use shared_poses::{SharedPose, SharedPoses};
pub use update::{InstanceUpdate, SampledInstance};
pub use update_rate::{BetweenUpdates, LodLevel, LodLevels, UpdateRate};

use crate::{
    blend::{GraphScratch, PoseLayer, blend},
    identity::Identity,
    pose::{LocalPose, ModelPose},
    transform::Transform,
};
use base_motion::{BaseMotion, BaseScratch};
use montage::{SlotScratch, Slots};

/// Buffers in which instances are evaluated, one after the other. Each thread has its own.
///
/// They serve instances of any archetype; buffers of another size are replaced, which allocates.
#[derive(Clone, Debug, Default)]
pub struct InstanceScratch {
    graphs: GraphScratch,
    base: BaseScratch,
    slots: SlotScratch,
    shown: LocalPose,
    model: ModelPose,
}

impl InstanceScratch {
    /// Buffers with room for the instances of `archetype`.
    pub fn new(archetype: &Archetype) -> Self {
        let mut graphs = GraphScratch::default();
        archetype.graphs().iter().for_each(|graph| graphs.reserve(graph));
        let (rest, model) = (archetype.rest(), ModelPose::new(archetype.character().skeleton()));
        Self {
            graphs,
            base: BaseScratch::new(rest),
            slots: SlotScratch::new(rest),
            shown: rest.clone(),
            model,
        }
    }

    /// Makes room for the instances of `archetype` if the buffers are those of another one.
    fn fit(&mut self, archetype: &Archetype) {
        let (own, rest) = (&self.shown, archetype.rest());
        if own.joints.len() != rest.joints.len() || own.morphs.len() != rest.morphs.len() {
            *self = Self::new(archetype);
        }
    }
}

/// A pose and the placement that belongs to it.
#[derive(Clone, Debug, Default, PartialEq)]
struct PlacedPose {
    pose: LocalPose,
    world_from_model: Transform,
}

/// One character of a crowd: what it plays, and its latest pose.
#[doc(alias = "actor")]
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    archetype: Identity,
    base: BaseMotion,
    slots: Slots,
    speed: f32,
    /// The clip time that was set while no clip played.
    start_secs: Option<f64>,
    update_rate: UpdateRate,
    detail: Option<DetailId>,
    /// The time that has passed since the latest evaluation and is not yet played.
    elapsed_secs: f32,
    /// The elapsed time at which the next evaluation is due.
    due_secs: f32,
    uses_shared_poses: bool,
    /// The shared pose that is shown instead of the latest.
    shared: Option<SharedPose>,
    /// The evaluation before the latest, if the pose is interpolated between the two.
    before: Option<Box<PlacedPose>>,
    latest: PlacedPose,
    latest_update: InstanceUpdate,
    moves_by_root_motion: bool,
    /// True if the placement was set since the latest update.
    is_placed: bool,
    /// True if the latest evaluation changed the pose, so that an interpolated one moves.
    is_moving: bool,
}

impl Instance {
    fn new(archetype: &Archetype) -> Self {
        Self {
            archetype: archetype.identity(),
            base: BaseMotion::still(),
            slots: Slots::default(),
            speed: 1.0,
            start_secs: None,
            update_rate: UpdateRate::default(),
            detail: None,
            elapsed_secs: 0.0,
            due_secs: 0.0,
            uses_shared_poses: false,
            shared: None,
            before: None,
            latest: PlacedPose { pose: archetype.rest().clone(), world_from_model: Transform::IDENTITY },
            latest_update: InstanceUpdate::default(),
            moves_by_root_motion: true,
            is_placed: true,
            is_moving: false,
        }
    }

    /// Limits how often the instance is evaluated. `phase`, 0 to 1, is the fraction of the first period that has already
    /// passed: spread it over a crowd ([`UpdateRate::phase_of`]) to evaluate equally many instances in each frame.
    ///
    /// No time is lost: the next evaluation plays all that has passed since the latest.
    pub fn set_update_rate(&mut self, update_rate: UpdateRate, phase: f32) {
        if update_rate == self.update_rate {
            return;
        }
        self.update_rate = update_rate;
        self.is_moving = false;
        let Some(period_secs) = update_rate.period_secs() else { return };
        let phase = if phase.is_finite() { phase.clamp(0.0, 1.0) } else { 0.0 };
        self.due_secs = self.elapsed_secs + (1.0 - phase) * period_secs;
        self.before = match update_rate.between {
            BetweenUpdates::Hold => None,
            BetweenUpdates::Interpolate => {
                self.leave_shared();
                Some(Box::new(self.latest.clone()))
            }
        };
    }

    /// How often the instance is evaluated.
    pub fn update_rate(&self) -> UpdateRate {
        self.update_rate
    }

    /// Plays clips and graphs without the joints that a level of detail drops; `None` plays all of them.
    ///
    /// Dropped joints are at rest. The pose changes with the next update.
    ///
    /// # Panics
    /// If the instance or the level is of another archetype.
    #[track_caller]
    pub fn set_detail(&mut self, archetype: &Archetype, detail: Option<DetailId>) {
        self.check(archetype);
        detail.iter().for_each(|detail| archetype.check_detail(*detail));
        if detail != self.detail {
            self.detail = detail;
            self.base.invalidate();
        }
    }

    /// The level of detail whose joints are left out.
    pub fn detail(&self) -> Option<DetailId> {
        self.detail
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
        self.latest.world_from_model = world_from_model;
        self.before.iter_mut().for_each(|before| before.world_from_model = world_from_model);
        self.is_placed = true;
        Ok(())
    }

    /// Sets whether root motion moves the placement, as it does at first. If not, the caller moves the instance by
    /// [`InstanceUpdate::root_motion`], for instance through a physics engine.
    pub fn set_moves_by_root_motion(&mut self, moves: bool) {
        self.moves_by_root_motion = moves;
    }

    /// The placement in the world, root motion included.
    #[must_use]
    pub fn world_from_model(&self) -> Transform {
        let to = self.latest.world_from_model;
        let Some(before) = self.before.as_ref().filter(|_| self.is_between()) else { return to };
        let (from, fraction) = (before.world_from_model, self.fraction());
        Transform {
            translation: from.translation.lerp(to.translation, fraction),
            rotation: crate::sample::slerp(from.rotation, to.rotation, fraction),
            scale: from.scale.lerp(to.scale, fraction),
        }
    }

    /// The local pose of the latest evaluation, before helper joints are driven.
    ///
    /// If poses are interpolated, [`Instance::write_pose`] and [`Instance::posed`] give the one to show.
    #[must_use]
    pub fn pose(&self) -> &LocalPose {
        self.shared.as_ref().map_or(&self.latest.pose, SharedPose::pose)
    }

    /// Writes the local pose to show, before helper joints are driven: the latest evaluation, or the blend between it and
    /// the one before.
    ///
    /// # Panics
    /// If the instance was made by another archetype.
    #[track_caller]
    pub fn write_pose(&self, archetype: &Archetype, out: &mut LocalPose) {
        self.check(archetype);
        match self.before.as_ref().filter(|_| self.is_interpolated()) {
            None => out.copy_from(self.pose()),
            Some(before) => {
                let (rest, to) = (archetype.rest(), self.fraction());
                if out.joints.len() != rest.joints.len() || out.morphs.len() != rest.morphs.len() {
                    out.copy_from(rest);
                }
                let layers = [PoseLayer::new(&before.pose, 1.0 - to), PoseLayer::new(&self.latest.pose, to)];
                blend(&layers, rest, out);
            }
        }
    }

    /// True if the shown pose lies between two evaluations that differ.
    fn is_interpolated(&self) -> bool {
        self.is_moving && self.is_between()
    }

    fn is_between(&self) -> bool {
        self.update_rate.between == BetweenUpdates::Interpolate && self.update_rate.period_secs().is_some()
    }

    /// How far the shown pose is from the evaluation before the latest to the latest, 0 to 1.
    fn fraction(&self) -> f32 {
        if self.due_secs > 0.0 { (self.elapsed_secs / self.due_secs).clamp(0.0, 1.0) } else { 1.0 }
    }

    #[track_caller]
    fn check(&self, archetype: &Archetype) {
        assert!(
            self.archetype == archetype.identity(),
            "the instance was made by archetype {} with {} joints, not by {} ({:?}) with {} joints",
            self.archetype,
            self.latest.pose.joints.len(),
            archetype.identity(),
            archetype.character().name(),
            archetype.rest().joints.len()
        );
    }
}

#[cfg(test)]
mod tests;
