//! Edits of a character, with what each may change in a document.

use sinew::glam::{Quat, Vec3, Vec4};
use sinew::{
    Channel, Character, CharacterParts, Clip, ClipEvent, Curve, ExtrasOwner, Interpolation, Joint, JointId,
    Skeleton, Skin, Transform,
};
use std::sync::Arc;

/// An edit of any character.
pub(crate) struct Edit {
    pub(crate) name: &'static str,
    /// The edited character; `None` if it has nothing to edit.
    pub(crate) apply: fn(&Character) -> Option<Character>,
    /// The beginnings of the paths that may change, besides accessors, views and buffers.
    pub(crate) touches: &'static [&'static str],
    /// True if the edit can be applied to its own result, and changes it again.
    pub(crate) is_repeatable: bool,
}

pub(crate) const EDITS: &[Edit] = &[
    Edit { name: "weights", apply: strongest_weights, touches: &["meshes"], is_repeatable: false },
    Edit { name: "rotated weights", apply: rotated_weights, touches: &["meshes"], is_repeatable: true },
    Edit { name: "positions", apply: moved_positions, touches: &["meshes"], is_repeatable: true },
    Edit { name: "rest", apply: moved_rest, touches: &["nodes[0]", "nodes"], is_repeatable: true },
    Edit { name: "added joint", apply: added_joint, touches: &["nodes", "skins"], is_repeatable: false },
    Edit {
        name: "removed joint",
        apply: removed_joint,
        touches: &["nodes", "skins", "scenes", "animations", "extensions"],
        is_repeatable: false,
    },
    Edit { name: "binds", apply: moved_binds, touches: &["skins[0]"], is_repeatable: true },
    Edit { name: "added clip", apply: added_clip, touches: &["animations"], is_repeatable: false },
    Edit { name: "removed clip", apply: removed_clip, touches: &["animations"], is_repeatable: false },
    Edit { name: "reversed clips", apply: reversed_clips, touches: &["animations"], is_repeatable: false },
    Edit { name: "edited clip", apply: edited_clip, touches: &["animations"], is_repeatable: true },
    Edit { name: "events", apply: added_event, touches: &["animations"], is_repeatable: false },
    Edit { name: "extras", apply: edited_extras, touches: &["nodes", "extras"], is_repeatable: false },
    Edit {
        name: "material",
        apply: edited_material,
        touches: &["materials[0].pbrMetallicRoughness.baseColorFactor", "materials[0].doubleSided"],
        is_repeatable: true,
    },
    Edit { name: "copyright", apply: edited_copyright, touches: &["asset.copyright"], is_repeatable: false },
];

fn changed(
    character: &Character,
    change: impl FnOnce(&mut CharacterParts) -> Option<()>,
) -> Option<Character> {
    let mut parts = character.parts().clone();
    change(&mut parts)?;
    Some(Character::new(parts).unwrap())
}

fn strongest_weights(character: &Character) -> Option<Character> {
    changed(character, |parts| {
        let mesh =
            parts.meshes.iter_mut().find(|mesh| mesh.weights().is_some_and(|w| w.max_influences() > 1))?;
        let mut own = (**mesh).clone().into_parts();
        own.weights = own.weights.map(|weights| Arc::new(weights.strongest()));
        *mesh = Arc::new(sinew::Mesh::new(own).unwrap());
        Some(())
    })
}

fn rotated_weights(character: &Character) -> Option<Character> {
    changed(character, |parts| {
        let mesh = parts.meshes.iter_mut().find(|mesh| mesh.weights().is_some_and(|w| w.slot_count() > 1))?;
        let mut own = (**mesh).clone().into_parts();
        let weights = own.weights.take()?;
        let count = parts.skins.iter().map(|skin| skin.joint_count()).min()?.min(weights.slot_count());
        let turned = |vertex: usize| -> Vec<sinew::Influence> {
            let turn = |i: sinew::Influence| sinew::Influence { slot: (i.slot + 1) % count as u16, ..i };
            weights.influences(vertex).map(turn).collect()
        };
        let all = (0..weights.vertex_count()).map(turned);
        own.weights = Some(Arc::new(sinew::Weights::new(weights.slot_count(), all).unwrap().0));
        own.precomputed = Default::default();
        *mesh = Arc::new(sinew::Mesh::new(own).unwrap());
        Some(())
    })
}

