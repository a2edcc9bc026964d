//! The poses over which effects are measured.

use crate::weights::MuscleSlots;
use sinew::{
    Character, Clip, LocalPose, ModelPose, MusclePalette, Palette, Skeleton, Skin, Weights, Wrap,
    glam::{Affine3A, Quat, Vec3, Vec3A},
    sample_clip,
    simd::{self, Level},
};
use std::sync::Arc;

/// The poses over which a change is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseOptions {
    /// The number of poses from each clip, evenly over its length.
    pub per_clip: usize,
    /// How far each joint is rotated about each of its axes, in radians; 0 for no range of motion.
    pub angle_radians: f32,
    /// The SIMD level that poses are computed at; all levels give the same bits.
    pub level: Level,
}

impl Default for PoseOptions {
    fn default() -> Self {
        Self { per_clip: 31, angle_radians: std::f32::consts::FRAC_PI_4, level: simd::best() }
    }
}

/// A pose of a skin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EffectPose {
    matrices: Vec<Affine3A>,
    /// The motion of each joint since rest, in mesh space; empty if the skin has no muscles.
    muscles: Vec<Affine3A>,
}

impl EffectPose {
    /// The skinning matrices, by slot.
    #[must_use]
    pub fn matrices(&self) -> &[Affine3A] {
        &self.matrices
    }

    /// Where muscles move `vertex`, which is bound at `place`: both in mesh space, before skinning.
    #[must_use]
    pub fn displaced(&self, vertex: usize, place: Vec3, weights: &Weights) -> Vec3A {
        let place = Vec3A::from(place);
        let push = |i: sinew::Influence| {
            let motion = self.muscles.get(usize::from(i.slot));
            motion.map_or(Vec3A::ZERO, |motion| (motion.transform_point3a(place) - place) * i.weight)
        };
        weights.muscle_influences(vertex).map(push).fold(place, |sum, moved| sum + moved)
    }

    /// Where muscles and linear blend skinning, `Σ w K v`, move `vertex`, which is bound at `place`. A joint that is missing
    /// from the pose leaves the vertex in place.
    #[must_use]
    pub fn posed(&self, vertex: usize, place: Vec3, weights: &Weights) -> Vec3A {
        let place = self.displaced(vertex, place, weights);
        let (slots, slot_weights) = weights.of(vertex);
        let mut sum = Vec3A::ZERO;
        for (&slot, &fraction) in slots.iter().zip(slot_weights) {
            let moved = self.matrices.get(usize::from(slot)).map_or(place, |k| k.transform_point3a(place));
            sum += moved * fraction;
        }
        sum
    }
}

/// A skin in the poses of clips and in a range of motion.
#[derive(Clone, Debug, Default)]
pub struct EffectPoses {
    clips: Vec<EffectPose>,
    range: Vec<EffectPose>,
}

/// At limit this many matrices of 48 bytes are kept of clips, and as many of the range of motion.
const MAX_MATRICES: usize = 1 << 20;

impl EffectPoses {
    /// The poses of the skin of `character` at index `skin`, with its muscles; none if there is no such skin. The range of
    /// motion leaves muscles out, because nobody turns them.
    #[must_use]
    pub fn of_character(character: &Character, skin: usize, options: &PoseOptions) -> Self {
        let muscles = MuscleSlots::of_character(character, skin);
        let Some(skin) = character.skins().get(skin) else { return Self::default() };
        let (skeleton, rest) = (character.skeleton(), character.rest_pose());
        let help = |pose: &mut LocalPose| character.apply_helpers(pose);
        let poser = Poser { muscles, ..Poser::new(skeleton, skin, options.level, &help) };
        Self::by(poser, character.clips(), &rest, options)
    }

    /// The poses of `skin` in `clips` and in a range of motion, both starting from `rest`.
    ///
    /// To bound memory, long lists take fewer poses from each clip and skip some joints.
    #[must_use]
    pub fn of_skin(
        skeleton: &Skeleton,
        skin: &Skin,
        clips: &[Arc<Clip>],
        rest: &LocalPose,
        options: &PoseOptions,
    ) -> Self {
        Self::by(Poser::new(skeleton, skin, options.level, &|_| {}), clips, rest, options)
    }

    fn by(mut poser: Poser<'_>, clips: &[Arc<Clip>], rest: &LocalPose, options: &PoseOptions) -> Self {
        let skin = poser.skin;
        let limit = (MAX_MATRICES / skin.joints().len().max(1)).max(1);
        let per_clip =
            options.per_clip.min(limit / clips.len().max(1)).max(usize::from(options.per_clip > 0));
        let mut out = Self::default();
        for clip in clips.iter().take(limit) {
            for step in 0..per_clip {
                let fraction = step as f32 / per_clip.saturating_sub(1).max(1) as f32;
                let mut local = rest.clone();
                sample_clip(clip, clip.duration_secs() * fraction, Wrap::Clamp, &mut local);
                out.clips.push(poser.pose_of(&mut local));
            }
        }
        let every = (skin.joints().len() * 3).div_ceil(limit).max(1);
        let is_turned = options.angle_radians != 0.0;
        let slots = skin.joints().iter().enumerate().step_by(every).filter(|_| is_turned);
        for (slot, joint) in slots {
            if poser.muscles.holds(slot as u16) {
                continue;
            }
            for axis in Vec3::AXES {
                let mut local = rest.clone();
                let turn = Quat::from_axis_angle(axis, options.angle_radians);
                let rotation = &mut local.joints[joint.index()].rotation;
                *rotation = (*rotation * turn).normalize();
                out.range.push(poser.pose_of(&mut local));
            }
        }
        out
    }

    /// The poses from clips.
    #[must_use]
    pub fn clips(&self) -> &[EffectPose] {
        &self.clips
    }

    /// The poses of the range of motion.
    #[must_use]
    pub fn range(&self) -> &[EffectPose] {
        &self.range
    }

    /// Every pose: those of the clips, then those of the range of motion.
    pub fn all(&self) -> impl Iterator<Item = &EffectPose> + Clone {
        self.clips.iter().chain(&self.range)
    }
}

struct Poser<'a> {
    skeleton: &'a Skeleton,
    skin: &'a Skin,
    level: Level,
    /// Applies the helper joints to a pose.
    help: &'a dyn Fn(&mut LocalPose),
    model: ModelPose,
    palette: Palette,
    muscles: MuscleSlots,
    muscle_palette: MusclePalette,
}

impl<'a> Poser<'a> {
    fn new(skeleton: &'a Skeleton, skin: &'a Skin, level: Level, help: &'a dyn Fn(&mut LocalPose)) -> Self {
        Self {
            skeleton,
            skin,
            level,
            help,
            model: ModelPose::new(skeleton),
            palette: Palette::new(skin),
            muscles: MuscleSlots::default(),
            muscle_palette: MusclePalette::new(skin, skeleton),
        }
    }

    fn pose_of(&mut self, local: &mut LocalPose) -> EffectPose {
        (self.help)(local);
        self.model.update_at(self.level, self.skeleton, local);
        self.palette.update_at(self.level, self.skin, &self.model);
        let matrices = self.palette.matrices().to_vec();
        if self.muscles.is_empty() {
            return EffectPose { matrices, muscles: Vec::new() };
        }
        self.muscle_palette.update(self.skin, local);
        EffectPose { matrices, muscles: self.muscle_palette.mesh_from_mesh().to_vec() }
    }
}
