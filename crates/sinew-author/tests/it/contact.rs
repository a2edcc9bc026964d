//! Contact skinning does what it is for, on the tube and on real characters.

use sinew::{
    Character, ContactVertex, Frame, LocalPose, Mesh, Method, ModelPose,
    glam::{Quat, Vec3},
    measure::Gauge,
};
use sinew_author::{PrepareOptions, SelfIntersections, prepare_character, uninterrupted};
use std::sync::Arc;

fn prepared(character: &Character) -> Character {
    let options = PrepareOptions::for_methods(&[Method::Contact]);
    prepare_character(character, &options, &mut uninterrupted).unwrap().0
}

fn posed(character: &Character, pose: &LocalPose, method: Method) -> Frame {
    let mut frame = Frame::new(character);
    frame.local_mut().copy_from(pose);
    frame.deform(method).unwrap();
    frame
}

/// The volume of the tube if each half kept its radius and ended at the plane between them.
fn ideal_volume(bend_degrees: f32) -> f64 {
    let half = f64::from(bend_degrees).to_radians() / 2.0;
    1.0 - 4.0 / 3.0 * (half.tan() - half) / (std::f64::consts::PI * f64::from(sinew_samples::TUBE_LENGTH))
}

#[test]
fn a_bent_tube_keeps_its_radius_and_volume_and_does_not_pass_through_itself() {
    let tube = prepared(&sinew_samples::tube());
    let (mesh, gauge) = (&tube.meshes()[0], Gauge::new(&tube).unwrap());
    let intersections = SelfIntersections::new(mesh);
    for bend in [30.0_f32, 60.0, 90.0, 120.0] {
        let frame = posed(&tube, &sinew_samples::tube_pose(bend.to_radians(), 0.0), Method::Contact);
        let shape = gauge.measure(&frame);
        assert!(shape.max_radius <= 1.05, "{bend}°: radius {}", shape.max_radius);
        let off = (shape.volume - ideal_volume(bend)).abs();
        assert!(off <= 0.005, "{bend}°: volume off by {off}");
        let edges = intersections.edges(&frame.deformed()[0].positions);
        assert!(edges.is_empty(), "{bend}°: {} edges", edges.len());
    }
    let bent = posed(&tube, &sinew_samples::tube_pose(2.1, 0.0), Method::DualQuat);
    assert!(!intersections.edges(&bent.deformed()[0].positions).is_empty(), "the test sees what it is for");
}

#[test]
fn a_twisted_tube_keeps_its_radius() {
    let tube = prepared(&sinew_samples::tube());
    let gauge = Gauge::new(&tube).unwrap();
    for twist in [90.0_f32, 150.0, 179.0] {
        let frame = posed(&tube, &sinew_samples::tube_pose(0.0, twist.to_radians()), Method::Contact);
        assert!(gauge.measure(&frame).min_radius >= 0.999, "{twist}°");
    }
}

#[test]
fn no_vertex_moves_further_in_a_degree_than_by_dual_quaternions() {
    let tube = prepared(&sinew_samples::tube());
    let largest_step = |method| {
        let at = |degrees: u16| {
            let pose = sinew_samples::tube_pose(f32::from(degrees).to_radians(), 0.0);
            posed(&tube, &pose, method).deformed()[0].positions.clone()
        };
        let mut before = at(0);
        (1..=140).fold(0.0_f32, |largest, degrees| {
            let now = at(degrees);
            let steps = now.iter().zip(&before).map(|(a, b)| a.distance(*b));
            let largest = steps.fold(largest, f32::max);
            before = now;
            largest
        })
    };
    let (contact, dual_quat) = (largest_step(Method::Contact), largest_step(Method::DualQuat));
    assert!(contact <= dual_quat * 1.001, "{contact} against {dual_quat}");
}

#[test]
fn the_data_takes_at_most_sixteen_bytes_per_vertex_and_copies_of_a_point_are_equal() {
    assert!(size_of::<ContactVertex>() <= 16);
    let figure = prepared(&sinew_samples::figure());
    let mesh = &figure.meshes()[0];
    let vertices = &mesh.precomputed().contact.as_ref().unwrap().parts().vertices;
    assert!(vertices.iter().any(|v| v.mask == u16::MAX));
    for (vertex, &point) in mesh.points().of_vertex().iter().enumerate() {
        let first = mesh.points().first_vertex()[point as usize] as usize;
        assert_eq!(vertices[vertex], vertices[first]);
    }
}

