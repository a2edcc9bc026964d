//! Sampling of the meta-channels of a clip.

use super::{Interpolate, sample_curve, slerp};
use crate::asset::clip::{MetaChannel, MetaCurve};
use glam::{Quat, Vec3};

/// The value of a meta-channel at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MetaValue {
    /// A single number, in the unit of its channel.
    Scalar(f32),
    /// A point, direction or color.
    Vector(Vec3),
    /// A rotation as a unit quaternion.
    Rotation(Quat),
}

impl MetaValue {
    /// Interpolates to `other` by `fraction`, 0 to 1; rotations follow the shortest arc.
    ///
    /// Values of different kinds cannot be interpolated; the nearer one is used.
    #[must_use]
    pub fn blend(self, other: Self, fraction: f32) -> Self {
        match (self, other) {
            (Self::Scalar(a), Self::Scalar(b)) => Self::Scalar(f32::linear(a, b, fraction)),
            (Self::Vector(a), Self::Vector(b)) => Self::Vector(Vec3::linear(a, b, fraction)),
            (Self::Rotation(a), Self::Rotation(b)) => Self::Rotation(slerp(a, b, fraction)),
            _ => {
                if fraction < 0.5 {
                    self
                } else {
                    other
                }
            }
        }
    }
}

/// The value of `meta` at `time_secs` of its clip.
pub fn sample_meta(meta: &MetaChannel, time_secs: f32) -> MetaValue {
    match &meta.curve {
        MetaCurve::Scalar(curve) => MetaValue::Scalar(sample_curve(curve, time_secs)),
        MetaCurve::Vector(curve) => MetaValue::Vector(sample_curve(curve, time_secs)),
        MetaCurve::Rotation(curve) => MetaValue::Rotation(sample_curve(curve, time_secs)),
    }
}

/// Replaces `out` by the values of `metas` at `time_secs` of their clip, in the same order.
///
/// Allocates only if `out` has less capacity than there are meta-channels. Wrap the time first
/// ([`Wrap::apply`](super::Wrap::apply)) or take it from a [`Playback`](super::Playback).
pub fn sample_metas(metas: &[MetaChannel], time_secs: f32, out: &mut Vec<MetaValue>) {
    out.clear();
    out.extend(metas.iter().map(|meta| sample_meta(meta, time_secs)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asset::curve::{Curve, Interpolation};
    use std::f32::consts::FRAC_PI_2;

    #[test]
    fn every_kind_is_sampled_and_blended() {
        let turn = Quat::from_rotation_y(FRAC_PI_2);
        let metas = [
            MetaCurve::Scalar(Curve::new(vec![0.0, 1.0], vec![0.0, 4.0], Interpolation::Linear).unwrap()),
            MetaCurve::Vector(Curve::new(vec![0.0], vec![Vec3::X], Interpolation::Step).unwrap()),
            MetaCurve::Rotation(
                Curve::new(vec![0.0, 1.0], vec![Quat::IDENTITY, turn], Interpolation::Linear).unwrap(),
            ),
        ]
        .map(|curve| MetaChannel { name: curve.kind().into(), curve });
        let (mut early, mut late) = (Vec::new(), Vec::new());
        sample_metas(&metas, 0.0, &mut early);
        sample_metas(&metas, 1.0, &mut late);
        let half: Vec<MetaValue> = early.iter().zip(&late).map(|(a, b)| a.blend(*b, 0.5)).collect();
        assert_eq!(half[0], MetaValue::Scalar(2.0));
        assert_eq!(half[1], MetaValue::Vector(Vec3::X));
        let MetaValue::Rotation(got) = half[2] else { panic!("a rotation stays one") };
        assert!(got.abs_diff_eq(Quat::from_rotation_y(FRAC_PI_2 * 0.5), 1e-6));
    }

    #[test]
    fn kinds_that_do_not_mix_take_the_nearer() {
        let (a, b) = (MetaValue::Scalar(1.0), MetaValue::Vector(Vec3::Y));
        assert_eq!(a.blend(b, 0.4), a);
        assert_eq!(a.blend(b, 0.6), b);
    }
}
