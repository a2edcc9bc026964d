//! Trims a clip to a time range.

use super::{CurveEdit, CurveValue, MotionError, edit_curves, hold_until, is_cubic, key_parts};
use sinew::{
    Clip, Curve, CurveError, TimeRange,
    sample::{Interpolate, sample_curve_into},
};

/// The part of `clip` in `range`, as a clip that starts at 0.
///
/// Curves get a key at either end, so the motion in between is the same; only a cubic rotation curve that is cut between keys
/// differs slightly near the cut. Curves with one key are unchanged. Events at the ends are kept. The clip lasts as long as
/// the range.
///
/// # Errors
/// Only in case of a bug; no valid clip causes one.
pub fn trimmed(clip: &Clip, range: TimeRange) -> Result<Clip, MotionError> {
    let (start, end) = (range.start_secs(), range.end_secs());
    let mut parts = clip.clone().into_parts();
    parts.events.retain(|e| (start..=end).contains(&e.time_secs));
    for event in &mut parts.events {
        event.time_secs -= start;
    }
    edit_curves(&mut parts, &Trim { start, end })?;
    parts.duration_secs = parts.duration_secs.map(|_| end - start);
    hold_until(&mut parts, end - start);
    Ok(Clip::from_parts(parts)?)
}

struct Trim {
    start: f32,
    end: f32,
}

impl CurveEdit for Trim {
    fn edit<T: Interpolate + CurveValue>(&self, curve: &Curve<T>) -> Result<Curve<T>, CurveError> {
        let (width, interpolation) = (curve.width(), curve.interpolation());
        if curve.key_count() == 1 {
            return Curve::with_width(width, vec![0.0], curve.elements().to_vec(), interpolation);
        }
        let (mut times, mut elements) = (vec![0.0], key_at(curve, self.start));
        for (key, &time) in curve.times_secs().iter().enumerate() {
            if time > self.start && time <= self.end {
                times.push(time - self.start);
                elements.extend(inner_key(curve, key));
            }
        }
        let length = self.end - self.start;
        if times.last().is_some_and(|&last| last < length) {
            times.push(length);
            elements.extend(key_at(curve, self.end));
        }
        Curve::with_width(width, times, elements, interpolation)
    }
}

/// A key of `curve`. The curve is constant before the first and after the last key, so they have no slope on that side.
fn inner_key<T: CurveValue>(curve: &Curve<T>, key: usize) -> Vec<T> {
    let (mut parts, width) = (key_parts(curve, key).to_vec(), curve.width());
    if is_cubic(curve) && key == 0 {
        parts[..width].fill_with(|| flat(curve.key(0)[0]));
    }
    if is_cubic(curve) && key + 1 == curve.key_count() {
        parts[2 * width..].fill_with(|| flat(curve.key(0)[0]));
    }
    parts
}

/// A slope of zero, of the type of `value`.
fn flat<T: CurveValue>(value: T) -> T {
    T::sum([(value, 0.0); 4])
}

/// A key of `curve` at any time, with tangents if the curve is cubic.
pub(super) fn key_at<T: Interpolate + CurveValue>(curve: &Curve<T>, time: f32) -> Vec<T> {
    let mut values = curve.key(0).to_vec();
    if !is_cubic(curve) {
        sample_curve_into(curve, time, &mut values);
        return values;
    }
    let width = curve.width();
    let times = curve.times_secs();
    let passed = times.partition_point(|&t| t <= time);
    let (before, after) = match (passed.checked_sub(1), times.get(passed)) {
        (Some(before), _) if times[before] >= time => return key_parts(curve, before).to_vec(),
        (Some(before), Some(_)) => (before, passed),
        // The curve is constant beyond its ends.
        (Some(last), None) => return held(curve, last),
        (None, _) => return held(curve, 0),
    };
    let seconds = times[after] - times[before];
    let (from, to) = (key_parts(curve, before), key_parts(curve, after));
    let [value_weights, slope_weights] = hermite((time - times[before]) / seconds, seconds);
    let part = |weights: [f32; 4], n: usize| {
        let terms = [from[width + n], to[width + n], from[2 * width + n], to[n]];
        T::sum(std::array::from_fn(|k| (terms[k], weights[k])))
    };
    let slopes: Vec<T> = (0..width).map(|n| part(slope_weights, n)).collect();
    let values: Vec<T> = (0..width).map(|n| part(value_weights, n).as_key()).collect();
    [slopes.as_slice(), &values, &slopes].concat()
}

