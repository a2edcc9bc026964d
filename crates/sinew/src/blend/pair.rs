//! Two looping clips, blended at any time of the first.

use super::{PoseLayer, SyncError, SyncTrack, blend};
use crate::{
    asset::clip::{Clip, ClipEvent},
    pose::LocalPose,
    sample::{TimeRange, Wrap, sample_clip},
};
use std::sync::Arc;

/// A point of a [`PosePair`]: a time and the weight of the second clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairPosition {
    /// Time of the first clip, in seconds.
    pub time_secs: f32,
    /// Weight of the second clip, 0 to 1; it is clamped, and NaN is 0.
    pub weight: f32,
}

/// Two looping clips of one character, synchronized by markers or each at its own length.
///
/// Time is that of the first clip. If synchronized, the second clip follows the markers of the first, so that a walk and
/// a run put the same foot down at the same moment. The duration of the blend is then the weighted mean of both durations,
/// and [`PosePair::playback_rate`] is the speed of the first clip in it.
#[derive(Clone, Debug, PartialEq)]
pub struct PosePair {
    clips: [Arc<Clip>; 2],
    tracks: Option<[SyncTrack; 2]>,
}

impl PosePair {
    /// Two clips that loop independently, each from its start.
    pub fn unsynchronized(first: Arc<Clip>, second: Arc<Clip>) -> Self {
        Self { clips: [first, second], tracks: None }
    }

    /// Two synchronized clips: by the events that both have if these follow each other alike, otherwise by their lengths.
    ///
    /// # Errors
    /// If a clip has no duration.
    pub fn synchronized(first: Arc<Clip>, second: Arc<Clip>) -> Result<Self, SyncError> {
        let clips = [first, second];
        let tracks = |markers: &[String]| {
            let track =
                |clip: &Clip| SyncTrack::new(clip.events(), markers, TimeRange::whole(clip.duration_secs()));
            Ok([track(&clips[0])?, track(&clips[1])?])
        };
        let markers = shared_markers(clips[0].events(), clips[1].events());
        let tracks = tracks(&markers).or_else(|_: SyncError| tracks(&[]))?;
        Ok(Self { clips, tracks: Some(tracks) })
    }

    /// The first and the second clip.
    pub fn clips(&self) -> &[Arc<Clip>; 2] {
        &self.clips
    }

    /// The time of the second clip when the first is at `time_secs`.
    pub fn second_time_secs(&self, time_secs: f32) -> f32 {
        let length = self.clips[1].duration_secs();
        match &self.tracks {
            Some([first, second]) => {
                let time_secs = second.time_secs(first.position(f64::from(time_secs)));
                Wrap::Loop.apply(time_secs.rem_euclid(f64::from(length)) as f32, length)
            }
            None => Wrap::Loop.apply(time_secs, length),
        }
    }

    /// Seconds of the first clip per second of the blend, for the weight of the second clip, 0 to 1.
    pub fn playback_rate(&self, time_secs: f32, weight: f32) -> f32 {
        let Some([first, second]) = &self.tracks else { return 1.0 };
        let position = first.position(f64::from(time_secs));
        let (one, other) = (first.interval_secs(position), second.interval_secs(position));
        (one / (one + (other - one) * f64::from(part(weight)))) as f32
    }

    /// Seconds of the blend from the start of the first clip until it is at `time_secs`, for the weight of the second
    /// clip, 0 to 1.
    pub fn mixed_secs(&self, time_secs: f32, weight: f32) -> f32 {
        let Some([first, second]) = &self.tracks else { return time_secs };
        let at = |time_secs: f32| second.time_secs(first.position(f64::from(time_secs)));
        let (one, other) = (f64::from(time_secs), at(time_secs) - at(0.0));
        (one + (other - one) * f64::from(part(weight))) as f32
    }

    /// Writes the blend at `at` to `out`, in local space. Joints without a channel are at `rest`. The two poses of
    /// `scratch` may have any size.
    ///
    /// # Panics
    /// If `rest` is not a pose of the character of the clips.
    pub fn sample(
        &self,
        at: PairPosition,
        rest: &LocalPose,
        scratch: &mut [LocalPose; 2],
        out: &mut LocalPose,
    ) {
        let times = [at.time_secs, self.second_time_secs(at.time_secs)];
        for ((pose, clip), time_secs) in scratch.iter_mut().zip(&self.clips).zip(times) {
            pose.copy_from(rest);
            sample_clip(clip, time_secs, Wrap::Clamp, pose);
        }
        out.copy_from(rest);
        let weight = part(at.weight);
        let [first, second] = &*scratch;
        blend(&[PoseLayer::new(first, 1.0 - weight), PoseLayer::new(second, weight)], rest, out);
    }
}