fn moved_positions(character: &Character) -> Option<Character> {
    changed(character, |parts| {
        let mesh = parts.meshes.first_mut()?;
        let mut own = (**mesh).clone().into_parts();
        own.positions.iter_mut().for_each(|position| *position += Vec3::new(0.5, 0.0, 0.25));
        own.precomputed = Default::default();
        *mesh = Arc::new(sinew::Mesh::new(own).unwrap());
        Some(())
    })
}

fn joints(parts: &CharacterParts) -> Vec<Joint> {
    let skeleton = &parts.skeleton;
    let joint = |joint| Joint {
        name: skeleton.name(joint).into(),
        parent: skeleton.parent(joint),
        rest: skeleton.rest(joint),
    };
    skeleton.joints().map(joint).collect()
}

fn moved_rest(character: &Character) -> Option<Character> {
    changed(character, |parts| {
        let mut joints = joints(parts);
        joints.first_mut()?.rest.translation += Vec3::Y;
        joints.last_mut()?.rest.rotation = Quat::from_rotation_x(0.5);
        let kinds: Vec<_> =
            parts.skeleton.compensated().map(|j| (j, parts.skeleton.scale_inheritance(j))).collect();
        parts.skeleton = Arc::new(Skeleton::new(joints).unwrap().with_scale_inheritance(kinds));
        Some(())
    })
}

/// Adds a leaf below the first joint of the first skin, and to that skin.
fn added_joint(character: &Character) -> Option<Character> {
    changed(character, |parts| {
        let skin = parts.skins.first()?.clone();
        let parent = *skin.joints().first()?;
        let mut joints = joints(parts);
        let new = JointId(joints.len() as u16);
        joints.push(Joint { name: "added".into(), parent: Some(parent), rest: Transform::IDENTITY });
        let kinds: Vec<_> =
            parts.skeleton.compensated().map(|j| (j, parts.skeleton.scale_inheritance(j))).collect();
        let skeleton = Arc::new(Skeleton::new(joints).unwrap().with_scale_inheritance(kinds));
        let with = |skin: &Skin, more: Option<JointId>| {
            let joints = skin.joints().iter().copied().chain(more).collect();
            let binds = skin
                .joint_from_mesh()
                .iter()
                .copied()
                .chain(more.map(|_| skin.joint_from_mesh()[0]))
                .collect();
            let new = Skin::new(skin.name(), &skeleton, joints, binds).unwrap();
            Arc::new(new.with_root(&skeleton, skin.root()).unwrap())
        };
        parts.skins = parts
            .skins
            .iter()
            .enumerate()
            .map(|(index, skin)| with(skin, (index == 0).then_some(new)))
            .collect();
        parts.skeleton = skeleton;
        Some(())
    })
}

