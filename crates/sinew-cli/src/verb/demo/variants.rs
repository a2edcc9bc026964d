//! Variants of the methods: without the bulge, about another pivot, and two methods on one mesh.

use super::{compose_demo, frozen::frozen};
use crate::{
    failure::{Attempt, Failure},
    film::{shoot_pose, untextured},
    page::{Exhibit, HtmlTable, Section},
};
use indicatif::ProgressBar;
use sinew::deform::reference::{BoneSegment, blend_methods, bone_segments, dual_quat_bulge_free};
use sinew::glam::Vec3;
use sinew::measure::volume;
use sinew::{BlendMap, Character, Frame, LocalPose, Method, Skin, Streams, Surface};
use sinew_view::{camera::Orbit, raster::RenderOptions, stage::StageOptions};
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
    let frozen = frozen(character, streams)?;
    let mut film = untextured(&frozen, StageOptions::default());
    let picture = shoot_pose(&mut film, &frozen.rest_pose(), Orbit::degrees(0.0, 10.0), &SIZE)?;
    bar.inc(1);
    Exhibit::still(file, caption, &picture)
}

fn deformed(character: &Character, pose: &LocalPose, method: Method) -> Result<Frame, Failure> {
    let mut frame = Frame::new(character);
    frame.local_mut().copy_from(pose);
    frame.deform(method).attempt(compose_demo)?;
    Ok(frame)
}

/// The smallest and the largest distance of the tube's wall from its two bones.
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
    distances.fold([f32::MAX, 0.0], |[min, max], d| [min.min(d), max.max(d)])
}

fn table_row(name: &str, streams: &Streams, tube: &Character, frame: &Frame) -> Vec<String> {
    let mesh = &tube.meshes()[0];
    let volume = |positions| volume(positions, mesh.triangles());
    let [min, max] = radii(&streams.positions, tube, frame);
    let ratio = volume(&streams.positions) / volume(mesh.positions());
    vec![name.to_owned(), format!("{ratio:.3}"), format!("{min:.3}"), format!("{max:.3}")]
}

fn without_bulge(bar: &ProgressBar, tube: &Character, pose: &LocalPose) -> Result<Section, Failure> {
    let frame = deformed(tube, pose, Method::DualQuat)?;
    let (mesh, plain) = (&tube.meshes()[0], frame.deformed()[0].clone());
    let mut flat = Streams::of_mesh(mesh);
    let bones = bone_segments(tube.skeleton(), &tube.skins()[0]);
    if let Some(weights) = mesh.weights() {
        let (surface, palette) = (Surface::from(&**mesh), &frame.dual_quats()[0]);
        dual_quat_bulge_free(surface, weights, palette, &bones, flat.as_surface_mut())
            .attempt(compose_demo)?;
    }
    let rows = vec![
        table_row("dual-quat", &plain, tube, &frame),
        table_row("without the bulge", &flat, tube, &frame),
    ];
    Ok(Section {
        title: "Dual quaternion skinning without the bulge".into(),
        text: "Both bent by 90°. On the right every bone pulls the surface back to its distance at rest: the outside of \
               the bend no longer bulges, the inside is pushed out of the crease."
            .into(),
        rows: vec![vec![
            shot(bar, tube, plain, "bulge_plain_90", "Dual quaternion skinning")?,
            shot(bar, tube, flat, "bulge_free_90", "Without the bulge")?,
        ]],
        table: Some(HtmlTable::new(["bent by 90°", "volume", "min radius", "max radius"], rows)),
    })
}

/// The tube bound to its base and to its tip, which moves with the middle: the same matrices, another bind pose.
fn bound_to_the_tip() -> Result<Character, Failure> {
    let mut parts = sinew_samples::tube().into_parts();
    let ends = ["base", "tip"].into_iter().filter_map(|name| parts.skeleton.find(name)).collect();
    let skin = Skin::bound_at_rest("tube", &parts.skeleton, ends).attempt(compose_demo)?;
    parts.skins = vec![Arc::new(skin)];
    Character::new(parts).attempt(compose_demo)
}

fn about_another_pivot(bar: &ProgressBar, pose: &LocalPose) -> Result<Section, Failure> {
    let tube = bound_to_the_tip()?;
    let mut row = Vec::new();
    for (method, caption) in
        [(Method::Slerp, "Quaternion blend"), (Method::DualQuat, "Dual quaternion skinning")]
    {
        let frame = deformed(&tube, pose, method)?;
        let file = format!("far_joint_{method}");
        row.push(shot(bar, &tube, frame.deformed()[0].clone(), &file, caption)?);
    }
    Ok(Section {
        title: "Two joints that do not meet".into(),
        text: "The upper half follows a joint at its far end, which moves exactly as the one in the middle does. \
               Quaternion blend rotates about the joint and moves the joint along a straight line, so the bend is \
               displaced; dual quaternion skinning gives the same bend for the same matrices, wherever the joint is."
            .into(),
        rows: vec![row],
        table: None,
    })
}

/// `pose` by linear blend skinning and by dual quaternion skinning, blended by `weight` of each vertex's rest position.
fn mix(tube: &Character, pose: &LocalPose, weight: fn(Vec3) -> f32) -> Result<(Streams, Frame), Failure> {
    let (linear, dual) = (deformed(tube, pose, Method::Linear)?, deformed(tube, pose, Method::DualQuat)?);
    let mesh = &tube.meshes()[0];
    let map = BlendMap::new(mesh.positions().iter().map(|p| weight(*p)).collect()).attempt(compose_demo)?;
    let mut out = Streams::of_mesh(mesh);
    let [a, b] = [&linear, &dual].map(|frame| frame.deformed()[0].as_surface());
    blend_methods(a, b, &map, out.as_surface_mut()).attempt(compose_demo)?;
    Ok((out, dual))
}

fn mixed(bar: &ProgressBar, tube: &Character, [bent, twisted]: [&LocalPose; 2]) -> Result<Section, Failure> {
    // The inside of the bend is +X.
    let (smooth, dual) = mix(tube, bent, |p| (p.x * 0.5 + 0.5).clamp(0.0, 1.0))?;
    let (torn, _) = mix(tube, twisted, |p| if p.y > sinew_samples::TUBE_LENGTH / 2.0 { 1.0 } else { 0.0 })?;
    let linear = deformed(tube, bent, Method::Linear)?;
    let rows = vec![
        table_row("linear", &linear.deformed()[0], tube, &linear),
        table_row("dual-quat", &dual.deformed()[0], tube, &dual),
        table_row("blended around the tube", &smooth, tube, &dual),
    ];
    Ok(Section {
        title: "Two methods on one mesh".into(),
        text: "A blend map gives every vertex a weight of a second method. On the left dual quaternion skinning keeps the \
               volume inside the bend and linear blend skinning keeps the outside from bulging, with a smooth \
               transition around the tube. On the right the map jumps from one ring to the next, and so does the surface."
            .into(),
        rows: vec![vec![
            shot(bar, tube, smooth, "map_smooth", "LBS outside the bend, DQS inside")?,
            shot(bar, tube, torn, "map_hard", "LBS below, DQS above, twisted by 100°")?,
        ]],
        table: Some(HtmlTable::new(["bent by 90°", "volume", "min radius", "max radius"], rows)),
    })
}
