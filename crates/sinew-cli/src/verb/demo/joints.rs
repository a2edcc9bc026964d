//! Properties of joints: scale that is not inherited, a shoulder with two axes.

use super::compose_demo;
use crate::{
    failure::{Attempt, Failure},
    film::{lens, untextured},
    page::{Exhibit, Section},
};
use indicatif::ProgressBar;
use sinew::{
    Character, JointId, LocalPose, ScaleInheritance,
    constrain::{MetaJoint, MetaJointPart},
    glam::{Quat, Vec3},
};
use sinew_view::{
    camera::{Camera, Orbit},
    raster::RenderOptions,
    stage::{BoneLook, StageOptions},
};

const SIZE: RenderOptions = RenderOptions::new(380, 400);
/// The scale of the upper arm.
const SCALE: f32 = 1.7;
/// The angles of the shoulder about its two axes, in degrees.
const ANGLES_DEGREES: [[f32; 2]; 3] = [[0.0, 0.0], [75.0, 0.0], [75.0, 50.0]];

pub(super) fn sections(bar: &ProgressBar) -> Result<Vec<Section>, Failure> {
    let figure = sinew_samples::figure();
    let inherited = Section {
        title: "Scale that is not inherited".into(),
        text: format!(
            "The upper arm is scaled by {SCALE}. Usually everything below it grows along. A joint that is compensated for \
             its parent's scale is moved by it but keeps its size."
        ),
        rows: vec![scaled(bar, &figure)?],
        table: None,
    };
    let shoulder = Section {
        title: "A shoulder with two axes".into(),
        text: "A meta-joint: the upper arm rotates about two axes only. It swings forward about the outer one and is raised \
               about the inner one. A pose is two angles, and nothing twists the arm."
            .into(),
        rows: vec![raised(bar, &figure)?],
        table: None,
    };
    Ok(vec![inherited, shoulder])
}

fn find(figure: &Character, name: &str) -> Result<JointId, Failure> {
    let missing = || Failure::work(compose_demo(), format!("the figure has no {name}"));
    figure.skeleton().find(name).ok_or_else(missing)
}

fn scaled(bar: &ProgressBar, figure: &Character) -> Result<Vec<Exhibit>, Failure> {
    let (upper, fore) = (find(figure, "upper_arm.L")?, find(figure, "forearm.L")?);
    let mut pose = figure.rest_pose();
    pose.joints[fore.index()].rotation *= Quat::from_rotation_z(0.7);
    let plain = pose.clone();
    pose.joints[upper.index()].scale = Vec3::splat(SCALE);
    let local = figure.with_scale_inheritance(fore, ScaleInheritance::Compensated);
    let shots = [
        ("scale_none", "Not scaled", figure, &plain),
        ("scale_full", "Forearm and hand are scaled along", figure, &pose),
        ("scale_compensated", "The forearm does not inherit the scale", &local, &pose),
    ];
    let camera = camera(figure, &[plain.clone(), pose.clone()])?;
    let shots = shots
        .map(|(name, caption, character, pose)| Shot { name, caption, character, pose }.take(bar, camera));
    shots.into_iter().collect()
}

fn raised(bar: &ProgressBar, figure: &Character) -> Result<Vec<Exhibit>, Failure> {
    let axes = "xz".parse().attempt(compose_demo)?;
    let parts = vec![MetaJointPart::new(find(figure, "upper_arm.L")?, axes)];
    let shoulder = MetaJoint::new(figure.skeleton(), "shoulder.L", parts).attempt(compose_demo)?;
    let poses = ANGLES_DEGREES.map(|[first, second]| {
        let mut pose = figure.rest_pose();
        shoulder.set_angles(&mut pose, [first.to_radians(), second.to_radians(), 0.0]);
        pose
    });
    let camera = camera(figure, &poses)?;
    let names = ["two_axes_rest", "two_axes_swung", "two_axes_raised"];
    let shots = names.into_iter().zip(ANGLES_DEGREES).zip(&poses).map(|((name, [first, second]), pose)| {
        let caption = format!("{first}° and {second}°");
        Shot { name, caption: &caption, character: figure, pose }.take(bar, camera)
    });
    shots.collect()
}

/// A camera that shows all poses, so that sizes can be compared.
fn camera(figure: &Character, poses: &[LocalPose]) -> Result<Camera, Failure> {
    let mut film = untextured(figure, StageOptions::default());
    Ok(film.camera(poses, Orbit::degrees(20.0, 8.0), lens(&SIZE))?)
}

/// One picture of the figure.
struct Shot<'a> {
    name: &'a str,
    caption: &'a str,
    character: &'a Character,
    pose: &'a LocalPose,
}

impl Shot<'_> {
    fn take(&self, bar: &ProgressBar, camera: Camera) -> Result<Exhibit, Failure> {
        let options = StageOptions { bones: BoneLook::Plain, ..StageOptions::default() };
        let mut film = untextured(self.character, options);
        film.pose(self.pose)?;
        bar.inc(1);
        Exhibit::still(self.name, self.caption, &film.shoot(camera, &SIZE)?)
    }
}
