//! Converts clusters to skins and weights.

use super::FbxReader;
use crate::{ReadError, report::FindingCode};
use sinew::{
    Influence, Skin, WeightRepairs, Weights,
    glam::{Affine3A, DAffine3, DVec3},
};

impl FbxReader<'_> {
    /// The skin of a mesh and the weights of its points; `None` if no cluster moves it.
    pub(super) fn skin(
        &mut self,
        place: &str,
        mesh: &ufbx::Mesh,
    ) -> Result<Option<(Skin, Weights)>, ReadError> {
        let Some(deformer) = mesh.skin_deformers.as_ref().first() else { return Ok(None) };
        if mesh.skin_deformers.len() > 1 {
            let detail = format!("{} skins on one mesh, the first is used", mesh.skin_deformers.len());
            self.report.add(FindingCode::SkinUnused, place, detail);
        }
        let (mut joints, mut binds) = (Vec::new(), Vec::new());
        let mut slot_of_cluster: Vec<Option<u16>> = Vec::with_capacity(deformer.clusters.len());
        for cluster in &deformer.clusters {
            let joint = cluster.bone_node.as_ref().and_then(|node| self.joint(node));
            let slot = joint.and_then(|_| u16::try_from(joints.len()).ok());
            slot_of_cluster.push(slot);
            if let (Some(joint), Some(_)) = (joint, slot) {
                joints.push(joint);
                binds.push(matrix(&cluster.geometry_to_bone));
            }
        }
        if joints.is_empty() {
            self.report.add(FindingCode::SkinUnused, place, "no cluster has a bone: the mesh moves rigidly");
            return Ok(None);
        }
        let mut influences = self.influences(place, mesh, deformer, &slot_of_cluster)?;
        self.hold_the_rest(mesh, &mut influences, &mut joints, &mut binds);
        let (weights, repairs) =
            Weights::new(joints.len(), influences).map_err(|e| ReadError::weights(place, e))?;
        self.note_repairs(place, &repairs);
        let skin = Skin::new(&*deformer.element.name, &self.skeleton, joints, binds);
        Ok(Some((skin.map_err(|e| ReadError::invalid(place, e))?, weights)))
    }

    fn influences(
        &mut self,
        place: &str,
        mesh: &ufbx::Mesh,
        deformer: &ufbx::SkinDeformer,
        slot_of_cluster: &[Option<u16>],
    ) -> Result<Vec<Vec<Influence>>, ReadError> {
        let count = deformer.weights.len() + mesh.num_vertices;
        self.budget.charge(place, count, 4 * size_of::<Influence>() + size_of::<Vec<Influence>>())?;
        let influence = |weight: &ufbx::SkinWeight| {
            let slot = slot_of_cluster.get(weight.cluster_index as usize).copied().flatten()?;
            Some(Influence { slot, weight: weight.weight as f32 })
        };
        let of_point = |point: usize| {
            let Some(vertex) = deformer.vertices.get(point) else { return Vec::new() };
            let begin = vertex.weight_begin as usize;
            let range = begin..begin.saturating_add(vertex.num_weights as usize);
            deformer.weights.get(range).unwrap_or(&[]).iter().filter_map(influence).collect()
        };
        Ok((0..mesh.num_vertices).map(of_point).collect())
    }

    /// Binds points that no cluster moves to the mesh's own node, which becomes a joint of the skin.
    fn hold_the_rest(
        &mut self,
        mesh: &ufbx::Mesh,
        influences: &mut [Vec<Influence>],
        joints: &mut Vec<sinew::JointId>,
        binds: &mut Vec<Affine3A>,
    ) {
        let is_loose = |point: &Vec<Influence>| !point.iter().any(|i| i.weight > 0.0);
        let node = mesh.element.instances.as_ref().first();
        let joint = node.and_then(|node| Some((self.joint(node)?, matrix(&node.geometry_to_node))));
        let (Some((joint, bind)), Ok(slot)) = (joint, u16::try_from(joints.len())) else { return };
        if !influences.iter().any(is_loose) {
            return;
        }
        joints.push(joint);
        binds.push(bind);
        for point in influences.iter_mut().filter(|point| is_loose(point)) {
            *point = vec![Influence { slot, weight: 1.0 }];
        }
    }

    fn note_repairs(&mut self, place: &str, repairs: &WeightRepairs) {
        if repairs.rescaled > 0 {
            let detail = format!("{} points, the worst sum is {}", repairs.rescaled, repairs.worst_sum);
            self.report.add(FindingCode::WeightsRescaled, place, detail);
        }
        if repairs.unweighted > 0 {
            self.report.add(FindingCode::WeightsMissing, place, format!("{} points", repairs.unweighted));
        }
        if repairs.merged > 0 {
            self.report.add(FindingCode::DuplicateJoint, place, format!("{} points", repairs.merged));
        }
        if repairs.negative > 0 {
            self.report.add(FindingCode::WeightsNegative, place, format!("{} weights", repairs.negative));
        }
    }
}

fn matrix(m: &ufbx::Matrix) -> Affine3A {
    let column = DVec3::new;
    let affine = DAffine3::from_cols(
        column(m.m00, m.m10, m.m20),
        column(m.m01, m.m11, m.m21),
        column(m.m02, m.m12, m.m22),
        column(m.m03, m.m13, m.m23),
    );
    Affine3A::from_cols(
        affine.x_axis.as_vec3a(),
        affine.y_axis.as_vec3a(),
        affine.z_axis.as_vec3a(),
        affine.translation.as_vec3a(),
    )
}
