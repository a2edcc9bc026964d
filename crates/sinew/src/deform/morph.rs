//! Morph targets, added before skinning.

use super::streams::{DeformError, Surface, SurfaceMut, check_lengths};
use crate::asset::morph::MorphTargets;

/// Writes `surface` plus every target times its weight into `out`, in mesh space.
///
/// Normals and tangents are not normalized here; the deformation method that runs next does it.
///
/// # Errors
/// If stream lengths differ, the number of weights and targets differs, or a target has a vertex index that is out of range.
pub fn apply_morphs(
    surface: Surface<'_>,
    morphs: &MorphTargets,
    weights: &[f32],
    out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    check_lengths(&surface, &out)?;
    let (count, wanted) = (weights.len(), morphs.len());
    if count != wanted {
        return Err(DeformError::WrongCount { stream: "morph weights", count, wanted });
    }
    let vertices = surface.positions.len();
    let beyond = |v: &&u32| **v as usize >= vertices;
    if let Some(&v) = morphs.targets().iter().filter_map(|t| t.vertices.last()).find(beyond) {
        let (count, wanted) = (vertices, v as usize + 1);
        return Err(DeformError::WrongCount { stream: "positions", count, wanted });
    }
    let SurfaceMut { positions, normals, tangents } = out;
    positions.copy_from_slice(surface.positions);
    // Streams that the surface lacks are not written.
    let normals = &mut normals[..surface.normals.len()];
    let tangents = &mut tangents[..surface.tangents.len()];
    normals.copy_from_slice(surface.normals);
    tangents.copy_from_slice(surface.tangents);
    for (target, &weight) in morphs.targets().iter().zip(weights).filter(|(_, w)| **w != 0.0) {
        let vertices = || target.vertices.iter().map(|&v| v as usize);
        vertices().zip(&target.positions).for_each(|(v, d)| positions[v] += *d * weight);
        if !normals.is_empty() {
            vertices().zip(&target.normals).for_each(|(v, d)| normals[v] += *d * weight);
        }
        if !tangents.is_empty() {
            vertices().zip(&target.tangents).for_each(|(v, d)| tangents[v] += (*d * weight).extend(0.0));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MorphTarget, Streams};
    use glam::{Vec3, Vec4};

    #[test]
    fn shapes_add_up_by_weight_and_keep_handedness() {
        let base = Streams {
            positions: vec![Vec3::ZERO, Vec3::X],
            normals: vec![Vec3::Z; 2],
            tangents: vec![Vec4::new(1.0, 0.0, 0.0, -1.0); 2],
        };
        let a = MorphTarget::from_dense(
            "a",
            &[Vec3::ZERO, Vec3::Y],
            &[Vec3::ZERO, Vec3::X],
            &[Vec3::ZERO, Vec3::Y],
        );
        let b = MorphTarget::from_dense("b", &[Vec3::X, Vec3::X], &[], &[]);
        let morphs = MorphTargets::new(2, vec![a, b], vec![]).unwrap();
        let mut out = base.clone();
        apply_morphs(base.as_surface(), &morphs, &[0.5, 2.0], out.as_surface_mut()).unwrap();
        assert_eq!(out.positions, [Vec3::new(2.0, 0.0, 0.0), Vec3::new(3.0, 0.5, 0.0)]);
        assert_eq!(out.normals, [Vec3::Z, Vec3::new(0.5, 0.0, 1.0)]);
        assert_eq!(out.tangents[1], Vec4::new(1.0, 0.5, 0.0, -1.0));
    }

    #[test]
    fn refuses_a_wrong_number_of_weights() {
        let base = Streams { positions: vec![Vec3::ZERO], ..Streams::default() };
        let morphs = MorphTargets::new(1, vec![MorphTarget::default()], vec![]).unwrap();
        let mut out = base.clone();
        let error = apply_morphs(base.as_surface(), &morphs, &[], out.as_surface_mut()).unwrap_err();
        assert_eq!(error.to_string(), "morph weights has 0 entries where 1 are needed");
    }
}
