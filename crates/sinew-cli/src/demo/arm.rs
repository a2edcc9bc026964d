//! The arm: stitched and smoothly weighted, side by side.

use super::{Exhibit, Section, Workshop};
use crate::{failure::Failure, film::{Film, moments}};
use sinew::{Character, builtin};
use sinew_view::{
    camera::{Camera, Orbit},
    picture::Picture,
    raster::RenderOptions,
    stage::{BoneLook, StageOptions, Textures},
};

const ANGLES: [f32; 3] = [45.0, 90.0, 120.0];
const SIZE: RenderOptions = RenderOptions::new(480, 400);

pub(super) fn section(workshop: &Workshop) -> Result<Section, Failure> {
    let (stitched, smooth) = (builtin::stitched_arm(), builtin::arm());
    Ok(Section {
        title: "One arm, two ways to skin it",
        text: "Two bones inside one mesh. Above, every vertex follows one bone and the triangles across the elbow are \
               stretched like stitches. Below, vertices near the elbow follow both bones by weight, and the arm bends \
               smoothly, though at 120° the inside of the elbow begins to lose volume."
            .into(),
        rows: vec![
            row(workshop, &stitched, "arm_stitched", "Stitched")?,
            row(workshop, &smooth, "arm_linear", "Linear blend")?,
        ],
        table: None,
    })
}

fn row(workshop: &Workshop, arm: &Character, file: &str, name: &str) -> Result<Vec<Exhibit>, Failure> {
    let options = StageOptions { bones: BoneLook::Plain, ..StageOptions::default() };
    let mut film = Film::new(arm, &Textures::none(), options).playing(arm.find_clip("bend").map(|c| &**c));
    let camera = film.camera(&moments(2.0, 8.0), Orbit::degrees(10.0, 14.0), SIZE.aspect())?;
    let picture = |film: &mut Film<'_>, camera: Camera, degrees: f32| -> Result<Picture, Failure> {
        film.frame_mut().local_mut().copy_from(&builtin::arm_pose(degrees.to_radians()));
        film.deform()?;
        film.shoot(camera, &SIZE)
    };
    let exhibit = |degrees: f32| {
        let picture = picture(&mut film, camera, degrees)?;
        workshop.still(&format!("{file}_{degrees}"), format!("{name}, bent by {degrees}°"), &picture)
    };
    ANGLES.into_iter().map(exhibit).collect()
}
