//! The poses that effects are measured over.

use sinew::{
    Character, Clip, LocalPose, ModelPose, Palette, Skeleton, Skin, Wrap,
    glam::{Affine3A, Quat, Vec3},
    sample_clip,
};
use std::sync::Arc;

/// Which poses a change is measured over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseOptions {
    /// Poses taken from each clip, evenly over its length.
    pub per_clip: usize,
    /// How far each joint is turned about each of its axes, in radians; 0 for no range of motion.
    pub angle_radians: f32,
}

impl Default for PoseOptions {
    fn default() -> Self {
        Self { per_clip: 31, angle_radians: std::f32::consts::FRAC_PI_4 }
    }
}

/// The palettes of a skin in the poses of the clips and in a range of motion.
#[derive(Clone, Debug, Default)]
pub struct EffectPoses {
    clips: Vec<Vec<Affine3A>>,
    range: Vec<Vec<Affine3A>>,
}

/// More matrices than this are not kept of clips, and of the range of motion: 48 bytes each.
const MOST_MATRICES: usize = 1 << 20;

impl EffectPoses {
    /// The poses of the skin of `character` at place `skin`; none where there is no such skin.
    pub fn of_character(character: &Character, skin: usize, options: &PoseOptions) -> Self {
        let Some(skin) = character.skins().get(skin) else { return Self::default() };
        let (skeleton, rest) = (character.skeleton(), character.rest_pose());
        let help = |pose: &mut LocalPose| character.apply_helpers(pose);
        let poser = Poser::new(skeleton, skin, &help);
        Self::by(poser, character.clips(), &rest, options)
    }

    /// The poses of `skin` in `clips` and in a range of motion, both starting from `rest`.
    ///
    /// Where there would be too many for memory, fewer are taken of each clip, and some joints are passed over.
    pub fn of_skin(
        skeleton: &Skeleton,
        skin: &Skin,
        clips: &[Arc<Clip>],
        rest: &LocalPose,
        options: &PoseOptions,
    ) -> Self {
        Self::by(Poser::new(skeleton, skin, &|_| {}), clips, rest, options)
    }

    fn by(mut poser: Poser<'_>, clips: &[Arc<Clip>], rest: &LocalPose, options: &PoseOptions) -> Self {
        let skin = poser.skin;
        let most = (MOST_MATRICES / skin.joints().len().max(1)).max(1);
        let per_clip = options.per_clip.min(most / clips.len().max(1)).max(usize::from(options.per_clip > 0));
        let mut out = Self::default();
        for clip in clips.iter().take(most) {
            for step in 0..per_clip {
                let share = step as f32 / per_clip.saturating_sub(1).max(1) as f32;
                let mut local = rest.clone();
                sample_clip(clip, clip.duration_secs() * share, Wrap::Clamp, &mut local);
                out.clips.push(poser.palette_of(&mut local));
            }
        }
        let every = (skin.joints().len() * 3).div_ceil(most).max(1);
        let is_turned = options.angle_radians != 0.0;
        for joint in skin.joints().iter().step_by(every).filter(|_| is_turned) {
            for axis in Vec3::AXES {
                let mut local = rest.clone();
                let turn = Quat::from_axis_angle(axis, options.angle_radians);
                let rotation = &mut local.joints[joint.index()].rotation;
                *rotation = (*rotation * turn).normalize();
                out.range.push(poser.palette_of(&mut local));
            }
        }
        out
    }

    /// The palettes of the clips' poses.
    pub fn clips(&self) -> &[Vec<Affine3A>] {
        &self.clips
    }

    /// The palettes of the range of motion.
    pub fn range(&self) -> &[Vec<Affine3A>] {
        &self.range
    }

    /// Every palette: those of the clips, then those of the range of motion.
    pub fn all(&self) -> impl Iterator<Item = &[Affine3A]> + Clone {
        self.clips.iter().chain(&self.range).map(|palette| &palette[..])
    }
}

struct Poser<'a> {
    skeleton: &'a Skeleton,
    skin: &'a Skin,
    /// Moves helper joints.
    help: &'a dyn Fn(&mut LocalPose),
    model: ModelPose,
    palette: Palette,
}

impl<'a> Poser<'a> {
    fn new(skeleton: &'a Skeleton, skin: &'a Skin, help: &'a dyn Fn(&mut LocalPose)) -> Self {
        Self { skeleton, skin, help, model: ModelPose::new(skeleton), palette: Palette::new(skin) }
    }

    fn palette_of(&mut self, local: &mut LocalPose) -> Vec<Affine3A> {
        (self.help)(local);
        self.model.update(self.skeleton, local);
        self.palette.update(self.skin, &self.model);
        self.palette.matrices().to_vec()
    }
}
