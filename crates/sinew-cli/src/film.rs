//! A character before a camera, at one moment or many.

use crate::failure::{Attempt, Failure};
use indicatif::ProgressBar;
use sinew::glam::{Vec3, Vec3Swizzles};
use sinew::{Aabb, Channel, Character, Clip, Frame, JointId, LocalPose, Method, Wrap};
use sinew_view::{
    camera::{Camera, CameraLens, Orbit},
    layer::{Depth, LineLayer, LineSegment, SceneLayer},
    picture::Picture,
    raster::{RenderOptions, render},
    stage::{Stage, StageOptions, StageTextures},
};

/// What is filmed.
pub(crate) struct CliFilm<'a> {
    pub(crate) character: &'a Character,
    pub(crate) clip: Option<&'a Clip>,
    pub(crate) method: Method,
    /// Keep the camera on the character as it travels.
    pub(crate) follow: bool,
    /// The joint that carries the travel, where a script and not a clip is played.
    pub(crate) traveller: Option<JointId>,
    /// Lines that are drawn over the picture.
    pub(crate) marks: Vec<LineSegment>,
    /// The GPU that draws, if the CPU does not.
    #[cfg(feature = "gpu")]
    pub(crate) gpu: Option<std::cell::RefCell<crate::gpu::GpuPainter>>,
    stage: Stage,
    frame: Frame,
}

impl<'a> CliFilm<'a> {
    pub(crate) fn new(character: &'a Character, textures: &StageTextures, options: StageOptions) -> Self {
        Self {
            character,
            clip: None,
            method: Method::Linear,
            follow: false,
            traveller: None,
            marks: Vec::new(),
            #[cfg(feature = "gpu")]
            gpu: None,
            stage: Stage::new(character, textures, options),
            frame: Frame::new(character),
        }
    }

    /// Plays `clip`.
    pub(crate) fn playing(mut self, clip: Option<&'a Clip>) -> Self {
        self.clip = clip;
        self.traveller = clip.and_then(traveller);
        self
    }

    /// Deforms by `method`.
    pub(crate) fn by(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    /// Poses and deforms the character at `time_secs`.
    pub(crate) fn go_to(&mut self, time_secs: f32) -> Result<&Frame, Failure> {
        match self.clip {
            Some(clip) => self.frame.sample(clip, time_secs, Wrap::Clamp),
            None => self.frame.reset(),
        }
        self.deform()
    }

    /// Puts the character into `pose` and deforms it.
    pub(crate) fn pose(&mut self, pose: &LocalPose) -> Result<&Frame, Failure> {
        self.frame.local_mut().copy_from(pose);
        self.deform()
    }

    fn deform(&mut self) -> Result<&Frame, Failure> {
        let deformed = self.frame.deform(self.method);
        deformed.attempt(|| format!("deform {} by {}", self.character.name(), self.method))?;
        Ok(&self.frame)
    }

    /// A camera that has every one of the moments in its picture. Where it follows, the travel is taken out.
    pub(crate) fn camera(&mut self, times: &[f32], orbit: Orbit, aspect: f32) -> Result<Camera, Failure> {
        let mut framing = Framing::new(times.len());
        for &time in times {
            self.go_to(time)?;
            framing.add(self);
        }
        Ok(framing.camera(self, orbit, aspect))
    }

    /// A camera that has every one of the poses in its picture.
    pub(crate) fn camera_for_poses(
        &mut self,
        poses: &[LocalPose],
        orbit: Orbit,
        aspect: f32,
    ) -> Result<Camera, Failure> {
        let mut framing = Framing::new(poses.len());
        for pose in poses {
            self.pose(pose)?;
            framing.add(self);
        }
        Ok(framing.camera(self, orbit, aspect))
    }

    /// A camera on what lies within `radius` of a joint, as it stands.
    pub(crate) fn close_up(&self, joint: &str, radius: f32, orbit: Orbit, aspect: f32) -> Camera {
        let skeleton = self.character.skeleton();
        let place =
            skeleton.find(joint).map_or(Vec3::ZERO, |j| self.frame.model().joint(j).translation.into());
        let near = |p: &Vec3| p.distance(place) < radius;
        let points = self.stage.points(self.character, &self.frame).into_iter().filter(near);
        Camera::framing(points, orbit, CameraLens { aspect, ..CameraLens::default() })
    }

    /// Draws the frame as it stands.
    pub(crate) fn shoot(&self, camera: Camera, options: &RenderOptions) -> Result<Picture, Failure> {
        let attempt = || format!("draw {}", self.character.name());
        let travel = self.travel();
        let camera = Camera { eye: camera.eye + travel, target: camera.target + travel, ..camera };
        let mut scene = self.stage.scene(self.character, &self.frame, camera).attempt(attempt)?;
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
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &self.gpu {
            let attempt = || format!("draw {} on the GPU", self.character.name());
            return gpu.borrow_mut().draw(&scene, options).attempt(attempt);
        }
        render(&scene, options).attempt(attempt)
    }

    /// Draws every one of the moments.
    pub(crate) fn shoot_all(
        &mut self,
        times: &[f32],
        camera: Camera,
        options: &RenderOptions,
        bar: &ProgressBar,
    ) -> Result<Vec<Picture>, Failure> {
        let mut pictures = Vec::with_capacity(times.len());
        for &time in times {
            self.go_to(time)?;
            pictures.push(self.shoot(camera, options)?);
            bar.inc(1);
        }
        Ok(pictures)
    }

    /// Draws every one of the poses.
    pub(crate) fn shoot_poses(
        &mut self,
        poses: &[LocalPose],
        camera: Camera,
        options: &RenderOptions,
        bar: &ProgressBar,
    ) -> Result<Vec<Picture>, Failure> {
        let shoot = |pose: &LocalPose| {
            self.pose(pose)?;
            let picture = self.shoot(camera, options);
            bar.inc(1);
            picture
        };
        poses.iter().map(shoot).collect()
    }

    /// How far along the ground the camera has followed.
    fn travel(&self) -> Vec3 {
        let Some(joint) = self.traveller.filter(|_| self.follow) else { return Vec3::ZERO };
        let at = Vec3::from(self.frame.model().joint(joint).translation);
        Vec3::new(at.x, 0.0, at.z)
    }
}

/// What must be in a picture.
struct Framing {
    moments: usize,
    bounds: Aabb,
    points: Vec<Vec3>,
}

impl Framing {
    fn new(moments: usize) -> Self {
        Self { moments, bounds: Aabb::EMPTY, points: Vec::new() }
    }

