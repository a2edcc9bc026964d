//! A character of 100,000 vertices, for measurements.

use sinew::{
    Channel, Character, CharacterParts, Clip, Curve, Influence, Interpolation, Joint, JointId, Mesh,
    MeshInstance, MeshParts, Primitive, Skeleton, Skin, Topology, Transform, Weights,
    glam::{Quat, Vec3},
};
use std::{error::Error, f32::consts::TAU, sync::Arc};

const RINGS: u32 = 400;
const SIDES: u32 = 250;
const JOINTS: u16 = 40;

/// A tube along y with a chain of joints in it, each vertex weighted to the four nearest, and a clip that sways it.
pub(crate) fn tube() -> Result<Character, Box<dyn Error>> {
    let at = |ring: u32, side: u32| {
        let turn = Quat::from_rotation_y(TAU * side as f32 / SIDES as f32);
        turn * Vec3::X * 0.1 + Vec3::Y * (ring as f32 / RINGS as f32)
    };
    let positions: Vec<Vec3> = (0..RINGS).flat_map(|r| (0..SIDES).map(move |s| at(r, s))).collect();
    let normals = positions.iter().map(|p| Vec3::new(p.x, 0.0, p.z).normalize()).collect();
    let quads = (0..RINGS - 1).flat_map(|ring| (0..SIDES).map(move |side| (ring, side)));
    let indices: Vec<u32> = quads
        .flat_map(|(ring, side)| {
            let [a, b] = [side, (side + 1) % SIDES].map(|s| ring * SIDES + s);
            [a, b, a + SIDES, b, b + SIDES, a + SIDES]
        })
        .collect();
    let joints = (0..JOINTS).map(|n| Joint {
        name: format!("bone_{n}"),
        parent: n.checked_sub(1).map(JointId),
        rest: Transform::from_translation(Vec3::Y * f32::from(u8::from(n > 0)) / f32::from(JOINTS)),
    });
    let skeleton = Skeleton::new(joints)?;
    let skin = Skin::bound_at_rest("chain", &skeleton, skeleton.joints().collect())?;
    let vertex = |p: &Vec3| {
        let place = (p.y * f32::from(JOINTS)) as u16;
        [0, 1, 2, 3].map(|n| Influence {
            slot: (place + n).min(JOINTS - 1),
            weight: 1.0 / (1.0 + (p.y * f32::from(JOINTS) - f32::from(place + n)).abs()),
        })
    };
    let (weights, _) = Weights::new(JOINTS.into(), positions.iter().map(vertex))?;
    let part = Primitive {
        vertices: 0..positions.len() as u32,
        indices: 0..indices.len() as u32,
        topology: Topology::Triangles,
        material: None,
    };
    let (primitives, weights) = (vec![part], Some(Arc::new(weights)));
    let mesh =
        Mesh::new(MeshParts { positions, normals, indices, primitives, weights, ..MeshParts::default() })?;
    let mut parts = CharacterParts::new("tube", Arc::new(skeleton));
    (parts.meshes, parts.skins) = (vec![Arc::new(mesh)], vec![Arc::new(skin)]);
    parts.instances =
        vec![MeshInstance { joint: JointId(0), mesh: 0, skin: Some(0), morph_weights: Vec::new() }];
    parts.clips = vec![Arc::new(sway()?)];
    Ok(Character::new(parts)?)
}

/// A clip of two seconds in which every joint bends to both sides.
fn sway() -> Result<Clip, Box<dyn Error>> {
    let times: Vec<f32> = (0..=60_u8).map(|key| f32::from(key) / 30.0).collect();
    let channel = |joint: u16| {
        let bend = |&t: &f32| Quat::from_rotation_z(0.06 * (t * TAU / 2.0 + f32::from(joint) * 0.1).sin());
        let keys = times.iter().map(bend).collect();
        let curve = Curve::new(times.clone(), keys, Interpolation::Linear)?;
        Ok::<_, Box<dyn Error>>(Channel::Rotation { joint: JointId(joint), curve })
    };
    Ok(Clip::new("sway", (0..JOINTS).map(channel).collect::<Result<_, _>>()?, vec![])?)
}
