//! Samples an animated value: at frames and keys, and between them where straight lines would be too far off.

use super::curves::{CurveBreak, TakeRange};
use crate::ReadError;
use std::ops::Add;

/// The maximum number of frames that are sampled between two keys. Longer stretches are sampled evenly, and refined.
const MAX_FRAMES: f64 = 4096.0;

/// How often a stretch between two samples is divided again.
const MAX_DEPTH: usize = 6;

/// The maximum number of parts that one division makes.
const MAX_PARTS: f64 = 8.0;

/// A value over time that clips store as keys: the transform of a joint, or the weights of a mesh's morph targets.
pub(super) trait SampledValue {
    type Value: Clone;

    /// The value at a time on the file's timeline, in seconds.
    ///
    /// # Errors
    /// If the file has used up its budget.
    fn at(&self, time: f64) -> Result<Self::Value, ReadError>;

    /// The distance of `probe` from the straight line between two keys at `fraction` of the way, relative to the tolerance.
    fn deviation(&self, keys: [&Self::Value; 2], fraction: f64, probe: &Self::Value) -> f64;

    /// True if nothing moves around `time`, which lies between two moments.
    fn is_still(&self, time: f64) -> bool;
}

/// A key of a clip before it is rounded.
#[derive(Clone, Debug)]
pub(super) struct TakeSample<V> {
    /// The time of its key in the clip, in seconds.
    pub(super) time_secs: f32,
    /// The time at which it was taken on the file's timeline, in seconds.
    pub(super) taken_at: f64,
    pub(super) value: V,
}

impl<V> TakeSample<V> {
    /// How far it lies from the first to the second of two other samples.
    pub(super) fn fraction(&self, [from, to]: [&Self; 2]) -> f64 {
        ((self.taken_at - from.taken_at) / (to.taken_at - from.taken_at)).clamp(0.0, 1.0)
    }
}

/// At which times a take is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SampleRate {
    /// At frames and keys, and between them where the motion bends.
    Adaptive {
        /// The rate of the file, in frames per second.
        frames_per_sec: f64,
    },
    /// At frames and at the end of the take alone.
    Forced {
        /// The chosen rate, in frames per second.
        frames_per_sec: f64,
    },
}

/// The samples of one value.
pub(super) struct TakeSamples<V> {
    pub(super) samples: Vec<TakeSample<V>>,
    pub(super) notes: SampleNotes,
}

/// What sampling did that is not in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SampleNotes {
    /// The number of samples that are neither at a frame nor at a key of the file.
    pub(super) added: usize,
    /// The number of values that jump at the very end of the take, where the value before is kept.
    pub(super) end_jumps: usize,
}

impl Add for SampleNotes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { added: self.added + other.added, end_jumps: self.end_jumps + other.end_jumps }
    }
}

/// Samples `source` over a take. `breaks` are the moments at which it jumps or bends, with begin and end.
pub(super) fn sample<S: SampledValue>(
    source: &S,
    range: TakeRange,
    rate: SampleRate,
    breaks: &[CurveBreak],
) -> Result<TakeSamples<S::Value>, ReadError> {
    let mut sampler = TakeSampler { source, range, out: Vec::new(), notes: SampleNotes::default() };
    match rate {
        SampleRate::Adaptive { frames_per_sec } => sampler.adaptive(breaks, frames_per_sec)?,
        SampleRate::Forced { frames_per_sec } => sampler.forced(frames_per_sec)?,
    }
    Ok(TakeSamples { samples: sampler.out, notes: sampler.notes })
}

struct TakeSampler<'a, S: SampledValue> {
    source: &'a S,
    range: TakeRange,
    out: Vec<TakeSample<S::Value>>,
    notes: SampleNotes,
}

/// A value at a time on the file's timeline.
type Timed<'v, V> = (f64, &'v V);

