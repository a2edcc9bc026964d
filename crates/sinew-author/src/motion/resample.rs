//! Resamples clips at a constant rate.

use super::{CurveEdit, CurveValue, MotionError, edit_curves, error::positive};
use sinew::{
    Channel, Clip, Curve, CurveError, Interpolation,
    sample::{Interpolate, sample_curve_into},
};

/// The maximum number of values of all curves together: a damaged file can claim any duration.
const MAX_VALUES: f64 = 33_554_432.0;

/// `clip` with `rate_hz` keys per second on every curve, including meta-channels, and one key at its end.
///
/// Cubic curves become linear. Step curves stay step curves, with changes moved to the next key. Curves with one key are
/// unchanged.
///
/// # Errors
/// If the rate is not positive, or gives all curves together more than 33 million values.
pub fn resampled(clip: &Clip, rate_hz: f32) -> Result<Clip, MotionError> {
    positive("rate_hz", rate_hz)?;
    let (rate, duration) = (f64::from(rate_hz), clip.duration_secs());
    // A duration slightly over a whole number of steps needs no additional step.
    let steps = (f64::from(duration) * rate - 1e-3).ceil().max(1.0);
    if steps * values_per_key(clip) >= MAX_VALUES {
        let (value, wanted) = (rate, "low enough for 33 million values");
        return Err(MotionError::BadOption { option: "rate_hz", value, wanted });
    }
    let steady = (0..steps as usize).map(|k| (k as f64 / rate) as f32);
    let times = steady.chain([duration]).collect();
    let mut parts = clip.clone().into_parts();
    edit_curves(&mut parts, &Resample { times })?;
    Ok(Clip::from_parts(parts)?)
}

/// The number of values that every step adds, at least one.
fn values_per_key(clip: &Clip) -> f64 {
    let width = |channel: &Channel| match channel {
        Channel::Translation { .. } | Channel::Rotation { .. } | Channel::Scale { .. } => 1,
        Channel::Morphs { curve, .. } => curve.width(),
    };
    let resampled = clip.channels().iter().filter(|channel| channel.key_count() > 1);
    (resampled.map(width).sum::<usize>() + clip.metas().len()).max(1) as f64
}

struct Resample {
    times: Vec<f32>,
}

impl CurveEdit for Resample {
    fn edit<T: Interpolate + CurveValue>(&self, curve: &Curve<T>) -> Result<Curve<T>, CurveError> {
        if curve.key_count() == 1 {
            return Ok(curve.clone());
        }
        let width = curve.width();
        let mut values: Vec<T> = Vec::with_capacity(self.times.len() * width);
        let mut row = curve.key(0).to_vec();
        let mut before = row.clone();
        for &time in &self.times {
            sample_curve_into(curve, time, &mut row);
            for (value, before) in row.iter_mut().zip(&mut before) {
                *value = value.near(*before);
                *before = *value;
            }
            values.extend_from_slice(&row);
        }
        let interpolation = match curve.interpolation() {
            Interpolation::Step => Interpolation::Step,
            Interpolation::Linear | Interpolation::Cubic => Interpolation::Linear,
        };
        Curve::with_width(width, self.times.clone(), values, interpolation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{
        JointId, Wrap,
        glam::Vec3,
        sample::{Deviation, sample_curve},
        sample_clip,
    };

    #[test]
    fn a_finer_rate_follows_the_clip_to_its_end() {
        let figure = sinew_samples::figure();
        let walk = figure.find_clip("walk").unwrap();
        let fine = resampled(walk, 240.0).unwrap();
        assert_eq!(fine.duration_secs(), walk.duration_secs());
        let mut deviation = Deviation::new(figure.skeleton(), 0.05);
        let (mut a, mut b) = (figure.rest_pose(), figure.rest_pose());
        for step in 0..100_u8 {
            let time = f32::from(step) * 0.0107;
            sample_clip(walk, time, Wrap::Clamp, &mut a);
            sample_clip(&fine, time, Wrap::Clamp, &mut b);
            let off = deviation.between(&a, &b);
            assert!(off < 1e-3, "at {time}: {off}");
        }
    }

    #[test]
    fn step_curves_stay_step_and_cubic_curves_become_linear() {
        let keys = vec![Vec3::ZERO, Vec3::X, Vec3::ZERO, Vec3::ZERO, Vec3::Y, Vec3::ZERO];
        let spline = Curve::new(vec![0.0, 1.0], keys, Interpolation::Cubic).unwrap();
        let steps = Curve::new(vec![0.0, 0.5], vec![Vec3::X, Vec3::Y], Interpolation::Step).unwrap();
        let channels = vec![
            Channel::Translation { joint: JointId(0), curve: spline.clone() },
            Channel::Scale { joint: JointId(0), curve: steps },
        ];
        let clip = resampled(&Clip::new("c", channels, vec![]).unwrap(), 10.0).unwrap();
        let Channel::Translation { curve, .. } = &clip.channels()[0] else { panic!("it stays one") };
        assert_eq!((curve.key_count(), curve.interpolation()), (11, Interpolation::Linear));
        assert!((sample_curve(curve, 0.3) - sample_curve(&spline, 0.3)).length() < 1e-6);
        assert_eq!(clip.channels()[1].interpolation(), Interpolation::Step);
    }

    #[test]
    fn all_curves_together_have_a_limit() {
        let curve = || Curve::new(vec![0.0, 1e6], vec![Vec3::X; 2], Interpolation::Linear).unwrap();
        let channel = |joint| Channel::Translation { joint: JointId(joint), curve: curve() };
        let clip = |joints| Clip::new("c", (0..joints).map(channel).collect(), vec![]).unwrap();
        assert!(matches!(resampled(&clip(40), 1.0), Err(MotionError::BadOption { .. })));
        assert_eq!(resampled(&clip(2), 0.001).unwrap().channels()[0].key_count(), 1001);
    }

    #[test]
    fn rejects_invalid_rates() {
        let clip = Clip::new(
            "c",
            vec![],
            vec![sinew::ClipEvent { time_secs: 1e9, name: "e".into(), payload: None }],
        );
        let clip = clip.unwrap();
        for rate in [0.0, -1.0, f32::NAN, f32::INFINITY, 1.0] {
            assert!(matches!(resampled(&clip, rate), Err(MotionError::BadOption { .. })), "{rate}");
        }
    }
}
