//! A procedural person: 1.75 m tall, in a sweater, trousers and shoes, with clips to stand, walk, run and wave.
//!
//! The rest and bind pose is an A-pose on y = 0, facing +Z. Only the left half is generated; the right half is its
//! bit-exact mirror image. A vertex has at most four influences.

mod acting;
mod face;
mod gait;
mod hair;
mod hand;
mod head;
mod humanoid;
mod leg;
mod palette;
mod pose;
mod profile;
mod sheet;
mod shoe;
mod skeleton;
mod surface;
mod sweater;
mod trousers;
mod weights;

#[cfg(test)]
mod tests;

pub use humanoid::figure_humanoid;

use sinew::{Character, CharacterParts, Clip, JointId, Material, MeshInstance, Skin};
use std::sync::{Arc, OnceLock};

/// A built-in person with the clips `idle`, `walk`, `run`, `wave` and `range_of_motion`.
///
/// It is built once and shared: further calls clone a few pointers. Joints are called `upper_arm.L`, `upper_arm.R` and
/// so on (+X is the person's left); every bone's +Y points along it, and a positive rotation about its +X bends it
/// forward or curls a finger.
pub fn figure() -> Character {
    static FIGURE: OnceLock<Character> = OnceLock::new();
    FIGURE.get_or_init(build).clone()
}

fn build() -> Character {
    let bones = skeleton::FigureBones::new();
    let gates = weights::Gates::new(&bones);
    let mut sheets = vec![
        sweater::sweater(&bones, &gates),
        trousers::trousers(&bones, &gates),
        shoe::shoe(&gates),
        hand::hand(&bones, &gates),
        head::head(&gates),
        hair::hair(),
    ];
    sheets.extend(face::features());
    let mesh = surface::mesh("body", sheets);
    let skeleton = Arc::new(bones.skeleton());
    let joints = (0..skeleton::COUNT as u16).map(JointId).collect();
    let skin = Skin::bound_at_rest("body", &skeleton, joints).expect("every joint is in the skeleton");
    let material =
        Material { name: "cloth and skin".into(), metallic: 0.0, roughness: 0.7, ..Material::default() };
    Character::new(CharacterParts {
        meshes: vec![Arc::new(mesh)],
        skins: vec![Arc::new(skin)],
        instances: vec![MeshInstance {
            joint: JointId(0),
            mesh: 0,
            skin: Some(0),
            morph_weights: Vec::new(),
        }],
        materials: vec![material],
        clips: clips(&bones),
        ..CharacterParts::new("figure", skeleton)
    })
    .expect("mesh, skin and clips are made for this skeleton")
}

fn clips(bones: &skeleton::FigureBones) -> Vec<Arc<Clip>> {
    let clips = [
        acting::idle(bones),
        gait::WALK.clip(bones),
        gait::RUN.clip(bones),
        acting::wave(bones),
        acting::range_of_motion(bones),
    ];
    clips.into_iter().map(Arc::new).collect()
}
