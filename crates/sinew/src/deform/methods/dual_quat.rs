//! Dual quaternion skinning, with and without its bulge.
//!
//! L. Kavan, S. Collins, J. Žára, C. O'Sullivan 2007, "Skinning with dual quaternions", and 2008, "Geometric skinning with
//! approximate dual quaternion blending", for the blend and the separate treatment of scale.

use super::{
    MethodDefinition,
    linear::blend,
    rotation::{blend_dual_quats, blend_stretches},
    vertex::{DeformedVertex, VertexRotation, transform_vertex, turn_vertex},
};
use crate::{
    asset::{precomputed::BlendMap, skeleton::Skeleton, skin::Skin, weights::Weights},
    bounds::BoundsRule,
    deform::streams::{
        DeformError, Surface, SurfaceMut, check_binding, check_count, check_lengths, check_palette,
    },
    deform::{Binding, Method, kernel::SkinningPalette},
    palette::{DualQuatPalette, bind_position},
};
use glam::Vec3;

pub(in crate::deform) const DEFINITION: MethodDefinition = MethodDefinition {
    name: "dual-quat",
    aliases: &[],
    title: "Dual quaternion skinning",
    cost: "one blended dual quaternion per vertex, and one blended matrix where joints stretch",
    needs_dual_quats: true,
    precomputed: None,
    reference: |surface, binding, _, out| {
        let palette = binding.dual_quats_for(Method::DualQuat)?;
        match &binding.precomputed.blend_map {
            Some(map) => dual_quat_blended(surface, binding, map, out),
            None => dual_quat(surface, binding.weights, palette, out),
        }
    },
    kernel: Some(|pose| Ok(SkinningPalette::DualQuat(pose.dual_quats_for(Method::DualQuat)?))),
    bounds: BoundsRule::DualQuats,
};

/// Dual quaternion skinning in two phases: stretches are blended as matrices, rigid motions as dual quaternions.
///
/// `v' = q̂(Σ w S v)` with `q̂ = Σ s w q̂ⱼ / |Σ s w qⱼ|`; the signs `s` move every joint to the hemisphere of the one with the
/// largest weight. Twists keep their radius, but bent joints bulge.
///
/// # Errors
/// If stream lengths differ or the palette is too small.
pub fn dual_quat(
    surface: Surface<'_>,
    weights: &Weights,
    palette: &DualQuatPalette,
    mut out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    check_lengths(&surface, &out)?;
    check_palette(&surface, weights, palette.rigid().len())?;
    for vertex in 0..surface.positions.len() {
        move_vertex(vertex, &surface, weights, palette, &mut out);
    }
    Ok(())
}

fn move_vertex(
    vertex: usize,
    surface: &Surface<'_>,
    weights: &Weights,
    palette: &DualQuatPalette,
    out: &mut SurfaceMut<'_>,
) {
    let (slots, slot_weights) = weights.of(vertex);
    let rigid = blend_dual_quats(slots, slot_weights, palette);
    let stretch = blend_stretches(slots, slot_weights, palette);
    let rest = surface.positions[vertex];
    let stretched = stretch.map_or(rest, |s| s.transform_point3(rest));
    let turn = VertexRotation { rotation: rigid.real, stretch: stretch.as_ref().map(|s| &s.matrix3) };
    turn_vertex(vertex, surface, turn, rigid.transform_point(stretched), out);
}

/// Dual quaternion skinning where `map` is 1, linear blend skinning where it is 0, and their average in between. `binding`
/// must have dual quaternions.
///
/// # Errors
/// If stream lengths differ, a palette is missing or too small, or `map` is of another mesh.
pub fn dual_quat_blended(
    surface: Surface<'_>,
    binding: &Binding<'_>,
    map: &BlendMap,
    mut out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    let (weights, palette) = (binding.weights, binding.dual_quats_for(Method::DualQuat)?);
    check_lengths(&surface, &out)?;
    check_binding(&surface, weights, binding.palette)?;
    check_palette(&surface, weights, palette.rigid().len())?;
    check_count("blend map", map.weights().len(), surface.positions.len())?;
    for (vertex, &weight) in map.weights().iter().enumerate() {
        let (slots, slot_weights) = weights.of(vertex);
        if weight < 1.0 {
            let matrix = blend(slots, slot_weights, binding.palette.matrices());
            transform_vertex(vertex, &surface, &matrix, &mut out);
        }
        if weight > 0.0 {
            let linear = DeformedVertex::of(&out.as_surface(), vertex);
            move_vertex(vertex, &surface, weights, palette, &mut out);
            let turned = DeformedVertex::of(&out.as_surface(), vertex);
            if weight < 1.0 {
                linear.blended(turned, weight).write(vertex, &mut out);
            }
        }
    }
    Ok(())
}

