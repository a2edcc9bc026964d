use sinew::sample::TimeRange;
use sinew::{Character, Clip, LocalPose, Wrap, sample_clip};

use super::FilmError;

/// The most frames that one film may have.
pub const MAX_FRAMES: usize = 20_000;

/// `count` times in seconds spread over `range` without its end, so that a loop does not show one pose twice.
pub fn loop_times(range: TimeRange, count: usize) -> Vec<f32> {
    let (start_secs, length_secs) = (range.start_secs(), range.length_secs());
    (0..count).map(|k| start_secs + k as f32 * length_secs / count as f32).collect()
}

/// The times of a loop of `duration_secs` at `fps` frames per second; one time for a clip without length.
///
/// # Errors
/// [`FilmError::TooManyFrames`] above [`MAX_FRAMES`]: a damaged file can claim any duration.
pub fn times_at_rate(duration_secs: f32, fps: f32) -> Result<Vec<f32>, FilmError> {
    let count = (duration_secs * fps).round().max(1.0);
    if count > MAX_FRAMES as f32 {
        return Err(FilmError::TooManyFrames { duration_secs, fps, count });
    }
    Ok(loop_times(TimeRange::whole(duration_secs), count as usize))
}

/// `count` times in seconds spread over a clip of `duration_secs`, both ends included.
pub fn spread_times(duration_secs: f32, count: usize) -> Vec<f32> {
    let last = count.saturating_sub(1).max(1) as f32;
    (0..count).map(|k| duration_secs * k as f32 / last).collect()
}

/// The poses of `clip` at `times_secs`, clamped to the clip's length; joints that it does not move stay at rest.
pub fn clip_poses(character: &Character, clip: &Clip, times_secs: &[f32]) -> Vec<LocalPose> {
    let rest = character.rest_pose();
    let pose_at = |&time_secs: &f32| {
        let mut pose = rest.clone();
        sample_clip(clip, time_secs, Wrap::Clamp, &mut pose);
        pose
    };
    times_secs.iter().map(pose_at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loop_times_leave_out_the_end_of_the_loop() {
        assert_eq!(times_at_rate(1.0, 4.0).unwrap(), [0.0, 0.25, 0.5, 0.75]);
        assert_eq!(loop_times(TimeRange::new(1.0, 2.0).unwrap(), 2), [1.0, 1.5]);
    }

    #[test]
    fn a_clip_without_length_has_one_frame() {
        assert_eq!(times_at_rate(0.0, 25.0).unwrap(), [0.0]);
        assert_eq!(times_at_rate(0.001, 25.0).unwrap(), [0.0]);
    }

    #[test]
    fn a_clip_of_absurd_length_is_rejected() {
        assert!(matches!(times_at_rate(3e38, 25.0), Err(FilmError::TooManyFrames { .. })));
        assert!(times_at_rate(f32::MAX, f32::MAX).is_err());
    }

    #[test]
    fn spread_times_include_both_ends() {
        assert_eq!(spread_times(2.0, 3), [0.0, 1.0, 2.0]);
        assert_eq!(spread_times(2.0, 1), [0.0]);
    }
}
