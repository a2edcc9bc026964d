//! Motion capture from markers: joint rotations of a character from marker positions.
//!
//! ```
//! use sinew_author::{
//!     markers::{MarkerSolveOptions, record_markers, skin_markers, solve_markers},
//!     uninterrupted,
//! };
//!
//! // Three markers on every large part of the skin, as cameras would see them during a walk.
//! let figure = sinew_samples::figure();
//! let attachments = skin_markers(&figure, 3, 0.1)?;
//! let capture = record_markers(&figure, figure.find_clip("walk").unwrap(), &attachments, 60.0)?;
//!
//! let options = MarkerSolveOptions::default();
//! let (clip, report) =
//!     solve_markers(&figure, &capture, &attachments, "walk", &options, &mut uninterrupted)?;
//! assert!(report.residual.rms_mm < 0.2);
//! assert_eq!(clip.duration_secs(), capture.duration_secs());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Every frame is solved for the whole skeleton at once, with the smallest sum of squared distances: the rotations of all joints between the markers and the
//! position of the root, by Levenberg–Marquardt from the pose before. Outliers lose their weight (Geman and McClure 1985),
//! joint limits hold, and a joint without visible markers stays near its neighbors in time. Then the motion is smoothed as far as
//! the noise of the markers explains it.

mod attachment;
mod body;
mod calibrate;
mod faults;
mod frame_solver;
mod guess;
mod names;
mod noise;
mod options;
mod report;
mod rotation_error;
mod smooth;
mod start;
mod support;
mod surface;
mod take;
mod text;
mod tree_system;
mod virtual_set;

pub use attachment::{MarkerAttachment, MarkerAttachments};
pub use calibrate::{CalibrateOptions, CalibrationReport, calibrate_markers};
pub use faults::MarkerFaults;
pub use guess::{AttachmentGuess, GuessedBy, guess_attachments, guess_scale};
pub use options::{MarkerSmoothing, MarkerSolveError, MarkerSolveOptions};
pub use report::{JointGapReport, MarkerJointReport, MarkerReport, MarkerResidual, MarkerSolveReport};
pub use rotation_error::{JointRotationError, RotationError, joint_rotation_errors, rotation_error};
pub use text::MarkerTextError;
pub use virtual_set::{record_markers, skin_markers};

use crate::{motion::baked, progress::Progress};
use body::MarkerBody;
use noise::CaptureNoise;
use sinew::{Character, Clip, LocalPose, MarkerCapture};
use take::{fill_gaps, find_gaps, solve_frames};

/// The maximum number of frames.
const MAX_FRAMES: usize = 1_000_000;

/// A clip called `name` in which `character` follows the markers of `capture`, with one key per frame, and figures of how well
/// it does.
///
/// `capture` has Y up. Joints that no marker is on or below stay at rest. The result is the same for any number of threads.
///
/// # Errors
/// If no marker is attached, the capture has no frames or too many, an option is out of range, or the caller stops.
pub fn solve_markers(
    character: &Character,
    capture: &MarkerCapture,
    attachments: &MarkerAttachments,
    name: &str,
    options: &MarkerSolveOptions,
    progress: Progress<'_>,
) -> Result<(Clip, MarkerSolveReport), MarkerSolveError> {
    options.check()?;
    let frames = capture.frame_count();
    if frames == 0 || frames > MAX_FRAMES {
        return Err(MarkerSolveError::FrameCount { frames });
    }
    let sized = capture.mapped(|p| p / options.scale);
    let sized = sized.map_err(|_| MarkerSolveError::BadOption {
        option: "scale",
        value: options.scale,
        wanted: "large enough for finite positions",
    })?;
    let body = MarkerBody::new(character, &sized, attachments, &options.limits)?;
    let mut poses = solve_frames(&body, &sized, options, progress)?;
    let gaps = find_gaps(&body, &sized, options, &poses);
    fill_gaps(&body, &sized, options, &gaps, &mut poses);
    let noise = match options.smoothing {
        MarkerSmoothing::Adaptive => smooth::adaptive(&body, &sized, options, &gaps, &mut poses),
        MarkerSmoothing::LowPass { .. } | MarkerSmoothing::Off => {
            CaptureNoise::new(&body, &sized, options, &poses)
        }
    };
    if let MarkerSmoothing::LowPass { cutoff_hz } = options.smoothing {
        smooth::low_pass(&body, &mut poses, cutoff_hz, sized.rate_hz());
    }
    keep_limits(&body, &mut poses);
    let mut figures = report::report(&body, &sized, &poses, &gaps, &noise, options);
    let missing = attachments.list().iter().filter(|one| capture.find(&one.label).is_none());
    figures.unseen.extend(missing.map(|one| one.label.clone()));
    let times: Vec<f32> = (0..frames).map(|frame| capture.time_secs(frame)).collect();
    Ok((baked(name, character, &times, &poses)?, figures))
}

/// Puts every rotation inside its limit: pulls and filters may leave it by a little.
fn keep_limits(body: &MarkerBody<'_>, poses: &mut [LocalPose]) {
    for joint in &body.joints {
        let Some(limit) = &joint.limit else { continue };
        for pose in poses.iter_mut() {
            let local = &mut pose.joints[joint.joint.index()];
            local.rotation = limit.clamp(local.rotation);
        }
    }
}