#[test]
fn a_character_that_is_not_bent_is_deformed_as_by_dual_quaternions() {
    let figure = prepared(&sinew_samples::figure());
    let mut pose = figure.rest_pose();
    pose.joints[0].rotation = Quat::from_rotation_y(1.3) * pose.joints[0].rotation;
    let [contact, dual_quat] =
        [Method::Contact, Method::DualQuat].map(|method| posed(&figure, &pose, method));
    for (a, b) in contact.deformed().iter().zip(dual_quat.deformed()) {
        let off = a.positions.iter().zip(&b.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(off < 1e-5, "off by {off}");
    }
}

#[test]
fn rigid_parts_stay_rigid() {
    // The triangles between the two bones are left out, so that the arm consists of two loose parts.
    let mut parts = sinew_samples::rigid_arm().into_parts();
    let mut mesh = Mesh::clone(&parts.meshes[0]).into_parts();
    let weights = mesh.weights.clone().unwrap();
    let is_of_one_bone =
        |t: &&[u32; 3]| t.iter().all(|v| weights.of(*v as usize) == weights.of(t[0] as usize));
    mesh.indices = mesh.indices.as_chunks::<3>().0.iter().filter(is_of_one_bone).flatten().copied().collect();
    assert_eq!(mesh.primitives.len(), 1);
    mesh.primitives[0].indices = 0..mesh.indices.len() as u32;
    parts.meshes = vec![Arc::new(Mesh::new(mesh).unwrap())];
    let arm = prepared(&Character::new(parts).unwrap());
    let mut pose = arm.rest_pose();
    pose.joints[1].rotation = Quat::from_rotation_z(1.5) * pose.joints[1].rotation;
    let [contact, rigid] = [Method::Contact, Method::Rigid].map(|method| posed(&arm, &pose, method));
    for (a, b) in contact.deformed().iter().zip(rigid.deformed()) {
        let off = a.positions.iter().zip(&b.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(off < 1e-5, "off by {off}");
    }
}

/// A character of the corpus, or `None` and a printed line where there is none.
pub(crate) fn read(file: &str) -> Option<Character> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(file);
    if !path.exists() {
        println!("skipped: no {}", path.display());
        return None;
    }
    Some(sinew_formats::read_file(&path).unwrap().character)
}

/// The rest pose with `joint` bent about the axis to a total angle between it and the bone before it.
pub(crate) fn bent(character: &Character, joint: &str, fallback_axis: Vec3, total_degrees: f32) -> LocalPose {
    let skeleton = character.skeleton();
    let mut pose = character.rest_pose();
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, &pose);
    let joint = skeleton.find(joint).unwrap();
    let parent = skeleton.parent(joint).unwrap();
    let child = skeleton.children(joint).next().unwrap();
    let place = |joint| Vec3::from(model.joint(joint).translation);
    let (before, own) = (place(joint) - place(parent), place(child) - place(joint));
    let rest = before.angle_between(own);
    let axis = if rest > 0.17 { before.cross(own).normalize() } else { fallback_axis };
    let (_, turned, _) = model.joint(parent).to_scale_rotation_translation();
    let turn = turned.inverse() * Quat::from_axis_angle(axis, total_degrees.to_radians() - rest) * turned;
    let local = &mut pose.joints[joint.index()].rotation;
    *local = (turn * *local).normalize();
    pose
}

#[test]
fn limbs_of_real_characters_pass_through_themselves_less_than_half_as_often() {
    let limbs = [("Fox.glb", "b_LeftForeArm_010", Vec3::NEG_X), ("KayKit_Knight.glb", "lowerleg.l", Vec3::X)];
    for (file, joint, axis) in limbs {
        let Some(character) = read(file) else { return };
        let character = prepared(&character);
        let count = |method: Method| -> usize {
            let pose = bent(&character, joint, axis, 110.0);
            let frame = posed(&character, &pose, method);
            let instances = character.instances().iter().zip(frame.deformed());
            let counts = instances.filter(|(instance, _)| instance.skin.is_some()).map(|(instance, out)| {
                let mesh = character.mesh_of(instance);
                SelfIntersections::new(mesh).new_edges(mesh.positions(), &out.positions)
            });
            counts.sum()
        };
        let (contact, dual_quat) = (count(Method::Contact), count(Method::DualQuat));
        assert!(dual_quat > 0 && 2 * contact <= dual_quat, "{file}: {contact} against {dual_quat}");
    }
}
