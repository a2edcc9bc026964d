//! The comparison as a page: tables, plots and maps.

use super::{
    figures::{Comparison, FrameFigures, MethodFigures, deformed},
    tube::TubeFigures,
};
use crate::{
    args::CompareArgs,
    failure::Failure,
    page::{Exhibit, HtmlTable, Page, Section},
    progress,
};
use indicatif::ProgressBar;
use sinew::glam::{Vec2, Vec3};
use sinew::measure::Gauge;
use sinew::{Character, Clip, Frame, Method};
use sinew_view::{
    camera::{Camera, CameraLens, Orbit},
    palette::Ramp,
    picture::Picture,
    plot::Plot,
    raster::{RenderOptions, render},
    stage::{Field, SkinLook, Stage, StageOptions, StageTextures},
    texture::TextureLimits,
};

const SIZE: RenderOptions = RenderOptions::new(400, 440);

pub(super) fn page(
    args: &CompareArgs,
    character: &Character,
    clip: Option<&Clip>,
    comparison: &Comparison,
    quiet: bool,
) -> Result<Page, Failure> {
    let bar = progress::bar(args.methods.len() as u64 * 4, "drawing", quiet);
    let mut sections = vec![summary(comparison)];
    if !comparison.tube.is_empty() {
        sections.push(tube_section(comparison)?);
    }
    sections.push(pictures(args, character, clip, comparison, &bar)?);
    if comparison.methods.iter().any(|m| m.frames.len() > 1) {
        sections.push(plots(comparison)?);
        sections.push(worst(comparison));
    }
    bar.finish_and_clear();
    let clip = comparison.clip.as_deref().map_or_else(|| "at rest".into(), |c| format!("clip {c:?}"));
    Ok(Page {
        title: format!("{}, {clip}", comparison.file),
        text: "Every method deforms the same poses. Ratios are to the rest pose: 1 is unchanged.".into(),
        sections,
    })
}

fn least(method: &MethodFigures, of: fn(&FrameFigures) -> f64) -> f64 {
    method.frames.iter().map(of).fold(f64::INFINITY, f64::min)
}

fn most(method: &MethodFigures, of: fn(&FrameFigures) -> f64) -> f64 {
    method.frames.iter().map(of).fold(f64::NEG_INFINITY, f64::max)
}

fn summary(comparison: &Comparison) -> Section {
    let row = |m: &MethodFigures| {
        vec![
            m.method.to_owned(),
            format!("{:.3}", least(m, |f| f.volume_ratio)),
            format!("{:.3}", least(m, |f| f.min_radius)),
            format!("{:.3}", most(m, |f| f.max_radius)),
            format!("{:.2}", most(m, |f| f.max_stretch)),
            format!("{:.3}", most(m, |f| f.rms_stretch)),
            format!("{:.1}°", most(m, |f| f.normal_degrees)),
            format!("{:.1} mm", most(m, |f| f.max_from_linear_mm)),
        ]
    };
    let head = [
        "method",
        "least volume",
        "least radius",
        "most radius",
        "most stretch",
        "RMS stretch",
        "normals off",
        "from linear",
    ];
    let note = if comparison.closed { "" } else { " The skin is open: its volume is an estimate." };
    Section {
        title: "The worst of every method".into(),
        text: format!("Over all moments that were measured.{note}"),
        rows: vec![],
        table: Some(HtmlTable::new(head, comparison.methods.iter().map(row).collect())),
    }
}

