//! Curves that move no joint: a camera's field of view, a light's colour, a phase.

use crate::asset::curve::{Curve, Interpolation};
use glam::{Quat, Vec3};

/// A named curve that travels with a clip and is sampled and blended like any channel.
#[derive(Clone, Debug, PartialEq)]
pub struct MetaChannel {
    /// What it drives; no two of a clip share a name.
    pub name: String,
    /// Its values over seconds.
    pub curve: MetaCurve,
}

/// The curve of a [`MetaChannel`], one value a key.
#[derive(Clone, Debug, PartialEq)]
pub enum MetaCurve {
    /// Numbers.
    Scalar(Curve<f32>),
    /// Points, directions, colours.
    Vector(Curve<Vec3>),
    /// Unit quaternions.
    Rotation(Curve<Quat>),
}

impl MetaCurve {
    /// When its keys are.
    pub fn times_secs(&self) -> &[f32] {
        match self {
            Self::Scalar(curve) => curve.times_secs(),
            Self::Vector(curve) => curve.times_secs(),
            Self::Rotation(curve) => curve.times_secs(),
        }
    }

    /// How it runs between keys.
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
