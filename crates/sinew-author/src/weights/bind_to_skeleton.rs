//! Binds meshes without a skin to the skeleton of another character.

mod pose;

pub use pose::ClothesPose;

use super::rig::RigError;
use pose::ClothesFit;
use sinew::{
    Channel, Character, CharacterParts, Clip, Frame, Influence, Mesh, MeshInstance, MeshParts, Method,
    MorphTargets, Precomputed, Streams, Weights,
    glam::{Affine3A, Mat3A, Vec3, Vec3A, Vec4},
};
use std::sync::Arc;

/// The meshes of `clothes` in their rest pose, bound to the skeleton of `body` and its skin at index `skin`, with the clips of
/// `body`. Every vertex follows the skin's first joint; use [`transfer`](super::ops::transfer) to copy the weights of the body.
///
/// The clothes must lie on the body, either as it rests or as it was bound; [`clothes_pose`] says which of the two fits. If they
/// lie on the body at rest, and that is not its bind pose, they are brought into the bind pose. Morph targets of the clothes are
/// left out.
///
/// # Errors
/// If `body` has no such skin or the parts do not fit together.
pub fn bind_to_skeleton(body: &Character, skin: usize, clothes: &Character) -> Result<Character, RigError> {
    let fit = ClothesFit::new(body, skin, clothes)?;
    let of = body.skins().get(skin).ok_or(RigError::NoSkin { skin })?;
    let place = body.instances().iter().find(|i| i.skin == Some(skin)).ok_or(RigError::NoSkin { skin })?;
    let mut frame = Frame::new(clothes);
    frame.deform(Method::Linear)?;
    let mut parts = CharacterParts {
        skins: vec![Arc::clone(of)],
        materials: clothes.materials().to_vec(),
        images: clothes.images().to_vec(),
        clips: body.clips().iter().map(without_shapes).collect::<Result<_, _>>()?,
        helpers: body.helpers().to_vec(),
        node_constraints: body.node_constraints().to_vec(),
        springs: body.parts().springs.clone(),
        humanoid: body.humanoid().cloned(),
        ..CharacterParts::new(clothes.parts().name.clone(), Arc::clone(body.skeleton()))
    };
    for instance in clothes.visible_instances() {
        let mesh = clothes.mesh_of(&clothes.instances()[instance]);
        let bare = bare(mesh, &frame.deformed()[instance], &fit)?;
        let mesh = parts.meshes.len();
        parts.meshes.push(Arc::new(Mesh::new(bare)?));
        parts.instances.push(MeshInstance {
            joint: place.joint,
            mesh,
            skin: Some(0),
            morph_weights: Vec::new(),
        });
    }
    Ok(Character::new(parts)?)
}

/// Where `clothes` lie on `body`: on its rest pose or on its bind pose. The same for a body that rests as it was bound.
///
/// # Errors
/// If `body` has no skin at index `skin`, or it deforms no mesh.
pub fn clothes_pose(body: &Character, skin: usize, clothes: &Character) -> Result<ClothesPose, RigError> {
    Ok(ClothesFit::new(body, skin, clothes)?.pose())
}

/// The mesh with other positions, bound to one joint, without morph targets.
fn bare(mesh: &Mesh, placed: &Streams, fit: &ClothesFit) -> Result<MeshParts, RigError> {
    let matrices = fit.mesh_from_model(mesh, &placed.positions)?;
    let cofactors = |m: &Affine3A| m.matrix3.determinant() * m.matrix3.inverse().transpose();
    let turned =
        |direction: Vec3, by: &Mat3A| Vec3::from(*by * Vec3A::from(direction)).normalize_or(direction);
    let tangent = |(t, m): (&Vec4, &Affine3A)| turned(t.truncate(), &m.matrix3).extend(t.w);
    let normal = |(n, m): (&Vec3, &Affine3A)| turned(*n, &cofactors(m));
    let place = |(p, m): (&Vec3, &Affine3A)| m.transform_point3(*p);
    let alone = [Influence { slot: 0, weight: 1.0 }];
    let weights = Weights::new(1, std::iter::repeat_n(alone, mesh.vertex_count()));
    Ok(MeshParts {
        positions: placed.positions.iter().zip(&matrices).map(place).collect(),
        normals: placed.normals.iter().zip(&matrices).map(normal).collect(),
        tangents: placed.tangents.iter().zip(&matrices).map(tangent).collect(),
        morphs: MorphTargets::default(),
        weights: Some(Arc::new(weights.map_err(super::WeightError::from)?.0)),
        precomputed: Precomputed::default(),
        ..mesh.parts().clone()
    })
}

/// The clip without morph channels, since the clothes have no morph targets.
fn without_shapes(clip: &Arc<Clip>) -> Result<Arc<Clip>, RigError> {
    if clip.channels().iter().all(|c| !matches!(c, Channel::Morphs { .. })) {
        return Ok(Arc::clone(clip));
    }
    let mut parts = Clip::clone(clip).into_parts();
    parts.channels.retain(|c| !matches!(c, Channel::Morphs { .. }));
    Ok(Arc::new(Clip::from_parts(parts)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::{
        Edit,
        ops::{SkinAndSkeleton, SlotMap, TransferOptions, transfer},
    };

    #[test]
    fn an_unskinned_copy_of_the_body_gets_its_skin_and_then_its_weights() {
        let figure = sinew_samples::figure();
        let mut parts = figure.parts().clone();
        let bare = MeshParts {
            weights: None,
            precomputed: Precomputed::default(),
            ..parts.meshes[0].parts().clone()
        };
        parts.meshes = vec![Arc::new(Mesh::new(bare).unwrap())];
        parts.instances.iter_mut().for_each(|i| i.skin = None);
        (parts.skins, parts.clips) = (Vec::new(), Vec::new());
        let clothes = Character::new(parts).unwrap();

        let bound = bind_to_skeleton(&figure, 0, &clothes).unwrap();
        assert_eq!(bound.clips().len(), figure.clips().len());
        let (mesh, body) = (&bound.meshes()[0], &figure.meshes()[0]);
        let apart = mesh.positions().iter().zip(body.positions()).map(|(a, b)| a.distance(*b));
        assert!(apart.fold(0.0, f32::max) < 1e-5);

        let skin = |character: &Character| Arc::clone(&character.skins()[0]);
        let (from, onto) = (skin(&figure), skin(&bound));
        let slots = SlotMap::by_name(
            SkinAndSkeleton { skeleton: figure.skeleton(), skin: &from },
            SkinAndSkeleton { skeleton: bound.skeleton(), skin: &onto },
        );
        let edit = Edit::new(mesh).unwrap().in_skin_of(onto.joints().len());
        let given = body.weights().unwrap();
        let options =
            TransferOptions { max_influences: given.max_influences(), ..TransferOptions::default() };
        let made = transfer(&edit, body, given, &slots, &options).unwrap().outcome.weights;
        let off = |v: usize| {
            let slot_weights = given.of(v).0.iter().zip(given.of(v).1);
            slot_weights.map(|(slot, fraction)| (made.weight_of(v, *slot) - fraction).abs()).sum::<f32>()
        };
        let mean = (0..given.vertex_count()).map(off).sum::<f32>() / given.vertex_count() as f32;
        assert!(mean < 0.01, "{mean}");
    }

    #[test]
    fn rejects_a_skin_that_does_not_exist() {
        let (tube, arm) = (sinew_samples::tube(), sinew_samples::arm());
        assert_eq!(bind_to_skeleton(&tube, 7, &arm).unwrap_err(), RigError::NoSkin { skin: 7 });
    }
}
