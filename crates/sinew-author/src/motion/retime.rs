//! Durations and times of whole clips.

use super::{
    CurveEdit, CurveValue, MotionError, edit_curves, error::not_negative, error::positive, is_cubic,
};
use sinew::{Channel, Clip, ClipParts, Curve, CurveError, sample::Interpolate};

/// `clip` with a duration of `duration_secs`. Keys stay where they are; the last ones hold until the end.
///
/// # Errors
/// If the duration is negative or not finite, or a key or an event is later.
pub fn lasting(clip: &Clip, duration_secs: f32) -> Result<Clip, MotionError> {
    not_negative("duration_secs", duration_secs)?;
    let last_key_secs = clip.last_key_secs();
    if duration_secs < last_key_secs {
        return Err(MotionError::KeysBeyond { clip: clip.name().into(), last_key_secs, duration_secs });
    }
    Ok(clip.clone().with_duration(Some(duration_secs))?)
}

/// `clip` played faster or slower, so that it lasts `duration_secs`. Keys, tangents and events scale with it.
///
/// # Errors
/// If the duration is not positive, or the clip has none.
pub fn retimed(clip: &Clip, duration_secs: f32) -> Result<Clip, MotionError> {
    positive("duration_secs", duration_secs)?;
    let before = clip.duration_secs();
    if before <= 0.0 {
        return Err(MotionError::NoDuration { clip: clip.name().into() });
    }
    let factor = f64::from(duration_secs) / f64::from(before);
    let mut parts = clip.clone().into_parts();
    let edit = Retime { factor, offset_secs: 0.0, end_secs: duration_secs };
    for event in &mut parts.events {
        event.time_secs = edit.time(event.time_secs);
    }
    edit_curves(&mut parts, &edit)?;
    parts.duration_secs = parts.duration_secs.map(|_| duration_secs);
    Ok(Clip::from_parts(parts)?)
}

/// `clip` with every key and event moved by `by_secs`, and its end as well. A curve with one key holds everywhere and is not
/// an obstacle.
///
/// # Errors
/// If the shift is not finite, or a key or an event would come before the start of the clip.
pub fn shifted(clip: &Clip, by_secs: f32) -> Result<Clip, MotionError> {
    if !by_secs.is_finite() {
        return Err(MotionError::BadOption { option: "by_secs", value: by_secs.into(), wanted: "finite" });
    }
    let first_key_secs = first_key_secs(clip.parts());
    if first_key_secs + by_secs < 0.0 {
        return Err(MotionError::KeysBefore { clip: clip.name().into(), first_key_secs, by_secs });
    }
    let mut parts = clip.clone().into_parts();
    let edit = Retime { factor: 1.0, offset_secs: by_secs, end_secs: f32::INFINITY };
    for event in &mut parts.events {
        event.time_secs = edit.time(event.time_secs);
    }
    edit_curves(&mut parts, &edit)?;
    parts.duration_secs = parts.duration_secs.map(|duration| (duration + by_secs).max(0.0));
    Ok(Clip::from_parts(parts)?)
}

/// The time of the first event, or the first key of a curve with several.
fn first_key_secs(parts: &ClipParts) -> f32 {
    let curves = parts.channels.iter().map(Channel::times_secs);
    let curves = curves.chain(parts.metas.iter().map(|meta| meta.curve.times_secs()));
    let keys = curves.filter(|times| times.len() > 1).map(|times| times[0]);
    let first = keys.chain(parts.events.iter().map(|event| event.time_secs)).fold(f32::INFINITY, f32::min);
    if first.is_finite() { first } else { parts.duration_secs.unwrap_or_default() }
}

/// Scales times, then moves them.
struct Retime {
    factor: f64,
    offset_secs: f32,
    end_secs: f32,
}

impl Retime {
    /// The new time of `secs`. Rounding moves nothing beyond the end or before the start.
    fn time(&self, secs: f32) -> f32 {
        let scaled = (f64::from(secs) * self.factor) as f32;
        (scaled + self.offset_secs).clamp(0.0, self.end_secs)
    }
}

