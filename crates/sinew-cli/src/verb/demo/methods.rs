//! Every method on the same poses.

use crate::{
    failure::{Attempt, Failure},
    film::{close_up, shoot_pose, untextured},
    page::{Exhibit, HtmlTable, Section},
    prepare::prepared,
};
use indicatif::ProgressBar;
use sinew::glam::Quat;
use sinew::measure::Gauge;
use sinew::{Character, Frame, LocalPose, Method};
use sinew_view::{camera::Orbit, raster::RenderOptions, stage::StageOptions};

const TUBE: RenderOptions = RenderOptions::new(300, 380);
const CLOSE_UP: RenderOptions = RenderOptions::new(480, 400);
const TWIST_DEGREES: f32 = 150.0;
/// The methods that differ visibly on a limb.
const ON_THE_FIGURE: [Method; 3] = [Method::Linear, Method::DualQuat, Method::Cor];

pub(super) fn sections(bar: &ProgressBar) -> Result<Vec<Section>, Failure> {
    let tube = prepared(&sinew_samples::tube(), "builtin:tube", &Method::ALL, true)?;
    let bent = sinew_samples::tube_pose(90.0_f32.to_radians(), 0.0);
    let twisted = sinew_samples::tube_pose(0.0, 150.0_f32.to_radians());
    let on_the_tube = Section {
        title: "Eight methods, one tube".into(),
        text: "Bent by 90° and twisted by 150°. Blending rotations instead of matrices keeps the radius under twist; \
               blending about the joint makes the bend bulge, which centers of rotation avoid. Contact skinning also keeps \
               the radius and folds the inside of the bend. Delta mush smooths \
               the result of linear blend skinning: it fixes creases, not twist."
            .into(),
        rows: vec![tubes(bar, &tube, "bent", &bent)?, tubes(bar, &tube, "twisted", &twisted)?],
        table: Some(table(&tube, &bent, &twisted)?),
    };
    Ok(vec![on_the_tube, on_the_figure(bar)?])
}

fn tubes(bar: &ProgressBar, tube: &Character, what: &str, pose: &LocalPose) -> Result<Vec<Exhibit>, Failure> {
    let exhibit = |method: Method| {
        let mut film = untextured(tube, StageOptions::default()).with_method(method);
        let picture = shoot_pose(&mut film, pose, Orbit::degrees(0.0, 10.0), &TUBE)?;
        bar.inc(1);
        Exhibit::still(&format!("method_{what}_{method}"), method.name(), &picture)
    };
    Method::ALL.into_iter().map(exhibit).collect()
}

fn table(tube: &Character, bent: &LocalPose, twisted: &LocalPose) -> Result<HtmlTable, Failure> {
    let gauge = Gauge::new(tube).attempt(super::compose_demo)?;
    let mut frame = Frame::new(tube);
    let mut rows = Vec::new();
    for method in Method::ALL {
        let mut measured = |pose: &LocalPose| {
            frame.local_mut().copy_from(pose);
            frame.deform(method).attempt(super::compose_demo)?;
            Ok::<_, Failure>(gauge.measure(&frame))
        };
        let (bent, twisted) = (measured(bent)?, measured(twisted)?);
        rows.push(vec![
            method.name().to_owned(),
            format!("{:.3}", bent.volume),
            format!("{:.3}", bent.max_radius),
            format!("{:.3}", twisted.volume),
            format!("{:.3}", twisted.min_radius),
        ]);
    }
    let head = ["method", "bent: volume", "bent: max radius", "twisted: volume", "twisted: min radius"];
    Ok(HtmlTable::new(head, rows))
}

/// The left forearm, twisted about its own axis.
fn on_the_figure(bar: &ProgressBar) -> Result<Section, Failure> {
    let figure = prepared(&sinew_samples::figure(), "builtin:figure", &ON_THE_FIGURE, true)?;
    let skeleton = figure.skeleton();
    let mut pose = figure.rest_pose();
    if let Some(forearm) = skeleton.find("forearm.L") {
        pose.joints[forearm.index()].rotation *= Quat::from_rotation_y(TWIST_DEGREES.to_radians());
    }
    let mut exhibits = Vec::new();
    for method in ON_THE_FIGURE {
        let mut film = untextured(&figure, StageOptions::default()).with_method(method);
        film.pose(&pose)?;
        let camera = close_up(&film, skeleton.find("forearm.L"), 0.2, Orbit::degrees(20.0, 12.0), &CLOSE_UP);
        bar.inc(1);
        let picture = film.shoot(camera, &CLOSE_UP)?;
        exhibits.push(Exhibit::still(&format!("method_figure_{method}"), method.name(), &picture)?);
    }
    Ok(Section {
        title: "Three methods, one elbow".into(),
        text: format!(
            "The figure's left forearm, twisted by {TWIST_DEGREES}° about its own axis, all of it at the elbow: the worst \
             case for a skin without roll joints."
        ),
        rows: vec![exhibits],
        table: None,
    })
}
