//! Removes redundant keys of a curve.

use super::key_parts;
use sinew::{Curve, CurveError, Interpolation, sample::Interpolate};
use std::ops::RangeInclusive;

/// `curve` without the keys that the others reproduce within `tolerance`, as `off` measures it.
///
/// Cubic curves are unchanged. A constant keeps one key, or two if `keeps_end` is set.
pub(crate) fn simplified<T: Interpolate>(
    curve: &Curve<T>,
    tolerance: f32,
    keeps_end: bool,
    off: impl Fn(T, T) -> f32,
) -> Result<Curve<T>, CurveError> {
    let keys: Vec<usize> = match curve.interpolation() {
        Interpolation::Cubic => return Ok(curve.clone()),
        Interpolation::Step => changes(curve, tolerance, &off),
        Interpolation::Linear => corners(curve, tolerance, &off),
    };
    let last = curve.key_count() - 1;
    let is_constant = (1..=last).all(|key| row_off(curve.key(0), curve.key(key), &off) <= tolerance);
    let mut keys = if is_constant { vec![0] } else { keys };
    if keeps_end && keys.last() != Some(&last) {
        keys.push(last);
    }
    let times = keys.iter().map(|&key| curve.times_secs()[key]).collect();
    let elements = keys.iter().flat_map(|&key| key_parts(curve, key)).copied().collect();
    Curve::with_width(curve.width(), times, elements, curve.interpolation())
}

/// The largest difference between the values of two keys.
fn row_off<T: Copy>(a: &[T], b: &[T], off: &impl Fn(T, T) -> f32) -> f32 {
    a.iter().zip(b).map(|(&a, &b)| off(a, b)).fold(0.0, f32::max)
}

/// The first key, and each key that differs from the last one kept.
fn changes<T: Copy>(curve: &Curve<T>, tolerance: f32, off: &impl Fn(T, T) -> f32) -> Vec<usize> {
    let mut kept = vec![0];
    let mut held = 0;
    for key in 1..curve.key_count() {
        if row_off(curve.key(held), curve.key(key), off) > tolerance {
            kept.push(key);
            held = key;
        }
    }
    kept
}

/// The keys between which linear interpolation stays close to all others, including the first and the last key.
fn corners<T: Interpolate>(curve: &Curve<T>, tolerance: f32, off: &impl Fn(T, T) -> f32) -> Vec<usize> {
    let last = curve.key_count() - 1;
    let mut kept = vec![0];
    let mut from = 0;
    while from < last {
        // Exponential search while the line holds, then bisection.
        let (mut good, mut stride) = (from + 1, 1);
        let mut bad = last + 1;
        while good + stride <= last {
            if !spans(curve, from..=good + stride, tolerance, off) {
                bad = good + stride;
                break;
            }
            good += stride;
            stride *= 2;
        }
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            if middle <= last && spans(curve, from..=middle, tolerance, off) {
                good = middle;
            } else {
                bad = middle;
            }
        }
        kept.push(good);
        from = good;
    }
    kept
}

/// True if linear interpolation between the first and the last of `keys` stays close to all keys in between.
fn spans<T: Interpolate>(
    curve: &Curve<T>,
    keys: RangeInclusive<usize>,
    tolerance: f32,
    off: &impl Fn(T, T) -> f32,
) -> bool {
    let times = curve.times_secs();
    let (from, to) = keys.into_inner();
    let seconds = times[to] - times[from];
    // A line cannot cross a jump.
    let has_jump = times[from..=to].windows(2).any(|pair| pair[0] >= pair[1]);
    !has_jump
        && (from + 1..to).all(|key| {
            let fraction = (times[key] - times[from]) / seconds;
            let ends = curve.key(from).iter().zip(curve.key(to));
            let line = ends.map(|(&a, &b)| T::linear(a, b, fraction));
            line.zip(curve.key(key)).all(|(got, &want)| off(got, want) <= tolerance)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(values: &[f32], interpolation: Interpolation) -> Curve<f32> {
        let times = (0..values.len()).map(|k| k as f32).collect();
        Curve::new(times, values.to_vec(), interpolation).unwrap()
    }

    fn kept(curve: &Curve<f32>, tolerance: f32, keeps_end: bool) -> Vec<f32> {
        let out = simplified(curve, tolerance, keeps_end, |a, b| (a - b).abs()).unwrap();
        out.times_secs().to_vec()
    }

    #[test]
    fn straight_runs_keep_their_ends() {
        let bent = line(&[0.0, 1.0, 2.0, 3.0, 4.0, 3.0, 2.0, 2.0, 2.0], Interpolation::Linear);
        assert_eq!(kept(&bent, 1e-6, false), [0.0, 4.0, 6.0, 8.0]);
        let long: Vec<f32> = (0..1000).map(|k| k as f32 * 0.5).collect();
        assert_eq!(kept(&line(&long, Interpolation::Linear), 1e-3, false), [0.0, 999.0]);
    }

    #[test]
    fn constants_keep_one_key_and_steps_their_changes() {
        let flat = line(&[2.0; 5], Interpolation::Linear);
        assert_eq!(kept(&flat, 0.0, false), [0.0]);
        assert_eq!(kept(&flat, 0.0, true), [0.0, 4.0]);
        let steps = line(&[1.0, 1.0, 2.0, 2.0, 1.0], Interpolation::Step);
        assert_eq!(kept(&steps, 0.0, false), [0.0, 2.0, 4.0]);
    }

    #[test]
    fn jumps_stay() {
        let curve =
            Curve::new(vec![0.0, 1.0, 1.0, 2.0], vec![0.0, 0.0, 5.0, 5.0], Interpolation::Linear).unwrap();
        assert_eq!(kept(&curve, 0.1, false), [0.0, 1.0, 1.0, 2.0]);
    }
}
