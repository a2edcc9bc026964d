//! From a palette to deformed vertices.
//!
//! Every method has a plain scalar definition in [`reference`](mod@reference); whatever runs faster is held to it by tests.

pub mod baseline;
pub mod blocks;
pub mod kernel;
mod morph;
pub mod reference;
mod scratch;
mod streams;

pub use morph::apply_morphs;
pub use scratch::DeformScratch;
pub use streams::{DeformError, Streams, Surface, SurfaceMut};

use crate::{
    asset::{precomputed::Precomputed, weights::Weights},
    palette::{DualQuatPalette, Palette},
};
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
    /// Rotations are blended as quaternions, about the joint where the two strongest meet.
    Slerp,
    /// Rigid motions are blended as dual quaternions; scale and shear are blended before as matrices.
    DualQuat,
    /// Rotations are blended as quaternions, about a centre that was found for each vertex beforehand.
    Cor,
    /// Linear blend, smoothed, with the detail that smoothing takes put back.
    DeltaMush,
    /// Delta mush in one step, from moments that were smoothed beforehand.
    Ddm,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 7] =
        [Self::Stitch, Self::Linear, Self::Slerp, Self::DualQuat, Self::Cor, Self::DeltaMush, Self::Ddm];

    /// The name used on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stitch => "stitch",
            Self::Linear => "linear",
            Self::Slerp => "slerp",
            Self::DualQuat => "dual-quat",
            Self::Cor => "cor",
            Self::DeltaMush => "delta-mush",
            Self::Ddm => "ddm",
        }
    }

    /// True where the joints' rotations are needed, and so a [`DualQuatPalette`].
    pub const fn needs_dual_quats(self) -> bool {
        !matches!(self, Self::Stitch | Self::Linear)
    }

    /// What [`Precomputed`] must hold, in words, where the method needs any of it.
    pub const fn needs_precomputed(self) -> Option<&'static str> {
        match self {
            Self::Cor => Some("centers of rotation"),
            Self::DeltaMush => Some("delta mush data"),
            Self::Ddm => Some("direct delta mush data"),
            _ => None,
        }
    }

    /// True where `precomputed` holds what the method needs.
    pub fn is_ready(self, precomputed: &Precomputed) -> bool {
        match self {
            Self::Cor => precomputed.centers.is_some(),
            Self::DeltaMush => precomputed.mush.is_some(),
            Self::Ddm => precomputed.direct_mush.is_some(),
            _ => true,
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

/// What ties a surface to a pose: weights, the pose's palettes, and what was made for the mesh beforehand.
#[derive(Clone, Copy, Debug)]
pub struct Binding<'a> {
    /// Which joints move each vertex.
    pub weights: &'a Weights,
    /// The pose as matrices.
    pub palette: &'a Palette,
    /// The pose as rigid motions and stretches, for methods that [need it](Method::needs_dual_quats).
    pub dual_quats: Option<&'a DualQuatPalette>,
    /// For methods that [need it](Method::needs_precomputed).
    pub precomputed: &'a Precomputed,
}

impl<'a> Binding<'a> {
    /// Weights and matrices, enough for stitching and linear blend.
    pub fn new(weights: &'a Weights, palette: &'a Palette) -> Self {
        Self { weights, palette, dual_quats: None, precomputed: &Precomputed::NONE }
    }

    /// The same with the pose as dual quaternions.
    #[must_use]
    pub fn with_dual_quats(self, dual_quats: &'a DualQuatPalette) -> Self {
        Self { dual_quats: Some(dual_quats), ..self }
    }

    /// The same with what was made beforehand.
    #[must_use]
    pub fn with_precomputed(self, precomputed: &'a Precomputed) -> Self {
        Self { precomputed, ..self }
    }
}

/// Deforms `surface` by `method` into `out`.
///
/// Positions go to model space. Normals go through the inverse transpose, tangents through the matrix itself; both come
/// out of unit length, or zero where there is no direction. Handedness flips where a joint mirrors. `scratch` is used
/// by methods that smooth and grows to what they need.
///
/// # Errors
/// Where stream lengths differ, a palette is missing or has fewer joints than the weights use, or the method needs
/// data that was not made or is of another mesh.
pub fn deform(
    method: Method,
    surface: Surface<'_>,
    binding: &Binding<'_>,
    scratch: &mut DeformScratch,
    out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    let Binding { weights, palette, dual_quats, precomputed } = *binding;
    let dual_quats = || dual_quats.ok_or(DeformError::MissingDualQuats { method });
    let what = method.needs_precomputed().unwrap_or_default();
    let missing = DeformError::MissingPrecomputed { method, what };
    match method {
        Method::Stitch => reference::stitch(surface, weights, palette, out),
        Method::Linear => reference::linear(surface, weights, palette, out),
        Method::Slerp => reference::slerp(surface, weights, palette, dual_quats()?, out),
        Method::DualQuat => reference::dual_quat(surface, weights, dual_quats()?, out),
        Method::Cor => {
            let centers = precomputed.centers.as_ref().ok_or(missing)?;
            reference::cor(surface, weights, palette, dual_quats()?, centers, out)
        }
        Method::DeltaMush => {
            let mush = precomputed.mush.as_ref().ok_or(missing)?;
            reference::delta_mush(surface, weights, palette, dual_quats()?, mush, scratch, out)
        }
        Method::Ddm => {
            let mush = precomputed.direct_mush.as_ref().ok_or(missing)?;
            reference::ddm(surface, palette, dual_quats()?, mush, out)
        }
    }
}