impl<S: SampledValue> TakeSampler<'_, S> {
    fn adaptive(&mut self, breaks: &[CurveBreak], frames_per_sec: f64) -> Result<(), ReadError> {
        let mut from: Option<(f64, S::Value)> = None;
        for (index, moment) in breaks.iter().enumerate() {
            let goes_on = index + 1 < breaks.len();
            let at = self.source.at(moment.last)?;
            if let Some((time, value)) = &from {
                let before = if moment.may_jump { self.source.at(moment.before())? } else { at.clone() };
                self.stretch((*time, value), (moment.first, &before), frames_per_sec)?;
                if self.jumps(&before, &at) {
                    self.push(moment.last, before);
                    // A value at the very end lasts for no time, and a clip that repeats never shows it.
                    self.notes.end_jumps += usize::from(!goes_on);
                    if !goes_on {
                        break;
                    }
                }
            }
            self.push(moment.last, at.clone());
            let after = if moment.may_jump && goes_on { self.source.at(moment.after())? } else { at.clone() };
            if self.jumps(&at, &after) {
                self.push_after(moment.last, after.clone());
            }
            from = Some((moment.last, after));
        }
        Ok(())
    }

    fn forced(&mut self, frames_per_sec: f64) -> Result<(), ReadError> {
        let mut frame = 0.0;
        loop {
            let time = self.range.begin + frame / frames_per_sec;
            // A frame that differs from the end by rounding alone is the end.
            if time >= self.range.end - 1e-6 / frames_per_sec {
                break;
            }
            let value = self.source.at(time)?;
            self.push(time, value);
            frame += 1.0;
        }
        let value = self.source.at(self.range.end)?;
        self.push(self.range.end, value);
        Ok(())
    }

    /// The samples between two moments.
    fn stretch(
        &mut self,
        from: Timed<'_, S::Value>,
        to: Timed<'_, S::Value>,
        frames_per_sec: f64,
    ) -> Result<(), ReadError> {
        let length = to.0 - from.0;
        if length <= 0.0 || self.source.is_still(from.0 + length * 0.5) {
            return Ok(());
        }
        let begin = self.range.begin;
        let step = (1.0 / frames_per_sec).max(length / MAX_FRAMES);
        let is_frames = length * frames_per_sec <= MAX_FRAMES;
        // Frames count from the begin of the take, so that samples of the clip at its own frames are exact.
        let origin = if is_frames { begin } else { from.0 };
        let mut number = ((from.0 - origin) / step + 1e-6).floor() + 1.0;
        let mut last = (from.0, from.1.clone());
        loop {
            let time = origin + number * step;
            if time >= to.0 - step * 1e-6 {
                break;
            }
            let value = self.source.at(time)?;
            self.refine((last.0, &last.1), (time, &value), 0)?;
            self.push(time, value.clone());
            self.notes.added += usize::from(!is_frames);
            last = (time, value);
            number += 1.0;
        }
        self.refine((last.0, &last.1), to, 0)
    }

    /// Adds the samples that a straight line between two others needs, without these two.
    fn refine(
        &mut self,
        from: Timed<'_, S::Value>,
        to: Timed<'_, S::Value>,
        depth: usize,
    ) -> Result<(), ReadError> {
        // Off the middle, where an S-shaped curve crosses the line.
        const PROBE: f64 = 0.4;
        let length = to.0 - from.0;
        if depth == MAX_DEPTH || !self.has_room(from.0, to.0) {
            return Ok(());
        }
        let probe = self.source.at(from.0 + length * PROBE)?;
        // An S-shaped curve is twice as far off elsewhere.
        let deviation = 2.0 * self.source.deviation([from.1, to.1], PROBE, &probe);
        if deviation.is_nan() || deviation <= 1.0 {
            return Ok(());
        }
        let parts = deviation.sqrt().ceil().clamp(2.0, MAX_PARTS);
        let mut last = (from.0, from.1.clone());
        for part in 1..parts as usize {
            let time = from.0 + length * (part as f64 / parts);
            let value = self.source.at(time)?;
            self.refine((last.0, &last.1), (time, &value), depth + 1)?;
            self.push(time, value.clone());
            self.notes.added += 1;
            last = (time, value);
        }
        self.refine((last.0, &last.1), to, depth + 1)
    }

    /// True if single-precision times can be told apart between two others.
    fn has_room(&self, from: f64, to: f64) -> bool {
        let (from, to) = (self.clip_time(from), self.clip_time(to));
        from.next_up().next_up() < to
    }

    fn clip_time(&self, time: f64) -> f32 {
        (time - self.range.begin).clamp(0.0, self.range.duration_secs()) as f32
    }

    /// True if the difference between two values at one moment is seen.
    fn jumps(&self, a: &S::Value, b: &S::Value) -> bool {
        // Within the margin around a moment, continuous motion stays far below this.
        self.source.deviation([a, a], 0.0, b) > 0.05
    }

    fn push(&mut self, time: f64, value: S::Value) {
        self.out.push(TakeSample { time_secs: self.clip_time(time), taken_at: time, value });
    }

    /// Adds a value that holds from right after `time`.
    fn push_after(&mut self, time: f64, value: S::Value) {
        let end = self.range.duration_secs() as f32;
        let time_secs = self.clip_time(time).next_up().min(end);
        self.out.push(TakeSample { time_secs, taken_at: time, value });
    }
}