/// The five figures that tell methods apart, and how they run with the angle.
fn tube_section(comparison: &Comparison) -> Result<Section, Failure> {
    let figure = |method: &str, bend: f32, twist: f32, of: fn(&TubeFigures) -> f64| {
        let found =
            comparison.tube.iter().find(|f| f.method == method && f.bend_deg == bend && f.twist_deg == twist);
        found.map_or_else(String::new, |f| format!("{:.3}", of(f)))
    };
    let row = |m: &MethodFigures| {
        vec![
            m.method.to_owned(),
            figure(m.method, 90.0, 0.0, |f| f.volume_ratio),
            figure(m.method, 90.0, 0.0, |f| f.max_radius),
            figure(m.method, 0.0, 90.0, |f| f.min_radius),
            figure(m.method, 0.0, 179.0, |f| f.min_radius),
            figure(m.method, 0.0, 179.0, |f| f.volume_ratio),
        ]
    };
    let head = [
        "method",
        "bent 90°: volume",
        "bent 90°: most radius",
        "twisted 90°: least radius",
        "twisted 179°: least radius",
        "twisted 179°: volume",
    ];
    Ok(Section {
        title: "The tube's quality table".into(),
        text: "A closed tube of radius 1 and length 10, bent and twisted about its middle.".into(),
        rows: vec![
            vec![tube_plot(comparison, "tube_bend_volume", "Volume when bent", true, |f| f.volume_ratio)?],
            vec![tube_plot(comparison, "tube_bend_radius", "Most radius when bent", true, |f| f.max_radius)?],
            vec![tube_plot(comparison, "tube_twist_radius", "Least radius when twisted", false, |f| {
                f.min_radius
            })?],
        ],
        table: Some(HtmlTable::new(head, comparison.methods.iter().map(row).collect())),
    })
}

fn tube_plot(
    comparison: &Comparison,
    file: &str,
    title: &str,
    bent: bool,
    of: fn(&TubeFigures) -> f64,
) -> Result<Exhibit, Failure> {
    let mut plot = Plot::new(title, "degrees", "part of the rest's");
    for method in &comparison.methods {
        let of_method = comparison.tube.iter().filter(|f| f.method == method.method);
        let angles = of_method.filter(|f| if bent { f.twist_deg == 0.0 } else { f.bend_deg == 0.0 });
        let point = |f: &TubeFigures| Vec2::new(f.bend_deg.max(f.twist_deg), of(f) as f32);
        plot = plot.with(method.method, angles.map(point).collect());
    }
    (plot.width, plot.height) = (1072, 420);
    Exhibit::still(file, title, &plot.draw())
}

