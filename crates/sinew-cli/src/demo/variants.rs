//! What stands beside the methods: without the bulge, about another pivot, and two methods on one mesh.

use super::still::{still, undrawable};
use crate::{
    failure::Failure,
    film::CliFilm,
    page::{Exhibit, HtmlTable, Section},
};
use indicatif::ProgressBar;
use sinew::deform::reference::{BoneSegment, blend_methods, bone_segments, dual_quat_bulge_free};
use sinew::glam::Vec3;
use sinew::measure::volume;
use sinew::{BlendMap, Character, Frame, LocalPose, Method, Skin, Streams, Surface};
use sinew_view::{
    camera::Orbit,
    raster::RenderOptions,
    stage::{StageOptions, StageTextures},
};
use std::sync::Arc;

const SIZE: RenderOptions = RenderOptions::new(360, 380);
const BEND_DEGREES: f32 = 90.0;
const TWIST_DEGREES: f32 = 100.0;

pub(super) fn sections(bar: &ProgressBar) -> Result<Vec<Section>, Failure> {
    let tube = sinew_samples::tube();
    let pose = sinew_samples::tube_pose(BEND_DEGREES.to_radians(), 0.0);
    let twisted = sinew_samples::tube_pose(0.0, TWIST_DEGREES.to_radians());
    let poses = [&pose, &twisted];
    Ok(vec![without_bulge(bar, &tube, &pose)?, about_another_pivot(bar, &pose)?, mixed(bar, &tube, poses)?])
}

/// A picture of `streams`, the first mesh of `character` deformed.
fn shot(
    bar: &ProgressBar,
    character: &Character,
    streams: Streams,
    file: &str,
    caption: &str,
) -> Result<Exhibit, Failure> {
    let still = still(character, streams)?;
    let mut film = CliFilm::new(&still, &StageTextures::none(), StageOptions::default());
    let rest = still.rest_pose();
    let camera =
        film.camera_for_poses(std::slice::from_ref(&rest), Orbit::degrees(0.0, 10.0), SIZE.aspect())?;
    film.pose(&rest)?;
    bar.inc(1);
    Exhibit::still(file, caption, &film.shoot(camera, &SIZE)?)
}

fn deformed(character: &Character, pose: &LocalPose, method: Method) -> Result<Frame, Failure> {
    let mut frame = Frame::new(character);
    frame.local_mut().copy_from(pose);
    frame.deform(method).map_err(undrawable)?;
    Ok(frame)
}

/// The least and the greatest distance of the tube's wall from its two bones.
fn radii(positions: &[Vec3], tube: &Character, frame: &Frame) -> [f32; 2] {
    let skin = &tube.skins()[0];
    let matrices = frame.palettes()[0].matrices();
    let bones: Vec<_> = bone_segments(tube.skeleton(), skin)
        .into_iter()
        .zip(matrices)
        .map(|(bone, matrix)| BoneSegment {
            head: matrix.transform_point3(bone.head),
            tail: matrix.transform_point3(bone.tail),
        })
        .collect();
    let rest = tube.meshes()[0].positions();
    let wall =
        positions.iter().zip(rest).filter(|(_, r)| (0.5..=sinew_samples::TUBE_LENGTH - 0.5).contains(&r.y));
    let distances =
        wall.map(|(p, _)| bones.iter().map(|b| p.distance(b.nearest(*p))).fold(f32::MAX, f32::min));
    distances.fold([f32::MAX, 0.0], |[least, most], d| [least.min(d), most.max(d)])
}

fn row_of_figures(name: &str, streams: &Streams, tube: &Character, frame: &Frame) -> Vec<String> {
    let mesh = &tube.meshes()[0];
    let volume = |positions| volume(positions, mesh.triangles());
    let [least, most] = radii(&streams.positions, tube, frame);
    let ratio = volume(&streams.positions) / volume(mesh.positions());
    vec![name.to_owned(), format!("{ratio:.3}"), format!("{least:.3}"), format!("{most:.3}")]
}

