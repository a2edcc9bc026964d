//! Rigid skinning with the inverse binds multiplied into the vertices once.

use crate::{
    asset::{skeleton::JointId, skin::Skin, weights::Weights},
    deform::{
        methods::{rigid::rigid, vertex::transform_vertex},
        streams::{DeformError, Streams, Surface, SurfaceMut, check_lengths},
    },
    palette::Palette,
    pose::ModelPose,
};

/// A surface whose vertices are stored in the space of the joint that each follows.
///
/// Built once, it needs no inverse bind matrices per frame: the matrices of the pose transform it.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSpaceMesh {
    joints: Vec<JointId>,
    streams: Streams,
}

impl JointSpaceMesh {
    /// Transforms every vertex of `surface` to the space of its strongest joint in `skin`.
    ///
    /// # Errors
    /// If stream lengths differ or the skin has fewer joints than the weights use.
    pub fn new(surface: Surface<'_>, weights: &Weights, skin: &Skin) -> Result<Self, DeformError> {
        let mut streams = Streams {
            positions: surface.positions.to_vec(),
            normals: surface.normals.to_vec(),
            tangents: surface.tangents.to_vec(),
        };
        // The inverse bind matrices are the palette of the pose in which every joint is at the origin.
        let joint_from_mesh = Palette::from_matrices(skin.joint_from_mesh().to_vec());
        rigid(surface, weights, &joint_from_mesh, streams.as_surface_mut())?;
        let strongest = |vertex: usize| skin.joints()[usize::from(weights.of(vertex).0[0])];
        Ok(Self { joints: (0..weights.vertex_count()).map(strongest).collect(), streams })
    }

    /// The joint that each vertex follows.
    pub fn joints(&self) -> &[JointId] {
        &self.joints
    }

    /// The vertices, each in the space of its joint.
    pub fn streams(&self) -> &Streams {
        &self.streams
    }
}

/// Rigid skinning of vertices that are stored in joint space: `v' = model_from_joint v`.
///
/// # Errors
/// If stream lengths differ or the pose has fewer joints than the mesh follows.
pub fn rigid_in_joint_space(
    mesh: &JointSpaceMesh,
    pose: &ModelPose,
    mut out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    let surface = mesh.streams.as_surface();
    check_lengths(&surface, &out)?;
    let needed = mesh.joints.iter().map(|j| j.index() + 1).max().unwrap_or(0);
    let matrices = pose.joints().len();
    if needed > matrices {
        return Err(DeformError::PaletteTooSmall { needed, matrices });
    }
    for (vertex, &joint) in mesh.joints.iter().enumerate() {
        transform_vertex(vertex, &surface, &pose.joint(joint), &mut out);
    }
    Ok(())
}
