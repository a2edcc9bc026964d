//! The comparison as a page: tables, plots and difference maps.

use super::{
    args::CompareArgs,
    maps,
    measures::{ComparisonReport, FrameReport, MethodReport, WorstFrameReport},
    tube::TubeMeasures,
};
use crate::{
    failure::{Attempt, Failure},
    page::{Exhibit, HtmlTable, Page, Section},
    progress,
};
use sinew::glam::Vec2;
use sinew::{Character, Clip};
use sinew_view::plot::Plot;

/// The inputs of the page.
pub(super) struct ComparisonPage<'a> {
    pub(super) args: &'a CompareArgs,
    pub(super) character: &'a Character,
    pub(super) clip: Option<&'a Clip>,
    pub(super) report: &'a ComparisonReport,
}

/// What the y axes of ratio plots say.
const RATIO: &str = "ratio to rest";

impl ComparisonPage<'_> {
    pub(super) fn compose(&self, quiet: bool) -> Result<Page, Failure> {
        let report = self.report;
        let bar = progress::bar(self.args.methods.len() as u64 * 5, "drawing", quiet);
        let mut sections = vec![summary(report)];
        if !report.tube.is_empty() {
            sections.push(tube_section(report)?);
        }
        let pictures = maps::section(self, &bar);
        sections.push(pictures.attempt(|| format!("draw {}", self.args.file))?);
        if report.methods.iter().any(|m| m.frames.len() > 1) {
            sections.push(plots(report)?);
            sections.push(worst_frames(report));
        }
        bar.finish_and_clear();
        let clip = report.clip.as_deref().map_or_else(|| "rest pose".into(), |c| format!("clip {c:?}"));
        Ok(Page {
            title: format!("{}, {clip}", report.file),
            text:
                "Every method deforms the same poses. Ratios are relative to the rest pose: 1 is unchanged."
                    .into(),
            sections,
        })
    }
}

fn min(method: &MethodReport, of: fn(&FrameReport) -> f64) -> f64 {
    method.frames.iter().map(of).fold(f64::INFINITY, f64::min)
}

fn max(method: &MethodReport, of: fn(&FrameReport) -> f64) -> f64 {
    method.frames.iter().map(of).fold(f64::NEG_INFINITY, f64::max)
}

fn summary(report: &ComparisonReport) -> Section {
    let row = |m: &MethodReport| {
        vec![
            m.method.to_owned(),
            format!("{:.3}", min(m, |f| f.volume_ratio)),
            format!("{:.3}", min(m, |f| f.min_radius_ratio)),
            format!("{:.3}", max(m, |f| f.max_radius_ratio)),
            format!("{:.2}", max(m, |f| f.max_stretch_ratio)),
            format!("{:.3}", max(m, |f| f.rms_stretch)),
            format!("{:.1}°", max(m, |f| f.max_normal_error_degrees)),
            format!("{:.1}°", max(m, |f| f.mean_bent_normal_error_degrees)),
            m.new_self_intersections.to_string(),
            format!("{:.1} mm", max(m, |f| f.max_from_linear_mm)),
        ]
    };
    let head = [
        "method",
        "min volume",
        "min radius",
        "max radius",
        "max stretch",
        "RMS stretch",
        "normal error",
        "mean where bent",
        "new self-intersections",
        "from linear",
    ];
    let note = if report.closed { "" } else { " The mesh is open, so its volume is an estimate." };
    let recommended = report.recommended_method.map_or_else(String::new, |method| {
        format!(" Recommended: {method}, the best on average in volume, distance from the bones, stretch and self-intersections.")
    });
    Section {
        title: "Worst case of every method".into(),
        text: format!("Over all measured frames; self-intersections at the hardest one.{note}{recommended}"),
        rows: vec![],
        table: Some(HtmlTable::new(head, report.methods.iter().map(row).collect())),
    }
}

