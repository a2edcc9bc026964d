//! Spring bones: hair and a tail on a running figure.

use crate::{
    failure::Failure,
    film::{lens, untextured},
    page::{Exhibit, Section},
};
use indicatif::ProgressBar;
use sinew::{Character, Frame, LocalPose, Wrap};
use sinew_view::{
    camera::{CameraFollow, Orbit},
    raster::RenderOptions,
    stage::StageOptions,
};

const SIZE: RenderOptions = RenderOptions::new(360, 440);
/// Pictures per second; the springs step three times as often.
const FPS: f32 = 20.0;
const STEPS_PER_PICTURE: u16 = 3;

pub(super) fn section(bar: &ProgressBar) -> Result<Section, Failure> {
    let figure = sinew_samples::figure_with_springs();
    let row = vec![
        film(bar, &figure, "springs_off", "Rigid hair and tail", false)?,
        film(bar, &figure, "springs_on", "The same clip with springs", true)?,
    ];
    Ok(Section {
        title: "Spring bones".into(),
        text: "Hair and a tail that no clip animates. Spring bones as VRM defines them follow the body with stiffness, drag \
               and gravity, in fixed steps that give the same motion at any frame rate; the head keeps the hair outside."
            .into(),
        rows: vec![row],
        table: None,
    })
}

fn film(
    bar: &ProgressBar,
    figure: &Character,
    file: &str,
    caption: &str,
    has_springs: bool,
) -> Result<Exhibit, Failure> {
    let poses = poses(figure, has_springs);
    let follow = CameraFollow::of_clips(figure, figure.find_clip("run").map(|clip| &**clip));
    let mut film = untextured(figure, StageOptions::default()).with_follow(follow);
    let camera = film.camera(&poses, Orbit::degrees(118.0, 6.0), lens(&SIZE))?;
    let mut frames = Vec::with_capacity(poses.len());
    for pose in &poses {
        film.pose(pose)?;
        frames.push(film.shoot(camera, &SIZE)?);
    }
    bar.inc(1);
    Exhibit::moving(file, caption, &frames, f64::from(FPS))
}

/// Two loops of the run, after as many in which the springs come into swing.
fn poses(figure: &Character, has_springs: bool) -> Vec<LocalPose> {
    let Some(run) = figure.find_clip("run").cloned() else { return Vec::new() };
    let pictures = (run.duration_secs() * FPS).round().max(1.0) as u16 * 2;
    let dt_secs = run.duration_secs() * 2.0 / f32::from(pictures * STEPS_PER_PICTURE);
    let mut springs = figure.springs().new_state();
    let (mut frame, mut poses) = (Frame::new(figure), Vec::new());
    for step in 0..2 * pictures * STEPS_PER_PICTURE {
        // The clip travels and begins again: the springs see a body that runs on the spot.
        let secs = f32::from(step) * dt_secs;
        frame.sample(&run, secs % run.duration_secs(), Wrap::Clamp);
        let travel = frame.local().joints[0].translation;
        frame.local_mut().joints[0].translation.z = 0.0;
        frame.step_springs(&mut springs, dt_secs);
        if step >= pictures * STEPS_PER_PICTURE && step % STEPS_PER_PICTURE == 0 {
            let mut pose = if has_springs { frame.driven_pose().clone() } else { frame.local().clone() };
            pose.joints[0].translation = travel;
            poses.push(pose);
        }
    }
    poses
}