/// A joint's bone as a line segment, in mesh space at bind time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneSegment {
    /// The joint's bind position, in mesh space.
    pub head: Vec3,
    /// The end of the bone, in mesh space.
    pub tail: Vec3,
}

impl BoneSegment {
    /// The point of the segment that is nearest to `point`.
    pub fn nearest(&self, point: Vec3) -> Vec3 {
        let bone = self.tail - self.head;
        let length_squared = bone.length_squared();
        if length_squared == 0.0 {
            return self.head;
        }
        self.head + bone * ((point - self.head).dot(bone) / length_squared).clamp(0.0, 1.0)
    }
}

/// The bone of every slot of `skin`: from its joint to the mean of the joints below it that the skin has.
///
/// A joint without such children continues its parent's bone in direction and length.
pub fn bone_segments(skeleton: &Skeleton, skin: &Skin) -> Vec<BoneSegment> {
    let heads: Vec<Vec3> = skin.joint_from_mesh().iter().map(bind_position).collect();
    let parents = skin.parent_slots(skeleton);
    // The number of children of each slot, and the sum of their heads.
    let mut children = vec![(0, Vec3::ZERO); heads.len()];
    for (parent, head) in parents.iter().zip(&heads) {
        if let Some((count, sum)) = parent.map(|parent| &mut children[usize::from(parent)]) {
            (*count, *sum) = (*count + 1, *sum + *head);
        }
    }
    let tail = |slot: usize| match (children[slot], parents[slot]) {
        ((0, _), Some(parent)) => heads[slot] + (heads[slot] - heads[usize::from(parent)]),
        ((0, _), None) => heads[slot],
        ((count, sum), _) => sum / count as f32,
    };
    (0..heads.len()).map(|slot| BoneSegment { head: heads[slot], tail: tail(slot) }).collect()
}

/// Dual quaternion skinning without the bulge: each bone pulls the vertex back to its distance at rest.
///
/// After [`dual_quat`], every influence moves the vertex, by its weight, along the line to the nearest point of its own
/// posed bone to its distance at rest. Directions are those of [`dual_quat`]. `bones` has one entry per slot.
///
/// # Errors
/// If stream lengths differ, or the palette or `bones` is too small.
pub fn dual_quat_bulge_free(
    surface: Surface<'_>,
    weights: &Weights,
    palette: &DualQuatPalette,
    bones: &[BoneSegment],
    mut out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    check_lengths(&surface, &out)?;
    check_palette(&surface, weights, palette.rigid().len().min(bones.len()))?;
    for vertex in 0..surface.positions.len() {
        move_vertex(vertex, &surface, weights, palette, &mut out);
        let (slots, slot_weights) = weights.of(vertex);
        let (rest, bulged) = (surface.positions[vertex], out.positions[vertex]);
        let pull = |(&slot, &weight): (&u16, &f32)| {
            let slot = usize::from(slot);
            let place =
                |p: Vec3| palette.rigid()[slot].transform_point(palette.stretch()[slot].transform_point3(p));
            let posed = BoneSegment { head: place(bones[slot].head), tail: place(bones[slot].tail) };
            // A stretch of the joint also scales the distance.
            let stretched = palette.stretch()[slot].transform_vector3(rest - bones[slot].nearest(rest));
            let away = bulged - posed.nearest(bulged);
            let length = away.length();
            if length > f32::MIN_POSITIVE {
                away * (weight * (stretched.length() / length - 1.0))
            } else {
                Vec3::ZERO
            }
        };
        out.positions[vertex] = bulged + slots.iter().zip(slot_weights).map(pull).sum::<Vec3>();
    }
    Ok(())
}
