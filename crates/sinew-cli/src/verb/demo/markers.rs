//! Motion capture from markers: a walk is recorded with faults and solved again.

use crate::{
    failure::{Attempt, Failure},
    film::{lens, untextured},
    page::{Exhibit, HtmlTable, Section},
};
use indicatif::ProgressBar;
use sinew::{Character, Clip, LocalPose, MarkerCapture, glam::Vec3};
use sinew_author::{
    markers::{
        MarkerFaults, MarkerSmoothing, MarkerSolveOptions, MarkerSolveReport, record_markers, rotation_error,
        skin_markers, solve_markers,
    },
    uninterrupted,
};
use sinew_view::{
    camera::{CameraFollow, Orbit},
    color::Color,
    film::{FilmError, clip_poses},
    glyph::point_layer,
    raster::{RenderOptions, render},
    stage::{BoneLook, SkinLook, StageOptions},
};

const SIZE: RenderOptions = RenderOptions::new(360, 440);
const RATE_HZ: f32 = 120.0;
/// Every how many frames of the capture are drawn.
const STRIDE: usize = 5;
const MARKER: Color = Color::linear(0.85, 0.10, 0.02);
const FAULTS: MarkerFaults = MarkerFaults { seed: 1, noise_meters: 0.002, missing: 0.05, swapped: 0.05 };

/// A solved capture of the walk.
struct SolvedWalk {
    capture: MarkerCapture,
    clip: Clip,
    report: MarkerSolveReport,
    error_degrees: f32,
}

pub(super) fn section(bar: &ProgressBar) -> Result<Section, Failure> {
    let figure = sinew_samples::figure();
    let off = MarkerSolveOptions::default().with_smoothing(MarkerSmoothing::Off);
    let (raw, smooth) = (solved(&figure, &off)?, solved(&figure, &MarkerSolveOptions::default())?);
    let inside = StageOptions {
        bones: BoneLook::Plain,
        skin: SkinLook::Clay,
        skin_opacity: 0.35,
        ..StageOptions::default()
    };
    let caption = |walk: &SolvedWalk| {
        format!(
            "{} markers with 2 mm of noise: residual {:.2} mm RMS, joint angles to {:.2}° RMS",
            walk.report.markers.len(),
            walk.report.residual.rms_mm,
            walk.error_degrees
        )
    };
    let row = vec![
        film(bar, &figure, &smooth, "markers_solved", &caption(&smooth), StageOptions::default())?,
        film(bar, &figure, &smooth, "markers_bones", "The same skeleton, and the markers on it", inside)?,
    ];
    Ok(Section {
        title: "Motion capture from markers".into(),
        text: "Three markers on every large part of the skin are recorded at 120 Hz during the walk, with 2 mm of noise per \
               coordinate, a twentieth of all samples missing, and two labels swapped in a twentieth of all frames. Joint \
               rotations are found again by least squares over the whole skeleton, and smoothed as far as the noise explains; balls are the markers that were seen."
            .into(),
        rows: vec![row],
        table: Some(table([("frames one by one", &raw), ("smoothed", &smooth)])),
    })
}

fn solved(figure: &Character, options: &MarkerSolveOptions) -> Result<SolvedWalk, Failure> {
    let Some(walk) = figure.find_clip("walk") else {
        return Err(Failure::work(super::compose_demo(), "the figure has no walk"));
    };
    let attachments = skin_markers(figure, 3, 0.1).attempt(super::compose_demo)?;
    let capture = record_markers(figure, walk, &attachments, RATE_HZ).attempt(super::compose_demo)?;
    let capture = FAULTS.apply(&capture).attempt(super::compose_demo)?;
    let (clip, report) = solve_markers(figure, &capture, &attachments, "walk", options, &mut uninterrupted)
        .attempt(super::compose_demo)?;
    let times: Vec<f32> = (0..capture.frame_count()).map(|frame| capture.time_secs(frame)).collect();
    let (truth, found) = (clip_poses(figure, walk, &times), clip_poses(figure, &clip, &times));
    let error_degrees = rotation_error(figure.skeleton(), &attachments, &truth, &found).rms_degrees;
    Ok(SolvedWalk { capture, clip, report, error_degrees })
}

fn film(
    bar: &ProgressBar,
    figure: &Character,
    walk: &SolvedWalk,
    file: &str,
    caption: &str,
    options: StageOptions,
) -> Result<Exhibit, Failure> {
    let shown: Vec<usize> = (0..walk.capture.frame_count()).step_by(STRIDE).collect();
    let times: Vec<f32> = shown.iter().map(|&frame| walk.capture.time_secs(frame)).collect();
    let poses: Vec<LocalPose> = clip_poses(figure, &walk.clip, &times);
    let mut film = untextured(figure, options).with_follow(CameraFollow::of_clips(figure, [&walk.clip]));
    let camera = film.camera(&poses, Orbit::degrees(38.0, 8.0), lens(&SIZE))?;
    let mut pictures = Vec::with_capacity(poses.len());
    for (&frame, pose) in shown.iter().zip(&poses) {
        film.pose(pose)?;
        let markers: Vec<Vec3> = walk.capture.frame(frame).iter().flatten().copied().collect();
        let balls = point_layer(&markers, 0.012, MARKER).attempt(super::compose_demo)?;
        let scene = film.scene(camera)?.with(balls);
        pictures.push(render(&scene, &SIZE).map_err(FilmError::from)?);
    }
    bar.inc(1);
    Exhibit::moving(file, caption, &pictures, f64::from(RATE_HZ) / STRIDE as f64)
}

fn table(walks: [(&str, &SolvedWalk); 2]) -> HtmlTable {
    let row = |(name, walk): (&str, &SolvedWalk)| {
        let markers = &walk.report.markers;
        let sum = |count: fn(&sinew_author::markers::MarkerReport) -> usize| {
            markers.iter().map(count).sum::<usize>()
        };
        vec![
            name.to_owned(),
            walk.report.frames.to_string(),
            markers.len().to_string(),
            sum(|m| m.missing_frames).to_string(),
            sum(|m| m.outlier_frames).to_string(),
            format!("{:.2} mm", walk.report.residual.rms_mm),
            format!("{:.2}°", walk.error_degrees),
        ]
    };
    let head =
        ["walk", "frames", "markers", "samples missing", "outliers", "residual RMS", "angle error RMS"];
    HtmlTable::new(head, walks.into_iter().map(row).collect())
}
