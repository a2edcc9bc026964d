//! Bent limbs as OBJ files, to look at.

use super::{
    METHODS,
    joints::{LimbKind, limb_joints},
};
use sinew::{Character, Frame, glam::Vec3};
use std::{collections::BTreeSet, fmt::Write, path::Path};

/// The total angle between the bones of elbows, knees and fingers, and the swing of shoulders and hips.
const DEGREES: [f32; 2] = [120.0, 60.0];

/// Writes the first joint of every kind, bent, by every method: `CHARACTER_KIND_METHOD.obj` in `folder`.
pub(crate) fn write(folder: &Path, name: &str, character: &Character) {
    std::fs::create_dir_all(folder).unwrap();
    let mut seen = BTreeSet::new();
    for joint in limb_joints(character) {
        if !seen.insert(joint.kind) {
            continue;
        }
        let pose = match joint.kind {
            LimbKind::Elbow | LimbKind::Knee | LimbKind::Finger => joint.bent(character, DEGREES[0]),
            LimbKind::Shoulder => joint.turned(character, Vec3::Z, DEGREES[1]),
            LimbKind::Hip => joint.turned(character, Vec3::NEG_X, DEGREES[1]),
        };
        let mut frame = Frame::new(character);
        for method in METHODS {
            frame.local_mut().copy_from(&pose);
            frame.deform(method).unwrap();
            let center = frame.model().joint(joint.joint).translation;
            let text = format!("# joint {} {} {}\n", center.x, center.y, center.z) + &obj(character, &frame);
            let file = format!("{name}_{:?}_{}.obj", joint.kind, method.name());
            std::fs::write(folder.join(file), text).unwrap();
        }
    }
}

fn obj(character: &Character, frame: &Frame) -> String {
    let (mut out, mut first) = (String::new(), 1);
    for (instance, streams) in character.instances().iter().zip(frame.deformed()) {
        for p in &streams.positions {
            writeln!(out, "v {} {} {}", p.x, p.y, p.z).unwrap();
        }
        for [a, b, c] in character.mesh_of(instance).triangles() {
            writeln!(out, "f {} {} {}", a + first, b + first, c + first).unwrap();
        }
        first += streams.positions.len() as u32;
    }
    out
}
