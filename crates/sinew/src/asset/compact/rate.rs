//! Detection of the frame rate of a clip's keys.

use crate::asset::{
    clip::{Channel, Clip},
    curve::Interpolation,
};

/// Rates to try if the keys have no constant rate.
const USUAL_RATES_HZ: [f64; 3] = [30.0, 60.0, 120.0];

/// The frame rates to try for `clip`, best first: the chosen one, that of its keys, or 30, 60 and 120 per second.
pub fn rates(clip: &Clip, chosen_hz: Option<f32>) -> Vec<f64> {
    match chosen_hz {
        Some(rate) => vec![f64::from(rate)],
        None => detected(clip).map_or_else(|| USUAL_RATES_HZ.to_vec(), |rate| vec![rate]),
    }
}

/// The rate of which every key of every linear channel is a multiple.
fn detected(clip: &Clip) -> Option<f64> {
    let channels = || clip.channels().iter().filter(|c| c.interpolation() == Interpolation::Linear);
    let longest = channels().max_by_key(|c| c.key_count())?.times_secs();
    let (first, last) = (f64::from(*longest.first()?), f64::from(*longest.last()?));
    let gaps = longest.windows(2).map(|pair| f64::from(pair[1]) - f64::from(pair[0]));
    let even = (last - first) / (longest.len().checked_sub(1)?) as f64;
    // Exporters drop repeated keys and leave gaps: then the smallest gap is the frame time.
    let smallest = gaps.filter(|gap| *gap > 0.0).fold(f64::INFINITY, f64::min);
    [even, smallest].into_iter().find(|&interval| stands_on(channels(), interval)).map(f64::recip)
}

fn stands_on<'a>(mut channels: impl Iterator<Item = &'a Channel>, interval: f64) -> bool {
    // Faster than any capture: the keys are not frames.
    if !(1e-3..=10.0).contains(&interval) {
        return false;
    }
    channels.all(|channel| {
        channel.times_secs().iter().all(|&time| {
            let frames = f64::from(time) / interval;
            (frames - frames.round()).abs() < 2e-3
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Curve, JointId, glam::Vec3};

    fn clip(times: &[Vec<f32>]) -> Clip {
        let channel = |times: &Vec<f32>| Channel::Translation {
            joint: JointId(0),
            curve: Curve::new(times.clone(), vec![Vec3::ZERO; times.len()], Interpolation::Linear).unwrap(),
        };
        Clip::new("c", times.iter().map(channel).collect(), vec![]).unwrap()
    }

    #[test]
    fn finds_the_rate_that_every_key_stands_on() {
        let steady: Vec<f32> = (0..40).map(|k| k as f32 / 24.0).collect();
        let some: Vec<f32> = [0, 3, 4, 20].map(|k| k as f32 / 24.0).to_vec();
        let rate = detected(&clip(&[steady, some.clone()])).unwrap();
        assert!((rate - 24.0).abs() < 1e-4, "{rate}");
        let rate = detected(&clip(&[some])).unwrap();
        assert!((rate - 24.0).abs() < 1e-4, "{rate}");
    }

    #[test]
    fn keys_that_stand_on_no_rate_try_the_usual_ones() {
        let odd = clip(&[vec![0.0, 0.1, 0.237, 0.7]]);
        assert_eq!(rates(&odd, None), USUAL_RATES_HZ);
        assert_eq!(rates(&odd, Some(25.0)), [25.0]);
        assert_eq!(rates(&clip(&[vec![0.0]]), None), USUAL_RATES_HZ);
    }
}
