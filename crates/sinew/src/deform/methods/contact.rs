//! Contact skinning: dual quaternion skinning whose limbs keep their radius and fold without passing through themselves.
//!
//! It follows implicit skinning (R. Vaillant et al. 2013, "Implicit skinning: real-time skin deformation with contact
//! modeling"), with the distance to a bone as the field of the bone, so that all of it can be precomputed per vertex.

mod fold;

pub use fold::CONTACT_REACH;
pub(in crate::deform) use fold::{INNER, SOFTNESS, WEDGE};

use super::{MethodDefinition, PrecomputedNeed, dual_quat::dual_quat};
use crate::{
    asset::precomputed::ContactData,
    bounds::BoundsRule,
    deform::Binding,
    deform::streams::{DeformError, Surface, SurfaceMut, check_binding, check_count, check_lengths},
    deform::{Method, kernel::SkinningPalette},
    palette::ContactPalette,
};
use fold::folded;

const WHAT: &str = "contact data";
const MISSING: DeformError = DeformError::MissingPrecomputed { method: Method::Contact, what: WHAT };

pub(in crate::deform) const DEFINITION: MethodDefinition = MethodDefinition {
    name: "contact",
    aliases: &["fold"],
    title: "Contact skinning",
    cost: "dual quaternion skinning, and a projection for each vertex near a bent joint",
    needs_dual_quats: true,
    precomputed: Some(PrecomputedNeed { what: WHAT, is_present: |data| data.contact.is_some() }),
    reference: |surface, binding, scratch, out| {
        let data = binding.precomputed.contact.as_ref().ok_or(MISSING)?;
        contact(surface, binding, data, &mut scratch.contact, out)
    },
    kernel: Some(|pose| Ok(SkinningPalette::Contact(pose.matrices, pose.dual_quats_for(Method::Contact)?))),
    bounds: BoundsRule::Contact,
};

/// Contact skinning: dual quaternion skinning, then each vertex of a limb is moved to its distance from its own bone and kept
/// on its side of the planes that halve the angles at the bone's ends. `binding` must have dual quaternions.
///
/// With one influence and no bend it equals dual quaternion skinning. Normals and tangents are those of dual quaternion
/// skinning.
///
/// # Errors
/// If stream lengths differ, a palette is missing or too small, or `data` is of another mesh.
pub fn contact(
    surface: Surface<'_>,
    binding: &Binding<'_>,
    data: &ContactData,
    palette: &mut ContactPalette,
    out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    let dual_quats = binding.dual_quats_for(Method::Contact)?;
    check_lengths(&surface, &out)?;
    check_binding(&surface, binding.weights, binding.palette)?;
    check_count(WHAT, data.vertex_count(), surface.positions.len())?;
    let (needed, matrices) =
        (data.slot_count(), binding.palette.matrices().len().min(dual_quats.rigid().len()));
    if needed > matrices {
        return Err(DeformError::PaletteTooSmall { needed, matrices });
    }
    let positions = surface.positions;
    let borrowed = SurfaceMut { positions: out.positions, normals: out.normals, tangents: out.tangents };
    dual_quat(surface, binding.weights, dual_quats, borrowed)?;
    palette.update(data, binding.palette, dual_quats);
    let vertices = data.parts().vertices.iter().zip(positions);
    for ((vertex, &rest), place) in vertices.zip(&mut *out.positions) {
        let bone = &palette.bones()[usize::from(vertex.bone)];
        if vertex.mask > 0 && bone.folds() {
            *place = folded(bone, vertex, rest, *place);
        }
    }
    Ok(())
}