/// Removes a leaf that no skin, instance, scene, helper or channel uses.
fn removed_joint(character: &Character) -> Option<Character> {
    let parts = character.parts();
    let is_used = |joint: JointId| {
        parts.skeleton.children(joint).next().is_some()
            || parts.skins.iter().any(|skin| skin.joints().contains(&joint) || skin.root() == Some(joint))
            || parts.instances.iter().any(|instance| instance.joint == joint)
            || parts.scenes.iter().any(|scene| scene.roots.contains(&joint))
            || parts.clips.iter().any(|clip| clip.channels().iter().any(|c| c.joint() == Some(joint)))
    };
    if !parts.helpers.is_empty() || parts.skeleton.compensated().next().is_some() {
        return None;
    }
    let gone = parts.skeleton.joints().find(|joint| !is_used(*joint))?;
    let moved = |joint: JointId| if joint > gone { JointId(joint.0 - 1) } else { joint };
    changed(character, |parts| {
        let mut joints = joints(parts);
        joints.remove(gone.index());
        joints.iter_mut().for_each(|joint| joint.parent = joint.parent.map(moved));
        let skeleton = Arc::new(Skeleton::new(joints).unwrap());
        let skin = |skin: &Arc<Skin>| {
            let joints = skin.joints().iter().map(|j| moved(*j)).collect();
            let new = Skin::new(skin.name(), &skeleton, joints, skin.joint_from_mesh().to_vec()).unwrap();
            Arc::new(new.with_root(&skeleton, skin.root().map(moved)).unwrap())
        };
        parts.skins = parts.skins.iter().map(skin).collect();
        parts.instances.iter_mut().for_each(|instance| instance.joint = moved(instance.joint));
        parts.scenes.iter_mut().for_each(|scene| scene.roots.iter_mut().for_each(|j| *j = moved(*j)));
        let channel = |channel: &Channel| match channel.clone() {
            Channel::Translation { joint, curve } => Channel::Translation { joint: moved(joint), curve },
            Channel::Rotation { joint, curve } => Channel::Rotation { joint: moved(joint), curve },
            Channel::Scale { joint, curve } => Channel::Scale { joint: moved(joint), curve },
            morphs => morphs,
        };
        let clip = |clip: &Arc<Clip>| {
            let mut own = clip.parts().clone();
            own.channels = own.channels.iter().map(channel).collect();
            Arc::new(Clip::from_parts(own).unwrap())
        };
        parts.clips = parts.clips.iter().map(clip).collect();
        let extras = std::mem::take(&mut parts.extras);
        for (owner, text) in extras {
            match owner {
                ExtrasOwner::Joint(joint) if joint == gone.index() => {}
                ExtrasOwner::Joint(joint) => {
                    let joint = moved(JointId(joint as u16)).index();
                    parts.extras.insert(ExtrasOwner::Joint(joint), text);
                }
                other => {
                    parts.extras.insert(other, text);
                }
            }
        }
        parts.skeleton = skeleton;
        Some(())
    })
}

fn moved_binds(character: &Character) -> Option<Character> {
    changed(character, |parts| {
        let skin = parts.skins.first()?;
        let mut binds = skin.joint_from_mesh().to_vec();
        binds.first_mut()?.translation.y += 0.125;
        let new = Skin::new(skin.name(), &parts.skeleton, skin.joints().to_vec(), binds).unwrap();
        parts.skins[0] = Arc::new(new.with_root(&parts.skeleton, skin.root()).unwrap());
        Some(())
    })
}

fn added_clip(character: &Character) -> Option<Character> {
    changed(character, |parts| {
        let joint = parts.skeleton.joints().next()?;
        let curve = Curve::new(
            vec![0.0, 1.0],
            vec![Quat::IDENTITY, Quat::from_rotation_y(1.0)],
            Interpolation::Linear,
        )
        .unwrap();
        let clip = Clip::new("a new clip", vec![Channel::Rotation { joint, curve }], vec![]).unwrap();
        parts.clips.push(Arc::new(clip));
        Some(())
    })
}

fn removed_clip(character: &Character) -> Option<Character> {
    let has_extras = character.extras().keys().any(|owner| matches!(owner, ExtrasOwner::Clip(_)));
    changed(character, |parts| (!parts.clips.is_empty() && !has_extras).then(|| drop(parts.clips.remove(0))))
}

fn reversed_clips(character: &Character) -> Option<Character> {
    let has_extras = character.extras().keys().any(|owner| matches!(owner, ExtrasOwner::Clip(_)));
    changed(character, |parts| {
        parts.clips.reverse();
        (parts.clips.len() > 1 && !has_extras).then_some(())
    })
}

