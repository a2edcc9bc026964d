//! The poses over which effects are measured.

use sinew::{
    Character, Clip, LocalPose, ModelPose, Palette, Skeleton, Skin, Wrap,
    glam::{Affine3A, Quat, Vec3},
    sample_clip,
};
use std::sync::Arc;

/// The poses over which a change is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseOptions {
    /// The number of poses from each clip, evenly over its length.
    pub per_clip: usize,
    /// How far each joint is rotated about each of its axes, in radians; 0 for no range of motion.
    pub angle_radians: f32,
}

impl Default for PoseOptions {
    fn default() -> Self {
        Self { per_clip: 31, angle_radians: std::f32::consts::FRAC_PI_4 }
    }
}

/// The palettes of a skin in the poses of clips and in a range of motion.
#[derive(Clone, Debug, Default)]
pub struct EffectPoses {
    clips: Vec<Vec<Affine3A>>,
    range: Vec<Vec<Affine3A>>,
}

/// At limit this many matrices of 48 bytes are kept of clips, and as many of the range of motion.
const MAX_MATRICES: usize = 1 << 20;

impl EffectPoses {
    /// The poses of the skin of `character` at index `skin`; none if there is no such skin.
    #[must_use]
    pub fn of_character(character: &Character, skin: usize, options: &PoseOptions) -> Self {
        let Some(skin) = character.skins().get(skin) else { return Self::default() };
        let (skeleton, rest) = (character.skeleton(), character.rest_pose());
        let help = |pose: &mut LocalPose| character.apply_helpers(pose);
        let poser = Poser::new(skeleton, skin, &help);
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
        Self::by(Poser::new(skeleton, skin, &|_| {}), clips, rest, options)
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
                out.clips.push(poser.palette_of(&mut local));
            }
        }
        let every = (skin.joints().len() * 3).div_ceil(limit).max(1);
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

    /// The palettes of the poses from clips.
    #[must_use]
    pub fn clips(&self) -> &[Vec<Affine3A>] {
        &self.clips
    }

    /// The palettes of the range of motion.
    #[must_use]
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
    /// Applies the helper joints to a pose.
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
