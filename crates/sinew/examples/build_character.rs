//! Builds a character in code, a flag on two joints: `cargo run -p sinew --example build_character`.

use sinew::glam::{Quat, Vec3};
use sinew::{
    Channel, Character, CharacterParts, Clip, Curve, Frame, Influence, Interpolation, Joint, JointId, Mesh,
    MeshInstance, MeshParts, Method, Primitive, Skeleton, Skin, Topology, Transform, Weights, Wrap,
};
use std::sync::Arc;

const COLUMNS: u32 = 9;

/// A strip of quads along x, two vertices per column.
fn strip(weights: Weights) -> Result<Mesh, sinew::MeshError> {
    let column = |c: u32| {
        let x = c as f32 / (COLUMNS - 1) as f32 * 2.0;
        [Vec3::new(x, 0.0, 0.0), Vec3::new(x, 1.0, 0.0)]
    };
    let quad = |c: u32| [0, 2, 1, 1, 2, 3].map(|corner| c * 2 + corner);
    let indices: Vec<u32> = (0..COLUMNS - 1).flat_map(quad).collect();
    Mesh::new(MeshParts {
        name: "flag".into(),
        positions: (0..COLUMNS).flat_map(column).collect(),
        primitives: vec![Primitive {
            vertices: 0..COLUMNS * 2,
            indices: 0..indices.len() as u32,
            topology: Topology::Triangles,
            material: None,
        }],
        indices,
        weights: Some(Arc::new(weights)),
        ..MeshParts::default()
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let joint = |name: &str, parent, x| Joint {
        name: name.into(),
        parent,
        rest: Transform { translation: Vec3::X * x, ..Transform::IDENTITY },
    };
    let skeleton = Arc::new(Skeleton::new([joint("pole", None, 0.0), joint("tip", Some(JointId(0)), 1.0)])?);
    let skin = Skin::bound_at_rest("flag", &skeleton, vec![JointId(0), JointId(1)])?;

    // The weight moves from the first to the second joint along the strip. Sums are exactly one.
    let vertex = |v: u32| {
        let weight = (v / 2) as f32 / (COLUMNS - 1) as f32;
        [Influence { slot: 0, weight: 1.0 - weight }, Influence { slot: 1, weight }]
    };
    let (weights, repairs) = Weights::new(2, (0..COLUMNS * 2).map(vertex))?;
    println!("weights: {repairs:?}");

    // One second in which the tip bends up and back.
    let turns = [0.0, 1.2, 0.0].map(Quat::from_rotation_z).to_vec();
    let curve = Curve::new(vec![0.0, 0.5, 1.0], turns, Interpolation::Linear)?;
    let clip = Clip::new("bend", vec![Channel::Rotation { joint: JointId(1), curve }], vec![])?;

    let flag = Character::new(CharacterParts {
        meshes: vec![Arc::new(strip(weights)?)],
        skins: vec![Arc::new(skin)],
        instances: vec![MeshInstance { joint: JointId(0), mesh: 0, skin: Some(0), morph_weights: vec![] }],
        clips: vec![Arc::new(clip)],
        ..CharacterParts::new("flag", skeleton)
    })?;

    let clip = flag.clips()[0].clone();
    let mut frame = Frame::new(flag);
    frame.sample(&*clip, 0.5, Wrap::Clamp);
    frame.deform(Method::Linear)?;
    println!("the corner bends to {:.2}", frame.deformed()[0].positions[COLUMNS as usize * 2 - 1]);
    Ok(())
}
