//! Hard weights, and what each method can still make of them.

use super::still::undrawable;
use crate::{
    failure::Failure,
    film::CliFilm,
    page::{Exhibit, HtmlTable, Section},
    prepare::prepared,
};
use indicatif::ProgressBar;
use sinew::{Character, Method, MushDetail};
use sinew_author::{DirectMushOptions, PrepareOptions, prepare_character, uninterrupted};
use sinew_view::{
    camera::Orbit,
    raster::RenderOptions,
    stage::{StageOptions, StageTextures},
};

const SIZE: RenderOptions = RenderOptions::new(400, 360);
const BEND_DEGREES: f32 = 90.0;
const METHODS: [Method; 4] = [Method::Linear, Method::Cor, Method::DeltaMush, Method::Ddm];

pub(super) fn section(bar: &ProgressBar) -> Result<Section, Failure> {
    let arm = sinew_samples::stitched_arm();
    let ready = prepared(&arm, &METHODS, true)?;
    let mut methods = Vec::new();
    for method in METHODS {
        methods.push(shot(bar, &ready, method, &format!("mend_{method}"), method.name())?);
    }
    let mut details = Vec::new();
    let mut figures = vec![figures_of(MushDetail::Full, &ready)];
    for detail in [MushDetail::First, MushDetail::Pivot] {
        let arm = with_detail(&arm, detail)?;
        let (file, caption) = (format!("mend_ddm_{}", detail.name()), format!("ddm, {}", detail.name()));
        details.push(shot(bar, &arm, Method::Ddm, &file, &caption)?);
        figures.push(figures_of(detail, &arm));
    }
    Ok(Section {
        title: "Hard weights, mended".into(),
        text: "The stitched arm again: every vertex on one bone, bent by 90°. Methods that blend have nothing to blend. \
               Delta mush smooths the surface after it was broken, direct delta mush the weights before: both make a \
               bend of it. Below, direct delta mush with less to remember."
            .into(),
        rows: vec![methods, details],
        table: Some(HtmlTable::new(["detail", "numbers an influence", "bytes a vertex"], figures)),
    })
}

fn figures_of(detail: MushDetail, arm: &Character) -> Vec<String> {
    let bytes = arm.meshes()[0].precomputed().direct_mush.as_ref().map_or(0.0, |d| d.bytes_per_vertex());
    vec![detail.name().to_owned(), detail.numbers().to_string(), format!("{bytes:.0}")]
}

fn with_detail(arm: &Character, detail: MushDetail) -> Result<Character, Failure> {
    let direct_mush = Some(DirectMushOptions { detail, ..DirectMushOptions::default() });
    let options = PrepareOptions { direct_mush, ..PrepareOptions::default() };
    Ok(prepare_character(arm, &options, &mut uninterrupted).map_err(undrawable)?.0)
}

fn shot(
    bar: &ProgressBar,
    arm: &Character,
    method: Method,
    file: &str,
    caption: &str,
) -> Result<Exhibit, Failure> {
    let mut film = CliFilm::new(arm, &StageTextures::none(), StageOptions::default()).by(method);
    film.pose(&sinew_samples::arm_pose(BEND_DEGREES.to_radians()))?;
    let camera = film.close_up("lower", 0.16, Orbit::degrees(10.0, 14.0), SIZE.aspect());
    bar.inc(1);
    Exhibit::still(file, caption, &film.shoot(camera, &SIZE)?)
}
