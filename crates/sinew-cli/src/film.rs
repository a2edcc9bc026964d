//! Films for the CLI: the library's film with progress, a choice of renderer and CLI failures.

use crate::failure::Failure;
use indicatif::ProgressBar;
use sinew::{Character, JointId, LocalPose, glam::Vec3};
use sinew_view::{
    camera::{Camera, CameraLens, Orbit},
    film::{Film, FilmError},
    picture::Picture,
    raster::{RenderOptions, render},
    scene::Scene,
    stage::{Stage, StageOptions, StageTextures},
};

/// A film of `character` without textures.
pub(crate) fn untextured(character: &Character, options: StageOptions) -> Film {
    Film::new(character.clone(), Stage::new(character, &StageTextures::none(), options))
}

/// The default lens for pictures of `options`' aspect ratio.
pub(crate) fn lens(options: &RenderOptions) -> CameraLens {
    CameraLens { aspect: options.aspect(), ..CameraLens::default() }
}

/// Frames and draws one pose.
pub(crate) fn shoot_pose(
    film: &mut Film,
    pose: &LocalPose,
    orbit: Orbit,
    options: &RenderOptions,
) -> Result<Picture, Failure> {
    let camera = film.camera(std::slice::from_ref(pose), orbit, lens(options))?;
    film.pose(pose)?;
    Ok(film.shoot(camera, options)?)
}

/// A camera on everything within `radius` meters of a joint, in the film's current pose.
pub(crate) fn close_up(
    film: &Film,
    joint: Option<JointId>,
    radius: f32,
    orbit: Orbit,
    options: &RenderOptions,
) -> Camera {
    let center = joint.map_or(Vec3::ZERO, |joint| film.frame().model().joint(joint).translation.into());
    film.close_up(center, radius, orbit, lens(options))
}

/// Draws scenes on the CPU or the GPU.
pub(crate) enum SceneRenderer {
    Cpu,
    #[cfg(feature = "gpu")]
    Gpu(Box<crate::gpu::GpuPainter>),
}

impl SceneRenderer {
    fn draw(&mut self, scene: &Scene, options: &RenderOptions) -> Result<Picture, Failure> {
        match self {
            Self::Cpu => Ok(render(scene, options).map_err(FilmError::from)?),
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => {
                gpu.draw(scene, options).map_err(|e| Failure::work("draw the character on the GPU", e))
            }
        }
    }

    /// Draws every pose of a film and advances `bar` by one for each.
    pub(crate) fn shoot_all(
        &mut self,
        film: &mut Film,
        poses: &[LocalPose],
        camera: Camera,
        options: &RenderOptions,
        bar: &ProgressBar,
    ) -> Result<Vec<Picture>, Failure> {
        let shoot = |pose: &LocalPose| {
            film.pose(pose)?;
            let picture = self.draw(&film.scene(camera)?, options);
            bar.inc(1);
            picture
        };
        poses.iter().map(shoot).collect()
    }
}

impl From<FilmError> for Failure {
    fn from(error: FilmError) -> Self {
        match error {
            FilmError::TooManyFrames { .. } => Self::usage(error.to_string()),
            _ => Self::work("draw the character", error),
        }
    }
}
