//! The measurements of every method at every frame, as plain data; the field names are the keys of `--json`.

use super::{
    args::CompareArgs,
    tube::{self, TubeMeasures},
};
use crate::{
    failure::{Attempt, Failure},
    limits, progress,
};
use serde::Serialize;
use sinew::{Character, Clip, Method};
use sinew_author::compare::{FrameMeasures, MethodComparison, MethodFrames, WorstFrame};
use sinew_view::film::times_at_rate;

/// Everything that was measured.
#[derive(Debug, Serialize)]
pub(super) struct ComparisonReport {
    pub(super) file: String,
    pub(super) clip: Option<String>,
    /// True if the skin is closed, so that volumes are exact.
    pub(super) closed: bool,
    pub(super) methods: Vec<MethodReport>,
    /// The method with the best mean rank.
    pub(super) recommended_method: Option<&'static str>,
    /// The frames in which a method is worst, the worst first.
    pub(super) worst_frames: Vec<WorstFrameReport>,
    /// The quality table, for `builtin:tube` only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tube: Vec<TubeMeasures>,
    /// The time that is drawn.
    #[serde(skip)]
    pub(super) hardest_time_secs: f32,
}

#[derive(Debug, Serialize)]
pub(super) struct MethodReport {
    pub(super) method: &'static str,
    pub(super) frames: Vec<FrameReport>,
    /// Edges that pass through the skin at the hardest time, but not at rest.
    pub(super) new_self_intersections: usize,
}

/// One method at one frame. Ratios are relative to the rest pose.
#[derive(Clone, Debug, Serialize)]
pub(super) struct FrameReport {
    pub(super) time_secs: f32,
    pub(super) volume_ratio: f64,
    pub(super) min_radius_ratio: f64,
    pub(super) max_radius_ratio: f64,
    pub(super) area_ratio: f64,
    pub(super) min_stretch_ratio: f64,
    pub(super) max_stretch_ratio: f64,
    pub(super) rms_stretch: f64,
    pub(super) max_normal_error_degrees: f64,
    /// The mean angle between normals and the deformed surface where joints bend it.
    pub(super) mean_bent_normal_error_degrees: f64,
    /// The distance of vertices from their positions under linear blend skinning.
    pub(super) max_from_linear_mm: f64,
    pub(super) rms_from_linear_mm: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct WorstFrameReport {
    pub(super) method: &'static str,
    pub(super) time_secs: f32,
    pub(super) artifact: &'static str,
    pub(super) ratio: f64,
}

/// How many of the worst frames are listed.
const MAX_WORST_FRAMES: usize = 12;

impl ComparisonReport {
    pub(super) fn of(
        args: &CompareArgs,
        character: &Character,
        clip: Option<&Clip>,
        quiet: bool,
    ) -> Result<Self, Failure> {
        let times = clip.map_or_else(|| Ok(vec![0.0]), |c| times_at_rate(c.duration_secs(), args.fps))?;
        let bar = progress::bar(1000, "measuring", quiet);
        let progress = &mut |fraction: f32| {
            bar.set_position((fraction * 1000.0) as u64);
            limits::go_on()
        };
        let attempt = || format!("compare the methods on {}", args.file);
        let compared =
            MethodComparison::new(character, clip, &times, &args.methods, args.normals.source, progress);
        let compared = compared.attempt(attempt)?;
        bar.finish_and_clear();
        let is_tube = args.file == "builtin:tube";
        let tube = if is_tube { tube::table(character, &args.methods).attempt(attempt)? } else { Vec::new() };
        Ok(Self {
            file: args.file.clone(),
            clip: clip.map(|c| c.name().to_owned()),
            closed: compared.is_closed,
            worst_frames: compared.worst_frames(MAX_WORST_FRAMES).iter().map(worst_frame).collect(),
            hardest_time_secs: compared.hardest_time_secs(),
            recommended_method: compared.recommended().map(Method::name),
            methods: compared.methods.iter().map(method).collect(),
            tube,
        })
    }
}

fn method(of_method: &MethodFrames) -> MethodReport {
    MethodReport {
        method: of_method.method.name(),
        frames: of_method.frames.iter().map(frame).collect(),
        new_self_intersections: of_method.new_self_intersections,
    }
}

fn frame(measured: &FrameMeasures) -> FrameReport {
    let (shape, distortion) = (&measured.shape, &measured.shape.distortion);
    FrameReport {
        time_secs: measured.time_secs,
        volume_ratio: shape.volume,
        min_radius_ratio: shape.min_radius,
        max_radius_ratio: shape.max_radius,
        area_ratio: distortion.area,
        min_stretch_ratio: distortion.min_stretch,
        max_stretch_ratio: distortion.max_stretch,
        rms_stretch: distortion.rms_stretch,
        max_normal_error_degrees: distortion.normal_radians.to_degrees(),
        mean_bent_normal_error_degrees: measured.normals.mean_degrees,
        max_from_linear_mm: measured.max_from_linear_meters * 1000.0,
        rms_from_linear_mm: measured.rms_from_linear_meters * 1000.0,
    }
}

fn worst_frame(worst: &WorstFrame) -> WorstFrameReport {
    WorstFrameReport {
        method: worst.method.name(),
        time_secs: worst.time_secs,
        artifact: worst.artifact.as_str(),
        ratio: worst.ratio,
    }
}
