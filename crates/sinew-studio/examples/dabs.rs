//! What a dab of the brush costs on a mesh of 100,000 vertices: `cargo run --release -p sinew-studio --example dabs`.

use sinew::{
    Character, CharacterParts, Influence, Joint, JointId, Mesh, MeshInstance, MeshParts, Primitive, Skeleton,
    Skin, Topology, Transform, Weights,
    glam::{Quat, Vec3},
};
use sinew_studio::{
    command::{BrushShape, Command, Stroke},
    document::Source,
    session::{Entry, Session},
};
use sinew_view::{
    camera::Camera,
    region::under_brush,
    stage::{SkinLook, Stage, StageOptions, Textures},
};
use std::{error::Error, f32::consts::TAU, sync::Arc, time::Instant};

const RINGS: u32 = 400;
const SIDES: u32 = 250;
const JOINTS: u16 = 40;

/// A tube along y with a chain of joints in it, each vertex on the four nearest.
fn tube() -> Result<Character, Box<dyn Error>> {
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
    Ok(Character::new(parts)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join("sinew-dabs.glb");
    sinew_formats::write_file(&path, &tube()?)?;
    let mut session = Session::open(Source::File(path.clone()))?;
    std::fs::remove_file(path)?;
    let mut evaluation = session.evaluation();
    evaluation.follow(session.document(), None)?;
    println!("{} vertices", session.document().character().meshes()[0].vertex_count());
    println!("dab  vertices  under brush  command  deform  stage and scene  all, ms");
    for dab in 0..8 {
        let times = Times::of(&mut session, &mut evaluation, dab)?;
        println!("{dab:3}  {times}");
    }
    Ok(())
}

struct Times {
    vertices: usize,
    secs: [f64; 4],
}

impl Times {
    fn of(
        session: &mut Session,
        evaluation: &mut sinew_studio::document::Evaluation,
        dab: u32,
    ) -> Result<Self, Box<dyn Error>> {
        let mut secs = [0.0; 4];
        let mut clock = Instant::now();
        let mut stop = |place: usize| {
            secs[place] = clock.elapsed().as_secs_f64();
            clock = Instant::now();
        };
        let center = Vec3::new(0.1, 0.3 + 0.02 * dab as f32, 0.0);
        let under = under_brush(&evaluation.frame().deformed()[0].positions, center, 0.02);
        let vertices = under.len();
        stop(0);
        let (joint, amount, most, mirrored) = (12, 0.1, 4, false);
        let stroke =
            Stroke { instance: 0, joint, brush: BrushShape::Add, amount, most, mirrored, dabs: vec![under] };
        session.perform(&Entry::Do { command: Command::Paint(stroke), gesture: Some(1) })?;
        stop(1);
        evaluation.follow(session.document(), None)?;
        stop(2);
        let options = StageOptions { skin: SkinLook::Heat(JointId(joint)), ..StageOptions::default() };
        let stage = Stage::new(session.document().character(), &Textures::none(), options);
        stage.scene(session.document().character(), evaluation.frame(), Camera::default())?;
        stop(3);
        Ok(Self { vertices, secs })
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [under, command, deform, stage] = self.secs.map(|s| s * 1e3);
        let all = under + command + deform + stage;
        write!(f, "{:8}  {under:11.2}  {command:7.2}  {deform:6.2}  {stage:15.2}  {all:7.2}", self.vertices)
    }
}
