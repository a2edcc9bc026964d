//! Faults that are planted in rigs.

use super::{Body, Seeded};
use sinew::{
    Channel, Character, Clip, Joint, JointId, ModelPose, Skeleton, Skin, Transform,
    glam::{Affine3A, Mat3A, Quat, Vec3},
};
use std::sync::Arc;

pub(super) fn with_skin(character: &Character, index: usize, skin: Skin) -> Option<Character> {
    let mut parts = character.parts().clone();
    parts.skins[index] = Arc::new(skin);
    Character::new(parts).ok()
}

pub(super) fn with_bind(body: &Body<'_>, slot: u16, of: impl Fn(Affine3A) -> Affine3A) -> Option<Character> {
    let mut binds = body.skin.joint_from_mesh().to_vec();
    binds[usize::from(slot)] = of(binds[usize::from(slot)]);
    let skeleton = body.character.skeleton();
    let skin = Skin::new(body.skin.name(), skeleton, body.skin.joints().to_vec(), binds).ok()?;
    with_skin(body.character, body.skin_index, skin.with_root(skeleton, body.skin.root()).ok()?)
}

/// True if the character rests as it was bound.
pub(super) fn rests_bound(body: &Body<'_>) -> bool {
    let mut rest = ModelPose::new(body.character.skeleton());
    rest.update(body.character.skeleton(), &body.character.skeleton().rest_pose());
    let matrix = |slot: u16| rest.joint(body.joint(slot)) * body.skin.joint_from_mesh()[usize::from(slot)];
    let first = matrix(0);
    let same = |slot: &u16| matrix(*slot).abs_diff_eq(first, 1e-3 * first.matrix3.x_axis.length().max(1.0));
    body.slots().filter(same).count() * 10 > body.slots().len() * 8
}

pub(super) fn rebound(character: &Character, random: &mut Seeded, is_turned: bool) -> Option<Character> {
    let body = Body::of(character)?;
    (body.slots().len() >= 5 && rests_bound(&body)).then_some(())?;
    let slot = random.pick(&body.loaded(8.0))?;
    let far = body.size() * random.between(0.04, 0.2);
    let turn = Quat::from_rotation_x(random.between(0.3, 1.2));
    with_bind(&body, slot, |bind| {
        let scale = bind.matrix3.determinant().abs().cbrt();
        let moved = Affine3A::from_translation(Vec3::new(far * scale, 0.0, 0.0));
        if is_turned { Affine3A::from_quat(turn) * bind } else { moved * bind }
    })
}

pub(super) fn flat(character: &Character, random: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    let slot = random.pick(&body.loaded(8.0))?;
    let flat = Mat3A::from_diagonal(Vec3::new(1.0, 0.0, 1.0));
    with_bind(&body, slot, |bind| Affine3A::from_mat3(flat.into()) * bind)
}

pub(super) fn joints_of(skeleton: &Skeleton) -> Vec<Joint> {
    let joint = |j: JointId| Joint {
        name: skeleton.name(j).into(),
        parent: skeleton.parent(j),
        rest: skeleton.rest(j),
    };
    skeleton.joints().map(joint).collect()
}

/// `character` with other joints, whose skins keep their meshes where they were at rest.
pub(super) fn rerigged(character: &Character, joints: Vec<Joint>) -> Option<Character> {
    let old = character.skeleton();
    let skeleton = Arc::new(Skeleton::new(joints).ok()?);
    let rest = |skeleton: &Skeleton| {
        let mut model = ModelPose::new(skeleton);
        model.update(skeleton, &skeleton.rest_pose());
        model
    };
    let (before, after) = (rest(old), rest(&skeleton));
    let mut parts = character.parts().clone();
    for skin in &mut parts.skins {
        let bind = |(joint, bind): (&JointId, &Affine3A)| {
            after.joint(*joint).inverse() * before.joint(*joint) * *bind
        };
        let binds = skin.joints().iter().zip(skin.joint_from_mesh()).map(bind).collect();
        let new = Skin::new(skin.name(), &skeleton, skin.joints().to_vec(), binds).ok()?;
        *skin = Arc::new(new.with_root(&skeleton, skin.root()).ok()?);
    }
    parts.skeleton = skeleton;
    Character::new(parts).ok()
}

