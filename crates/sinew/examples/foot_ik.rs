//! Walks over uneven ground and looks at a target: `cargo run -p sinew --example foot_ik`.

use sinew::constrain::{
    FootFrame, FootOptions, FootPlacement, GroundHit, Leg, LookAt, LookAtGoal, LookAtParts,
};
use sinew::glam::Vec3;
use sinew::{Frame, Method, ModelPose, Wrap};

const DT_SECS: f32 = 1.0 / 60.0;

/// Ground with a slope of one in ten; replace it by a ray cast into your scene.
fn ground_below(point: Vec3) -> Option<GroundHit> {
    let height = point.x * 0.1;
    Some(GroundHit {
        point: Vec3::new(point.x, height, point.z),
        normal: Vec3::new(-0.1, 1.0, 0.0).normalize(),
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let figure = sinew_samples::figure();
    let walk = figure.find_clip("walk").ok_or("no clip called walk")?.clone();
    let skeleton = figure.skeleton().clone();
    let find = |name: String| skeleton.find(&name).ok_or(format!("no joint called {name}"));
    let leg = |side: char| -> Result<Leg, Box<dyn std::error::Error>> {
        let joints =
            [find(format!("thigh.{side}"))?, find(format!("shin.{side}"))?, find(format!("foot.{side}"))?];
        Ok(Leg::standing(&skeleton, joints, Vec3::Y)?)
    };
    let (hips, neck, head) = (find("hips".into())?, find("neck".into())?, find("head".into())?);

    // Solvers are checked against the skeleton once.
    let feet = FootPlacement::new(&skeleton, hips, &[leg('L')?, leg('R')?], FootOptions::default())?;
    let parts =
        LookAtParts { joints: LookAt::even(&[neck, head]), forward: Vec3::Z, up: Vec3::Y, eye: Vec3::ZERO };
    let gaze = LookAt::new(&skeleton, parts)?;

    let mut state = feet.state(); // one per walker
    let mut model = ModelPose::new(&skeleton);
    let mut frame = Frame::new(figure);
    for tick in 0..60 {
        frame.sample(&*walk, tick as f32 * DT_SECS, Wrap::Loop);
        let pose = frame.local_mut();
        model.update(&skeleton, pose);
        let step = FootFrame { seconds: DT_SECS, weight: 1.0 };
        feet.apply(&step, ground_below, &skeleton, &mut state, &mut model, pose);
        let report = gaze.apply(&LookAtGoal::at(Vec3::new(1.0, 1.5, 3.0)), &model, pose);
        frame.deform(Method::Linear)?;
        if tick % 15 == 0 {
            let raised = state.feet.iter().map(|foot| foot.raised * 1000.0).collect::<Vec<_>>();
            println!(
                "{tick}: feet raised by {:.0} and {:.0} mm, on target: {}",
                raised[0], raised[1], report.reached
            );
        }
    }
    Ok(())
}
