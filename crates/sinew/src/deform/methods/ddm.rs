//! Direct delta mush: delta mush's smoothing and frames in one step.
//!
//! B. H. Le, J. P. Lewis 2019, "Direct delta mush skinning and variants".

use super::{
    MethodDefinition, PrecomputedNeed,
    rotation::{SumOfSigns, blend_rotations},
    vertex::{VertexRotation, turn_vertex},
};
use crate::{
    asset::precomputed::{DirectMushData, MushDetail},
    bounds::BoundsRule,
    deform::streams::{DeformError, Surface, SurfaceMut, check_count, check_lengths},
    deform::{Method, kernel::SkinningPalette},
    palette::{DualQuatPalette, Palette, polar::nearest_rotation},
};
use glam::{DMat3, Mat3, Mat3A, Quat, Vec3};

const WHAT: &str = "direct delta mush data";
const MISSING: DeformError = DeformError::MissingPrecomputed { method: Method::Ddm, what: WHAT };

pub(in crate::deform) const DEFINITION: MethodDefinition = MethodDefinition {
    name: "ddm",
    aliases: &[],
    title: "Direct delta mush",
    cost: "one blend per smoothed influence of a vertex and a fitted rotation",
    needs_dual_quats: true,
    precomputed: Some(PrecomputedNeed { what: WHAT, is_present: |data| data.direct_mush.is_some() }),
    reference: |surface, binding, _, out| {
        let mush = binding.precomputed.direct_mush.as_ref().ok_or(MISSING)?;
        ddm(surface, binding.palette, binding.dual_quats_for(Method::Ddm)?, mush, out)
    },
    kernel: Some(|pose| Ok(SkinningPalette::Ddm(pose.matrices, pose.dual_quats_for(Method::Ddm)?))),
    bounds: BoundsRule::SmoothedMoments,
};

/// Direct delta mush: delta mush's smoothing and its frames in one step, from smoothed moments.
///
/// Every vertex has a pivot `p`, its smoothed position at rest, and for each joint the moments about `p` of that joint's
/// part of the neighborhood. The pivot moves to `q = Σ (s K p + L d)`, the neighborhood rotates by the rotation `R` nearest
/// to `Σ (L C + (K p − q) dᵀ)`, and `v' = R (v − p) + q`. `K` are the skinning matrices, `L` their linear parts, `s`,
/// `d` and `C` the weight, first and second moments. Less [detail](MushDetail) leaves out `C` and blends the joints'
/// rotations instead, or leaves out `d` too.
///
/// # Errors
/// If stream lengths differ, a palette is too small, or `mush` is of another mesh.
pub fn ddm(
    surface: Surface<'_>,
    palette: &Palette,
    dual_quats: &DualQuatPalette,
    mush: &DirectMushData,
    mut out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    check_lengths(&surface, &out)?;
    check_count("direct delta mush", mush.vertex_count(), surface.positions.len())?;
    let (needed, matrices) = (mush.slot_count(), palette.matrices().len().min(dual_quats.rigid().len()));
    if needed > matrices {
        return Err(DeformError::PaletteTooSmall { needed, matrices });
    }
    for (vertex, &pivot) in mush.parts().pivots.iter().enumerate() {
        let stretch = dual_quats.has_stretch().then(|| blended_stretch(mush, vertex, dual_quats));
        let moved = moved_pivot(mush, vertex, palette, pivot);
        let blended = blended_rotation(mush, vertex, dual_quats);
        let rotation = match mush.parts().detail {
            MushDetail::Full => {
                let fit = turned_moments(mush, vertex, palette, pivot, moved);
                // Fitted against the stretched rest shape, the rotation is exact if all joints stretch equally.
                fitted_rotation(stretch.map_or(fit, |s| fit * Mat3::from(s).transpose()), blended)
            }
            MushDetail::First | MushDetail::Pivot => blended,
        };
        let turn = VertexRotation { rotation, stretch: stretch.as_ref() };
        let position = turn.apply(surface.positions[vertex] - pivot) + moved;
        turn_vertex(vertex, &surface, turn, position, &mut out);
    }
    Ok(())
}

/// The weight of the joints' own rotations relative to the fit: enough to determine the rotation of a neighborhood that is
/// a line or a point, for which the fit is ambiguous, and too little to be visible otherwise.
pub(in crate::deform) const DOUBT: f64 = 1e-4;

/// The rotation nearest to `fit`; `blended` decides where `fit` is ambiguous.
pub(in crate::deform) fn fitted_rotation(fit: Mat3, blended: Quat) -> Quat {
    let fit = fit.as_dmat3();
    let size = [fit.x_axis, fit.y_axis, fit.z_axis].iter().map(|c| c.length_squared()).sum::<f64>().sqrt();
    if !(size > 0.0 && size.is_finite()) {
        return blended;
    }
    let sum = fit + DMat3::from_quat(blended.as_dquat()) * (DOUBT * size);
    nearest_rotation(sum).as_quat().normalize()
}

/// The pivot after linear blend skinning and smoothing, in meters in model space.
fn moved_pivot(mush: &DirectMushData, vertex: usize, palette: &Palette, pivot: Vec3) -> Vec3 {
    mush.of(vertex)
        .map(|m| {
            let matrix = &palette.matrices()[usize::from(m.slot)];
            matrix.transform_point3(pivot) * m.weight + matrix.transform_vector3(m.first)
        })
        .sum()
}

/// The sum of posed offsets times rest offsets over the neighborhood, relative to the pivots.
fn turned_moments(mush: &DirectMushData, vertex: usize, palette: &Palette, pivot: Vec3, moved: Vec3) -> Mat3 {
    mush.of(vertex).fold(Mat3::ZERO, |sum, m| {
        let matrix = &palette.matrices()[usize::from(m.slot)];
        let offset = matrix.transform_point3(pivot) - moved;
        let outer = Mat3::from_cols(offset * m.first.x, offset * m.first.y, offset * m.first.z);
        sum + Mat3::from(matrix.matrix3) * m.second + outer
    })
}

fn blended_stretch(mush: &DirectMushData, vertex: usize, dual_quats: &DualQuatPalette) -> Mat3A {
    mush.of(vertex)
        .fold(Mat3A::ZERO, |sum, m| sum + dual_quats.stretch()[usize::from(m.slot)].matrix3 * m.weight)
}

fn blended_rotation(mush: &DirectMushData, vertex: usize, dual_quats: &DualQuatPalette) -> Quat {
    let rotations = mush.of(vertex).map(|m| (dual_quats.rigid()[usize::from(m.slot)].real, m.weight));
    blend_rotations(rotations, SumOfSigns::Nearest)
}
