//! Deformation methods compared over the frames of a clip.
//!
//! ```
//! use sinew::{Method, NormalSource};
//! use sinew_author::{compare::MethodComparison, uninterrupted};
//!
//! let tube = sinew_samples::tube();
//! let twist = tube.find_clip("twist_90").map(|clip| &**clip);
//! let methods = [Method::Linear, Method::DualQuat];
//! let normals = NormalSource::Joints;
//! let compared = MethodComparison::new(&tube, twist, &[0.0], &methods, normals, &mut uninterrupted)?;
//! let [linear, dual_quat] = &compared.methods[..] else { unreachable!() };
//! assert!(linear.frames[0].shape.volume < dual_quat.frames[0].shape.volume);
//! # Ok::<(), sinew_author::compare::CompareError>(())
//! ```

mod recommended;

use crate::Progress;
use recommended::RestIntersections;
use sinew::{
    Character, Clip, DeformError, Frame, Method, NormalSource, Streams, Wrap,
    measure::{BentNormals, Gauge, ShapeMeasures, bent_normals},
};
use std::ops::ControlFlow;
use thiserror::Error;

/// Why methods could not be compared.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CompareError {
    /// A method cannot deform the character, for instance because its precomputed data is missing.
    #[error("{method} cannot deform the character: {source}")]
    Deform {
        /// The method that failed.
        method: Method,
        /// The error of the deformation.
        source: DeformError,
    },
    /// The caller stopped the work.
    #[error("stopped by the caller")]
    Stopped,
}

/// Every method at every frame.
#[derive(Clone, Debug)]
pub struct MethodComparison {
    /// True if every skinned mesh is closed, so that volumes are exact.
    pub is_closed: bool,
    /// The methods, in the order that was asked for.
    pub methods: Vec<MethodFrames>,
}

/// One method at every frame.
#[derive(Clone, Debug)]
pub struct MethodFrames {
    /// The method that deformed the frames.
    pub method: Method,
    /// The frames, in the order of their times.
    pub frames: Vec<FrameMeasures>,
    /// The number of edges that pass through the skin at the [hardest time](MethodComparison::hardest_time_secs), but not at
    /// rest.
    pub new_self_intersections: usize,
}

/// One method at one frame.
#[derive(Clone, Debug)]
pub struct FrameMeasures {
    /// The time in the clip.
    pub time_secs: f32,
    /// Volume, radius, stretch and normals, relative to the rest pose.
    pub shape: ShapeMeasures,
    /// The angles of normals to the deformed surface where joints bend it.
    pub normals: BentNormals,
    /// The largest distance of a vertex from its position under linear blend skinning, in meters.
    pub max_from_linear_meters: f64,
    /// The root mean square of those distances over all vertices, in meters.
    pub rms_from_linear_meters: f64,
}

/// A visible fault of a deformed skin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkinArtifact {
    /// The skin encloses less volume than at rest.
    VolumeLoss,
    /// The skin comes closer to its bones than at rest, as under a twist.
    CandyWrap,
    /// The skin moves away from its bones.
    Bulge,
    /// An edge becomes longer.
    Stretch,
}

impl SkinArtifact {
    /// All artifacts, in order of declaration.
    pub const ALL: [Self; 4] = [Self::VolumeLoss, Self::CandyWrap, Self::Bulge, Self::Stretch];

    /// The stable name, for instance `volume-loss`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::VolumeLoss => "volume-loss",
            Self::CandyWrap => "candy-wrap",
            Self::Bulge => "bulge",
            Self::Stretch => "stretch",
        }
    }

    /// The ratio to the rest pose that shows the artifact: 1 is unchanged.
    pub fn ratio(self, shape: &ShapeMeasures) -> f64 {
        match self {
            Self::VolumeLoss => shape.volume.min(1.0),
            Self::CandyWrap => shape.min_radius,
            Self::Bulge => shape.max_radius,
            Self::Stretch => shape.distortion.max_stretch,
        }
    }
}

/// The frame in which an artifact of a method is strongest.
#[derive(Clone, Copy, Debug)]
pub struct WorstFrame {
    /// The method that deformed the frame.
    pub method: Method,
    /// The time in the clip.
    pub time_secs: f32,
    /// The artifact that is strongest there.
    pub artifact: SkinArtifact,
    /// The measured ratio to the rest pose.
    pub ratio: f64,
}

/// Ratios that differ from 1 by less do not count as an artifact.
const NOTICEABLE: f64 = 1e-3;

