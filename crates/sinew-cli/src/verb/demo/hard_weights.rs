//! Hard weights: one joint per vertex, smoothed by delta mush and its variants.

use super::compose_demo;
use crate::{
    failure::{Attempt, Failure},
    film::{close_up, untextured},
    page::{Exhibit, HtmlTable, Section},
    prepare::prepared,
};
use indicatif::ProgressBar;
use sinew::{Character, Method, MushDetail};
use sinew_author::{DirectMushOptions, PrepareOptions, prepare_character, uninterrupted};
use sinew_view::{camera::Orbit, raster::RenderOptions, stage::StageOptions};

const SIZE: RenderOptions = RenderOptions::new(400, 360);
const BEND_DEGREES: f32 = 90.0;
const METHODS: [Method; 4] = [Method::Linear, Method::Cor, Method::DeltaMush, Method::Ddm];

pub(super) fn section(bar: &ProgressBar) -> Result<Section, Failure> {
    let arm = sinew_samples::rigid_arm();
    let ready = prepared(&arm, "builtin:arm-rigid", &METHODS, true)?;
    let mut methods = Vec::new();
    for method in METHODS {
        methods.push(shot(bar, &ready, method, &format!("hard_weights_{method}"), method.name())?);
    }
    let mut details = Vec::new();
    let mut costs = vec![cost_of(MushDetail::Full, &ready)];
    for detail in [MushDetail::First, MushDetail::Pivot] {
        let arm = with_detail(&arm, detail)?;
        let (file, caption) =
            (format!("hard_weights_ddm_{}", detail.name()), format!("ddm, {}", detail.name()));
        details.push(shot(bar, &arm, Method::Ddm, &file, &caption)?);
        costs.push(cost_of(detail, &arm));
    }
    Ok(Section {
        title: "Hard weights, smoothed".into(),
        text: "The rigid arm again: every vertex on one bone, bent by 90°. Methods that blend weights have nothing to blend. \
               Delta mush smooths the deformed surface, direct delta mush precomputes smooth weights: both produce a \
               bend. Below, direct delta mush with less precomputed data."
            .into(),
        rows: vec![methods, details],
        table: Some(HtmlTable::new(["detail", "numbers per influence", "bytes per vertex"], costs)),
    })
}

fn cost_of(detail: MushDetail, arm: &Character) -> Vec<String> {
    let bytes = arm.meshes()[0].precomputed().direct_mush.as_ref().map_or(0.0, |d| d.bytes_per_vertex());
    vec![detail.name().to_owned(), detail.numbers().to_string(), format!("{bytes:.0}")]
}

fn with_detail(arm: &Character, detail: MushDetail) -> Result<Character, Failure> {
    let direct_mush = Some(DirectMushOptions { detail, ..DirectMushOptions::default() });
    let options = PrepareOptions { direct_mush, ..PrepareOptions::default() };
    Ok(prepare_character(arm, &options, &mut uninterrupted).attempt(compose_demo)?.0)
}

fn shot(
    bar: &ProgressBar,
    arm: &Character,
    method: Method,
    file: &str,
    caption: &str,
) -> Result<Exhibit, Failure> {
    let mut film = untextured(arm, StageOptions::default()).with_method(method);
    film.pose(&sinew_samples::arm_pose(BEND_DEGREES.to_radians()))?;
    let camera = close_up(&film, arm.skeleton().find("lower"), 0.16, Orbit::degrees(10.0, 14.0), &SIZE);
    bar.inc(1);
    Exhibit::still(file, caption, &film.shoot(camera, &SIZE)?)
}
