//! Morph targets: one that follows the skin, and one that should have been a joint.

use super::compose_demo;
use crate::{
    failure::{Attempt, Failure},
    film::{shoot_pose, untextured},
    page::{Exhibit, Section},
};
use indicatif::ProgressBar;
use sinew::glam::Vec3;
use sinew::{Character, Frame, LocalPose, Mesh, MeshParts, Method, MorphTarget, MorphTargets};
use sinew_view::{camera::Orbit, raster::RenderOptions, stage::StageOptions};
use std::sync::Arc;

const SIZE: RenderOptions = RenderOptions::new(300, 380);
const TWIST_DEGREES: f32 = 150.0;

pub(super) fn section(bar: &ProgressBar) -> Result<Section, Failure> {
    let tube = with_morphs()?;
    let bent = sinew_samples::tube_pose(60_f32.to_radians(), 0.0);
    let straight = sinew_samples::tube_pose(0.0, 0.0);
    let cases = [
        ("shape_swell", "A ring, on a bent tube", &bent, [1.0, 0.0]),
        ("shape_turn_0", "A twist as a morph target, weight 0", &straight, [0.0, 0.0]),
        ("shape_turn_half", "Weight 0.5", &straight, [0.0, 0.5]),
        ("shape_turn_full", "Weight 1", &straight, [0.0, 1.0]),
    ];
    let row = cases.map(|(file, caption, pose, weights)| shot(bar, &tube, file, caption, pose, weights));
    Ok(Section {
        title: "Morph targets".into(),
        text: format!(
            "Offsets from the rest surface, added before skinning: the ring on the left bends with the tube. A morph \
             target moves every vertex along a straight line, so one that twists by {TWIST_DEGREES}° is right at its \
             end and pinched halfway: that is work for a joint."
        ),
        rows: vec![row.into_iter().collect::<Result<_, _>>()?],
        table: None,
    })
}

/// The tube with two morph targets: a ring around its upper half, and its own twist.
fn with_morphs() -> Result<Character, Failure> {
    let tube = sinew_samples::tube();
    let mesh = &tube.meshes()[0];
    let ring = |p: &Vec3| Vec3::new(p.x, 0.0, p.z) * 0.45 * (-((p.y - 7.2) / 0.45).powi(2)).exp();
    let swell: Vec<Vec3> = mesh.positions().iter().map(ring).collect();
    // The normals of a surface of revolution tilt against the slope of its radius.
    let tilt = |p: &Vec3| Vec3::Y * 0.9 * 2.0 * (p.y - 7.2) / 0.45 * (-((p.y - 7.2) / 0.45).powi(2)).exp();
    let tilted: Vec<Vec3> = mesh.positions().iter().map(tilt).collect();
    let mut frame = Frame::new(&tube);
    frame.local_mut().copy_from(&sinew_samples::tube_pose(0.0, TWIST_DEGREES.to_radians()));
    frame.deform(Method::DualQuat).attempt(compose_demo)?;
    let twisted = &frame.deformed()[0];
    let difference =
        |to: &[Vec3], from: &[Vec3]| to.iter().zip(from).map(|(t, f)| *t - *f).collect::<Vec<_>>();
    let positions = difference(&twisted.positions, mesh.positions());
    let normals = difference(&twisted.normals, mesh.normals());
    let targets = vec![
        MorphTarget::from_dense("swell", &swell, &tilted, &[]),
        MorphTarget::from_dense("turn", &positions, &normals, &[]),
    ];
    let morphs = MorphTargets::new(mesh.vertex_count(), targets, vec![]).attempt(compose_demo)?;
    let mesh = MeshParts { morphs, ..Mesh::clone(mesh).into_parts() };
    let mut parts = tube.into_parts();
    parts.meshes = vec![Arc::new(Mesh::new(mesh).attempt(compose_demo)?)];
    Character::new(parts).attempt(compose_demo)
}

fn shot(
    bar: &ProgressBar,
    tube: &Character,
    file: &str,
    caption: &str,
    pose: &LocalPose,
    weights: [f32; 2],
) -> Result<Exhibit, Failure> {
    let mut shaped = tube.rest_pose();
    shaped.joints.clone_from(&pose.joints);
    shaped.morphs.copy_from_slice(&weights);
    let mut film = untextured(tube, StageOptions::default());
    let picture = shoot_pose(&mut film, &shaped, Orbit::degrees(0.0, 10.0), &SIZE)?;
    bar.inc(1);
    Exhibit::still(file, caption, &picture)
}
