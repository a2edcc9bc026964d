//! Films of a character: poses in, pictures out.
//!
//! A [`Film`] poses and deforms a character, frames it and draws it; [`GifRecorder`] does so one picture at a time for
//! programs that must stay responsive. [`loop_times`] and [`spread_times`] choose when pictures are taken.
//!
//! ```
//! use sinew_view::camera::{CameraFollow, CameraLens, Orbit};
//! use sinew_view::film::{Film, clip_poses, times_at_rate};
//! use sinew_view::raster::RenderOptions;
//! use sinew_view::stage::{Stage, StageOptions, StageTextures};
//! use std::sync::Arc;
//!
//! let figure = Arc::new(sinew_samples::figure());
//! let run = figure.find_clip("run").ok_or("no such clip")?;
//! let poses = clip_poses(&figure, run, &times_at_rate(run.duration_secs(), 4.0)?);
//!
//! let stage = Stage::new(&figure, &StageTextures::none(), StageOptions::default());
//! let mut film = Film::new(Arc::clone(&figure), stage).with_follow(CameraFollow::of_clips(&figure, [&**run]));
//! let camera = film.camera(&poses, Orbit::THREE_QUARTER, CameraLens::default())?;
//! for pose in &poses {
//!     film.pose(pose)?;
//!     let picture = film.shoot(camera, &RenderOptions::new(40, 40))?;
//!     assert_eq!(picture.width(), 40);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod framing;
mod recorder;
mod times;

use std::sync::Arc;

use sinew::{Character, DeformError, Frame, LocalPose, Method, NormalSource};
use thiserror::Error;

use crate::camera::{Camera, CameraFollow, CameraLens, Orbit};
use crate::encode::EncodeError;
use crate::geometry::GeometryError;
use crate::glam::{Vec3, Vec3Swizzles};
use crate::layer::{Depth, LineLayer, LineSegment, SceneLayer};
use crate::picture::Picture;
use crate::raster::{RenderError, RenderOptions, render};
use crate::scene::Scene;
use crate::stage::Stage;
use framing::FilmFraming;

pub use recorder::{FilmLimits, FilmProgress, FilmTake, GifRecorder};
pub use times::{MAX_FRAMES, clip_poses, loop_times, spread_times, times_at_rate};

/// Why a film was not made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FilmError {
    /// More pictures than one film may have.
    #[error(
        "{duration_secs} s at {fps} frames per second make {count} frames, at most {MAX_FRAMES} are supported"
    )]
    TooManyFrames {
        /// Length of the film in seconds.
        duration_secs: f32,
        /// Requested rate in frames per second.
        fps: f32,
        /// Frames that this makes.
        count: f32,
    },
    /// The character cannot be deformed.
    #[error(transparent)]
    Deform(#[from] DeformError),
    /// The character's geometry cannot be shown.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// A picture cannot be drawn.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The pictures cannot be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// A character on a stage, posed, deformed and drawn one pose after the other.
#[derive(Clone, Debug)]
pub struct Film {
    stage: Stage,
    frame: Frame,
    method: Method,
    follow: Option<CameraFollow>,
    /// Lines in model space that are drawn over every picture, faint where the character hides them.
    pub marks: Vec<LineSegment>,
}

impl Film {
    /// A film of `character` at rest, deformed by linear blend skinning once it is posed. `stage` must be made for the
    /// same character.
    pub fn new(character: impl Into<Arc<Character>>, stage: Stage) -> Self {
        Self { stage, frame: Frame::new(character), method: Method::Linear, follow: None, marks: Vec::new() }
    }

    /// The same film with another deformation method.
    #[must_use]
    pub fn with_method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// The same film with normals from `source`.
    #[must_use]
    pub fn with_normals(self, source: NormalSource) -> Self {
        Self { frame: self.frame.with_normals(source), ..self }
    }

    /// The same film with a camera that keeps up with the character; `None` keeps the camera still.
    #[must_use]
    pub fn with_follow(self, follow: Option<CameraFollow>) -> Self {
        Self { follow, ..self }
    }

    /// Poses and deforms the character.
    ///
    /// # Errors
    /// If a mesh lacks what the method needs.
    pub fn pose(&mut self, pose: &LocalPose) -> Result<&Frame, FilmError> {
        self.frame.local_mut().copy_from(pose);
        self.frame.deform(self.method)?;
        Ok(&self.frame)
    }

    /// The character in its current pose.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// A camera that frames the character in all of `poses`, without its travel if the film follows it.
    ///
    /// Ground, grid and glyphs take their size from all poses too, so they stay still from picture to picture.
    ///
    /// # Errors
    /// As [`Film::pose`].
    pub fn camera(
        &mut self,
        poses: &[LocalPose],
        orbit: Orbit,
        lens: CameraLens,
    ) -> Result<Camera, FilmError> {
        let mut framing = FilmFraming::new(poses.len());
        for pose in poses {
            self.pose(pose)?;
            framing.add(self.stage.points(&self.frame), self.travel());
        }
        self.stage.subject = framing.bounds();
        Ok(framing.camera(orbit, lens))
    }

    /// A camera that frames everything within `radius` meters of `center`, in the current pose.
    pub fn close_up(&self, center: Vec3, radius: f32, orbit: Orbit, lens: CameraLens) -> Camera {
        let is_near = |point: &Vec3| point.distance(center) < radius;
        Camera::framing(self.stage.points(&self.frame).into_iter().filter(is_near), orbit, lens)
    }

    /// The scene of the current pose for any renderer; `camera` is moved along if the film follows the character.
    ///
    /// # Errors
    /// If the stage was made for another character.
    pub fn scene(&self, camera: Camera) -> Result<Scene, FilmError> {
        let travel = self.travel();
        let mut scene = self.stage.scene(&self.frame, camera.moved_by(travel))?;
        if let Some(ground) = &mut scene.ground {
            ground.center += travel.xz();
        }
        if !self.marks.is_empty() {
            scene.layers.push(SceneLayer::Lines(LineLayer {
                name: "marks".into(),
                segments: self.marks.as_slice().into(),
                width_px: 3.0,
                depth: Depth::XRay { hidden_opacity: 0.5 },
            }));
        }
        Ok(scene)
    }

    /// Draws the current pose on the CPU.
    ///
    /// # Errors
    /// As [`Film::scene`], or if the picture cannot be drawn.
    pub fn shoot(&self, camera: Camera, options: &RenderOptions) -> Result<Picture, FilmError> {
        Ok(render(&self.scene(camera)?, options)?)
    }

    /// How far along the ground the camera has moved with the current pose, in meters of model space.
    pub fn travel(&self) -> Vec3 {
        self.follow.map_or(Vec3::ZERO, |follow| follow.travel(self.frame.model()))
    }
}

#[cfg(test)]
mod tests;
