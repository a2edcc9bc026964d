//! A second implementation of skinning: in double precision, from the textbook, sharing no code with the library.
//!
//! The library traverses the hierarchy once from the root; the oracle walks up from every joint. The library uses
//! cofactors; the oracle inverts and transposes.

use sinew::{
    Character, JointId, LocalPose, Mesh, Skin, Transform,
    glam::{DMat3, DMat4, DQuat, DVec3},
};

/// The expected result for one vertex.
pub(crate) struct OracleVertex {
    pub(crate) position: DVec3,
    pub(crate) normal: DVec3,
    pub(crate) tangent: DVec3,
    pub(crate) handedness: f64,
    /// The amplification of an error in the matrix in the normal: at least 1, infinite if the matrix is singular.
    pub(crate) normal_condition: f64,
    /// The amplification of an error in the matrix in the tangent.
    pub(crate) tangent_condition: f64,
    /// The determinant relative to the size of the matrix.
    pub(crate) relative_determinant: f64,
}

/// How a vertex follows its joints.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Follow {
    /// The weighted sum of the joints' matrices.
    All,
    /// The joint with the largest weight; the first in the skin if two are equal.
    Strongest,
}

/// `model_from_mesh` of each of the skin's joints, with the bind taken from the rest pose.
pub(crate) fn palette(character: &Character, skin: &Skin, pose: &LocalPose) -> Vec<DMat4> {
    let rest = character.skeleton().rest_transforms();
    let matrix = |joint: &JointId| {
        model_from_joint(character, &pose.joints, *joint)
            * model_from_joint(character, rest, *joint).inverse()
    };
    skin.joints().iter().map(matrix).collect()
}

fn model_from_joint(character: &Character, local: &[Transform], joint: JointId) -> DMat4 {
    let own = matrix(&local[joint.index()]);
    match character.skeleton().parent(joint) {
        Some(parent) => model_from_joint(character, local, parent) * own,
        None => own,
    }
}

fn matrix(transform: &Transform) -> DMat4 {
    let [x, y, z, w] = transform.rotation.to_array().map(f64::from);
    // Quaternions from files and samplers are unit to seven digits; neither the library nor the oracle normalizes them.
    let rotation = DQuat::from_xyzw(x, y, z, w);
    let column = |axis: DVec3, scale: f32| {
        let u = DVec3::new(rotation.x, rotation.y, rotation.z);
        let turned = axis + 2.0 * u.cross(u.cross(axis) + rotation.w * axis);
        (turned * f64::from(scale)).extend(0.0)
    };
    DMat4::from_cols(
        column(DVec3::X, transform.scale.x),
        column(DVec3::Y, transform.scale.y),
        column(DVec3::Z, transform.scale.z),
        transform.translation.as_dvec3().extend(1.0),
    )
}

/// The matrix that moves one vertex.
pub(crate) struct Mover {
    model_from_mesh: DMat4,
    /// The magnitude of the terms that the matrix is summed from: if they cancel, precision of this magnitude is lost.
    size: f64,
}

impl Mover {
    /// The joint that a mesh without a skin follows.
    pub(crate) fn joint(character: &Character, pose: &LocalPose, joint: JointId) -> Self {
        let model_from_mesh = model_from_joint(character, &pose.joints, joint);
        Self { model_from_mesh, size: largest_stretch(model_from_mesh) }
    }

    /// The joints of a skin.
    pub(crate) fn skin(mesh: &Mesh, v: usize, palette: &[DMat4], follow: Follow) -> Self {
        let weights = mesh.weights().expect("a skinned mesh has weights");
        let mut influences: Vec<(usize, f64)> =
            weights.influences(v).map(|i| (usize::from(i.slot), f64::from(i.weight))).collect();
        if follow == Follow::Strongest {
            let stronger = |a: (usize, f64), b: (usize, f64)| {
                if b.1 > a.1 || (b.1 == a.1 && b.0 < a.0) { b } else { a }
            };
            let strongest = influences.iter().copied().reduce(stronger);
            influences = strongest.into_iter().map(|(slot, _)| (slot, 1.0)).collect();
        }
        let mut sum = Self { model_from_mesh: DMat4::ZERO, size: 0.0 };
        for (slot, weight) in influences {
            sum.model_from_mesh += palette[slot] * weight;
            sum.size += largest_stretch(palette[slot]) * weight;
        }
        sum
    }
}

fn largest_stretch(matrix: DMat4) -> f64 {
    let linear = DMat3::from_mat4(matrix);
    [linear.x_axis, linear.y_axis, linear.z_axis].iter().fold(0.0, |m, column| column.length().max(m))
}

/// Vertex `v` of `mesh` with its morph targets added, transformed by `mover`.
pub(crate) fn vertex(mesh: &Mesh, v: usize, morphs: &[f32], mover: &Mover) -> OracleVertex {
    let (position, normal, tangent) = morphed(mesh, v, morphs);
    let linear = DMat3::from_mat4(mover.model_from_mesh);
    let normal_out = linear.inverse().transpose() * normal;
    let tangent_out = linear * tangent;
    let (determinant, size) = (linear.determinant(), mover.size);
    OracleVertex {
        position: mover.model_from_mesh.transform_point3(position),
        normal: normal_out.normalize_or_zero(),
        tangent: tangent_out.normalize_or_zero(),
        handedness: f64::from(mesh.tangents()[v].w) * determinant.signum(),
        normal_condition: size * size * normal.length() / (normal_out.length() * determinant.abs()),
        tangent_condition: size * tangent.length() / tangent_out.length(),
        relative_determinant: determinant / size.powi(3),
    }
}

fn morphed(mesh: &Mesh, v: usize, weights: &[f32]) -> (DVec3, DVec3, DVec3) {
    let mut sum = [
        mesh.positions()[v].as_dvec3(),
        mesh.normals()[v].as_dvec3(),
        mesh.tangents()[v].truncate().as_dvec3(),
    ];
    for (target, &weight) in mesh.morphs().targets().iter().zip(weights) {
        let Some(k) = target.vertices.iter().position(|&moved| moved as usize == v) else { continue };
        for (sum, stream) in sum.iter_mut().zip([&target.positions, &target.normals, &target.tangents]) {
            *sum += stream.get(k).map_or(DVec3::ZERO, |d| d.as_dvec3()) * f64::from(weight);
        }
    }
    sum.into()
}
