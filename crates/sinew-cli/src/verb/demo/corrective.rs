//! Corrective joints: plain linear blend skinning that shows centers of rotation.

use super::compose_demo;
use crate::{
    failure::{Attempt, Failure},
    film::{close_up, untextured},
    page::{Exhibit, HtmlTable, Section},
    prepare::prepared,
};
use indicatif::ProgressBar;
use sinew::{Character, Method, glam::Quat};
use sinew_author::{
    linear_fit::{FitError, LinearFitOptions, fit_to_linear},
    uninterrupted,
};
use sinew_view::{camera::Orbit, raster::RenderOptions, stage::StageOptions};

const SIZE: RenderOptions = RenderOptions::new(400, 340);
const TWIST_DEGREES: f32 = 140.0;
const METHOD: Method = Method::Cor;

pub(super) fn section(bar: &ProgressBar) -> Result<Section, Failure> {
    let figure = prepared(&sinew_samples::figure(), "builtin:figure", &[METHOD], true)?;
    let options = LinearFitOptions { method: METHOD, ..LinearFitOptions::default() };
    let fit = fit_to_linear(&figure, &options, &mut uninterrupted).attempt(compose_demo)?;
    let shots = vec![
        shot(bar, &figure, Method::Linear, "fit_plain", "linear blend skinning")?,
        shot(bar, &figure, METHOD, "fit_method", "centers of rotation")?,
        shot(
            bar,
            &fit.character,
            Method::Linear,
            "fit_fitted",
            "linear blend skinning with corrective joints",
        )?,
    ];
    let row = |poses: &str, [plain, fitted]: [FitError; 2]| {
        let mm = |meters: f64| format!("{:.2} mm", meters * 1e3);
        vec![poses.to_owned(), mm(plain.rms_meters), mm(fitted.rms_meters)]
    };
    let rows = vec![
        row("that were fitted", fit.report.over_fitted_poses()),
        row("that were not", fit.report.over_held_out_poses()),
    ];
    Ok(Section {
        title: "Any engine: corrective joints".into(),
        text: format!(
            "The forearm is twisted by {TWIST_DEGREES}°. Most engines show the picture on the left. {} corrective joints and \
             fitted weights make plain linear blend skinning show what centers of rotation do; their motion is in the clips.",
            fit.joints.len()
        ),
        rows: vec![shots],
        table: Some(HtmlTable::new(["poses", "rms distance before", "after"], rows)),
    })
}

fn shot(
    bar: &ProgressBar,
    character: &Character,
    method: Method,
    file: &str,
    caption: &str,
) -> Result<Exhibit, Failure> {
    let mut film = untextured(character, StageOptions::default()).with_method(method);
    let forearm = character.skeleton().find("forearm.L");
    let mut pose = character.rest_pose();
    if let Some(joint) = forearm {
        pose.joints[joint.index()].rotation *= Quat::from_rotation_y(TWIST_DEGREES.to_radians());
    }
    film.pose(&pose)?;
    let camera = close_up(&film, forearm, 0.16, Orbit::degrees(10.0, 14.0), &SIZE);
    bar.inc(1);
    Exhibit::still(file, caption, &film.shoot(camera, &SIZE)?)
}
