//! Bakes a blend of two clips to one clip.

use super::{MotionError, baked, error::positive};
use sinew::{
    Character, Clip, LocalPose,
    blend::{PairPosition, PosePair},
};

/// The maximum number of keys of a blended clip.
const MAX_KEYS: f32 = 20_000.0;

/// The blend of a pair as a clip: a fraction `amount` of the second, keyed `fps` times per second, from the first clip's start to
/// its end. It has the events of the first clip, at their times in the blend.
///
/// # Errors
/// If `fps` is not positive, the result would have more than 20,000 keys, or a clip does not fit the character.
pub fn blended(
    name: &str,
    character: &Character,
    pair: &PosePair,
    amount: f32,
    fps: f32,
) -> Result<Clip, MotionError> {
    let rest = character.rest_pose();
    let [first, second] = pair.clips();
    for clip in [first, second] {
        let (count, wanted) = (clip.joint_count(), rest.joints.len());
        if count > wanted || clip.morph_slot_count() > rest.morphs.len() {
            return Err(MotionError::WrongSize { what: "a clip", count, wanted });
        }
    }
    let duration_secs = first.duration_secs();
    let steps = (pair.mixed_secs(duration_secs, amount) * positive("fps", fps)?).ceil().max(1.0);
    if steps > MAX_KEYS {
        return Err(MotionError::BadOption {
            option: "fps",
            value: fps.into(),
            wanted: "few enough for 20,000 keys",
        });
    }
    let mut scratch = <[LocalPose; 2]>::default();
    let (mut times, mut poses) = (Vec::new(), Vec::new());
    for step in 0..=steps as u32 {
        let time_secs = duration_secs * step as f32 / steps;
        let mut pose = rest.clone();
        pair.sample(PairPosition { time_secs, weight: amount }, &rest, &mut scratch, &mut pose);
        times.push(pair.mixed_secs(time_secs, amount));
        poses.push(pose);
    }
    let mut parts = baked(name, character, &times, &poses)?.into_parts();
    parts.events = first.events().to_vec();
    for event in &mut parts.events {
        event.time_secs = pair.mixed_secs(event.time_secs, amount).max(0.0);
    }
    Ok(Clip::from_parts(parts)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Wrap, sample::Deviation, sample_clip};

    #[test]
    fn a_blended_clip_plays_as_the_pair() {
        let figure = sinew_samples::figure();
        let clip = |name| figure.find_clip(name).unwrap().clone();
        let pair = PosePair::synchronized(clip("walk"), clip("run")).unwrap();
        let jog = blended("jog", &figure, &pair, 0.4, 60.0).unwrap();
        let lasts = pair.mixed_secs(clip("walk").duration_secs(), 0.4);
        assert!((jog.duration_secs() - lasts).abs() < 1e-4 && jog.name() == "jog");
        assert_eq!(jog.events().len(), clip("walk").events().len());
        let mut deviation = Deviation::new(figure.skeleton(), 0.05);
        let (rest, mut scratch) = (figure.rest_pose(), Default::default());
        for step in 0..20_u8 {
            let time = clip("walk").duration_secs() * f32::from(step) / 20.0;
            let (mut want, mut got) = (rest.clone(), rest.clone());
            pair.sample(PairPosition { time_secs: time, weight: 0.4 }, &rest, &mut scratch, &mut want);
            sample_clip(&jog, pair.mixed_secs(time, 0.4), Wrap::Clamp, &mut got);
            assert!(deviation.between(&want, &got) < 5e-3, "at {time}");
        }
    }

    #[test]
    fn rejects_invalid_rates_and_clips_of_other_characters() {
        let figure = sinew_samples::figure();
        let clip = |name| figure.find_clip(name).unwrap().clone();
        let pair = PosePair::unsynchronized(clip("walk"), clip("run"));
        assert!(matches!(blended("b", &figure, &pair, 0.5, 0.0), Err(MotionError::BadOption { .. })));
        assert!(matches!(blended("b", &figure, &pair, 0.5, 1e9), Err(MotionError::BadOption { .. })));
        assert!(matches!(
            blended("b", &sinew_samples::arm(), &pair, 0.5, 30.0),
            Err(MotionError::WrongSize { .. })
        ));
    }
}
