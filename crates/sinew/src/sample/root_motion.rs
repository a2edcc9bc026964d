//! Root motion: how a clip moves its character through the world.

use super::{PlaybackStep, Wrap, sample_curve};
use crate::{
    asset::{
        clip::{Clip, MetaChannel, MetaCurve},
        curve::Curve,
    },
    transform::Transform,
};
use glam::{Quat, Vec3};

/// The root motion of a clip: the motion of the model's origin, extracted from the joints.
///
/// A clip stores it as the meta-channels [`RootTrack::TRANSLATION`] and [`RootTrack::ROTATION`], also in files.
/// `sinew-author` extracts it from a clip and bakes it back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RootTrack {
    translation: Option<Curve<Vec3>>,
    rotation: Option<Curve<Quat>>,
}

impl RootTrack {
    /// Name of the meta-channel with the translation, in meters.
    pub const TRANSLATION: &'static str = "root.translation";
    /// Name of the meta-channel with the rotation.
    pub const ROTATION: &'static str = "root.rotation";

    /// The root motion of `clip`, or `None` if it has none.
    pub fn of(clip: &Clip) -> Option<Self> {
        Self::among(clip.metas())
    }

    /// The root motion among `metas`, or `None` if there is none.
    pub fn among(metas: &[MetaChannel]) -> Option<Self> {
        let find = |name: &str| metas.iter().find(|m| m.name == name).map(|m| &m.curve);
        let translation = match find(Self::TRANSLATION) {
            Some(MetaCurve::Vector(curve)) => Some(curve.clone()),
            _ => None,
        };
        let rotation = match find(Self::ROTATION) {
            Some(MetaCurve::Rotation(curve)) => Some(curve.clone()),
            _ => None,
        };
        (translation.is_some() || rotation.is_some()).then_some(Self { translation, rotation })
    }

    /// The transform of the character at `time_secs` of the clip, relative to the start of the track.
    pub fn at(&self, time_secs: f32) -> Transform {
        Transform::from_rotation_translation(
            self.rotation.as_ref().map_or(Quat::IDENTITY, |curve| sample_curve(curve, time_secs)),
            self.translation.as_ref().map_or(Vec3::ZERO, |curve| sample_curve(curve, time_secs)),
        )
    }

    /// The motion of the character in one step: `before_from_after`, including all loops that the step passes.
    ///
    /// Consecutive steps add up to the whole motion. A ping-pong clip brings the character back.
    /// Move the character with `world_from_model = world_from_model * delta`.
    pub fn delta(&self, step: &PlaybackStep) -> Transform {
        let from = self.at(step.clip_time_secs(step.from_secs()));
        let to = self.at(step.clip_time_secs(step.to_secs()));
        if step.wrap() != Wrap::Loop {
            return rigid_mul(&inverse(&from), &to);
        }
        let start = inverse(&self.at(step.range().start_secs()));
        let loop_way = rigid_mul(&start, &self.at(step.range().end_secs()));
        let (place_from, place_to) = (step.place(step.from_secs()), step.place(step.to_secs()));
        let loops = place_to.cycle.saturating_sub(place_from.cycle);
        let (from, to) = (rigid_mul(&start, &from), rigid_mul(&start, &to));
        rigid_mul(&inverse(&from), &rigid_mul(&repeated(&loop_way, loops), &to))
    }
}

/// The inverse of a transform without scale.
fn inverse(it: &Transform) -> Transform {
    let rotation = it.rotation.conjugate();
    Transform::from_rotation_translation(rotation, rotation * -it.translation)
}

/// The product of transforms without scale; rotations keep unit length over thousands of steps.
fn rigid_mul(a: &Transform, b: &Transform) -> Transform {
    let rotation = (a.rotation * b.rotation).normalize();
    Transform::from_rotation_translation(rotation, a.rotation * b.translation + a.translation)
}

/// `it` to the power of `count`, inverted if negative, by repeated squaring.
fn repeated(it: &Transform, count: i64) -> Transform {
    let (mut square, mut left) = (if count < 0 { inverse(it) } else { *it }, count.unsigned_abs());
    let mut out = Transform::IDENTITY;
    while left > 0 {
        if left & 1 == 1 {
            out = rigid_mul(&out, &square);
        }
        square = rigid_mul(&square, &square);
        left >>= 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interpolation, Playback, TimeRange};

    /// A quarter turn and two meters forward in one second.
    fn track() -> RootTrack {
        let turn = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
        let way = vec![Vec3::ZERO, Vec3::new(0.5, 0.0, 1.5), Vec3::new(0.0, 0.0, 2.0)];
        let way = Curve::new(vec![0.0, 0.5, 1.0], way, Interpolation::Linear).unwrap();
        let turn = Curve::new(vec![0.0, 1.0], vec![Quat::IDENTITY, turn], Interpolation::Linear).unwrap();
        let metas = vec![
            MetaChannel { name: RootTrack::TRANSLATION.into(), curve: MetaCurve::Vector(way) },
            MetaChannel { name: RootTrack::ROTATION.into(), curve: MetaCurve::Rotation(turn) },
        ];
        RootTrack::among(&metas).unwrap()
    }

    fn is_near(a: &Transform, b: &Transform) -> bool {
        (a.translation - b.translation).length() < 1e-4 && a.rotation.dot(b.rotation).abs() > 1.0 - 1e-6
    }

    #[test]
    fn four_quarter_turns_come_back_to_where_they_began() {
        let step = PlaybackStep::new(0.0, 4.0, Wrap::Loop, TimeRange::whole(1.0));
        let delta = track().delta(&step);
        assert!(is_near(&delta, &Transform::IDENTITY), "{delta:?}");
        let step = PlaybackStep::new(0.0, 1.0, Wrap::Loop, TimeRange::whole(1.0));
        let want = track().at(1.0);
        assert!(is_near(&track().delta(&step), &want));
        let far = PlaybackStep::new(0.0, 1e9 + 1.0, Wrap::Loop, TimeRange::whole(1.0));
        assert!(track().delta(&far).is_finite());
    }

    #[test]
    fn steps_add_up_to_the_whole_in_every_wrap_and_direction() {
        for wrap in [Wrap::Clamp, Wrap::Loop, Wrap::PingPong] {
            for speed in [1.0, -1.0, 2.3] {
                let range = TimeRange::new(0.125, 0.875).unwrap();
                let mut playback = Playback::new(range).with_wrap(wrap).with_speed(speed);
                playback.restart();
                let from = playback.time_secs();
                let mut sum = Transform::IDENTITY;
                for step in 0..50_u8 {
                    sum = rigid_mul(&sum, &track().delta(&playback.advance(f32::from(step % 7) * 0.031)));
                }
                let whole = track().delta(&PlaybackStep::new(from, playback.time_secs(), wrap, range));
                assert!(is_near(&sum, &whole), "{wrap:?} {speed}: {sum:?} {whole:?}");
            }
        }
    }
}
