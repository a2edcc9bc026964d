//! Every method at the joints where skin folds.

use super::compose_demo;
use crate::{
    failure::Failure,
    film::{close_up, untextured},
    page::{Exhibit, Section},
    prepare::prepared,
};
use indicatif::ProgressBar;
use sinew::{
    Character, JointId, LocalPose, Method, ModelPose,
    glam::{Quat, Vec3},
};
use sinew_view::{camera::Orbit, raster::RenderOptions, stage::StageOptions};

const SIZE: RenderOptions = RenderOptions::new(300, 300);

/// A joint of the figure, turned from its rest pose about an axis in model space.
struct LimbShot {
    name: &'static str,
    joint: &'static str,
    axis: Vec3,
    degrees: f32,
    /// The size of what is shown, in meters.
    reach: f32,
    orbit: [f32; 2],
}

/// The figure looks along +Z and stands on Y.
const SHOTS: [LimbShot; 4] = [
    LimbShot {
        name: "elbow",
        joint: "forearm.L",
        axis: Vec3::NEG_Y,
        degrees: 125.0,
        reach: 0.22,
        orbit: [10.0, 50.0],
    },
    LimbShot { name: "knee", joint: "shin.L", axis: Vec3::X, degrees: 125.0, reach: 0.3, orbit: [65.0, 5.0] },
    LimbShot {
        name: "shoulder",
        joint: "upper_arm.L",
        axis: Vec3::Z,
        degrees: 70.0,
        reach: 0.3,
        orbit: [15.0, 10.0],
    },
    LimbShot {
        name: "hip",
        joint: "thigh.L",
        axis: Vec3::NEG_X,
        degrees: 95.0,
        reach: 0.38,
        orbit: [60.0, 8.0],
    },
];

pub(super) fn section(bar: &ProgressBar) -> Result<Section, Failure> {
    let figure = prepared(&sinew_samples::figure(), "builtin:figure", &Method::ALL, true)?;
    let rows = SHOTS.iter().map(|shot| row(bar, &figure, shot)).collect::<Result<_, _>>()?;
    Ok(Section {
        title: "Every method at an elbow, a knee, a shoulder and a hip".into(),
        text: "The elbow and the knee are bent by 125°, the arm is raised by 70°, the thigh by 95°. Methods that blend \
               motions pass the inside of an elbow or knee through itself; contact skinning presses skin against skin."
            .into(),
        rows,
        table: None,
    })
}

fn row(bar: &ProgressBar, figure: &Character, shot: &LimbShot) -> Result<Vec<Exhibit>, Failure> {
    let missing = || Failure::work(compose_demo(), format!("the figure has no {}", shot.joint));
    let joint = figure.skeleton().find(shot.joint).ok_or_else(missing)?;
    let pose = turned(figure, joint, Quat::from_axis_angle(shot.axis, shot.degrees.to_radians()));
    let exhibit = |method: Method| {
        let mut film = untextured(figure, StageOptions::default()).with_method(method);
        film.pose(&pose)?;
        let [around, above] = shot.orbit;
        let camera = close_up(&film, Some(joint), shot.reach, Orbit::degrees(around, above), &SIZE);
        bar.inc(1);
        let picture = film.shoot(camera, &SIZE)?;
        Exhibit::still(&format!("limb_{}_{method}", shot.name), format!("{}, {method}", shot.name), &picture)
    };
    Method::ALL.into_iter().map(exhibit).collect()
}

/// The rest pose with `joint` turned by `turn`, a rotation in model space.
fn turned(figure: &Character, joint: JointId, turn: Quat) -> LocalPose {
    let mut pose = figure.rest_pose();
    let mut model = ModelPose::new(figure.skeleton());
    model.update(figure.skeleton(), &pose);
    let above = figure.skeleton().parent(joint);
    let above = above.map_or(Quat::IDENTITY, |parent| model.joint(parent).to_scale_rotation_translation().1);
    let local = &mut pose.joints[joint.index()].rotation;
    *local = (above.inverse() * turn * above * *local).normalize();
    pose
}
