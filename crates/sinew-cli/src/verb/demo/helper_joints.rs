//! Helper joints: roll joints that distribute twist, a muscle that swells.

use super::compose_demo;
use crate::{
    failure::{Attempt, Failure},
    film::{lens, shoot_pose, untextured},
    page::{Exhibit, Section},
};
use indicatif::ProgressBar;
use sinew::constrain::{DrivenProperty, Driver, DriverCurve, DriverMeasure, Drivers};
use sinew::glam::{Quat, Vec3};
use sinew::{
    Character, Influence, Joint, JointId, LocalPose, Mesh, MeshParts, Skeleton, Skin, Transform, Weights,
};
use sinew_view::{
    camera::Orbit,
    raster::RenderOptions,
    stage::{BoneLook, StageOptions},
};
use std::sync::Arc;

const TUBE: RenderOptions = RenderOptions::new(300, 380);
const ARM: RenderOptions = RenderOptions::new(480, 400);
const TWIST_DEGREES: f32 = 150.0;
const SPANS: [u16; 3] = [1, 2, 4];

pub(super) fn sections(bar: &ProgressBar) -> Result<Vec<Section>, Failure> {
    let rolls = Section {
        title: "Twist distributed over roll joints".into(),
        text: format!(
            "Linear blend skinning, twisted by {TWIST_DEGREES}° each time. With n spans each joint takes a part of the \
             twist, and the min radius is cos(θ/2n) instead of cos(θ/2). The cost per vertex does not change."
        ),
        rows: vec![SPANS.into_iter().map(|spans| rolled(bar, spans)).collect::<Result<_, _>>()?],
        table: None,
    };
    let arm = arm_with_biceps()?;
    let swell =
        [("off", 1.0, "No muscle"), ("on", 1.6, "Swollen to 1.6"), ("too_much", 3.5, "Swollen to 3.5")];
    let shots = swell.map(|(name, size, caption)| flexed(bar, &arm, name, size, caption));
    let muscle = Section {
        title: "A muscle".into(),
        text: "A joint inside the upper arm grows as the elbow bends. Its muscle weights are added to the skin weights and \
               do not count in their sum: at rest it moves nothing, and swollen it pushes the skin out by its weight. \
               With too much of it the edges of the muscle show."
            .into(),
        rows: vec![shots.into_iter().collect::<Result<_, _>>()?],
        table: None,
    };
    Ok(vec![rolls, muscle])
}

fn rolled(bar: &ProgressBar, spans: u16) -> Result<Exhibit, Failure> {
    let (tube, spread) = sinew_samples::tube_with_rolls(spans);
    let mut pose = tube.rest_pose();
    if let Some(middle) = tube.skeleton().find("middle") {
        pose.joints[middle.index()].rotation = Quat::from_rotation_y(TWIST_DEGREES.to_radians());
    }
    spread.apply(&mut pose);
    let mut film = untextured(&tube, StageOptions::default());
    let picture = shoot_pose(&mut film, &pose, Orbit::degrees(0.0, 10.0), &TUBE)?;
    bar.inc(1);
    let caption = if spans == 1 { "No roll joint".into() } else { format!("{} roll joints", spans - 1) };
    Exhibit::still(&format!("rolls_{}", spans - 1), caption, &picture)
}

/// The distance of the biceps from the shoulder along the bone, in meters.
const ALONG: f32 = 0.165;

/// The arm with one more joint, which displaces the inside of the upper arm.
fn arm_with_biceps() -> Result<Character, Failure> {
    let mut parts = sinew_samples::arm().into_parts();
    let old = &parts.skeleton;
    let joint = |j: JointId| Joint { name: old.name(j).into(), parent: old.parent(j), rest: old.rest(j) };
    let upper = old.find("upper").ok_or_else(|| Failure::work(compose_demo(), "the arm has no shoulder"))?;
    let rest = Transform::from_translation(Vec3::new(0.0, ALONG, 0.0));
    let biceps = Joint { name: "biceps".into(), parent: Some(upper), rest };
    let skeleton = Arc::new(Skeleton::new(old.joints().map(joint).chain([biceps])).attempt(compose_demo)?);
    let mesh = Mesh::clone(&parts.meshes[0]).into_parts();
    let (shoulder, free) = (old.rest(upper).translation, 2);
    let influences = |(v, place): (usize, &Vec3)| {
        let from = *place - shoulder;
        let bump = (-((from.x - ALONG) / 0.06).powi(2)).exp();
        // The inside of the arm is +Y.
        let weight = bump * (from.y / 0.05).clamp(0.0, 1.0);
        let skin_weights = mesh.weights.iter().flat_map(move |w| w.influences(v)).collect::<Vec<_>>();
        skin_weights.into_iter().chain([Influence { slot: free, weight }])
    };
    let vertices = mesh.positions.iter().enumerate().map(influences);
    let weights = Weights::new_with_muscles(3, vertices, |slot| slot == free).attempt(compose_demo)?.0;
    let mut joints = parts.skins[0].joints().to_vec();
    joints.extend(skeleton.find("biceps"));
    let mesh = MeshParts { weights: Some(Arc::new(weights)), ..mesh };
    parts.skins = vec![Arc::new(Skin::bound_at_rest("arm", &skeleton, joints).attempt(compose_demo)?)];
    parts.meshes = vec![Arc::new(Mesh::new(mesh).attempt(compose_demo)?)];
    parts.skeleton = skeleton;
    Character::new(parts).attempt(compose_demo)
}

/// The elbow bent, and the biceps driven to `size` times its width.
fn flexed_pose(arm: &Character, size: f32) -> Result<LocalPose, Failure> {
    let skeleton = arm.skeleton();
    let (Some(elbow), Some(biceps)) = (skeleton.find("lower"), skeleton.find("biceps")) else {
        return Err(Failure::work(compose_demo(), "the arm has no elbow"));
    };
    let driver = Driver {
        source: elbow,
        measure: DriverMeasure::Swing { axis: Vec3::Y },
        target: biceps,
        property: DrivenProperty::Scale { axes: [true, false, true] },
        curve: DriverCurve::smooth([[0.0, 1.0], [1.75, size]]).attempt(compose_demo)?,
    };
    let mut pose = arm.rest_pose();
    pose.joints[elbow.index()].rotation = Quat::from_rotation_z(1.75);
    Drivers::new(skeleton, vec![driver]).attempt(compose_demo)?.apply(&mut pose);
    Ok(pose)
}

fn flexed(
    bar: &ProgressBar,
    arm: &Character,
    name: &str,
    size: f32,
    caption: &str,
) -> Result<Exhibit, Failure> {
    let options = StageOptions { bones: BoneLook::Hidden, ..StageOptions::default() };
    let mut film = untextured(arm, options);
    // One camera for all pictures, or the arm would shrink as the muscle grows.
    let poses = [flexed_pose(arm, 1.0)?, flexed_pose(arm, 3.5)?];
    let camera = film.camera(&poses, Orbit::degrees(10.0, 14.0), lens(&ARM))?;
    film.pose(&flexed_pose(arm, size)?)?;
    bar.inc(1);
    Exhibit::still(&format!("muscle_{name}"), caption, &film.shoot(camera, &ARM)?)
}
