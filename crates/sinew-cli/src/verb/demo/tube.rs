//! The tube: how bending and twisting change a closed volume.

use crate::{
    failure::{Attempt, Failure},
    film::{lens, untextured},
    page::{Exhibit, HtmlTable, Section},
};
use indicatif::ProgressBar;
use sinew::glam::{Vec2, Vec3};
use sinew::measure::{MeasureAxis, min_radius, volume};
use sinew::{Character, Frame, LocalPose, Method};
use sinew_view::{
    camera::Orbit,
    plot::{Plot, PlotMark},
    raster::RenderOptions,
    stage::StageOptions,
};

const SIZE: RenderOptions = RenderOptions::new(400, 480);
/// Beyond these angles the two halves intersect.
const BENDS: [f32; 4] = [0.0, 45.0, 90.0, 120.0];
const TWISTS: [f32; 4] = [0.0, 90.0, 135.0, 180.0];
const MEASURED: [f32; 6] = [0.0, 45.0, 90.0, 135.0, 150.0, 179.0];

pub(super) fn sections(bar: &ProgressBar) -> Result<Vec<Section>, Failure> {
    let tube = sinew_samples::tube();
    let bend = Section {
        title: "A bent tube".into(),
        text: "A closed tube with two bones, bent in the middle. Linear blend skinning keeps most of its volume, but the \
               inside of the bend creases and the outside is cut short."
            .into(),
        rows: vec![row(bar, &tube, "tube_bend", "Bent", BENDS, |a| sinew_samples::tube_pose(a, 0.0))?],
        table: None,
    };
    let twist = Section {
        title: "A twisted tube".into(),
        text: "The same tube, twisted about its axis. Averaging two rotation matrices shrinks what they rotate: at angle \
               θ the middle ring shrinks to cos(θ/2) of its radius, and at 180° to a point, the candy-wrapper artifact."
            .into(),
        rows: vec![
            row(bar, &tube, "tube_twist", "Twisted", TWISTS, |a| sinew_samples::tube_pose(0.0, a))?,
            vec![plot(bar, &tube)?],
        ],
        table: Some(table(&tube)?),
    };
    Ok(vec![bend, twist])
}

fn row(
    bar: &ProgressBar,
    tube: &Character,
    file: &str,
    verb: &str,
    angles: [f32; 4],
    pose: fn(f32) -> LocalPose,
) -> Result<Vec<Exhibit>, Failure> {
    let mut film = untextured(tube, StageOptions::default());
    let poses = angles.map(|degrees| pose(degrees.to_radians()));
    let camera = film.camera(&poses, Orbit::degrees(0.0, 10.0), lens(&SIZE))?;
    let exhibit = |(degrees, pose): (f32, &LocalPose)| {
        film.pose(pose)?;
        let picture = film.shoot(camera, &SIZE)?;
        let caption = if degrees == 0.0 { "At rest".into() } else { format!("{verb} by {degrees}°") };
        bar.inc(1);
        Exhibit::still(&format!("{file}_{degrees}"), caption, &picture)
    };
    angles.into_iter().zip(&poses).map(exhibit).collect()
}

/// Volume and radius of the twisted tube, over the angle.
fn plot(bar: &ProgressBar, tube: &Character) -> Result<Exhibit, Failure> {
    let rest = measure(tube, &sinew_samples::tube_pose(0.0, 0.0))?;
    let (mut radius, mut volume, mut law) = (Vec::new(), Vec::new(), Vec::new());
    for degrees in (0..=180_u16).step_by(4).map(f32::from) {
        let twisted = measure(tube, &sinew_samples::tube_pose(0.0, degrees.to_radians()))?;
        radius.push(Vec2::new(degrees, twisted.min_radius as f32));
        volume.push(Vec2::new(degrees, (twisted.volume / rest.volume) as f32));
        law.push(Vec2::new(degrees, (degrees.to_radians() / 2.0).cos()));
    }
    let mut plot = Plot::new("Linear blend skinning under twist", "twist in degrees", "ratio to rest")
        .with("min radius, measured", radius)
        .with("volume, measured", volume)
        .with("cos(θ/2)", law);
    if let Some(law) = plot.series.last_mut() {
        law.mark = PlotMark::Dots;
    }
    plot.y_range = Some([0.0, 1.05]);
    (plot.width, plot.height) = (1072, 460);
    bar.inc(1);
    Exhibit::still("tube_twist_plot", "Measured on the deformed mesh, against the closed form", &plot.draw())
}

fn table(tube: &Character) -> Result<HtmlTable, Failure> {
    let rest = measure(tube, &sinew_samples::tube_pose(0.0, 0.0))?;
    let rows = MEASURED.map(|degrees| {
        let angle = degrees.to_radians();
        let bent = measure(tube, &sinew_samples::tube_pose(angle, 0.0))?;
        let twisted = measure(tube, &sinew_samples::tube_pose(0.0, angle))?;
        Ok(vec![
            format!("{degrees}°"),
            format!("{:.3}", bent.volume / rest.volume),
            format!("{:.3}", twisted.volume / rest.volume),
            format!("{:.3}", twisted.min_radius),
            format!("{:.3}", (angle / 2.0).cos()),
        ])
    });
    let head = ["angle", "volume, bent", "volume, twisted", "min radius, twisted", "cos(θ/2)"];
    Ok(HtmlTable::new(head, rows.into_iter().collect::<Result<_, Failure>>()?))
}

/// Measures of the deformed tube, in its own units.
struct TubeShape {
    volume: f64,
    min_radius: f64,
}

fn measure(tube: &Character, pose: &LocalPose) -> Result<TubeShape, Failure> {
    let mut frame = Frame::new(tube);
    frame.local_mut().copy_from(pose);
    frame.deform(Method::Linear).attempt(super::compose_demo)?;
    let positions = &frame.deformed()[0].positions;
    let body = 1.0..=f64::from(sinew_samples::TUBE_LENGTH) - 1.0;
    let axis = MeasureAxis::new(Vec3::ZERO, Vec3::Y);
    let min_radius = axis.and_then(|axis| min_radius(positions, &axis, body)).unwrap_or_default();
    Ok(TubeShape { volume: volume(positions, tube.meshes()[0].triangles()), min_radius })
}