/// The pose in which linear blend does worst, by every method, with maps of what went wrong.
fn pictures(
    args: &CompareArgs,
    character: &Character,
    clip: Option<&Clip>,
    comparison: &Comparison,
    bar: &ProgressBar,
) -> Result<Section, Failure> {
    let gauge = Gauge::new(character).map_err(|e| Failure::Draw(e.to_string()))?;
    let time = hardest_moment(comparison);
    let pose = |method| posed(args, character, clip, time, method);
    let textures = StageTextures::decode(character, TextureLimits::default());
    let plain = StageOptions::default();
    let camera = {
        let frame = pose(args.methods.first().copied().unwrap_or_default())?;
        let stage = Stage::new(character, &textures, plain.clone());
        stage.camera(
            character,
            &frame,
            Orbit::degrees(20.0, 10.0),
            CameraLens { aspect: SIZE.aspect(), ..CameraLens::default() },
        )
    };
    let linear = pose(Method::Linear)?;
    let mut rows = vec![Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    for &method in &args.methods {
        let frame = pose(method)?;
        let looks = [
            ("shaded", "".to_owned(), SkinLook::Material),
            ("radius", ": radius, .5 to 1.5".to_owned(), radius_map(&gauge, &frame)),
            ("stretch", ": stretch, .5 to 1.5".to_owned(), stretch_map(&gauge, &frame)),
            difference_map(&frame, &linear),
        ];
        for (row, (file, what, skin)) in rows.iter_mut().zip(looks) {
            let picture =
                shoot(character, &textures, &frame, camera, StageOptions { skin, ..plain.clone() })?;
            row.push(Exhibit::still(&format!("{method}_{file}"), format!("{method}{what}"), &picture)?);
            bar.inc(1);
        }
    }
    Ok(Section {
        title: "The same pose by every method".into(),
        text: format!(
            "At {time:.2} s, where linear blend is furthest from rest. Second row: distance from the bones, blue where \
             the skin has sunk in (candy-wrap, volume loss), red where it bulges. Third row: edges, blue squeezed, red \
             stretched. Last row: how far from linear blend."
        ),
        rows,
        table: None,
    })
}

/// The time at which linear blend, or else the first method, differs most from rest.
fn hardest_moment(comparison: &Comparison) -> f32 {
    let linear = comparison.methods.iter().find(|m| m.method == Method::Linear.name());
    let method = linear.or(comparison.methods.first());
    let hard = |f: &&FrameFigures| (1.0 - f.min_radius).max(f.max_radius - 1.0);
    let frames = method.map_or(&[][..], |m| &m.frames);
    frames.iter().max_by(|a, b| hard(a).total_cmp(&hard(b))).map_or(0.0, |f| f.time_secs)
}

/// The tube is shown bent and twisted at once; everything else in its clip.
fn posed(
    args: &CompareArgs,
    character: &Character,
    clip: Option<&Clip>,
    time: f32,
    method: Method,
) -> Result<Frame, Failure> {
    if args.file != "builtin:tube" {
        return deformed(character, clip, time, method);
    }
    let mut frame = Frame::new(character);
    frame.local_mut().copy_from(&sinew_samples::tube_pose(60.0_f32.to_radians(), 120.0_f32.to_radians()));
    frame.deform(method).map_err(|e| Failure::Draw(e.to_string()))?;
    Ok(frame)
}

fn field(values: Vec<Vec<f32>>, low: f32, high: f32, ramp: Ramp) -> SkinLook {
    SkinLook::Field(Field { values: values.into_iter().map(Into::into).collect(), low, high, ramp })
}

fn radius_map(gauge: &Gauge, frame: &Frame) -> SkinLook {
    field(gauge.radius_field(frame), 0.5, 1.5, Ramp::Balance)
}

fn stretch_map(gauge: &Gauge, frame: &Frame) -> SkinLook {
    field(gauge.stretch_field(frame), 0.5, 1.5, Ramp::Balance)
}

fn difference_map(frame: &Frame, linear: &Frame) -> (&'static str, String, SkinLook) {
    let distances = |(a, b): (&sinew::Streams, &sinew::Streams)| -> Vec<f32> {
        a.positions.iter().zip(&b.positions).map(|(a, b): (&Vec3, &Vec3)| a.distance(*b)).collect()
    };
    let values: Vec<Vec<f32>> = frame.deformed().iter().zip(linear.deformed()).map(distances).collect();
    let most = values.iter().flatten().copied().fold(0.0, f32::max);
    let caption = format!(": up to {:.1} mm from linear", most * 1000.0);
    ("difference", caption, field(values, 0.0, most.max(1e-6), Ramp::Heat))
}

fn shoot(
    character: &Character,
    textures: &StageTextures,
    frame: &Frame,
    camera: Camera,
    options: StageOptions,
) -> Result<Picture, Failure> {
    let stage = Stage::new(character, textures, options);
    let scene = stage.scene(character, frame, camera).map_err(|e| Failure::Draw(e.to_string()))?;
    render(&scene, &SIZE).map_err(|e| Failure::Draw(e.to_string()))
}

fn plots(comparison: &Comparison) -> Result<Section, Failure> {
    let plot = |file: &str, title: &str, label: &str, of: fn(&FrameFigures) -> f64| {
        let mut plot = Plot::new(title, "seconds", label);
        for method in &comparison.methods {
            let point = |f: &FrameFigures| Vec2::new(f.time_secs, of(f) as f32);
            plot = plot.with(method.method, method.frames.iter().map(point).collect());
        }
        (plot.width, plot.height) = (1072, 420);
        Exhibit::still(file, title, &plot.draw())
    };
    Ok(Section {
        title: "Over time".into(),
        text: String::new(),
        rows: vec![
            vec![plot("plot_volume", "Volume", "part of the rest's", |f| f.volume_ratio)?],
            vec![plot("plot_least_radius", "Least radius", "part of the rest's", |f| f.min_radius)?],
            vec![plot("plot_most_radius", "Most radius", "part of the rest's", |f| f.max_radius)?],
            vec![plot("plot_from_linear", "Distance from linear blend", "mm", |f| f.max_from_linear_mm)?],
        ],
        table: None,
    })
}

fn worst(comparison: &Comparison) -> Section {
    let row = |w: &super::figures::WorstFrame| {
        vec![
            w.artefact.to_owned(),
            w.method.to_owned(),
            format!("{:.2} s", w.time_secs),
            format!("{:.3}", w.figure),
        ]
    };
    Section {
        title: "The worst moments".into(),
        text: "Each method's peak of each artefact, the worst first.".into(),
        rows: vec![],
        table: Some(HtmlTable::new(
            ["artefact", "method", "at", "figure"],
            comparison.worst.iter().map(row).collect(),
        )),
    }
}
