//! Faults of rigs: bind poses, scales, roots, scenes.

use super::{Bad, tube, weights::with_rolls};
use sinew::{
    Channel, Character, CharacterScene, Clip, Curve, Interpolation, Joint, JointId, Skeleton, Skin,
    Transform,
    glam::{Affine3A, Mat3A, Quat, Vec3},
};
use sinew_author::check::FindingCode;
use std::sync::Arc;

/// `character` with the inverse bind of `name` changed.
fn rebound(character: &Character, name: &str, of: impl Fn(Affine3A) -> Affine3A) -> Character {
    let mut parts = character.parts().clone();
    let skin = &parts.skins[0];
    let slot = usize::from(skin.slot_of(parts.skeleton.find(name).unwrap()).unwrap());
    let mut binds = skin.joint_from_mesh().to_vec();
    binds[slot] = of(binds[slot]);
    parts.skins[0] = Arc::new(Skin::new("bad", &parts.skeleton, skin.joints().to_vec(), binds).unwrap());
    Character::new(parts).unwrap()
}

fn joints_of(skeleton: &Skeleton) -> Vec<Joint> {
    let joint = |j: JointId| Joint {
        name: skeleton.name(j).into(),
        parent: skeleton.parent(j),
        rest: skeleton.rest(j),
    };
    skeleton.joints().map(joint).collect()
}

/// `character` with other joints, bound at their rest.
fn rerigged(character: &Character, of: impl Fn(&mut Vec<Joint>)) -> Character {
    let mut parts = character.parts().clone();
    let mut joints = joints_of(&parts.skeleton);
    of(&mut joints);
    let skeleton = Skeleton::new(joints).unwrap();
    parts.skins[0] =
        Arc::new(Skin::bound_at_rest("bad", &skeleton, parts.skins[0].joints().to_vec()).unwrap());
    parts.skeleton = Arc::new(skeleton);
    Character::new(parts).unwrap()
}

/// `character` with the joint `name` scaled at rest.
fn scaled(character: &Character, name: &str, scale: Vec3) -> Character {
    let joint = character.skeleton().find(name).unwrap();
    rerigged(character, |joints| joints[joint.index()].rest.scale = scale)
}

/// `character` with a clip that scales the joint `name`.
fn scaling(character: &Character, name: &str, scale: Vec3) -> Character {
    let mut parts = character.parts().clone();
    let joint = parts.skeleton.find(name).unwrap();
    let curve =
        Curve::new(vec![0.0, 0.5, 1.0], vec![Vec3::ONE, scale, Vec3::ONE], Interpolation::Linear).unwrap();
    parts.clips.push(Arc::new(Clip::new("scaling", vec![Channel::Scale { joint, curve }], vec![]).unwrap()));
    Character::new(parts).unwrap()
}

/// A leaf of the figure's skin.
fn leaf(character: &Character) -> String {
    let skeleton = character.skeleton();
    let is_leaf = |j: &JointId| skeleton.children(*j).next().is_none() && skeleton.name(*j).ends_with(".L");
    skeleton.name(skeleton.joints().find(is_leaf).unwrap()).to_owned()
}

/// The mesh on a node of its own, which alone is in the scene.
fn out_of_scene(character: &Character) -> Character {
    let mut parts = character.parts().clone();
    let mut joints = joints_of(&parts.skeleton);
    joints.push(Joint { name: "mesh".into(), parent: None, rest: Transform::IDENTITY });
    let alone = JointId(u16::try_from(joints.len() - 1).unwrap());
    parts.skeleton = Arc::new(Skeleton::new(joints).unwrap());
    parts.instances[0].joint = alone;
    parts.scenes = vec![CharacterScene { name: "shown".into(), roots: vec![alone] }];
    Character::new(parts).unwrap()
}

pub(super) fn bad() -> Vec<Bad> {
    let figure = sinew_samples::figure();
    let mismatch = |name, character: &Character| Bad::new(name, FindingCode::BindMismatch, character);
    let finger = leaf(&figure);
    let flat = Mat3A::from_diagonal(Vec3::new(1.0, 0.0, 1.0));
    vec![
        mismatch(
            "moved",
            &rebound(&figure, "forearm.L", |b| Affine3A::from_translation(Vec3::new(0.05, 0.0, 0.0)) * b),
        ),
        mismatch(
            "turned",
            &rebound(&figure, "head", |b| Affine3A::from_quat(Quat::from_rotation_x(0.4)) * b),
        ),
        mismatch(
            "scaled",
            &rebound(&with_rolls(6), "middle", |b| Affine3A::from_scale(Vec3::splat(1.1)) * b),
        ),
        mismatch("none at all", &rebound(&with_rolls(4), "middle", |_| Affine3A::IDENTITY)),
        Bad::new(
            "flat",
            FindingCode::BindSingular,
            &rebound(&figure, "shin.R", |b| Affine3A::from_mat3(flat.into()) * b),
        ),
        Bad::new(
            "a mirrored hand",
            FindingCode::ScaleNegative,
            &scaled(&figure, "hand.L", Vec3::new(-1.0, 1.0, 1.0)),
        ),
        Bad::new(
            "a mirrored spine",
            FindingCode::ScaleNegative,
            &scaled(&figure, "spine_middle", Vec3::splat(-1.0)),
        ),
        Bad::new(
            "a mirrored tube",
            FindingCode::ScaleNegative,
            &scaled(&tube(), "middle", Vec3::new(1.0, 1.0, -1.0)),
        ),
        Bad::new(
            "in a clip",
            FindingCode::ScaleNegative,
            &scaling(&figure, "hand.L", Vec3::new(-1.0, 1.0, 1.0)),
        )
        .unfixable(),
        Bad::new(
            "a finger",
            FindingCode::ScaleNonUniform,
            &scaled(&figure, &finger, Vec3::new(1.0, 1.5, 1.0)),
        ),
        Bad::new(
            "a spine",
            FindingCode::ScaleNonUniform,
            &scaled(&figure, "spine_lower", Vec3::new(1.0, 1.2, 1.0)),
        )
        .unfixable(),
        Bad::new(
            "in a clip",
            FindingCode::ScaleNonUniform,
            &scaling(&tube(), "middle", Vec3::new(1.0, 0.5, 1.0)),
        )
        .unfixable(),
        Bad::new("joints", FindingCode::JointsNotInScene, &out_of_scene(&figure)),
    ]
}