/// The indices of the keys that are needed so that straight lines between them pass all others; `is_between` says whether
/// a key lies on the line between two others.
pub(super) fn needed_keys(times_secs: &[f32], is_between: impl Fn([usize; 2], usize) -> bool) -> Vec<usize> {
    /// How many keys one line may replace, which bounds the work.
    const MAX_SPAN: usize = 256;
    let mut kept = Vec::new();
    let mut from = 0;
    while from < times_secs.len() {
        kept.push(from);
        let mut to = from + 1;
        while to + 1 < times_secs.len() && to + 1 - from <= MAX_SPAN {
            let next = to + 1;
            // Two keys at one time are a jump.
            let jumps = times_secs[to] == times_secs[next] || times_secs[from] == times_secs[to];
            if jumps || !(from + 1..next).all(|key| is_between([from, next], key)) {
                break;
            }
            to = next;
        }
        from = to;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_on_a_line_are_dropped_and_jumps_are_kept() {
        let times = [0.0, 1.0, 2.0, 2.0, 3.0, 4.0];
        let values: [f64; 6] = [0.0, 1.0, 2.0, 5.0, 5.0, 5.0];
        let is_between = |[a, b]: [usize; 2], k: usize| {
            let fraction = f64::from((times[k] - times[a]) / (times[b] - times[a]));
            (values[a] + (values[b] - values[a]) * fraction - values[k]).abs() < 1e-9
        };
        assert_eq!(needed_keys(&times, is_between), [0, 2, 3, 5]);
    }

    /// A number over time.
    struct Number<F>(F);

    impl<F: Fn(f64) -> f64> SampledValue for Number<F> {
        type Value = f64;

        fn at(&self, time: f64) -> Result<f64, ReadError> {
            Ok(self.0(time))
        }

        fn deviation(&self, [from, to]: [&f64; 2], fraction: f64, probe: &f64) -> f64 {
            (from + (to - from) * fraction - probe).abs() / 1e-5
        }

        fn is_still(&self, _: f64) -> bool {
            false
        }
    }

    fn at(samples: &[TakeSample<f64>], time: f32) -> f64 {
        let next = samples.partition_point(|s| s.time_secs <= time).clamp(1, samples.len() - 1);
        let (a, b) = (&samples[next - 1], &samples[next]);
        a.value + (b.value - a.value) * f64::from((time - a.time_secs) / (b.time_secs - a.time_secs)).min(1.0)
    }

    #[test]
    fn bent_motion_is_sampled_until_lines_are_near_enough() {
        let range = TakeRange { begin: -1.0, end: 2.0 };
        let motion = |t: f64| (3.0 * t).sin() + t * t * t;
        let breaks = [range.begin, range.end].map(CurveBreak::bend);
        let rate = SampleRate::Adaptive { frames_per_sec: 24.0 };
        let taken = sample(&Number(motion), range, rate, &breaks).unwrap();
        assert_eq!(taken.samples.len(), taken.notes.added + 73);
        for step in 0..=1000_u16 {
            let time = f32::from(step) * 0.003;
            let off = (at(&taken.samples, time) - motion(f64::from(time) - 1.0)).abs();
            // Times are rounded to single precision.
            assert!(off < 1.3e-5, "off by {off} at {time}");
        }
    }

    #[test]
    fn a_jump_has_a_key_on_each_side() {
        let range = TakeRange { begin: 0.0, end: 2.0 };
        let jump = CurveBreak { may_jump: true, ..CurveBreak::bend(1.0) };
        let breaks = [CurveBreak::bend(0.0), jump, CurveBreak::bend(2.0)];
        let rate = SampleRate::Adaptive { frames_per_sec: 1.0 };
        let keys = |motion: fn(f64) -> f64| -> Vec<(f32, f64)> {
            let taken = sample(&Number(motion), range, rate, &breaks).unwrap();
            taken.samples.iter().map(|s| (s.time_secs, s.value)).collect()
        };
        let held = keys(|t| if t < 1.0 { 3.0 } else { 5.0 });
        assert_eq!(held, [(0.0, 3.0), (1.0, 3.0), (1.0, 5.0), (2.0, 5.0)]);
        let early = keys(|t| if t <= 1.0 { 3.0 } else { 5.0 });
        assert_eq!(early, [(0.0, 3.0), (1.0, 3.0), (1_f32.next_up(), 5.0), (2.0, 5.0)]);
    }

    #[test]
    fn a_forced_rate_has_frames_and_the_end_alone() {
        let range = TakeRange { begin: 1.0, end: 2.05 };
        let rate = SampleRate::Forced { frames_per_sec: 10.0 };
        let taken = sample(&Number(|t| t), range, rate, &[]).unwrap();
        assert_eq!((taken.samples.len(), taken.notes.added), (12, 0));
        assert_eq!(taken.samples[11].time_secs, 1.05_f64 as f32);
    }
}
