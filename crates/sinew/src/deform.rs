//! From a palette to deformed vertices.
//!
//! Every method has a plain scalar definition in [`reference`](mod@reference); whatever runs faster is held to it by tests.

mod morph;
pub mod reference;
mod streams;

pub use morph::apply_morphs;
pub use streams::{DeformError, Streams, Surface, SurfaceMut};

use crate::{asset::weights::Weights, palette::Palette};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// A way to deform a skin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// Every vertex follows its strongest joint alone; triangles span joints.
    Stitch,
    /// Matrices are blended by weight: what every engine does.
    #[default]
    Linear,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 2] = [Self::Stitch, Self::Linear];

    /// The name used on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stitch => "stitch",
            Self::Linear => "linear",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no method has.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("there is no method {0:?}; there are {list}", list = Method::ALL.map(Method::name).join(", "))]
pub struct UnknownMethod(pub String);

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        Self::ALL.into_iter().find(|m| m.name() == name).ok_or_else(|| UnknownMethod(name.into()))
    }
}

/// Deforms `surface` by `method` into `out`.
///
/// Positions go to model space. Normals go through the inverse transpose, tangents through the matrix itself; both come
/// out of unit length, or zero where there is no direction. Handedness flips where a joint mirrors.
///
/// # Errors
/// Where stream lengths differ or the palette has fewer joints than the weights use.
pub fn deform(
    method: Method,
    surface: Surface<'_>,
    weights: &Weights,
    palette: &Palette,
    out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    match method {
        Method::Stitch => reference::stitch(surface, weights, palette, out),
        Method::Linear => reference::linear(surface, weights, palette, out),
    }
}