    /// Adds the character as it stands.
    fn add(&mut self, film: &CliFilm<'_>) {
        let travel = film.travel();
        let moment: Vec<Vec3> =
            film.stage.points(film.character, &film.frame).into_iter().map(|p| p - travel).collect();
        self.bounds = self.bounds.union(Aabb::of_points(&moment));
        // Thousands of points a moment add up over a long clip; every so many of them frame it as well.
        let step = (moment.len() * self.moments).div_ceil(200_000).max(1);
        self.points.extend(moment.into_iter().step_by(step));
    }

    fn camera(self, film: &mut CliFilm<'_>, orbit: Orbit, aspect: f32) -> Camera {
        film.stage.subject = self.bounds;
        Camera::framing(self.points, orbit, CameraLens { aspect, ..CameraLens::default() })
    }
}

/// The joint that carries a clip's travel: the first that is moved, which is nearest to the root.
pub(crate) fn traveller(clip: &Clip) -> Option<JointId> {
    let moved = clip.channels().iter().filter(|c| matches!(c, Channel::Translation { .. }));
    moved.filter_map(Channel::joint).min()
}

/// The most moments that one command works through.
const MOST_MOMENTS: f32 = 20_000.0;

/// The moments of a clip at `fps` pictures a second; one moment for a clip of no length.
///
/// The clip's end is left out, so that what loops does not show one moment twice. A clip can claim to last for
/// ages: more moments than anyone can mean are refused.
pub(crate) fn moments(duration_secs: f32, fps: f32) -> Result<Vec<f32>, Failure> {
    let count = (duration_secs * fps).round().max(1.0);
    if count > MOST_MOMENTS {
        let what =
            format!("a clip of {duration_secs} s has {count} moments at {fps} a second, over {MOST_MOMENTS}");
        return Err(Failure::usage(what));
    }
    Ok((0..count as usize).map(|k| k as f32 * duration_secs / count).collect())
}

/// `count` moments spread over a clip, both ends among them.
pub(crate) fn spread(duration_secs: f32, count: usize) -> Vec<f32> {
    let last = count.saturating_sub(1).max(1) as f32;
    (0..count).map(|k| duration_secs * k as f32 / last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_cover_a_loop_without_its_end() {
        assert_eq!(moments(1.0, 4.0).unwrap(), [0.0, 0.25, 0.5, 0.75]);
        assert_eq!(moments(0.0, 25.0).unwrap(), [0.0]);
        assert_eq!(moments(0.001, 25.0).unwrap(), [0.0]);
    }

    #[test]
    fn a_clip_that_lasts_for_ages_is_refused() {
        assert!(moments(3e38, 25.0).is_err());
        assert!(moments(f32::MAX, f32::MAX).is_err());
    }

    #[test]
    fn a_spread_has_both_ends() {
        assert_eq!(spread(2.0, 3), [0.0, 1.0, 2.0]);
        assert_eq!(spread(2.0, 1), [0.0]);
    }
}
