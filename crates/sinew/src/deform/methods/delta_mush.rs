//! Delta mush: smoothed linear blend skinning with the lost detail restored.
//!
//! J. Mancewicz, M. L. Derksen, H. Rijpkema, C. A. Wilson 2014, "Delta Mush: smoothing deformations while preserving
//! detail".

use super::{
    MethodDefinition, PrecomputedNeed,
    linear::blend,
    rotation::blend_linear_stretches,
    vertex::{VertexRotation, turn_vertex},
};
use crate::{
    asset::{precomputed::DeltaMushData, weights::Weights},
    bounds::BoundsRule,
    deform::{
        Method,
        kernel::SkinningPalette,
        scratch::DeformScratch,
        streams::{
            DeformError, Surface, SurfaceMut, check_binding, check_count, check_lengths, check_palette,
        },
    },
    palette::{DualQuatPalette, Palette},
};
use glam::{Affine3A, DMat3, DQuat, DVec3, Mat3, Mat3A, Quat, Vec3};

const WHAT: &str = "delta mush data";
const MISSING: DeformError = DeformError::MissingPrecomputed { method: Method::DeltaMush, what: WHAT };

pub(in crate::deform) const DEFINITION: MethodDefinition = MethodDefinition {
    name: "delta-mush",
    aliases: &[],
    title: "Delta mush",
    cost: "one blend per smoothed influence of a vertex; smoothing is done once, on the weights",
    needs_dual_quats: true,
    precomputed: Some(PrecomputedNeed { what: WHAT, is_present: |data| data.mush.is_some() }),
    reference: |surface, binding, scratch, out| {
        let mush = binding.precomputed.mush.as_ref().ok_or(MISSING)?;
        let dual_quats = binding.dual_quats_for(Method::DeltaMush)?;
        delta_mush(surface, binding.weights, binding.palette, dual_quats, mush, scratch, out)
    },
    kernel: Some(|pose| {
        Ok(SkinningPalette::DeltaMush(pose.matrices, pose.dual_quats_for(Method::DeltaMush)?))
    }),
    bounds: BoundsRule::Smoothed,
};

/// Delta mush: linear blend skinning of the rest surface, smoothed, then displaced by every vertex's offset from the
/// smoothed rest surface in the rotated frame of its point.
///
/// Smoothing hides jagged weights and spreads creases; it does not restore the volume that linear blend skinning loses
/// in a twist. Morph targets are part of the offset and are not smoothed. The frame of a point comes from two weighted sums
/// of the edges around it. The offset includes the stretch of the joints, so scaling the character scales the result.
///
/// Points are posed and smoothed in double precision: frames come from differences of neighbors, a few millimeters
/// apart and meters from the origin.
///
/// # Errors
/// If stream lengths differ, a palette is too small, or `mush` is of another mesh.
pub fn delta_mush(
    surface: Surface<'_>,
    weights: &Weights,
    palette: &Palette,
    dual_quats: &DualQuatPalette,
    mush: &DeltaMushData,
    scratch: &mut DeformScratch,
    mut out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    check_lengths(&surface, &out)?;
    check_binding(&surface, weights, palette)?;
    check_palette(&surface, weights, dual_quats.rigid().len())?;
    check_count("delta mush", mush.vertex_count(), surface.positions.len())?;
    let parts = mush.parts();
    let [posed, next] = scratch.points(mush.point_count());
    for ((to, &vertex), &rest) in posed.iter_mut().zip(&parts.vertex_of_point).zip(&parts.rest) {
        let (slots, slot_weights) = weights.of(vertex as usize);
        *to = transform_point(&blend(slots, slot_weights, palette.matrices()), rest);
    }
    let smoothed = smooth(mush, posed, next);
    for (vertex, &point) in parts.point_of_vertex.iter().enumerate() {
        let point = point as usize;
        let (slots, slot_weights) = weights.of(parts.vertex_of_point[point] as usize);
        let stretch = blend_linear_stretches(slots, slot_weights, dual_quats);
        let fallback = dual_quats.rigid()[usize::from(slots[0])].real;
        let rotation = turn_of_point(mush, point, smoothed, stretch.as_ref()).unwrap_or(fallback);
        let turn = VertexRotation { rotation, stretch: stretch.as_ref() };
        let offset = surface.positions[vertex] - parts.smoothed[point];
        let position = turn.apply(offset) + smoothed[point].as_vec3();
        turn_vertex(vertex, &surface, turn, position, &mut out);
    }
    Ok(())
}

/// `point` transformed by the matrix in double precision, so that the terms are not rounded before they are summed.
fn transform_point(matrix: &Affine3A, point: Vec3) -> DVec3 {
    let linear = Mat3::from(matrix.matrix3).as_dmat3();
    linear * point.as_dvec3() + Vec3::from(matrix.translation).as_dvec3()
}

/// Moves every point towards the mean of its neighbors repeatedly, alternating between two buffers.
fn smooth<'a>(mush: &DeltaMushData, mut from: &'a mut [DVec3], mut to: &'a mut [DVec3]) -> &'a [DVec3] {
    let step = f64::from(mush.parts().step);
    for _ in 0..mush.parts().iterations {
        for (point, to) in to.iter_mut().enumerate() {
            let ring = mush.ring(point);
            let count = ring.len();
            let here = from[point];
            let sum: DVec3 = ring.map(|(neighbor, _)| from[neighbor as usize]).sum();
            *to = if count == 0 { here } else { here + (sum / count as f64 - here) * step };
        }
        (from, to) = (to, from);
    }
    from
}

/// The rotation of the surface around a point relative to rest; `None` if it has collapsed to a line.
fn turn_of_point(
    mush: &DeltaMushData,
    point: usize,
    smoothed: &[DVec3],
    stretch: Option<&Mat3A>,
) -> Option<Quat> {
    let here = smoothed[point];
    let mut tangents = [DVec3::ZERO; 2];
    for (neighbor, tangent_weights) in mush.ring(point) {
        let edge = smoothed[neighbor as usize] - here;
        tangents[0] += edge * f64::from(tangent_weights.x);
        tangents[1] += edge * f64::from(tangent_weights.y);
    }
    let rest = mush.parts().rest_tangents[point];
    let rest = stretch.map_or(rest, |s| rest.map(|t| *s * t)).map(Vec3::as_dvec3);
    let turned = frame(tangents)? * frame(rest)?.transpose();
    let rotation = DQuat::from_mat3(&turned).as_quat().normalize();
    rotation.is_finite().then_some(rotation)
}

/// The right-handed frame of two tangents: half-way between them, across, and out of their plane.
///
/// Using neither tangent as the axis distributes a shear evenly between them.
pub(in crate::deform) fn frame([a, b]: [DVec3; 2]) -> Option<DMat3> {
    let (a, b) = (a.normalize_or_zero(), b.normalize_or_zero());
    let (along, across) = ((a + b).normalize_or_zero(), (b - a).normalize_or_zero());
    let out = along.cross(across).normalize_or_zero();
    (out != DVec3::ZERO).then(|| DMat3::from_cols(along, out.cross(along), out))
}