pub(super) fn scaled(
    character: &Character,
    random: &mut Seeded,
    scale: Vec3,
    above_others: bool,
) -> Option<Character> {
    let body = Body::of(character)?;
    let skeleton = character.skeleton();
    let loads = body.loads();
    let size = body.size();
    let is_usable = |&slot: &u16| {
        let joint = body.joint(slot);
        let below: f32 =
            body.below(slot).iter().filter(|s| **s != slot).map(|&s| loads[usize::from(s)]).sum();
        let is_even = (skeleton.rest(joint).scale - Vec3::ONE).abs().max_element() < 1e-3;
        let hangs = character.instances().iter().any(|i| skeleton.is_within(i.joint, joint));
        is_even
            && !hangs
            && (!above_others || (below > 8.0 && body.reach(slot) > 0.08 * size))
            && loads[usize::from(slot)] > 4.0
    };
    let usable: Vec<u16> = body.slots().filter(is_usable).collect();
    let joint = body.joint(random.pick(&usable)?);
    let mut joints = joints_of(skeleton);
    joints[joint.index()].rest.scale = scale;
    let mut out = rerigged(character, joints)?.into_parts();
    // Clips that scale the joint would undo it.
    for clip in &mut out.clips {
        let mut of = Clip::clone(clip).into_parts();
        of.channels.retain(|c| !matches!(c, Channel::Scale { joint: j, .. } if *j == joint));
        *clip = Arc::new(Clip::from_parts(of).ok()?);
    }
    Character::new(out).ok()
}

pub(super) fn idle(character: &Character, random: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    let parent = body.joint(random.pick(&body.loaded(4.0))?);
    let count = 2 + random.index(4)? as u16;
    let old = character.skeleton();
    let mut joints = joints_of(old);
    let step = body.size() * 0.02;
    joints.extend((0..count).map(|k| Joint {
        name: format!("planted {k}"),
        parent: Some(parent),
        rest: Transform::from_translation(Vec3::new(step * f32::from(k), step, 0.0)),
    }));
    let skeleton = Arc::new(Skeleton::new(joints).ok()?);
    let mut model = ModelPose::new(&skeleton);
    model.update(&skeleton, &skeleton.rest_pose());
    let mut parts = character.parts().clone();
    for (index, skin) in parts.skins.iter_mut().enumerate() {
        let mut of = skin.joints().to_vec();
        let mut binds = skin.joint_from_mesh().to_vec();
        if index == body.skin_index {
            let slot = usize::from(skin.slot_of(parent)?);
            let more: Vec<JointId> = skeleton.joints().skip(old.len()).collect();
            let rest = model.joint(parent) * binds[slot];
            binds.extend(more.iter().map(|j| model.joint(*j).inverse() * rest));
            of.extend(more);
        }
        let new = Skin::new(skin.name(), &skeleton, of, binds).ok()?;
        *skin = Arc::new(new.with_root(&skeleton, skin.root()).ok()?);
    }
    parts.skeleton = skeleton;
    Character::new(parts).ok()
}

pub(super) fn bad_root(character: &Character, random: &mut Seeded) -> Option<Character> {
    let body = Body::of(character)?;
    let skeleton = character.skeleton();
    let is_leaf = |&j: &JointId| skeleton.children(j).next().is_none();
    let leaves: Vec<JointId> = body.skin.joints().iter().copied().filter(is_leaf).collect();
    (body.skin.joints().len() > 1).then_some(())?;
    let root = random.pick(&leaves)?;
    with_skin(character, body.skin_index, body.skin.clone().with_root(skeleton, Some(root)).ok()?)
}
