//! Fixes for skin roots and scenes.

use super::{FixError, FixSession, measure::MeasuredOver};
use crate::check::{
    FindingCode,
    influences::skin_text,
    rest::{common_root, root_fault},
};
use sinew::{
    Channel, Character, CharacterScene, Clip, ExtrasOwner, Joint, JointId, Skeleton, Skin, Transform,
};
use std::{collections::BTreeSet, sync::Arc};

pub(super) fn fix_root(session: &mut FixSession<'_>) -> Result<(), FixError> {
    for index in 0..session.character.skins().len() {
        let character = &session.character;
        let skin = &character.skins()[index];
        let is_named = session.names_skin(FindingCode::RootUnreachable, index);
        if !is_named || root_fault(character.skeleton(), skin).is_none() {
            continue;
        }
        let text = skin_text(skin, index);
        let Some(root) = common_root(character.skeleton(), skin) else {
            let next = with_new_root(character, index)?;
            session.done(
                FindingCode::RootUnreachable,
                format!("{text}: added a common root of all its joints"),
                next,
                MeasuredOver::Clips,
            );
            continue;
        };
        let mut parts = character.parts().clone();
        parts.skins[index] = Arc::new(Skin::clone(skin).with_root(character.skeleton(), Some(root))?);
        let next = Character::new(parts)?;
        let what = format!("{text}: the root is {:?} now", next.skeleton().name(root));
        session.done(FindingCode::RootUnreachable, what, next, MeasuredOver::ClipsAndRange);
    }
    Ok(())
}

/// `character` with a new first joint that is the parent of every tree with a joint of the skin.
fn with_new_root(character: &Character, skin: usize) -> Result<Character, FixError> {
    let skeleton = character.skeleton();
    let tops: BTreeSet<JointId> =
        character.skins()[skin].joints().iter().filter_map(|&j| skeleton.ancestors(j).last()).collect();
    let next = |joint: JointId| JointId(joint.0.saturating_add(1));
    let root = Joint { name: "root".into(), parent: None, rest: Transform::IDENTITY };
    let moved = skeleton.joints().map(|j| Joint {
        name: skeleton.name(j).to_owned(),
        parent: if tops.contains(&j) { Some(JointId(0)) } else { skeleton.parent(j).map(next) },
        rest: skeleton.rest(j),
    });
    let new = Skeleton::new([root].into_iter().chain(moved))?;
    let new = Arc::new(new.with_scale_inheritance_of(skeleton, |j| Some(next(j))));
    let mut parts = character.parts().clone();
    for (index, it) in parts.skins.iter_mut().enumerate() {
        let joints = it.joints().iter().map(|&j| next(j)).collect();
        let root = if index == skin { Some(JointId(0)) } else { it.root().map(next) };
        let renamed =
            Skin::new(it.name(), &new, joints, it.joint_from_mesh().to_vec())?.with_root(&new, root)?;
        *it = Arc::new(renamed);
    }
    parts.instances.iter_mut().for_each(|i| i.joint = next(i.joint));
    for clip in &mut parts.clips {
        let mut of = Clip::clone(clip).into_parts();
        of.channels.iter_mut().for_each(|c| set_joint(c, next));
        *clip = Arc::new(Clip::from_parts(of)?);
    }
    parts.scenes.iter_mut().for_each(|scene| adopt(scene, &tops, next));
    let owner = |owner| match owner {
        ExtrasOwner::Joint(joint) => ExtrasOwner::Joint(joint + 1),
        other => other,
    };
    parts.extras = parts.extras.into_iter().map(|(o, text)| (owner(o), text)).collect();
    let helpers = parts.helpers.into_iter();
    parts.helpers = helpers.filter_map(|helper| helper.renumbered(|j| Some(next(j)))).collect();
    let constraints = parts.node_constraints.into_iter();
    parts.node_constraints = constraints.filter_map(|one| one.renumbered(|j| Some(next(j)))).collect();
    parts.springs = parts.springs.remapped(|j| Some(next(j)));
    parts.humanoid = parts.humanoid.map(|humanoid| humanoid.remapped(|j| Some(next(j))));
    parts.skeleton = new;
    Ok(Character::new(parts)?)
}

fn adopt(scene: &mut CharacterScene, tops: &BTreeSet<JointId>, next: impl Fn(JointId) -> JointId) {
    let has_any = scene.roots.iter().any(|r| tops.contains(r));
    scene.roots.retain(|r| !tops.contains(r));
    scene.roots.iter_mut().for_each(|r| *r = next(*r));
    if has_any {
        scene.roots.insert(0, JointId(0));
    }
}

fn set_joint(channel: &mut Channel, next: impl Fn(JointId) -> JointId) {
    match channel {
        Channel::Translation { joint, .. }
        | Channel::Rotation { joint, .. }
        | Channel::Scale { joint, .. } => {
            *joint = next(*joint);
        }
        Channel::Morphs { .. } => {}
    }
}

pub(super) fn fix_scene(session: &mut FixSession<'_>) -> Result<(), FixError> {
    let character = &session.character;
    let skeleton = character.skeleton();
    let shown = character.instances().iter().filter(|i| character.is_visible(i.joint));
    let skins: BTreeSet<usize> = shown.filter_map(|i| i.skin).collect();
    let joints = skins.iter().flat_map(|&s| character.skins()[s].joints());
    let unseen: BTreeSet<JointId> =
        joints.filter(|j| !character.is_visible(**j)).filter_map(|&j| skeleton.ancestors(j).last()).collect();
    let mut parts = character.parts().clone();
    let Some(scene) = parts.scenes.get_mut(parts.default_scene).filter(|_| !unseen.is_empty()) else {
        return Ok(());
    };
    // Scene roots below such a root are in the scene already.
    scene.roots.retain(|r| !unseen.iter().any(|top| skeleton.is_within(*r, *top)));
    scene.roots.extend(&unseen);
    let what = format!("{} joint roots added to the scene", unseen.len());
    let next = Character::new(parts)?;
    session.done(FindingCode::JointsNotInScene, what, next, MeasuredOver::ClipsAndRange);
    Ok(())
}