/// The five measures that separate the methods, and their plots over the angle.
fn tube_section(report: &ComparisonReport) -> Result<Section, Failure> {
    let cell = |method: &str, bend: f32, twist: f32, of: fn(&TubeMeasures) -> f64| {
        let at = |f: &&TubeMeasures| f.method == method && f.bend_degrees == bend && f.twist_degrees == twist;
        report.tube.iter().find(at).map_or_else(String::new, |f| format!("{:.3}", of(f)))
    };
    let row = |m: &MethodReport| {
        vec![
            m.method.to_owned(),
            cell(m.method, 90.0, 0.0, |f| f.volume_ratio),
            cell(m.method, 90.0, 0.0, |f| f.max_radius_ratio),
            cell(m.method, 0.0, 90.0, |f| f.min_radius_ratio),
            cell(m.method, 0.0, 179.0, |f| f.min_radius_ratio),
            cell(m.method, 0.0, 179.0, |f| f.volume_ratio),
        ]
    };
    let head = [
        "method",
        "bent 90°: volume",
        "bent 90°: max radius",
        "twisted 90°: min radius",
        "twisted 179°: min radius",
        "twisted 179°: volume",
    ];
    let bend = TubePlot { report, is_bend: true };
    let twist = TubePlot { report, is_bend: false };
    Ok(Section {
        title: "Quality table of the tube".into(),
        text: "A closed tube of radius 1 and length 10, bent and twisted about its middle.".into(),
        rows: vec![
            vec![bend.draw("tube_bend_volume", "Volume when bent", |f| f.volume_ratio)?],
            vec![bend.draw("tube_bend_radius", "Max radius when bent", |f| f.max_radius_ratio)?],
            vec![twist.draw("tube_twist_radius", "Min radius when twisted", |f| f.min_radius_ratio)?],
        ],
        table: Some(HtmlTable::new(head, report.methods.iter().map(row).collect())),
    })
}

/// A plot over the angle by which the tube is bent, or else twisted.
struct TubePlot<'a> {
    report: &'a ComparisonReport,
    is_bend: bool,
}

impl TubePlot<'_> {
    fn draw(&self, file: &str, title: &str, of: fn(&TubeMeasures) -> f64) -> Result<Exhibit, Failure> {
        let mut plot = Plot::new(title, "degrees", RATIO);
        for method in &self.report.methods {
            let is_on_axis =
                |f: &&TubeMeasures| if self.is_bend { f.twist_degrees == 0.0 } else { f.bend_degrees == 0.0 };
            let of_method = self.report.tube.iter().filter(|f| f.method == method.method).filter(is_on_axis);
            let point = |f: &TubeMeasures| Vec2::new(f.bend_degrees.max(f.twist_degrees), of(f) as f32);
            plot = plot.with(method.method, of_method.map(point).collect());
        }
        (plot.width, plot.height) = (1072, 420);
        Exhibit::still(file, title, &plot.draw())
    }
}

fn plots(report: &ComparisonReport) -> Result<Section, Failure> {
    let plot = |file: &str, title: &str, label: &str, of: fn(&FrameReport) -> f64| {
        let mut plot = Plot::new(title, "seconds", label);
        for method in &report.methods {
            let point = |f: &FrameReport| Vec2::new(f.time_secs, of(f) as f32);
            plot = plot.with(method.method, method.frames.iter().map(point).collect());
        }
        (plot.width, plot.height) = (1072, 420);
        Exhibit::still(file, title, &plot.draw())
    };
    let from_linear = "Distance from linear blend skinning";
    Ok(Section {
        title: "Over time".into(),
        text: String::new(),
        rows: vec![
            vec![plot("plot_volume", "Volume", RATIO, |f| f.volume_ratio)?],
            vec![plot("plot_min_radius", "Min radius", RATIO, |f| f.min_radius_ratio)?],
            vec![plot("plot_max_radius", "Max radius", RATIO, |f| f.max_radius_ratio)?],
            vec![plot("plot_from_linear", from_linear, "mm", |f| f.max_from_linear_mm)?],
        ],
        table: None,
    })
}

fn worst_frames(report: &ComparisonReport) -> Section {
    let row = |w: &WorstFrameReport| {
        vec![
            w.artifact.to_owned(),
            w.method.to_owned(),
            format!("{:.2} s", w.time_secs),
            format!("{:.3}", w.ratio),
        ]
    };
    let head = ["artifact", "method", "time", "ratio"];
    Section {
        title: "Worst frames".into(),
        text: "The peak of each artifact of each method, the worst first.".into(),
        rows: vec![],
        table: Some(HtmlTable::new(head, report.worst_frames.iter().map(row).collect())),
    }
}