impl MethodComparison {
    /// Deforms `character` by each of `methods` at each of `times_secs` of `clip`, or in its rest pose without a clip,
    /// and measures the result. Normals come from `normals`.
    ///
    /// # Errors
    /// If a method cannot deform the character, or `progress` stops the work.
    pub fn new(
        character: &Character,
        clip: Option<&Clip>,
        times_secs: &[f32],
        methods: &[Method],
        normals: NormalSource,
        progress: Progress<'_>,
    ) -> Result<Self, CompareError> {
        let deform_error = |method| move |source| CompareError::Deform { method, source };
        let gauge = Gauge::new(character).map_err(deform_error(Method::Linear))?;
        let deformed = |time_secs: f32, method: Method| {
            let mut frame = Frame::new(character).with_normals(normals);
            pose(&mut frame, clip, time_secs, method).map_err(deform_error(method))?;
            Ok::<Frame, CompareError>(frame)
        };
        let linear = times_secs.iter().map(|&time| Ok(deformed(time, Method::Linear)?.deformed().to_vec()));
        let linear: Vec<Vec<Streams>> = linear.collect::<Result<_, CompareError>>()?;
        let total = (times_secs.len() * methods.len()).max(1);
        let mut out = Vec::with_capacity(methods.len());
        for (nth, &method) in methods.iter().enumerate() {
            let mut frames = Vec::with_capacity(times_secs.len());
            for (&time_secs, linear) in times_secs.iter().zip(&linear) {
                let frame = deformed(time_secs, method)?;
                let (max, rms) = distances(frame.deformed(), linear);
                frames.push(FrameMeasures {
                    time_secs,
                    shape: gauge.measure(&frame),
                    normals: bent_normals(&frame),
                    max_from_linear_meters: max,
                    rms_from_linear_meters: rms,
                });
                let done = nth * times_secs.len() + frames.len();
                if progress(done as f32 / total as f32) == ControlFlow::Break(()) {
                    return Err(CompareError::Stopped);
                }
            }
            out.push(MethodFrames { method, frames, new_self_intersections: 0 });
        }
        let mut out = Self { is_closed: gauge.is_closed(), methods: out };
        let (hardest, rest) = (out.hardest_time_secs(), RestIntersections::new(character));
        for of_method in &mut out.methods {
            of_method.new_self_intersections = rest.new_in(&deformed(hardest, of_method.method)?);
        }
        Ok(out)
    }

    /// The peak of each artifact of each method, strongest first, at most `count`.
    pub fn worst_frames(&self, count: usize) -> Vec<WorstFrame> {
        let mut all: Vec<(f64, WorstFrame)> = Vec::new();
        for of_method in &self.methods {
            for artifact in SkinArtifact::ALL {
                let severity = |f: &FrameMeasures| (artifact.ratio(&f.shape) - 1.0).abs();
                let peak = of_method.frames.iter().max_by(|a, b| severity(a).total_cmp(&severity(b)));
                all.extend(peak.filter(|f| severity(f) > NOTICEABLE).map(|f| {
                    let (method, time_secs) = (of_method.method, f.time_secs);
                    (severity(f), WorstFrame { method, time_secs, artifact, ratio: artifact.ratio(&f.shape) })
                }));
            }
        }
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        all.into_iter().take(count).map(|(_, frame)| frame).collect()
    }

    /// The time at which linear blend skinning, or else the first method, changes the distance from the bones most.
    pub fn hardest_time_secs(&self) -> f32 {
        let linear = self.methods.iter().find(|m| m.method == Method::Linear);
        let frames = linear.or(self.methods.first()).map_or(&[][..], |m| &m.frames);
        let change = |f: &FrameMeasures| (1.0 - f.shape.min_radius).max(f.shape.max_radius - 1.0);
        frames.iter().max_by(|a, b| change(a).total_cmp(&change(b))).map_or(0.0, |f| f.time_secs)
    }
}

fn pose(frame: &mut Frame, clip: Option<&Clip>, time_secs: f32, method: Method) -> Result<(), DeformError> {
    if let Some(clip) = clip {
        frame.sample(clip, time_secs, Wrap::Clamp);
    }
    frame.deform(method).map(|_| ())
}

/// The largest distance between the vertices of two deformed frames, and the root mean square, in meters.
fn distances(one: &[Streams], other: &[Streams]) -> (f64, f64) {
    let (mut max, mut squares, mut count) = (0.0_f64, 0.0_f64, 0_usize);
    for (one, other) in one.iter().zip(other) {
        for (a, b) in one.positions.iter().zip(&other.positions) {
            let square = f64::from(a.distance_squared(*b));
            max = max.max(square);
            squares += square;
            count += 1;
        }
    }
    (max.sqrt(), (squares / count.max(1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uninterrupted;

    fn compared(methods: &[Method]) -> MethodComparison {
        let tube = sinew_samples::tube();
        let twist = tube.find_clip("twist_180").map(|clip| &**clip);
        let times = [0.0, 0.5, 1.0];
        MethodComparison::new(&tube, twist, &times, methods, NormalSource::Joints, &mut uninterrupted)
            .unwrap()
    }

    #[test]
    fn linear_blend_is_nowhere_away_from_itself_and_collapses_under_a_twist() {
        let compared = compared(&[Method::Linear, Method::DualQuat]);
        assert!(compared.is_closed);
        assert!(compared.methods[0].frames.iter().all(|f| f.max_from_linear_meters == 0.0));
        let worst = compared.worst_frames(3);
        assert_eq!(worst.len(), 3);
        let is_wrapped = |w: &WorstFrame| {
            w.method == Method::Linear && w.artifact == SkinArtifact::CandyWrap && w.ratio < 0.2
        };
        assert!(worst.iter().any(is_wrapped), "{worst:?}");
    }

    #[test]
    fn the_hardest_time_is_one_of_the_measured_frames() {
        let compared = compared(&[Method::DualQuat]);
        assert!([0.0, 0.5, 1.0].contains(&compared.hardest_time_secs()));
    }

    #[test]
    fn a_caller_can_stop_the_comparison() {
        let tube = sinew_samples::tube();
        let stop = &mut |_| ControlFlow::Break(());
        let stopped =
            MethodComparison::new(&tube, None, &[0.0], &[Method::Linear], NormalSource::Joints, stop);
        assert_eq!(stopped.unwrap_err(), CompareError::Stopped);
    }
}
