//! How far an error of rounding may grow in the directions of a deformed vertex, by method.

use crate::subjects::PosedMesh;
use sinew::{
    DeltaMushData, DirectMushData, Mesh, Method, Weights,
    glam::{Affine3A, DMat3, DQuat, DVec3, Mat3, Quat, Vec3},
};

/// The factor for each vertex of `mesh`; infinite where a direction does not follow from the input.
pub(crate) fn of_vertices(method: Method, mesh: &Mesh, posed: &PosedMesh) -> Vec<f32> {
    let weights = mesh.weights().expect("the mesh is skinned");
    let data = mesh.precomputed();
    let of_all = |of: &dyn Fn(usize) -> f32| (0..mesh.vertex_count()).map(of).collect();
    match method {
        Method::DeltaMush => {
            of_frames(data.mush.as_ref().expect("the mesh is prepared for the method"), weights, posed)
        }
        Method::Ddm => {
            let mush = data.direct_mush.as_ref().expect("the mesh is prepared for the method");
            of_all(&|v| of_fit(mush, posed, v))
        }
        Method::Linear => of_all(&|v| of_matrices(mesh, posed, v)),
        Method::Rigid => of_all(&|_| 1.0),
        // Where the skin is folded, directions are differences of places too.
        Method::Contact => of_all(&|v| 20.0 * of_rotations(mesh, posed, v)),
        Method::Slerp | Method::DualQuat | Method::Cor => of_all(&|v| of_rotations(mesh, posed, v)),
    }
}

/// The accuracy of blended rotations is proportional to their length; stretches are covered by tests of the reference.
fn of_rotations(mesh: &Mesh, posed: &PosedMesh, v: usize) -> f32 {
    let (slots, slot_weights) = mesh.weights().expect("the mesh is skinned").of(v);
    let sum = blended_rotation(slots.iter().copied().zip(slot_weights.iter().copied()), posed);
    1.0 / sum.length_squared()
}

fn of_matrices(mesh: &Mesh, posed: &PosedMesh, v: usize) -> f32 {
    let (slots, slot_weights) = mesh.weights().expect("the mesh is skinned").of(v);
    let mut sum = Mat3::ZERO;
    let mut size = 0.0;
    for (&slot, &weight) in slots.iter().zip(slot_weights) {
        let linear = Mat3::from(posed.palette.matrices()[usize::from(slot)].matrix3);
        sum += linear * weight;
        size += linear.x_axis.length().max(linear.y_axis.length()).max(linear.z_axis.length()) * weight;
    }
    let sum = sum * (1.0 / size);
    let cofactors = Mat3::from_cols(
        sum.y_axis.cross(sum.z_axis),
        sum.z_axis.cross(sum.x_axis),
        sum.x_axis.cross(sum.y_axis),
    );
    let normal = mesh.normals().get(v).map_or(1.0, |n| (cofactors * *n).length());
    let tangent = mesh.tangents().get(v).map_or(1.0, |t| (sum * t.truncate()).length());
    (1.0 / normal.min(tangent)).max(1.0) / sum.determinant().abs().min(1.0)
}

/// The weighted sum of rotations in the hemisphere of the first.
fn blended_rotation(influences: impl Iterator<Item = (u16, f32)>, posed: &PosedMesh) -> Quat {
    let (mut sum, mut pivot) = (Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), None);
    for (slot, weight) in influences {
        let real = posed.dual_quats.rigid()[usize::from(slot)].real;
        let pivot = *pivot.get_or_insert(real);
        sum += real * if real.dot(pivot) < 0.0 { -weight } else { weight };
    }
    sum
}

/// What the tolerance of the tests allows for: about 170 roundings, of which kernel and reference make up to forty in each
/// term of such a sum.
const ROUNDINGS: f64 = 4.0;

