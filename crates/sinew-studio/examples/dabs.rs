//! What a dab of the brush costs on a mesh of 100,000 vertices: `cargo run --release -p sinew-studio --example dabs`.

mod large;

use sinew::{JointId, glam::Vec3};
use sinew_studio::{
    command::{BrushKind, BrushStroke, Command},
    document::DocumentSource,
    session::{JournalEntry, Session},
};
use sinew_view::{
    camera::Camera,
    region::under_brush,
    stage::{SkinLook, Stage, StageOptions, StageTextures},
};
use std::{error::Error, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join("sinew-dabs.glb");
    sinew_formats::write_file(&path, &large::tube()?)?;
    let mut session = Session::open(DocumentSource::File(path.clone()))?;
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
        let stroke = BrushStroke {
            instance: 0,
            joint,
            brush: BrushKind::Add,
            amount,
            most,
            mirrored,
            dabs: vec![under],
        };
        session.perform(&JournalEntry::Do { command: Command::Paint(stroke), gesture: Some(1) })?;
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