fn part(weight: f32) -> f32 {
    if weight.is_nan() { 0.0 } else { weight.clamp(0.0, 1.0) }
}

/// The event names that both clips have, in the order of the first, without repetitions of the whole pattern.
fn shared_markers(first: &[ClipEvent], second: &[ClipEvent]) -> Vec<String> {
    let is_shared = |event: &&ClipEvent| second.iter().any(|other| other.name == event.name);
    let names: Vec<&String> = first.iter().filter(is_shared).map(|event| &event.name).collect();
    let repeats = |length: &usize| (0..names.len()).all(|k| names[k] == names[k % length]);
    let length = (1..=names.len()).filter(|n| names.len().is_multiple_of(*n)).find(repeats).unwrap_or(0);
    names[..length].iter().map(|name| (*name).clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinew_samples;

    fn walk_and_run() -> (LocalPose, Arc<Clip>, Arc<Clip>) {
        let figure = sinew_samples::figure();
        let clip = |name| figure.find_clip(name).unwrap().clone();
        (figure.rest_pose(), clip("walk"), clip("run"))
    }

    #[test]
    fn weight_zero_gives_the_first_clip_and_weight_one_the_second() {
        let (rest, walk, run) = walk_and_run();
        let pair = PosePair::synchronized(walk.clone(), run.clone()).unwrap();
        let (mut scratch, mut got) = Default::default();
        for time_secs in [0.0, 0.3, 0.9] {
            pair.sample(PairPosition { time_secs, weight: 0.0 }, &rest, &mut scratch, &mut got);
            let mut want = rest.clone();
            sample_clip(&walk, time_secs, Wrap::Clamp, &mut want);
            assert_eq!(got, want);
            pair.sample(PairPosition { time_secs, weight: 1.0 }, &rest, &mut scratch, &mut got);
            let mut want = rest.clone();
            sample_clip(&run, pair.second_time_secs(time_secs), Wrap::Clamp, &mut want);
            assert_eq!(got, want);
        }
    }

    #[test]
    fn synchronized_feet_land_together_and_the_blend_lasts_the_mean_duration() {
        let (_, walk, run) = walk_and_run();
        let pair = PosePair::synchronized(walk.clone(), run.clone()).unwrap();
        for event in walk.events() {
            let other = run.events().iter().find(|other| other.name == event.name).unwrap();
            assert!(
                (pair.second_time_secs(event.time_secs) - other.time_secs).abs() < 1e-4,
                "{}",
                event.name
            );
        }
        for weight in [0.0_f32, 0.25, 1.0] {
            let want = walk.duration_secs() + (run.duration_secs() - walk.duration_secs()) * weight;
            let lasts = pair.mixed_secs(walk.duration_secs(), weight);
            assert!((lasts - want).abs() < 1e-3, "{lasts} {want}");
        }
        // The playback rate is the inverse slope of the blended time.
        let (time, step) = (0.21, 1e-3);
        let slope = (pair.mixed_secs(time + step, 0.5) - pair.mixed_secs(time, 0.5)) / step;
        assert!((slope * pair.playback_rate(time, 0.5) - 1.0).abs() < 1e-2);
    }

    #[test]
    fn unsynchronized_clips_run_at_their_own_lengths() {
        let (_, walk, run) = walk_and_run();
        let pair = PosePair::unsynchronized(walk, run.clone());
        let beyond = run.duration_secs() + 0.1;
        assert!((pair.second_time_secs(beyond) - 0.1).abs() < 1e-5);
        assert_eq!((pair.playback_rate(0.4, 0.7), pair.mixed_secs(0.4, 0.7)), (1.0, 0.4));
    }

    #[test]
    fn clips_without_common_markers_synchronize_by_duration() {
        let figure = sinew_samples::figure();
        let clip = |name| figure.find_clip(name).unwrap().clone();
        let (idle, wave) = (clip("idle"), clip("wave"));
        let pair = PosePair::synchronized(idle.clone(), wave.clone()).unwrap();
        let half = pair.second_time_secs(idle.duration_secs() * 0.5);
        assert!((half - wave.duration_secs() * 0.5).abs() < 1e-3);
        let empty = Arc::new(Clip::new("empty", vec![], vec![]).unwrap());
        assert_eq!(PosePair::synchronized(idle, empty), Err(SyncError::NoLength));
    }
}
