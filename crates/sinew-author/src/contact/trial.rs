//! A part of a mesh, bent at one joint.

use super::{bones::LimbBones, fit::TrialBend};
use crate::{AuthorError, topology::WeldedTopology};
use sinew::{
    Binding, ContactData, ContactPalette, ContactParts, DeformError, DualQuatPalette, Influence, Palette,
    Surface, SurfaceMut, Weights,
    deform::reference,
    glam::{Affine3A, DQuat, DVec3, Vec3},
};

/// The points of a patch with their weights and contact data.
pub(super) struct PatchTrial<'a> {
    bones: &'a LimbBones,
    rest: Vec<Vec3>,
    weights: Weights,
    data: ContactData,
}

impl<'a> PatchTrial<'a> {
    pub(super) fn new(
        topology: &WeldedTopology<'_>,
        bones: &'a LimbBones,
        points: &[usize],
        whole: &ContactParts,
    ) -> Result<Self, AuthorError> {
        let influences = |&point: &usize| {
            let (slots, weights) = topology.weights_of(point);
            slots.iter().zip(weights).map(|(&slot, &weight)| Influence { slot, weight }).collect::<Vec<_>>()
        };
        let (weights, _) = Weights::new(bones.list.len(), points.iter().map(influences))
            .map_err(|_| AuthorError::NoWeights { mesh: topology.mesh.name().into() })?;
        let vertices = points.iter().map(|&p| whole.vertices[p]).collect();
        let data = ContactData::new(ContactParts { bones: whole.bones.clone(), vertices })?;
        let rest = points.iter().map(|&p| topology.positions[p].as_vec3()).collect();
        Ok(Self { bones, rest, weights, data })
    }

    /// The points after `bend` by contact skinning.
    pub(super) fn contact(&self, bend: TrialBend) -> Result<Vec<DVec3>, AuthorError> {
        self.deformed(bend, |surface, binding, out| {
            reference::contact(surface, binding, &self.data, &mut ContactPalette::default(), out)
        })
    }

    /// The points after `bend` by dual quaternion skinning.
    pub(super) fn dual_quat(&self, bend: TrialBend) -> Result<Vec<DVec3>, AuthorError> {
        self.deformed(bend, |surface, binding, out| match binding.dual_quats {
            Some(dual_quats) => reference::dual_quat(surface, binding.weights, dual_quats, out),
            None => Ok(()),
        })
    }

    fn deformed(
        &self,
        bend: TrialBend,
        by: impl FnOnce(Surface<'_>, &Binding<'_>, SurfaceMut<'_>) -> Result<(), DeformError>,
    ) -> Result<Vec<DVec3>, AuthorError> {
        let matrices = self.matrices(bend);
        let (palette, dual_quats) =
            (Palette::from_matrices(matrices.clone()), DualQuatPalette::from_matrices(&matrices, &[]));
        let binding = Binding::new(&self.weights, &palette).with_dual_quats(&dual_quats);
        let mut out = vec![Vec3::ZERO; self.rest.len()];
        let surface = Surface { positions: &self.rest, normals: &[], tangents: &[] };
        by(surface, &binding, SurfaceMut { positions: &mut out, normals: &mut [], tangents: &mut [] })?;
        Ok(out.iter().map(|p| p.as_dvec3()).collect())
    }

    /// The matrix of each slot: a rotation about the joint for the joint and all below it.
    fn matrices(&self, bend: TrialBend) -> Vec<Affine3A> {
        let turn = DQuat::from_axis_angle(bend.axis, bend.radians);
        let joint = self.bones.list[bend.slot].head;
        let moved = Affine3A::from_rotation_translation(turn.as_quat(), (joint - turn * joint).as_vec3());
        let below = |slot: usize| self.bones.is_below(slot as u16, bend.slot as u16);
        (0..self.bones.list.len()).map(|slot| if below(slot) { moved } else { Affine3A::IDENTITY }).collect()
    }
}
