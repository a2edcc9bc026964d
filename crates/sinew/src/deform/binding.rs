//! The input of the reference implementation other than the surface.

use super::{DeformError, Method, methods::PosePalettes};
use crate::{
    asset::{precomputed::Precomputed, weights::Weights},
    palette::{DualQuatPalette, Palette},
};

/// The binding of a surface to a pose: weights, the palettes of the pose, and data precomputed for the mesh.
#[derive(Clone, Copy, Debug)]
pub struct Binding<'a> {
    /// The influences of each vertex.
    pub weights: &'a Weights,
    /// The pose as skinning matrices, model from mesh space.
    pub palette: &'a Palette,
    /// The pose as rigid motions and stretches, for methods that [need it](Method::needs_dual_quats).
    pub dual_quats: Option<&'a DualQuatPalette>,
    /// Precomputed data of the mesh, for methods that [need it](Method::needs_precomputed).
    pub precomputed: &'a Precomputed,
}

impl<'a> Binding<'a> {
    /// Weights and matrices, enough for rigid and linear blend skinning.
    pub fn new(weights: &'a Weights, palette: &'a Palette) -> Self {
        Self { weights, palette, dual_quats: None, precomputed: &Precomputed::NONE }
    }

    /// The same binding with the pose as dual quaternions.
    #[must_use]
    pub fn with_dual_quats(self, dual_quats: &'a DualQuatPalette) -> Self {
        Self { dual_quats: Some(dual_quats), ..self }
    }

    /// The same binding with precomputed data.
    #[must_use]
    pub fn with_precomputed(self, precomputed: &'a Precomputed) -> Self {
        Self { precomputed, ..self }
    }

    pub(super) fn dual_quats_for(&self, method: Method) -> Result<&'a DualQuatPalette, DeformError> {
        self.dual_quats.ok_or(DeformError::MissingDualQuats { method })
    }
}

impl<'a> PosePalettes<'a> {
    pub(super) fn dual_quats_for(self, method: Method) -> Result<&'a DualQuatPalette, DeformError> {
        self.dual_quats.ok_or(DeformError::MissingDualQuats { method })
    }
}
