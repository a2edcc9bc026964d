//! The cost of a brush stamp on a mesh of 100,000 vertices: `cargo run --release -p sinew-studio --example brush_stamps`.

mod large;

use sinew::{JointId, glam::Vec3};
use sinew_studio::{
    command::{BrushKind, BrushStroke, Command},
    document::DocumentSource,
    gesture::GestureIds,
    session::{JournalEntry, Session},
};
use sinew_view::{
    camera::Camera,
    region::under_brush,
    stage::{SkinLook, Stage, StageOptions, StageTextures},
};
use std::{error::Error, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join("sinew-brush-stamps.glb");
    sinew_formats::write_file(&path, &large::tube()?)?;
    let mut session = Session::open(DocumentSource::File(path.clone()))?;
    std::fs::remove_file(path)?;
    let mut evaluation = session.evaluation();
    evaluation.follow(session.document(), None)?;
    println!("{} vertices", session.document().character().meshes()[0].vertex_count());
    println!("stamp  vertices  under brush  command  deform  stage and scene  total, ms");
    for stamp in 0..8 {
        let times = Times::of(&mut session, &mut evaluation, stamp)?;
        println!("{stamp:5}  {times}");
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
        stamp: u32,
    ) -> Result<Self, Box<dyn Error>> {
        let mut secs = [0.0; 4];
        let mut clock = Instant::now();
        let mut stop = |place: usize| {
            secs[place] = clock.elapsed().as_secs_f64();
            clock = Instant::now();
        };
        let center = Vec3::new(0.1, 0.3 + 0.02 * stamp as f32, 0.0);
        let under = under_brush(&evaluation.frame().deformed()[0].positions, center, 0.02);
        let vertices = under.len();
        stop(0);
        let (joint, amount, max_influences, mirrored) = (12, 0.1, 4, false);
        let stroke = BrushStroke {
            instance: 0,
            joint,
            brush: BrushKind::Add,
            amount,
            max_influences,
            mirrored,
            stamps: vec![under],
        };
        session.perform(&JournalEntry::Do {
            command: Command::Paint(stroke),
            gesture: Some(GestureIds::default().begin()),
        })?;
        stop(1);
        evaluation.follow(session.document(), None)?;
        stop(2);
        let options = StageOptions { skin: SkinLook::Heat(JointId(joint)), ..StageOptions::default() };
        let stage = Stage::new(session.document().character(), &StageTextures::none(), options);
        stage.scene(evaluation.frame(), Camera::default())?;
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
