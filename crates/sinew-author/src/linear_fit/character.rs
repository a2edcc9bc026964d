//! The character with corrective joints, their weights and their keys.

use super::{LinearFitError, LinearFitOptions, bake::baked_clip, points::FitSkin};
use sinew::{
    Character, CharacterParts, Influence, Joint, JointId, Method, Precomputed, Skeleton, Skin, Transform,
    Weights,
    constrain::{Corrective, HelperJoint, HelperJoints, HelperKind},
};
use std::sync::Arc;

/// The fitted character and the joints that were added.
pub(super) fn fitted(
    character: &Character,
    skins: &[FitSkin],
    options: &LinearFitOptions,
) -> Result<(Character, Vec<JointId>), LinearFitError> {
    let added: Vec<(Corrective, Transform)> = skins
        .iter()
        .flat_map(|skin| skin.fitted.iter().map(|fit| (fit.corrective(skin), fit.rest)))
        .collect();
    let old = character.skeleton();
    let (skeleton, names) = grown(old, &added)?;
    let mut parts = character.parts().clone();
    let mut joints = Vec::new();
    let mut next = old.len() as u16;
    let mut correctives = Vec::new();
    for skin in skins {
        let own: Vec<JointId> = (next..next + skin.fitted.len() as u16).map(JointId).collect();
        next += skin.fitted.len() as u16;
        parts.skins[skin.skin] = Arc::new(grown_skin(skin, &skeleton, &own, &added, old.len())?);
        reweight(&mut parts, skin)?;
        joints.extend(own);
    }
    for ((corrective, _), (joint, name)) in added.into_iter().zip(joints.iter().zip(names)) {
        let corrective = Corrective { joint: *joint, ..corrective };
        let kind = HelperKind::Correct(Box::new(corrective));
        correctives.push(HelperJoint { name, is_enabled: true, kind });
    }
    let helpers = HelperJoints::new(&skeleton, &correctives).map_err(sinew::CharacterError::from)?;
    for clip in &mut parts.clips {
        *clip = Arc::new(baked_clip(clip, &skeleton, &helpers, &joints, options.keys_per_sec)?);
    }
    parts.helpers.extend(correctives);
    parts.skeleton = skeleton;
    parts.recommended_method = Some(Method::Linear);
    Ok((Character::new(parts)?, joints))
}

/// The skeleton with the new joints, and their names.
fn grown(
    old: &Skeleton,
    added: &[(Corrective, Transform)],
) -> Result<(Arc<Skeleton>, Vec<String>), LinearFitError> {
    let mut joints: Vec<Joint> = old
        .joints()
        .map(|j| Joint { name: old.name(j).to_owned(), parent: old.parent(j), rest: old.rest(j) })
        .collect();
    let mut names: Vec<String> = Vec::new();
    for (corrective, rest) in added {
        let stem = format!("{}.corrective", old.name(corrective.source));
        let is_free = |name: &String| old.find(name).is_none() && !names.contains(name);
        let name = (1..=u32::MAX).map(|n| format!("{stem}.{n}")).find(is_free).unwrap_or(stem);
        names.push(name.clone());
        joints.push(Joint { name, parent: Some(corrective.base), rest: *rest });
    }
    let skeleton = Skeleton::new(joints)?.with_scale_inheritance_of(old, Some);
    Ok((Arc::new(skeleton), names))
}

fn grown_skin(
    skin: &FitSkin,
    skeleton: &Skeleton,
    own: &[JointId],
    added: &[(Corrective, Transform)],
    old_count: usize,
) -> Result<Skin, LinearFitError> {
    let shape = &skin.shape;
    let bind = |joint: &JointId| {
        let (corrective, rest) = &added[joint.index() - old_count];
        let base = shape.slot_of(corrective.base).map_or(0, usize::from);
        rest.to_affine().inverse() * shape.joint_from_mesh()[base]
    };
    let joints = shape.joints().iter().chain(own).copied().collect();
    let binds = shape.joint_from_mesh().iter().copied().chain(own.iter().map(bind)).collect();
    let grown = Skin::new(shape.name(), skeleton, joints, binds)?;
    Ok(grown.with_root(skeleton, shape.root())?)
}

/// Gives the meshes of a skin their fitted weights. Data that was precomputed for the old ones is dropped.
fn reweight(parts: &mut CharacterParts, skin: &FitSkin) -> Result<(), LinearFitError> {
    let slots = skin.slots() + skin.fitted.len();
    for (mesh, of_vertex) in &skin.meshes {
        let influences = of_vertex.iter().map(|&point| {
            let weights = &skin.weights[point as usize];
            weights.iter().map(|&(slot, weight)| Influence { slot, weight: weight as f32 })
        });
        let (weights, _) = Weights::new(slots, influences)?;
        let old = parts.meshes[*mesh].as_ref().clone();
        parts.meshes[*mesh] = Arc::new(old.with_weights(Arc::new(weights), Precomputed::NONE)?);
    }
    Ok(())
}