fn edited_clip(character: &Character) -> Option<Character> {
    changed(character, |parts| {
        let clip = parts.clips.first_mut()?;
        let mut own = clip.parts().clone();
        let channel = own.channels.iter_mut().find_map(|channel| match channel {
            Channel::Rotation { curve, .. } => Some(curve),
            _ => None,
        })?;
        let times = channel.times_secs().iter().map(|t| t + 0.125).collect();
        *channel = Curve::new(times, channel.elements().to_vec(), channel.interpolation()).unwrap();
        *clip = Arc::new(Clip::from_parts(own).unwrap());
        Some(())
    })
}

fn added_event(character: &Character) -> Option<Character> {
    changed(character, |parts| {
        let clip = parts.clips.last_mut()?;
        let mut own = clip.parts().clone();
        own.events.push(ClipEvent {
            time_secs: own.events.last().map_or(0.0, |e| e.time_secs),
            name: "step".into(),
            payload: None,
        });
        own.name += " with an event";
        *clip = Arc::new(Clip::from_parts(own).unwrap());
        Some(())
    })
}

fn edited_extras(character: &Character) -> Option<Character> {
    changed(character, |parts| {
        parts.skeleton.joints().next()?;
        parts.extras.insert(ExtrasOwner::Joint(0), r#"{"tag":[1,2]}"#.into());
        parts.extras.insert(ExtrasOwner::Asset, r#"{"author":"someone"}"#.into());
        Some(())
    })
}

fn edited_material(character: &Character) -> Option<Character> {
    changed(character, |parts| {
        let material = parts.materials.first_mut()?;
        material.base_color = Vec4::new(0.25, 0.5, 0.75, 1.0);
        material.double_sided = !material.double_sided;
        Some(())
    })
}

fn edited_copyright(character: &Character) -> Option<Character> {
    changed(character, |parts| {
        parts.copyright = "someone".into();
        Some(())
    })
}

/// Names the first part that differs, for a readable failure.
pub(crate) fn assert_same(what: &str, got: &Character, want: &Character) {
    let (got, want) = (got.parts(), want.parts());
    assert_eq!(got.skeleton, want.skeleton, "{what}: skeleton");
    assert_eq!(got.scenes, want.scenes, "{what}: scenes");
    assert_eq!(got.skins, want.skins, "{what}: skins");
    assert_eq!(got.instances, want.instances, "{what}: instances");
    assert_eq!(got.materials, want.materials, "{what}: materials");
    assert_eq!(got.extras, want.extras, "{what}: extras");
    assert!(got.images == want.images, "{what}: images");
    for (got, want) in got.meshes.iter().zip(&want.meshes) {
        let mesh = want.name();
        assert!(got.positions() == want.positions(), "{what}: positions of {mesh}");
        let weights = |mesh: &sinew::Mesh| {
            let weights = mesh.weights()?;
            Some(
                (0..weights.vertex_count()).map(|v| weights.influences(v).collect()).collect::<Vec<Vec<_>>>(),
            )
        };
        assert!(weights(got) == weights(want), "{what}: weights of {mesh}");
        assert!(got.morphs() == want.morphs(), "{what}: morph targets of {mesh}");
        // Without a skin, the number of joints is the largest one that is used.
        let slots = |mesh: &sinew::Mesh| mesh.weights().map(|weights| weights.slot_count());
        assert!(got == want || slots(got) != slots(want), "{what}: streams of {mesh}");
    }
    let names = |clips: &[Arc<Clip>]| clips.iter().map(|c| c.name().to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&got.clips), names(&want.clips), "{what}: clips");
    for (got, want) in got.clips.iter().zip(&want.clips) {
        let mut channels = got.channels().to_vec();
        let order = |channel: &Channel| (channel.joint(), channel.property());
        channels.sort_by_key(order);
        let mut expected = want.channels().to_vec();
        expected.sort_by_key(order);
        assert!(channels == expected, "{what}: channels of clip {}", want.name());
        assert_eq!(got.events(), want.events(), "{what}: events");
    }
}
