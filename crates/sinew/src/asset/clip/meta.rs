//! Named curves that animate no joint: a field of view, a light's color, a gait phase.

use crate::asset::curve::{Curve, Interpolation};
use glam::{Quat, Vec3};

/// A named curve of a clip that is sampled and blended like a channel.
#[doc(alias = "float curve")]
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MetaChannel {
    /// Name, unique within the clip.
    pub name: String,
    /// Its values over seconds.
    pub curve: MetaCurve,
}

/// The curve of a [`MetaChannel`], with one value per key.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MetaCurve {
    /// A curve of numbers.
    Scalar(Curve<f32>),
    /// A curve of points, directions or colors.
    Vector(Curve<Vec3>),
    /// A curve of unit quaternions.
    Rotation(Curve<Quat>),
}

impl MetaCurve {
    /// Times of the keys, in seconds.
    pub fn times_secs(&self) -> &[f32] {
        match self {
            Self::Scalar(curve) => curve.times_secs(),
            Self::Vector(curve) => curve.times_secs(),
            Self::Rotation(curve) => curve.times_secs(),
        }
    }

    /// Interpolation between the keys of the curve.
    pub fn interpolation(&self) -> Interpolation {
        match self {
            Self::Scalar(curve) => curve.interpolation(),
            Self::Vector(curve) => curve.interpolation(),
            Self::Rotation(curve) => curve.interpolation(),
        }
    }

    /// `scalar`, `vector` or `rotation`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Scalar(_) => "scalar",
            Self::Vector(_) => "vector",
            Self::Rotation(_) => "rotation",
        }
    }
}
