//! The arm with rigid and with smooth weights, side by side.

use crate::{
    failure::Failure,
    film::{lens, untextured},
    page::{Exhibit, Section},
};
use indicatif::ProgressBar;
use sinew::{Character, LocalPose};
use sinew_view::{
    camera::Orbit,
    raster::RenderOptions,
    stage::{BoneLook, StageOptions},
};

const ANGLES: [f32; 3] = [45.0, 90.0, 120.0];
const SIZE: RenderOptions = RenderOptions::new(480, 400);

pub(super) fn section(bar: &ProgressBar) -> Result<Section, Failure> {
    let (rigid, smooth) = (sinew_samples::rigid_arm(), sinew_samples::arm());
    Ok(Section {
        title: "One arm, two ways to skin it".into(),
        text: "Two bones inside one mesh. Above, rigid skinning: every vertex follows one bone, and the triangles across \
               the elbow stretch. Below, linear blend skinning: vertices near the elbow follow both bones by weight, \
               and the arm bends smoothly, though at 120° the inside of the elbow begins to lose volume."
            .into(),
        rows: vec![
            row(bar, &rigid, "arm_rigid", "Rigid skinning")?,
            row(bar, &smooth, "arm_linear", "Linear blend skinning")?,
        ],
        table: None,
    })
}

fn row(bar: &ProgressBar, arm: &Character, file: &str, name: &str) -> Result<Vec<Exhibit>, Failure> {
    let options = StageOptions { bones: BoneLook::Plain, ..StageOptions::default() };
    let mut film = untextured(arm, options);
    let poses = ANGLES.map(|degrees| sinew_samples::arm_pose(degrees.to_radians()));
    let camera = film.camera(&poses, Orbit::degrees(10.0, 14.0), lens(&SIZE))?;
    let exhibit = |(degrees, pose): (f32, &LocalPose)| {
        film.pose(pose)?;
        let picture = film.shoot(camera, &SIZE)?;
        bar.inc(1);
        Exhibit::still(&format!("{file}_{degrees}"), format!("{name}, bent by {degrees}°"), &picture)
    };
    ANGLES.into_iter().zip(&poses).map(exhibit).collect()
}