impl CurveEdit for Retime {
    fn edit<T: Interpolate + CurveValue>(&self, curve: &Curve<T>) -> Result<Curve<T>, CurveError> {
        let times = curve.times_secs().iter().map(|&secs| self.time(secs)).collect();
        let mut elements = curve.elements().to_vec();
        if is_cubic(curve) {
            // Tangents are per second, so a slower curve has smaller ones.
            let (width, slower) = (curve.width(), (1.0 / self.factor) as f32);
            for key in elements.chunks_mut(3 * width) {
                for (place, element) in key.iter_mut().enumerate() {
                    if !(width..2 * width).contains(&place) {
                        *element =
                            T::sum([(*element, slower), (*element, 0.0), (*element, 0.0), (*element, 0.0)]);
                    }
                }
            }
        }
        Curve::with_width(curve.width(), times, elements, curve.interpolation())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{
        Interpolation, JointId, Wrap,
        glam::Vec3,
        sample::{Deviation, sample_curve},
        sample_clip,
    };

    #[test]
    fn a_longer_clip_holds_its_last_pose_and_keys_are_never_cut() {
        let figure = sinew_samples::figure();
        let walk = figure.find_clip("walk").unwrap();
        let end = walk.duration_secs();
        let longer = lasting(walk, end + 1.0).unwrap();
        assert_eq!((longer.duration_secs(), longer.last_key_secs()), (end + 1.0, end));
        let (mut a, mut b) = (figure.rest_pose(), figure.rest_pose());
        sample_clip(walk, end, Wrap::Clamp, &mut a);
        sample_clip(&longer, end + 0.9, Wrap::Clamp, &mut b);
        assert_eq!(a, b);
        let error = lasting(walk, end * 0.5).unwrap_err();
        assert!(matches!(error, MotionError::KeysBeyond { .. }), "{error}");
        assert!(matches!(lasting(walk, f32::NAN), Err(MotionError::BadOption { .. })));
        assert_eq!(lasting(&longer, end).unwrap().duration_secs(), end);
    }

    #[test]
    fn a_retimed_clip_plays_the_same_at_another_speed() {
        let figure = sinew_samples::figure();
        let mut deviation = Deviation::new(figure.skeleton(), 0.05);
        for clip in figure.clips().iter().filter(|clip| clip.duration_secs() > 0.0) {
            let slow = retimed(clip, 3.7).unwrap();
            assert_eq!(slow.duration_secs(), 3.7, "{}", clip.name());
            let (mut a, mut b) = (figure.rest_pose(), figure.rest_pose());
            for step in 0..=50_u8 {
                let phase = f32::from(step) / 50.0;
                sample_clip(clip, clip.duration_secs() * phase, Wrap::Clamp, &mut a);
                sample_clip(&slow, 3.7 * phase, Wrap::Clamp, &mut b);
                assert!(deviation.between(&a, &b) < 1e-4, "{} at {phase}", clip.name());
            }
        }
        let still = Clip::new("c", vec![], vec![]).unwrap();
        assert!(matches!(retimed(&still, 1.0), Err(MotionError::NoDuration { .. })));
        assert!(matches!(retimed(&still, 0.0), Err(MotionError::BadOption { .. })));
        assert_eq!(retimed(&Clip::empty("c", 2.0).unwrap(), 0.5).unwrap().duration_secs(), 0.5);
    }

    #[test]
    fn tangents_scale_with_the_time() {
        let keys = vec![Vec3::ZERO, Vec3::X, Vec3::Y * 3.0, Vec3::Z, Vec3::ONE, Vec3::ZERO];
        let curve = Curve::new(vec![0.0, 2.0], keys, Interpolation::Cubic).unwrap();
        let channel = Channel::Translation { joint: JointId(0), curve: curve.clone() };
        let clip = retimed(&Clip::new("c", vec![channel], vec![]).unwrap(), 5.0).unwrap();
        let Channel::Translation { curve: slow, .. } = &clip.channels()[0] else { panic!("it stays one") };
        for step in 0..=20_u8 {
            let phase = f32::from(step) / 20.0;
            let off = sample_curve(slow, 5.0 * phase) - sample_curve(&curve, 2.0 * phase);
            assert!(off.length() < 1e-5, "{phase}: {off}");
        }
    }

    #[test]
    fn a_shifted_clip_starts_later_and_back_again() {
        let figure = sinew_samples::figure();
        let walk = figure.find_clip("walk").unwrap();
        let late = shifted(walk, 0.5).unwrap();
        assert!((late.duration_secs() - walk.duration_secs() - 0.5).abs() < 1e-6);
        assert!((late.events()[0].time_secs - walk.events()[0].time_secs - 0.5).abs() < 1e-6);
        let back = shifted(&late, -0.5).unwrap();
        assert!((back.duration_secs() - walk.duration_secs()).abs() < 1e-6);
        assert!(matches!(shifted(walk, -0.5), Err(MotionError::KeysBefore { .. })));
        assert!(matches!(shifted(walk, f32::NAN), Err(MotionError::BadOption { .. })));
        assert_eq!(shifted(&Clip::empty("c", 2.0).unwrap(), 1.0).unwrap().duration_secs(), 3.0);
    }
}
