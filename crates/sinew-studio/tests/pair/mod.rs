//! A character of two meshes: the arm, and a copy whose skin holds the upper joint alone.

use sinew::{Character, Mesh, Skin};
use sinew_studio::{
    command::{Command, WeightOp},
    document::DocumentSource,
    session::Session,
};
use std::sync::Arc;

pub(crate) fn pair() -> Character {
    let mut merged = Session::open(DocumentSource::Builtin("arm".into())).unwrap();
    let op = WeightOp::Merge { joint: 1, into: 0 };
    merged.perform(&Command::Weights { instances: vec![0], op }.into()).unwrap();
    let weights = Arc::clone(merged.document().weights(0).unwrap());
    let mut parts = sinew_samples::arm().into_parts();
    let skin = &parts.skins[0];
    let (joints, binds) = (skin.joints()[..1].to_vec(), skin.joint_from_mesh()[..1].to_vec());
    let upper = Skin::new("upper", &parts.skeleton, joints, binds).unwrap();
    parts.skins.push(Arc::new(upper));
    let copy = Mesh::clone(&parts.meshes[0]).with_weights(weights, Default::default()).unwrap();
    parts.meshes.push(Arc::new(copy));
    let mut instance = parts.instances[0].clone();
    (instance.mesh, instance.skin) = (1, Some(1));
    parts.instances.push(instance);
    Character::new(parts).unwrap()
}

/// The arm twice, with the same skin.
pub(crate) fn twins() -> Character {
    let mut parts = sinew_samples::arm().into_parts();
    parts.meshes.push(Arc::new(Mesh::clone(&parts.meshes[0])));
    let mut instance = parts.instances[0].clone();
    instance.mesh = 1;
    parts.instances.push(instance);
    Character::new(parts).unwrap()
}
