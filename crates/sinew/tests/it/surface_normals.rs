//! Normals and tangents of the deformed surface.

use crate::subjects;
use sinew::{
    Character, Frame, Mesh, Method, NormalSource,
    glam::{Quat, Vec3, Vec4},
    measure::{bent_normals, normal_errors},
};
use std::sync::Arc;

fn surface_frame(character: &Character) -> Frame {
    Frame::new(character).with_normals(NormalSource::Surface)
}

/// `character` with tangents around its Y axis.
fn with_tangents(character: &Character) -> Character {
    let mut parts = character.clone().into_parts();
    for mesh in &mut parts.meshes {
        let mut changed = Mesh::clone(mesh).into_parts();
        let tangent = |normal: &Vec3| normal.cross(Vec3::Y).try_normalize().unwrap_or(Vec3::X).extend(1.0);
        changed.tangents = changed.normals.iter().map(tangent).collect();
        *mesh = Arc::new(Mesh::new(changed).unwrap());
    }
    Character::new(parts).unwrap()
}

#[test]
fn a_mesh_at_rest_keeps_its_normals_and_tangents() {
    for name in sinew_samples::NAMES {
        let character = with_tangents(&sinew_samples::find(name).unwrap());
        let mut frames = [Frame::new(&character), surface_frame(&character)];
        frames.iter_mut().for_each(|frame| _ = frame.deform(Method::Linear).unwrap());
        let [joints, surface] = &frames;
        for (a, b) in joints.deformed().iter().zip(surface.deformed()) {
            for (vertex, (a, b)) in a.normals.iter().zip(&b.normals).enumerate() {
                assert!(a.distance(*b) < 1e-4, "{name}: normal {vertex} is {b}, not {a}");
            }
            for (vertex, (a, b)) in a.tangents.iter().zip(&b.tangents).enumerate() {
                assert!(a.distance(*b) < 1e-3, "{name}: tangent {vertex} is {b}, not {a}");
            }
        }
    }
}

#[test]
fn every_method_gets_normals_of_its_own_surface() {
    let tube = subjects::prepared(&sinew_samples::tube());
    for method in Method::ALL {
        let mut frame = surface_frame(&tube);
        frame.local_mut().copy_from(&sinew_samples::tube_pose(1.7, 0.8));
        frame.deform(method).unwrap();
        let measured = bent_normals(&frame);
        assert!(measured.count > 100 && measured.mean_degrees < 1.0, "{method}: {measured:?}");
        assert!(frame.deformed()[0].normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-4), "{method}");
    }
}

#[test]
fn tangents_lie_on_the_surface_and_keep_their_handedness() {
    let tube = with_tangents(&sinew_samples::tube());
    let mut frame = surface_frame(&tube);
    frame.local_mut().copy_from(&sinew_samples::tube_pose(1.2, 0.6));
    frame.deform(Method::DualQuat).unwrap();
    let streams = &frame.deformed()[0];
    for (vertex, (normal, tangent)) in streams.normals.iter().zip(&streams.tangents).enumerate() {
        assert!(normal.dot(tangent.truncate()).abs() < 1e-4, "tangent {vertex} is {tangent}");
        assert!((tangent.truncate().length() - 1.0).abs() < 1e-4 && tangent.w == 1.0, "{tangent}");
    }
    // Far from the bend the surface is rigid, so both sources agree.
    let mut joints = Frame::new(&tube);
    joints.local_mut().copy_from(&sinew_samples::tube_pose(1.2, 0.6));
    joints.deform(Method::DualQuat).unwrap();
    let rest = tube.meshes()[0].positions();
    let pairs = rest.iter().zip(streams.tangents.iter().zip(&joints.deformed()[0].tangents));
    for (rest, (surface, joints)) in pairs.filter(|(rest, _)| rest.y > 0.5 && rest.y < 2.0) {
        assert!(surface.distance(*joints) < 0.02, "at {rest}: {surface}, not {joints}");
    }
}

#[test]
fn a_mirrored_character_keeps_its_normals_outside() {
    let tube = sinew_samples::tube();
    let mut frame = surface_frame(&tube);
    frame.local_mut().joints[0].scale = Vec3::new(-1.0, 1.0, 1.0);
    frame.deform(Method::Linear).unwrap();
    let mut joints = Frame::new(&tube);
    joints.local_mut().joints[0].scale = Vec3::new(-1.0, 1.0, 1.0);
    joints.deform(Method::Linear).unwrap();
    let pairs = frame.deformed()[0].normals.iter().zip(&joints.deformed()[0].normals);
    for (surface, joints) in pairs {
        assert!(surface.distance(*joints) < 1e-3, "{surface}, not {joints}");
    }
}

#[test]
fn a_surface_without_area_keeps_the_normals_of_the_joints() {
    let mut parts = sinew_samples::tube().into_parts();
    let mut mesh = Mesh::clone(&parts.meshes[0]).into_parts();
    mesh.positions.fill(Vec3::ONE);
    mesh.tangents = vec![Vec4::new(1.0, 0.0, 0.0, -1.0); mesh.positions.len()];
    parts.meshes = vec![Arc::new(Mesh::new(mesh).unwrap())];
    let flat = Character::new(parts).unwrap();
    let mut frames = [Frame::new(&flat), surface_frame(&flat)];
    frames.iter_mut().for_each(|frame| _ = frame.deform(Method::Linear).unwrap());
    assert_eq!(frames[0].deformed(), frames[1].deformed());
    assert!(normal_errors(&frames[1]).iter().flatten().all(|degrees| *degrees == 0.0));
}

#[test]
fn the_copies_of_a_vertex_get_the_same_normal_and_hard_edges_stay_hard() {
    let arm = sinew_samples::rigid_arm();
    let mut frame = surface_frame(&arm);
    frame.local_mut().joints[1].rotation = Quat::from_rotation_z(1.0);
    frame.deform(Method::Linear).unwrap();
    let (mesh, streams) = (&arm.meshes()[0], &frame.deformed()[0]);
    for triangle in mesh.triangles() {
        for [a, b] in [[0, 1], [1, 2], [2, 0]].map(|side| side.map(|corner: usize| triangle[corner] as usize))
        {
            let same = |list: &[Vec3]| list[a] == list[b];
            let is_copy = same(mesh.positions()) && same(mesh.normals());
            assert!(!is_copy || same(&streams.normals), "vertices {a} and {b}");
        }
    }
}
