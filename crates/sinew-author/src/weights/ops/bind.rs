//! Makes a pose the bind pose.

use crate::weights::{Effect, EffectPoses, WeightError, effect::BoundVertices, error::check_count};
use sinew::{
    LocalPose, Mesh, ModelPose, MorphTargets, Palette, Precomputed, Skeleton, Skin, Streams,
    deform::reference,
    glam::{Affine3A, Mat3A, Vec3},
    transform::inverse_affine,
};

/// A mesh in the shape of a pose, and a skin that is bound to it in that pose.
#[derive(Clone, Debug)]
pub struct BakedBind {
    /// The mesh as the pose deforms it, in model space. Data precomputed for the old shape is dropped.
    pub mesh: Mesh,
    /// The skin, bound in the pose.
    pub skin: Skin,
    /// Slots of joints with a singular matrix in the pose. Their old inverse bind matrices stay.
    pub flattened: Vec<u16>,
}

impl BakedBind {
    /// How far vertices are from those of the old `mesh`; `before` and `after` are the same poses of the old and the new skin.
    ///
    /// Vertices with one influence do not move. Blended vertices are now bound in blended positions, so they move in other poses.
    #[must_use]
    pub fn effect(&self, mesh: &Mesh, before: &EffectPoses, after: &EffectPoses) -> Effect {
        let (Some(old), Some(new)) = (mesh.weights(), self.mesh.weights()) else { return Effect::default() };
        let before = BoundVertices { positions: mesh.positions(), weights: old, poses: before };
        let after = BoundVertices { positions: self.mesh.positions(), weights: new, poses: after };
        Effect::between(&before, &after)
    }
}

/// Makes `pose` the bind pose of `mesh` and `skin`: the mesh takes the shape that linear blend skinning gives it in the pose.
///
/// # Errors
/// If the mesh has no weights or does not fit the skin, or the pose belongs to another skeleton.
pub fn bake_bind(
    mesh: &Mesh,
    skeleton: &Skeleton,
    skin: &Skin,
    pose: &LocalPose,
) -> Result<BakedBind, WeightError> {
    let no_weights = || WeightError::NoWeights { mesh: mesh.name().into() };
    let weights = mesh.weights().ok_or_else(no_weights)?;
    check_count("joints of the pose", pose.joints.len(), skeleton.len())?;
    if weights.slot_count() > skin.joints().len() {
        let (count, wanted) = (skin.joints().len(), weights.slot_count());
        return Err(WeightError::WrongCount { what: "joints of the skin", count, wanted });
    }
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, pose);
    let mut palette = Palette::new(skin);
    palette.update(skin, &model);
    let mut shape = Streams::of_mesh(mesh);
    let fits = reference::linear(mesh.into(), weights, &palette, shape.as_surface_mut());
    fits.map_err(|_| WeightError::WrongCount {
        what: "vertices with weights",
        count: weights.vertex_count(),
        wanted: mesh.vertex_count(),
    })?;
    let mut parts = mesh.parts().clone();
    parts.morphs = turned_shapes(mesh, &palette)?;
    (parts.positions, parts.normals, parts.tangents) = (shape.positions, shape.normals, shape.tangents);
    parts.precomputed = Precomputed::NONE;
    let mut flattened = Vec::new();
    let bind = |(slot, joint): (usize, &sinew::JointId)| {
        inverse_affine(&model.joint(*joint)).unwrap_or_else(|| {
            flattened.push(slot as u16);
            skin.joint_from_mesh()[slot]
        })
    };
    let binds: Vec<Affine3A> = skin.joints().iter().enumerate().map(bind).collect();
    let skin =
        Skin::new(skin.name(), skeleton, skin.joints().to_vec(), binds)?.with_root(skeleton, skin.root())?;
    Ok(BakedBind { mesh: Mesh::new(parts)?, skin, flattened })
}

/// The morph target offsets, rotated as the pose rotates their vertices.
fn turned_shapes(mesh: &Mesh, palette: &Palette) -> Result<MorphTargets, WeightError> {
    let mut targets = mesh.morphs().targets().to_vec();
    for target in &mut targets {
        let vertices = target.vertices.iter().map(|&v| linear_part(mesh, palette, v as usize));
        let turns: Vec<Mat3A> = vertices.collect();
        let turn = |stream: &mut Vec<Vec3>| {
            stream.iter_mut().zip(&turns).for_each(|(difference, turn)| *difference = *turn * *difference);
        };
        [&mut target.positions, &mut target.normals, &mut target.tangents].into_iter().for_each(turn);
    }
    Ok(MorphTargets::new(mesh.vertex_count(), targets, mesh.morphs().rest_weights().to_vec())?)
}

fn linear_part(mesh: &Mesh, palette: &Palette, vertex: usize) -> Mat3A {
    let Some(weights) = mesh.weights() else { return Mat3A::IDENTITY };
    let turn = |i: sinew::Influence| palette.matrices()[usize::from(i.slot)].matrix3 * i.weight;
    weights.influences(vertex).map(turn).fold(Mat3A::ZERO, |sum, m| sum + m)
}
