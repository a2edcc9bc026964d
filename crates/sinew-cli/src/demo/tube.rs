//! The tube: what bending and twisting do to a closed volume.

use super::{Exhibit, Section, Table, Workshop};
use crate::{failure::Failure, film::Film};
use sinew::measure::{Axis, min_radius, volume};
use sinew::{Character, Frame, LocalPose, builtin};
use sinew_view::{camera::Orbit, raster::RenderOptions, stage::{StageOptions, Textures}};

const SIZE: RenderOptions = RenderOptions::new(400, 480);
/// Beyond these the two halves run into each other.
const BENDS: [f32; 4] = [0.0, 45.0, 90.0, 120.0];
const TWISTS: [f32; 4] = [0.0, 90.0, 135.0, 180.0];
const MEASURED: [f32; 6] = [0.0, 45.0, 90.0, 135.0, 150.0, 179.0];

pub(super) fn sections(workshop: &Workshop) -> Result<Vec<Section>, Failure> {
    let tube = builtin::tube();
    let bend = Section {
        title: "A bent tube",
        text: "A closed tube of two bones, bent in the middle. Linear blend keeps most of its volume, but the inside \
               of the bend creases and the outside is cut short."
            .into(),
        rows: vec![row(workshop, &tube, "tube_bend", "Bent", BENDS, |a| builtin::tube_pose(a, 0.0))?],
        table: None,
    };
    let twist = Section {
        title: "A twisted tube",
        text: "The same tube, twisted about its axis. Averaging two rotations shortens what they rotate: at angle θ \
               the middle ring shrinks to cos(θ/2) of its radius, and at 180° to a point, the candy wrapper."
            .into(),
        rows: vec![row(workshop, &tube, "tube_twist", "Twisted", TWISTS, |a| builtin::tube_pose(0.0, a))?],
        table: Some(figures(&tube)?),
    };
    Ok(vec![bend, twist])
}

fn row(
    workshop: &Workshop,
    tube: &Character,
    file: &str,
    verb: &str,
    angles: [f32; 4],
    pose: fn(f32) -> LocalPose,
) -> Result<Vec<Exhibit>, Failure> {
    let mut film = Film::new(tube, &Textures::none(), StageOptions::default());
    let camera = film.camera(&[0.0], Orbit::degrees(0.0, 10.0), SIZE.aspect())?;
    let exhibit = |degrees: f32| {
        film.frame_mut().local_mut().copy_from(&pose(degrees.to_radians()));
        film.deform()?;
        let picture = film.shoot(camera, &SIZE)?;
        let caption = if degrees == 0.0 { "At rest".into() } else { format!("{verb} by {degrees}°") };
        workshop.still(&format!("{file}_{degrees}"), caption, &picture)
    };
    angles.into_iter().map(exhibit).collect()
}

fn figures(tube: &Character) -> Result<Table, Failure> {
    let rest = measure(tube, &builtin::tube_pose(0.0, 0.0))?;
    let rows = MEASURED.map(|degrees| {
        let angle = degrees.to_radians();
        let bent = measure(tube, &builtin::tube_pose(angle, 0.0))?;
        let twisted = measure(tube, &builtin::tube_pose(0.0, angle))?;
        Ok(vec![
            format!("{degrees}°"),
            format!("{:.3}", bent.volume / rest.volume),
            format!("{:.3}", twisted.volume / rest.volume),
            format!("{:.3}", twisted.min_radius),
            format!("{:.3}", (angle / 2.0).cos()),
        ])
    });
    Ok(Table {
        head: vec!["linear blend", "volume, bent", "volume, twisted", "least radius, twisted", "cos(θ/2)"],
        rows: rows.into_iter().collect::<Result<_, Failure>>()?,
    })
}

struct Figures {
    volume: f64,
    min_radius: f64,
}

fn measure(tube: &Character, pose: &LocalPose) -> Result<Figures, Failure> {
    let mut frame = Frame::new(tube);
    frame.local_mut().copy_from(pose);
    frame.update(tube);
    frame.deform(tube, sinew::Method::Linear).map_err(|e| Failure::Draw(e.to_string()))?;
    let positions = &frame.deformed()[0].positions;
    let body = 1.0..=f64::from(builtin::TUBE_LENGTH) - 1.0;
    let axis = Axis::new(sinew::glam::Vec3::ZERO, sinew::glam::Vec3::Y);
    let min_radius = axis.and_then(|axis| min_radius(positions, &axis, body)).unwrap_or_default();
    Ok(Figures { volume: volume(positions, tube.meshes()[0].triangles()), min_radius })
}
