//! A character with morph targets.

use sinew::{Character, Mesh, MorphTarget, MorphTargets, glam::Vec3};
use std::sync::Arc;

/// The arm with the targets `thick` and `lifted`, which move every vertex.
pub(crate) fn morphed_arm() -> Character {
    let arm = sinew_samples::arm();
    let mut parts = arm.parts().clone();
    let mut mesh = Mesh::clone(&parts.meshes[0]).into_parts();
    let count = mesh.positions.len();
    let thick: Vec<Vec3> = mesh.positions.iter().map(|p| Vec3::new(p.x, 0.0, p.z)).collect();
    let targets = vec![
        MorphTarget::from_dense("thick", &thick, &[], &[]),
        MorphTarget::from_dense("lifted", &vec![Vec3::Y * 0.1; count], &[], &[]),
    ];
    mesh.morphs = MorphTargets::new(count, targets, vec![]).unwrap();
    parts.meshes[0] = Arc::new(Mesh::new(mesh).unwrap());
    Character::new(parts).unwrap()
}
