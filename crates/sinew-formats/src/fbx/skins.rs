//! Converts clusters to skins and weights.

use super::FbxReader;
use crate::{ReadError, report::FindingCode};
use sinew::{
    Influence, Method, Skin, WeightRepairs, Weights,
    glam::{Affine3A, DAffine3, DVec3, Vec3},
};

/// The skin of a mesh, for each point of the file.
pub(super) struct PointSkin {
    pub(super) skin: Skin,
    pub(super) weights: Weights,
    /// The weight of dual quaternion skinning, where it is not the same as the character's method.
    pub(super) dual_quats: Option<Vec<f32>>,
    /// Scale of the mesh that moves from the skin into the vertices.
    pub(super) mesh_scale: Option<Vec3>,
}

/// The method that a file recommends: dual quaternions if any point of it uses them.
pub(super) fn recommended_method(scene: &ufbx::Scene) -> Option<Method> {
    let uses = |deformer: &ufbx::SkinDeformer| match deformer.skinning_method {
        ufbx::SkinningMethod::Linear | ufbx::SkinningMethod::Rigid => false,
        ufbx::SkinningMethod::DualQuaternion => true,
        ufbx::SkinningMethod::BlendedDqLinear => deformer.vertices.iter().any(|v| v.dq_weight > 0.0),
    };
    scene.skin_deformers.as_ref().iter().any(|deformer| uses(deformer)).then_some(Method::DualQuat)
}

/// The weight of dual quaternion skinning at each point; `None` if all of the mesh follows the character's method.
fn dual_quats(scene: &ufbx::Scene, mesh: &ufbx::Mesh, deformer: &ufbx::SkinDeformer) -> Option<Vec<f32>> {
    recommended_method(scene)?;
    let blended = |point: usize| {
        let weight = deformer.vertices.get(point).map_or(0.0, |v| v.dq_weight as f32);
        if weight.is_finite() { weight.clamp(0.0, 1.0) } else { 0.0 }
    };
    match deformer.skinning_method {
        ufbx::SkinningMethod::DualQuaternion => None,
        ufbx::SkinningMethod::Linear | ufbx::SkinningMethod::Rigid => Some(vec![0.0; mesh.num_vertices]),
        ufbx::SkinningMethod::BlendedDqLinear => Some((0..mesh.num_vertices).map(blended).collect()),
    }
}

/// The scale of a mesh in the bind pose, if it is the same for all clusters and the file uses dual quaternions.
///
/// They are blended after this scale in FBX, about the origin of the mesh. Vertices that have the scale already leave
/// rigid motions to be blended.
fn mesh_scale(scene: &ufbx::Scene, deformer: &ufbx::SkinDeformer) -> Option<Vec3> {
    recommended_method(scene)?;
    let scale = |cluster: &ufbx::SkinCluster| {
        let m = matrix(&cluster.bind_to_world).matrix3 * matrix(&cluster.geometry_to_bone).matrix3;
        Vec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length())
    };
    let bound = || deformer.clusters.as_ref().iter().filter(|cluster| cluster.bone_node.is_some());
    let first = scale(bound().next()?);
    let is_usable = first.is_finite() && first.min_element() > 1e-9 && first.recip().is_finite();
    let is_common = bound().all(|cluster| scale(cluster).abs_diff_eq(first, 1e-4 * first.max_element()));
    (is_usable && is_common && !first.abs_diff_eq(Vec3::ONE, 1e-6)).then_some(first)
}

impl FbxReader<'_> {
    /// The skin of a mesh; `None` if no cluster moves it.
    pub(super) fn skin(&mut self, place: &str, mesh: &ufbx::Mesh) -> Result<Option<PointSkin>, ReadError> {
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
        let mesh_scale = mesh_scale(self.scene, deformer);
        if let Some(scale) = mesh_scale {
            let unscale = Affine3A::from_scale(scale.recip());
            binds.iter_mut().for_each(|bind| *bind *= unscale);
        }
        let skin = Skin::new(super::name_of(&deformer.element), &self.skeleton, joints, binds);
        let skin = skin.map_err(|e| ReadError::invalid(place, e))?;
        let dual_quats = dual_quats(self.scene, mesh, deformer);
        Ok(Some(PointSkin { skin, weights, dual_quats, mesh_scale }))
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