/// How ambiguous the rotation nearest to a vertex's moments is, and how far rounding of positions grows in them.
fn of_fit(mush: &DirectMushData, posed: &PosedMesh, v: usize) -> f32 {
    let pivot = mush.parts().pivots[v].as_dvec3();
    let (mut fit, mut stretch, mut noise) = (DMat3::ZERO, DMat3::ZERO, 0.0);
    for m in mush.of(v) {
        let matrix = &posed.palette.matrices()[usize::from(m.slot)];
        let (linear, at) = (double(matrix), moved(matrix, pivot));
        let first = m.first.as_dvec3();
        fit += linear * m.second.as_dmat3() + outer(at, first);
        // A moved pivot is as inexact as the terms that it is the sum of.
        let terms = at.length() + pivot.length() + f64::from(matrix.translation.length());
        noise += terms * first.length();
        stretch += double(&posed.dual_quats.stretch()[usize::from(m.slot)]) * f64::from(m.weight);
    }
    if posed.dual_quats.has_stretch() {
        fit *= stretch.transpose();
        noise *= stretch.x_axis.length() + stretch.y_axis.length() + stretch.z_axis.length();
    }
    let size = fit.to_cols_array().iter().map(|n| n * n).sum::<f64>().sqrt();
    let sum = blended_rotation(mush.of(v).map(|m| (m.slot, m.weight)), posed);
    if size <= 0.0 || sum.length() < 1e-3 {
        return f32::INFINITY;
    }
    let fit = fit * (1.0 / size) + DMat3::from_quat(sum.normalize().as_dquat()) * 1e-4;
    let Some(rotation) = polar(fit) else { return f32::INFINITY };
    let turned = rotation.transpose() * fit;
    let trace = turned.x_axis.x + turned.y_axis.y + turned.z_axis.z;
    let curvature = DMat3::from_diagonal(DVec3::splat(trace)) - (turned + turned.transpose()) * 0.5;
    ((1.0 + noise / size / ROUNDINGS) / curvature.determinant().max(1e-12)) as f32
}

/// The rotation nearest to a matrix with a positive determinant, by Newton's iteration.
fn polar(matrix: DMat3) -> Option<DMat3> {
    let mut rotation = matrix;
    for _ in 0..40 {
        if rotation.determinant() <= 1e-9 {
            return None;
        }
        rotation = (rotation + rotation.inverse().transpose()) * 0.5;
    }
    DQuat::from_mat3(&rotation).is_finite().then_some(rotation)
}

/// How short and how close to each other the tangents of the smoothed surface are.
fn of_frames(mush: &DeltaMushData, weights: &Weights, posed: &PosedMesh) -> Vec<f32> {
    let parts = mush.parts();
    let by_vertex = |point: usize| weights.of(parts.vertex_of_point[point] as usize);
    let blended = |point: usize, matrices: &[Affine3A]| {
        let (slots, own) = by_vertex(point);
        let terms = slots.iter().zip(own);
        terms.fold((DMat3::ZERO, DVec3::ZERO), |(linear, translation), (&slot, &weight)| {
            let (matrix, weight) = (&matrices[usize::from(slot)], f64::from(weight));
            (
                linear + double(matrix) * weight,
                translation + Vec3::from(matrix.translation).as_dvec3() * weight,
            )
        })
    };
    let mut points: Vec<DVec3> = (0..mush.point_count())
        .map(|point| {
            let (linear, translation) = blended(point, posed.palette.matrices());
            linear * parts.rest[point].as_dvec3() + translation
        })
        .collect();
    let extent = points.iter().map(|p| p.length()).fold(1e-3, f64::max);
    for _ in 0..parts.iterations {
        let next = |point: usize| {
            let ring: Vec<DVec3> = mush.ring(point).map(|(n, _)| points[n as usize]).collect();
            let mean = ring.iter().sum::<DVec3>() / ring.len().max(1) as f64;
            if ring.is_empty() { points[point] } else { points[point].lerp(mean, f64::from(parts.step)) }
        };
        points = (0..points.len()).map(next).collect();
    }
    let of_point = |point: usize| {
        let (mut tangents, mut coefficients) = ([DVec3::ZERO; 2], [0.0; 2]);
        for (neighbor, edge) in mush.ring(point) {
            for (n, weight) in edge.to_array().into_iter().map(f64::from).enumerate() {
                tangents[n] += (points[neighbor as usize] - points[point]) * weight;
                coefficients[n] += weight.abs();
            }
        }
        let rest = parts.rest_tangents[point].map(|t| {
            let stretch = if posed.dual_quats.has_stretch() {
                blended(point, posed.dual_quats.stretch()).0
            } else {
                DMat3::IDENTITY
            };
            stretch * t.as_dvec3()
        });
        let noise = (0..2).map(|n| extent * coefficients[n] / tangents[n].length()).fold(0.0, f64::max);
        ((1.0 + noise / ROUNDINGS) * shear(tangents) * shear(rest)) as f32
    };
    let of_points: Vec<f32> = (0..points.len()).map(of_point).collect();
    parts.point_of_vertex.iter().map(|&point| of_points[point as usize]).collect()
}

/// How far an error of two directions grows in the frame between them; infinite if they are parallel.
fn shear([a, b]: [DVec3; 2]) -> f64 {
    let (a, b) = (a.normalize_or_zero(), b.normalize_or_zero());
    2.0 / (a + b).length().min((b - a).length())
}

fn double(matrix: &Affine3A) -> DMat3 {
    Mat3::from(matrix.matrix3).as_dmat3()
}

fn moved(matrix: &Affine3A, point: DVec3) -> DVec3 {
    double(matrix) * point + Vec3::from(matrix.translation).as_dvec3()
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
