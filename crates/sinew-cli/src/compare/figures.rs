//! The figures of every method at every moment.

use super::tube::{self, TubeFigures};
use crate::{args::CompareArgs, failure::Failure, film::moments, progress};
use serde::Serialize;
use sinew::measure::Gauge;
use sinew::{Character, Clip, Frame, Method, Wrap};

/// Everything that was measured.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    pub(super) file: String,
    pub(super) clip: Option<String>,
    /// True where the skin is closed and volumes are exact.
    pub(super) closed: bool,
    pub(super) methods: Vec<MethodFigures>,
    /// The moments where a method is worst, the worst first.
    pub(super) worst: Vec<WorstFrame>,
    /// The quality table, for `builtin:tube` only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tube: Vec<TubeFigures>,
}

#[derive(Debug, Serialize)]
pub(super) struct MethodFigures {
    pub(super) method: &'static str,
    pub(super) frames: Vec<FrameFigures>,
}

/// One method at one moment. Ratios are to the rest pose.
#[derive(Clone, Debug, Serialize)]
pub(super) struct FrameFigures {
    pub(super) time_secs: f32,
    pub(super) volume_ratio: f64,
    pub(super) min_radius: f64,
    pub(super) max_radius: f64,
    pub(super) area_ratio: f64,
    pub(super) min_stretch: f64,
    pub(super) max_stretch: f64,
    pub(super) rms_stretch: f64,
    pub(super) normal_degrees: f64,
    /// The greatest distance of a vertex from where linear blend puts it.
    pub(super) max_from_linear_mm: f64,
    pub(super) rms_from_linear_mm: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct WorstFrame {
    pub(super) method: &'static str,
    pub(super) time_secs: f32,
    /// What is wrong: `volume loss`, `candy-wrap`, `bulge` or `stretch`.
    pub(super) artefact: &'static str,
    pub(super) figure: f64,
}

/// How many of the worst moments are listed.
const WORST: usize = 12;

impl Comparison {
    pub(super) fn of(
        args: &CompareArgs,
        character: &Character,
        clip: Option<&Clip>,
        quiet: bool,
    ) -> Result<Self, Failure> {
        let gauge = Gauge::new(character).map_err(|e| Failure::Draw(e.to_string()))?;
        let times = clip.map_or_else(|| Ok(vec![0.0]), |c| moments(c.duration_secs(), args.fps))?;
        let bar = progress::bar((times.len() * args.methods.len()) as u64, "measuring", quiet);
        let linear = deformed_positions(character, clip, &times)?;
        let mut methods = Vec::with_capacity(args.methods.len());
        for &method in &args.methods {
            let mut frames = Vec::with_capacity(times.len());
            for (&time, linear) in times.iter().zip(&linear) {
                let frame = deformed(character, clip, time, method)?;
                frames.push(figures(&gauge, &frame, time, linear));
                bar.inc(1);
            }
            methods.push(MethodFigures { method: method.name(), frames });
        }
        bar.finish_and_clear();
        let tube =
            if args.file == "builtin:tube" { tube::table(character, &args.methods)? } else { Vec::new() };
        Ok(Self {
            file: args.file.clone(),
            clip: clip.map(|c| c.name().to_owned()),
            closed: gauge.is_closed(),
            worst: worst(&methods),
            methods,
            tube,
        })
    }
}

/// The character at one moment of a clip, deformed by one method.
pub(super) fn deformed(
    character: &Character,
    clip: Option<&Clip>,
    time_secs: f32,
    method: Method,
) -> Result<Frame, Failure> {
    let mut frame = Frame::new(character);
    if let Some(clip) = clip {
        frame.sample(clip, time_secs, Wrap::Clamp);
    }
    frame.deform(method).map_err(|e| Failure::Draw(e.to_string()))?;
    Ok(frame)
}

fn deformed_positions(
    character: &Character,
    clip: Option<&Clip>,
    times: &[f32],
) -> Result<Vec<Vec<sinew::Streams>>, Failure> {
    let at = |&time: &f32| Ok(deformed(character, clip, time, Method::Linear)?.deformed().to_vec());
    times.iter().map(at).collect()
}

fn figures(gauge: &Gauge, frame: &Frame, time_secs: f32, linear: &[sinew::Streams]) -> FrameFigures {
    let measured = gauge.measure(frame);
    let (mut most, mut squares, mut count) = (0.0_f64, 0.0_f64, 0_usize);
    for (here, there) in frame.deformed().iter().zip(linear) {
        for (a, b) in here.positions.iter().zip(&there.positions) {
            let square = f64::from(a.distance_squared(*b));
            most = most.max(square);
            squares += square;
            count += 1;
        }
    }
    FrameFigures {
        time_secs,
        volume_ratio: measured.volume,
        min_radius: measured.least_radius,
        max_radius: measured.most_radius,
        area_ratio: measured.distortion.area,
        min_stretch: measured.distortion.least_stretch,
        max_stretch: measured.distortion.most_stretch,
        rms_stretch: measured.distortion.rms_stretch,
        normal_degrees: measured.distortion.normal_radians.to_degrees(),
        max_from_linear_mm: most.sqrt() * 1000.0,
        rms_from_linear_mm: (squares / count.max(1) as f64).sqrt() * 1000.0,
    }
}

/// The moments that stand out most, each artefact measured as its distance from rest.
fn worst(methods: &[MethodFigures]) -> Vec<WorstFrame> {
    let mut all: Vec<(f64, WorstFrame)> = Vec::new();
    for method in methods {
        for (artefact, figure) in ARTEFACTS {
            let severity = |f: &FrameFigures| (figure(f) - 1.0).abs();
            let peak = method.frames.iter().max_by(|a, b| severity(a).total_cmp(&severity(b)));
            all.extend(peak.filter(|f| severity(f) > 1e-3).map(|f| {
                let (method, time_secs) = (method.method, f.time_secs);
                (severity(f), WorstFrame { method, time_secs, artefact, figure: figure(f) })
            }));
        }
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.into_iter().take(WORST).map(|(_, frame)| frame).collect()
}

/// A figure of a frame that is 1 at rest.
type Artefact = (&'static str, fn(&FrameFigures) -> f64);

const ARTEFACTS: [Artefact; 4] = [
    ("volume loss", |f| f.volume_ratio.min(1.0)),
    ("candy-wrap", |f| f.min_radius),
    ("bulge", |f| f.max_radius),
    ("stretch", |f| f.max_stretch),
];
