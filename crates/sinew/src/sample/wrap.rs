//! Wrap modes for times outside a clip.

/// How time continues beyond the ends of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The first and the last pose are held.
    #[default]
    Clamp,
    /// The clip repeats; its end is its start.
    Loop,
    /// The clip plays forward and backward in turn.
    PingPong,
}

impl Wrap {
    /// Wraps `time_secs` into `0..=duration_secs`. NaN gives 0.
    pub fn apply(self, time_secs: f32, duration_secs: f32) -> f32 {
        if time_secs.is_nan() || duration_secs <= 0.0 {
            return 0.0;
        }
        if self == Self::Clamp || time_secs.is_infinite() {
            return time_secs.clamp(0.0, duration_secs);
        }
        match self {
            // rem_euclid of a tiny negative number may round up to the divisor.
            Self::Loop => {
                Some(time_secs.rem_euclid(duration_secs)).filter(|t| *t < duration_secs).unwrap_or(0.0)
            }
            _ => {
                let there_and_back = time_secs.rem_euclid(2.0 * duration_secs);
                there_and_back.min(2.0 * duration_secs - there_and_back).max(0.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamps_loops_and_turns_back() {
        let cases = [
            (Wrap::Clamp, -1.0, 0.0),
            (Wrap::Clamp, 5.0, 2.0),
            (Wrap::Loop, 2.0, 0.0),
            (Wrap::Loop, 4.5, 0.5),
            (Wrap::Loop, -0.5, 1.5),
            (Wrap::PingPong, 2.5, 1.5),
            (Wrap::PingPong, 4.5, 0.5),
            (Wrap::PingPong, -0.5, 0.5),
        ];
        for (wrap, time, want) in cases {
            assert_eq!(wrap.apply(time, 2.0), want, "{wrap:?} at {time}");
        }
    }

    #[test]
    fn always_ends_inside_the_clip() {
        for wrap in [Wrap::Clamp, Wrap::Loop, Wrap::PingPong] {
            for time in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1e-30, 1e30, -1e30, 0.0] {
                for duration in [0.0, 1e-30, 1.0, 3.7] {
                    let got = wrap.apply(time, duration);
                    assert!((0.0..=duration).contains(&got), "{wrap:?} {time} {duration}: {got}");
                }
            }
        }
    }
}