fn without_bulge(bar: &ProgressBar, tube: &Character, pose: &LocalPose) -> Result<Section, Failure> {
    let frame = deformed(tube, pose, Method::DualQuat)?;
    let (mesh, plain) = (&tube.meshes()[0], frame.deformed()[0].clone());
    let mut flat = Streams::of_mesh(mesh);
    let bones = bone_segments(tube.skeleton(), &tube.skins()[0]);
    if let Some(weights) = mesh.weights() {
        let (surface, palette) = (Surface::from(&**mesh), &frame.dual_quats()[0]);
        dual_quat_bulge_free(surface, weights, palette, &bones, flat.as_surface_mut()).map_err(undrawable)?;
    }
    let figures = vec![
        row_of_figures("dual quaternions", &plain, tube, &frame),
        row_of_figures("without the bulge", &flat, tube, &frame),
    ];
    Ok(Section {
        title: "Dual quaternions without their bulge".into(),
        text: "Both bent by 90°. On the right every bone pulls the surface back to the distance that it had at rest: \
               the outside of the bend no longer swells, the inside is pushed out of the crease."
            .into(),
        rows: vec![vec![
            shot(bar, tube, plain, "bulge_plain_90", "Dual quaternions")?,
            shot(bar, tube, flat, "bulge_free_90", "Without the bulge")?,
        ]],
        table: Some(HtmlTable::new(["bent by 90°", "volume", "least radius", "most radius"], figures)),
    })
}

/// The tube bound to its base and its tip, which moves with the middle: the same matrices, another bind position.
fn bound_to_the_tip() -> Result<Character, Failure> {
    let mut parts = sinew_samples::tube().into_parts();
    let ends = ["base", "tip"].into_iter().filter_map(|name| parts.skeleton.find(name)).collect();
    let skin = Skin::bound_at_rest("tube", &parts.skeleton, ends).map_err(undrawable)?;
    parts.skins = vec![Arc::new(skin)];
    Character::new(parts).map_err(undrawable)
}

fn about_another_pivot(bar: &ProgressBar, pose: &LocalPose) -> Result<Section, Failure> {
    let tube = bound_to_the_tip()?;
    let mut row = Vec::new();
    for (method, caption) in [(Method::Slerp, "Quaternion blend"), (Method::DualQuat, "Dual quaternions")] {
        let frame = deformed(&tube, pose, method)?;
        let file = format!("far_joint_{method}");
        row.push(shot(bar, &tube, frame.deformed()[0].clone(), &file, caption)?);
    }
    Ok(Section {
        title: "Two joints that do not meet".into(),
        text: "The upper half hangs on a joint at its far end, which moves exactly as the one in the middle does. \
               Quaternion blend turns about the joint and carries the joint along a straight line, so the bend is torn \
               off its place; dual quaternions find the same bend from the same matrices, wherever the joint is."
            .into(),
        rows: vec![row],
        table: None,
    })
}

/// Linear blend and dual quaternions of `pose`, mixed by `share` of each vertex's place at rest.
fn mix(tube: &Character, pose: &LocalPose, share: fn(Vec3) -> f32) -> Result<(Streams, Frame), Failure> {
    let (linear, dual) = (deformed(tube, pose, Method::Linear)?, deformed(tube, pose, Method::DualQuat)?);
    let mesh = &tube.meshes()[0];
    let map = BlendMap::new(mesh.positions().iter().map(|p| share(*p)).collect()).map_err(undrawable)?;
    let mut out = Streams::of_mesh(mesh);
    let [a, b] = [&linear, &dual].map(|frame| frame.deformed()[0].as_surface());
    blend_methods(a, b, &map, out.as_surface_mut()).map_err(undrawable)?;
    Ok((out, dual))
}

fn mixed(bar: &ProgressBar, tube: &Character, [bent, twisted]: [&LocalPose; 2]) -> Result<Section, Failure> {
    // The inside of the bend is +X.
    let (smooth, dual) = mix(tube, bent, |p| (p.x * 0.5 + 0.5).clamp(0.0, 1.0))?;
    let (torn, _) = mix(tube, twisted, |p| if p.y > sinew_samples::TUBE_LENGTH / 2.0 { 1.0 } else { 0.0 })?;
    let linear = deformed(tube, bent, Method::Linear)?;
    let figures = vec![
        row_of_figures("linear", &linear.deformed()[0], tube, &linear),
        row_of_figures("dual-quat", &dual.deformed()[0], tube, &dual),
        row_of_figures("mixed around the tube", &smooth, tube, &dual),
    ];
    Ok(Section {
        title: "Two methods on one mesh".into(),
        text: "A map says for each vertex how much of a second method it gets. On the left dual quaternions keep the \
               inside of the bend full and linear blend keeps the outside from bulging, passing into each other around \
               the tube. On the right the map jumps from one ring to the next, and so does the surface."
            .into(),
        rows: vec![vec![
            shot(bar, tube, smooth, "map_smooth", "Dual quaternions inside, linear blend outside")?,
            shot(bar, tube, torn, "map_hard", "Linear blend below, dual quaternions above, twisted by 100°")?,
        ]],
        table: Some(HtmlTable::new(["bent by 90°", "volume", "least radius", "most radius"], figures)),
    })
}
