//! What the methods cost relative to linear blend skinning, and how well normals fit.

use super::{
    METHODS,
    joints::{LimbKind, limb_joints},
};
use sinew::{
    Binding, Character, DeformInput, DeformScratch, Frame, LocalPose, Method, NormalSource, Streams,
    deform::{deform, reference},
    measure::bent_normals,
};
use std::time::{Duration, Instant};

const ROUNDS: usize = 300;

/// The rest pose with every elbow, knee and finger bent to this angle.
fn bent_everywhere(character: &Character, degrees: f32) -> LocalPose {
    let mut pose = character.rest_pose();
    for joint in limb_joints(character) {
        let bends = matches!(joint.kind, LimbKind::Elbow | LimbKind::Knee | LimbKind::Finger);
        if bends && joint.rest_degrees < degrees {
            pose.joints[joint.joint.index()] = joint.bent(character, degrees).joints[joint.joint.index()];
        }
    }
    pose
}

/// The shortest of many calls of the scalar reference, positions and normals of all skinned meshes.
fn shortest_reference(character: &Character, frame: &Frame, method: Method) -> f64 {
    let instances = character.instances().iter().filter(|instance| instance.skin.is_some());
    let mut total = Duration::ZERO;
    for instance in instances {
        let (mesh, skin) = (character.mesh_of(instance), instance.skin.unwrap());
        let binding = Binding::new(mesh.weights().unwrap(), &frame.palettes()[skin])
            .with_dual_quats(&frame.dual_quats()[skin])
            .with_precomputed(mesh.precomputed());
        let (mut scratch, mut out) = (DeformScratch::for_mesh(mesh), Streams::of_mesh(mesh));
        let call = |_: usize| {
            let start = Instant::now();
            reference::deform(method, mesh.into(), &binding, &mut scratch, out.as_surface_mut()).unwrap();
            start.elapsed()
        };
        total += (0..ROUNDS / 10).map(call).min().unwrap();
    }
    total.as_nanos() as f64
}

/// The shortest of many calls, positions and normals of all skinned meshes.
fn shortest(character: &Character, frame: &Frame, method: Method, source: NormalSource) -> Duration {
    let instances = character.instances().iter().filter(|instance| instance.skin.is_some());
    let mut total = Duration::ZERO;
    for instance in instances {
        let mesh = character.mesh_of(instance);
        let skin = instance.skin.unwrap();
        let input = DeformInput::new(mesh, &frame.palettes()[skin])
            .with_dual_quats(&frame.dual_quats()[skin])
            .with_normals(source);
        let (mut scratch, mut out) = (DeformScratch::for_mesh(mesh), Streams::of_mesh(mesh));
        let call = |_: usize| {
            let start = Instant::now();
            deform(method, &input, &mut scratch, out.as_surface_mut()).unwrap();
            start.elapsed()
        };
        total += (0..ROUNDS).map(call).min().unwrap();
    }
    total
}

pub(crate) fn print(name: &str, character: &Character) {
    let vertices: usize = character.instances().iter().map(|i| character.mesh_of(i).vertex_count()).sum();
    println!(
        "\n| {name}, bent 100° | ns per vertex | of linear | reference, of linear | surface normals, of linear | normals off, joints | > 30° | normals off, surface | > 30° |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let pose = bent_everywhere(character, 100.0);
    let (mut linear, mut linear_reference) = (0.0, 0.0);
    for method in METHODS {
        let posed = |source| {
            let mut frame = Frame::new(character).with_normals(source);
            frame.local_mut().copy_from(&pose);
            frame.deform(method).unwrap();
            // Dual quaternions for every method, so that all read the same.
            frame.update_palettes(Method::DualQuat);
            frame
        };
        let (joints, surface) = (posed(NormalSource::Joints), posed(NormalSource::Surface));
        let time = |source| shortest(character, &joints, method, source).as_nanos() as f64 / vertices as f64;
        let (own, of_surface) = (time(NormalSource::Joints), time(NormalSource::Surface));
        let of_reference = shortest_reference(character, &joints, method);
        if method == Method::Linear {
            (linear, linear_reference) = (own, of_reference);
        }
        let (a, b) = (bent_normals(&joints), bent_normals(&surface));
        println!(
            "| {} | {own:.2} | {:.2} | {:.2} | {:.2} | {:.1}° | {:.1} % | {:.1}° | {:.1} % |",
            method.name(),
            own / linear,
            of_reference / linear_reference,
            of_surface / linear,
            a.mean_degrees,
            a.over_30_degrees * 100.0,
            b.mean_degrees,
            b.over_30_degrees * 100.0
        );
    }
}
