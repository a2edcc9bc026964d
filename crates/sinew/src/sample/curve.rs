//! Sampling of keyed curves.

use super::Interpolate;
use crate::asset::curve::{Curve, Interpolation};

/// The first value of `curve` at `time_secs`, clamped to the first and last key.
pub fn sample_curve<T: Interpolate>(curve: &Curve<T>, time_secs: f32) -> T {
    sample_at(curve, KeySegment::find(curve.times_secs(), time_secs), 0)
}

/// [`sample_curve`] that starts the search at the key `hint` and stores the key that it finds there.
///
/// The result does not depend on the hint. A hint at or next to the right key avoids the search.
pub fn sample_curve_from<T: Interpolate>(curve: &Curve<T>, time_secs: f32, hint: &mut u32) -> T {
    sample_at(curve, KeySegment::find_from(curve.times_secs(), time_secs, hint), 0)
}

/// Writes the values of `curve` at `time_secs` to `out`, as many as fit.
pub fn sample_curve_into<T: Interpolate>(curve: &Curve<T>, time_secs: f32, out: &mut [T]) {
    sample_all(curve, KeySegment::find(curve.times_secs(), time_secs), out);
}

/// [`sample_curve_into`] with a hint, as [`sample_curve_from`].
pub(super) fn sample_curve_into_from<T: Interpolate>(
    curve: &Curve<T>,
    time_secs: f32,
    hint: &mut u32,
    out: &mut [T],
) {
    sample_all(curve, KeySegment::find_from(curve.times_secs(), time_secs, hint), out);
}

fn sample_all<T: Interpolate>(curve: &Curve<T>, segment: KeySegment, out: &mut [T]) {
    for (element, out) in out.iter_mut().take(curve.width()).enumerate() {
        *out = sample_at(curve, segment, element);
    }
}

/// The position of a time among keys.
#[derive(Clone, Copy, Debug, PartialEq)]
enum KeySegment {
    /// At this key, or beyond the ends.
    On(usize),
    /// After this key and before the next.
    After { key: usize, fraction: f32, seconds: f32 },
}

impl KeySegment {
    /// `times` is not empty and ascends; keys with equal times are a jump.
    fn find(times: &[f32], time: f32) -> Self {
        // NaN compares false with every key and gives the first.
        Self::after(times, time, times.partition_point(|&t| t <= time))
    }

    /// The same, but tries the keys around `hint` before a search. `hint` is set to the key that is found.
    fn find_from(times: &[f32], time: f32, hint: &mut u32) -> Self {
        let is_passed = |passed: usize| {
            (passed == 0 || times[passed - 1] <= time)
                && times.get(passed).is_none_or(|&t| t > time || time.is_nan())
        };
        let key = *hint as usize;
        let near = [key.saturating_add(1), key.saturating_add(2), key];
        let near = near.into_iter().find(|&n| n <= times.len() && is_passed(n));
        let passed = near.unwrap_or_else(|| times.partition_point(|&t| t <= time));
        *hint = passed.saturating_sub(1) as u32;
        Self::after(times, time, passed)
    }

    /// `passed` keys are at or before the time.
    fn after(times: &[f32], time: f32, passed: usize) -> Self {
        if passed == 0 {
            return Self::On(0);
        }
        let key = passed - 1;
        match times.get(passed) {
            Some(&next) if time > times[key] => {
                let seconds = next - times[key];
                Self::After { key, fraction: (time - times[key]) / seconds, seconds }
            }
            _ => Self::On(key),
        }
    }
}

fn sample_at<T: Interpolate>(curve: &Curve<T>, segment: KeySegment, element: usize) -> T {
    let (key, fraction, seconds) = match segment {
        KeySegment::On(key) => return curve.key(key)[element],
        KeySegment::After { key, fraction, seconds } => (key, fraction, seconds),
    };
    let (from, to) = (curve.key(key)[element], curve.key(key + 1)[element]);
    match curve.interpolation() {
        Interpolation::Step => from,
        Interpolation::Linear => T::linear(from, to, fraction),
        Interpolation::Cubic => {
            let leave = curve.part(key, 2)[element];
            let arrive = curve.part(key + 1, 0)[element];
            T::hermite([from, to], [leave, arrive], fraction, seconds)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_hint_changes_no_bit(
            steps in prop::collection::vec(0_u8..4, 1..12),
            looks in prop::collection::vec((-1.0_f32..9.0, any::<u8>()), 1..20),
        ) {
            let times: Vec<f32> = steps
                .iter()
                .scan(0.0, |sum, &s| { *sum += f32::from(s) * 0.25; Some(*sum) })
                .collect();
            let values: Vec<f32> = (0..times.len()).map(|k| (k as f32 * 1.7).sin()).collect();
            let curve = Curve::new(times, values, Interpolation::Linear).unwrap();
            let mut hint = 0;
            for (time, other) in looks {
                let time = if other > 250 { f32::NAN } else if other > 200 { (time * 4.0).round() / 4.0 } else { time };
                if other < 30 {
                    hint = u32::MAX - u32::from(other);
                }
                let want = sample_curve(&curve, time);
                prop_assert_eq!(sample_curve_from(&curve, time, &mut hint).to_bits(), want.to_bits());
            }
        }
    }
}
