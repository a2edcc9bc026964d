//! A posture written as text, and a clip that is keyed from nothing.

use crate::{
    failure::{Attempt, Failure},
    film::{SceneRenderer, lens, shoot_pose, untextured},
    page::{Exhibit, Section},
};
use indicatif::ProgressBar;
use sinew::{Character, Clip, LocalPose};
use sinew_author::motion::keyed;
use sinew_formats::pose_text::PoseOffsets;
use sinew_view::{
    camera::Orbit,
    film::{clip_poses, times_at_rate},
    raster::RenderOptions,
    stage::StageOptions,
};

const SIZE: RenderOptions = RenderOptions::new(360, 440);
const FPS: f32 = 20.0;
/// The posture of the still, in degrees about the joints' own axes.
const POSTURE: &str = "hips:ry=15,spine_upper:ry=25,rz=-6,head:ry=35,upper_arm.L:rz=40,forearm.L:rx=100,\
                       upper_arm.R:rz=50,thigh.R:rx=-35,shin.R:rx=50";
/// Times in seconds, and the pose at each.
const KEYS: [(f32, &str); 4] = [
    (0.0, ""),
    (0.5, "upper_arm.L:rz=50,forearm.L:rx=70,head:ry=25"),
    (1.0, "upper_arm.L:rz=50,forearm.L:rx=20,head:ry=25,spine_upper:rz=-5"),
    (2.0, ""),
];

pub(super) fn section(bar: &ProgressBar) -> Result<Section, Failure> {
    let figure = sinew_samples::figure();
    Ok(Section {
        title: "Postures and keys as text".into(),
        text: format!(
            "A posture is a line of text, in degrees about the joints' own axes: {POSTURE}. A clip of two seconds is made \
             from nothing by keying four such poses."
        ),
        rows: vec![vec![posture(bar, &figure)?, keyed_clip(bar, &figure)?]],
        table: None,
    })
}

fn posed(figure: &Character, text: &str) -> Result<LocalPose, Failure> {
    let mut pose = figure.rest_pose();
    PoseOffsets::parse(text, figure).attempt(super::compose_demo)?.apply(&mut pose);
    Ok(pose)
}

fn posture(bar: &ProgressBar, figure: &Character) -> Result<Exhibit, Failure> {
    let mut film = untextured(figure, StageOptions::default());
    let picture = shoot_pose(&mut film, &posed(figure, POSTURE)?, Orbit::degrees(24.0, 8.0), &SIZE)?;
    bar.inc(1);
    Exhibit::still("pose_text", "A posture from one line of text", &picture)
}

fn keyed_clip(bar: &ProgressBar, figure: &Character) -> Result<Exhibit, Failure> {
    let mut clip = Clip::empty("keyed", 2.0).attempt(super::compose_demo)?;
    for (time_secs, text) in KEYS {
        let pose = posed(figure, text)?;
        clip = keyed(&clip, figure.skeleton(), &pose, time_secs).attempt(super::compose_demo)?;
    }
    let poses = clip_poses(figure, &clip, &times_at_rate(clip.duration_secs(), FPS)?);
    let mut film = untextured(figure, StageOptions::default());
    let camera = film.camera(&poses, Orbit::degrees(24.0, 8.0), lens(&SIZE))?;
    let frames = SceneRenderer::Cpu.shoot_all(&mut film, &poses, camera, &SIZE, &ProgressBar::hidden())?;
    bar.inc(1);
    Exhibit::moving("key_frame", "A clip of four keys", &frames, f64::from(FPS))
}
