//! One module per deformation method: its reference, kernel, precomputed data, bounds and names.

pub(crate) mod contact;
pub(super) mod cor;
pub(super) mod ddm;
pub(super) mod delta_mush;
pub(super) mod dual_quat;
pub(super) mod linear;
pub(super) mod rigid;
pub(super) mod rotation;
pub(super) mod slerp;
pub(super) mod vertex;

use super::{Binding, DeformError, DeformScratch, Surface, SurfaceMut, kernel::SkinningPalette};
use crate::{
    asset::precomputed::Precomputed,
    bounds::BoundsRule,
    palette::{DualQuatPalette, Palette},
};

/// The description of a method that the runtime reads. Each module of this folder has one, called `DEFINITION`.
pub(super) struct MethodDefinition {
    /// The name on the command line and in files.
    pub(super) name: &'static str,
    /// Other names that parse to this method.
    pub(super) aliases: &'static [&'static str],
    /// The name in prose.
    pub(super) title: &'static str,
    /// The cost per vertex, in one phrase.
    pub(super) cost: &'static str,
    /// True if the method reads a [`DualQuatPalette`].
    pub(super) needs_dual_quats: bool,
    /// Data that must be computed offline and stored with the mesh.
    pub(super) precomputed: Option<PrecomputedNeed>,
    /// The scalar reference implementation.
    pub(super) reference: ReferenceFn,
    /// The SIMD kernel, if there is one.
    pub(super) kernel: Option<KernelFn>,
    /// The rule that bounds the deformed mesh without deforming it.
    pub(super) bounds: BoundsRule,
}

/// Data that a method needs in addition to weights and palettes.
pub(super) struct PrecomputedNeed {
    /// The name of the data in error messages.
    pub(super) what: &'static str,
    /// Returns true if a mesh has the data.
    pub(super) is_present: fn(&Precomputed) -> bool,
}

/// Deforms a surface by the method's reference implementation.
pub(super) type ReferenceFn =
    fn(Surface<'_>, &Binding<'_>, &mut DeformScratch, SurfaceMut<'_>) -> Result<(), DeformError>;

/// Selects the palettes that the method's kernel blends.
pub(super) type KernelFn = for<'a> fn(PosePalettes<'a>) -> Result<SkinningPalette<'a>, DeformError>;

/// The pose of one skin in the forms that methods read.
#[derive(Clone, Copy, Debug)]
pub(super) struct PosePalettes<'a> {
    pub(super) matrices: &'a Palette,
    pub(super) dual_quats: Option<&'a DualQuatPalette>,
}