/// A key with the value of `key` and zero slope.
fn held<T: CurveValue>(curve: &Curve<T>, key: usize) -> Vec<T> {
    let value = curve.key(key);
    let slopes: Vec<T> = value.iter().map(|&v| flat(v)).collect();
    [slopes.as_slice(), value, &slopes].concat()
}

/// The Hermite weights of two values and two slopes, for the value and for the slope at fraction `t`.
fn hermite(t: f32, seconds: f32) -> [[f32; 4]; 2] {
    let (t2, t3) = (t * t, t * t * t);
    let to = 3.0 * t2 - 2.0 * t3;
    let rise = (6.0 * t - 6.0 * t2) / seconds;
    [
        [1.0 - to, to, (t3 - 2.0 * t2 + t) * seconds, (t3 - t2) * seconds],
        [-rise, rise, 3.0 * t2 - 4.0 * t + 1.0, 3.0 * t2 - 2.0 * t],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{
        Channel, ClipEvent, Interpolation, JointId, Wrap,
        glam::Vec3,
        sample::{Deviation, sample_curve},
        sample_clip,
    };

    #[test]
    fn the_part_moves_as_the_whole_did() {
        let figure = sinew_samples::figure();
        let mut deviation = Deviation::new(figure.skeleton(), 0.05);
        for clip in figure.clips() {
            let (start, end) = (0.213, 0.213 + clip.duration_secs() * 0.4);
            let part = trimmed(clip, TimeRange::new(start, end).unwrap()).unwrap();
            assert!((part.duration_secs() - (end - start)).abs() < 1e-6);
            let (mut a, mut b) = (figure.rest_pose(), figure.rest_pose());
            for step in 0..=60_u8 {
                let time = part.duration_secs() * f32::from(step) / 60.0;
                sample_clip(clip, start + time, Wrap::Clamp, &mut a);
                sample_clip(&part, time, Wrap::Clamp, &mut b);
                let off = deviation.between(&a, &b);
                assert!(off < 5e-5, "{} at {time}: {off}", clip.name());
            }
        }
    }

    #[test]
    fn splines_are_cut_exactly_and_hold_beyond_their_ends() {
        let keys = vec![Vec3::X, Vec3::Y, Vec3::Z * 3.0, Vec3::X * 2.0, Vec3::ONE, Vec3::NEG_Y];
        let curve = Curve::new(vec![0.5, 2.5], keys, Interpolation::Cubic).unwrap();
        let clip =
            Clip::new("c", vec![Channel::Translation { joint: JointId(0), curve: curve.clone() }], vec![])
                .unwrap();
        for (start, end) in [(0.9, 2.1), (0.5, 1.0), (0.0, 4.0), (1.0, 2.5)] {
            let part = trimmed(&clip, TimeRange::new(start, end).unwrap()).unwrap();
            let Channel::Translation { curve: got, .. } = &part.channels()[0] else { panic!("it stays one") };
            for step in 0..=20_u8 {
                let time = (end - start) * f32::from(step) / 20.0;
                let off = sample_curve(got, time) - sample_curve(&curve, start + time);
                assert!(off.length() < 1e-5, "{start} to {end} at {time}: {off}");
            }
        }
    }

    #[test]
    fn events_at_the_ends_stay_and_those_outside_go() {
        let events = [0.0, 1.0, 1.5, 2.0, 2.5].map(|time_secs| ClipEvent {
            time_secs,
            name: "e".into(),
            payload: None,
        });
        let clip = Clip::new("c", vec![], events.to_vec()).unwrap();
        let part = trimmed(&clip, TimeRange::new(1.0, 2.0).unwrap()).unwrap();
        let times: Vec<f32> = part.events().iter().map(|e| e.time_secs).collect();
        assert_eq!(times, [0.0, 0.5, 1.0]);
    }
}
