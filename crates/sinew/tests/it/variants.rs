//! Variants of the methods: muscles, blend maps; and closed forms of two joints.

use crate::subjects::{self, PosedMesh};
use sinew::{
    BlendMap, CentersOfRotation, Character, DeformError, DeformPath, Frame, Influence, Joint, JointId, Mesh,
    Method, MusclePalette, Precomputed, ReferenceReason, Skeleton, Skin, Streams, Surface, Transform,
    Weights,
    deform::reference::{self, blend_methods, bone_segments, displace},
    glam::{Affine3A, Quat, Vec3, Vec4},
};
use std::sync::Arc;

pub(crate) fn framed(character: &Character) -> Frame {
    let mut frame = Frame::new(character);
    let clip = &character.clips()[0];
    frame.sample(clip, 0.3 * clip.duration_secs(), sinew::Wrap::Clamp);
    frame.update();
    frame
}

pub(crate) fn furthest(a: &[Vec3], b: &[Vec3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

/// An upper arm with a biceps on it that carries nothing and displaces by one and a half.
fn biceps() -> Character {
    let joint = |name: &str, parent: Option<u16>, rest| Joint {
        name: name.into(),
        parent: parent.map(JointId),
        rest,
    };
    let turned = Transform::from_rotation_translation(Quat::from_rotation_z(0.7), Vec3::new(0.2, 1.0, 0.0));
    let skeleton = Arc::new(
        Skeleton::new([
            joint("arm", None, turned),
            joint("biceps", Some(0), Transform::from_translation(Vec3::new(0.3, 0.1, 0.0))),
        ])
        .unwrap(),
    );
    let arm = sinew_samples::arm();
    let mut parts = Mesh::clone(&arm.meshes()[0]).into_parts();
    let influences = |v: usize| {
        let near = parts.positions[v].x > 0.0;
        [Influence { slot: 0, weight: 1.0 }, Influence { slot: 1, weight: if near { 1.5 } else { 0.0 } }]
    };
    let vertices: Vec<_> = (0..parts.positions.len()).map(influences).collect();
    parts.weights = Some(Arc::new(Weights::new_with_muscles(2, vertices, |slot| slot == 1).unwrap().0));
    parts.primitives.iter_mut().for_each(|p| p.material = None);
    let skin = Skin::bound_at_rest("skin", &skeleton, skeleton.joints().collect()).unwrap();
    Character::new(sinew::CharacterParts {
        meshes: vec![Arc::new(Mesh::new(parts).unwrap())],
        skins: vec![Arc::new(skin)],
        instances: vec![sinew::MeshInstance {
            joint: JointId(0),
            mesh: 0,
            skin: Some(0),
            morph_weights: vec![],
        }],
        ..sinew::CharacterParts::new("biceps", skeleton)
    })
    .unwrap()
}

#[test]
fn a_muscle_at_rest_moves_nothing_in_any_pose_of_the_arm() {
    let character = biceps();
    let mesh = &character.meshes()[0];
    let mut frame = Frame::new(&character);
    frame.local_mut().joints[0] =
        Transform::from_rotation_translation(Quat::from_rotation_y(2.0), Vec3::splat(5.0));
    frame.update();
    let by_arm = frame.palettes()[0].matrices()[0];
    for method in [Method::Rigid, Method::Linear, Method::Slerp, Method::DualQuat] {
        frame.deform(method).unwrap();
        let want: Vec<Vec3> = mesh.positions().iter().map(|p| by_arm.transform_point3(*p)).collect();
        assert!(furthest(&frame.deformed()[0].positions, &want) < 1e-5, "{method}");
    }
}

#[test]
fn a_muscle_that_swells_displaces_by_its_weight_and_rotates_with_the_arm() {
    let character = biceps();
    let mesh = &character.meshes()[0];
    let mut frame = Frame::new(&character);
    let arm = Transform::from_rotation_translation(Quat::from_rotation_y(2.0), Vec3::splat(5.0));
    frame.local_mut().joints[0] = arm;
    frame.local_mut().joints[1].scale = Vec3::splat(1.2);
    frame.deform(Method::DualQuat).unwrap();
    let (carried, swollen) = (frame.palettes()[0].matrices()[0], frame.palettes()[0].matrices()[1]);
    for (v, &rest) in mesh.positions().iter().enumerate() {
        let weight = if rest.x > 0.0 { 1.5 } else { 0.0 };
        let (own, by_muscle) = (carried.transform_point3(rest), swollen.transform_point3(rest));
        let want = own + (by_muscle - own) * weight;
        let got = frame.deformed()[0].positions[v];
        assert!(got.distance(want) < 1e-5, "vertex {v}: {got} instead of {want}");
    }
}

#[test]
fn normals_follow_a_displacement_that_stretches() {
    let weights = Weights::new_with_muscles(1, [[Influence { slot: 0, weight: 2.0 }]], |_| true).unwrap().0;
    let streams = Streams {
        positions: vec![Vec3::new(0.0, 1.0, 0.0)],
        normals: vec![Vec3::new(1.0, 1.0, 0.0).normalize()],
        tangents: vec![Vec4::new(1.0, -1.0, 0.0, 1.0) / Vec4::new(2_f32.sqrt(), 2_f32.sqrt(), 1.0, 1.0)],
    };
    // Half of this twice: the surface grows to three times its height.
    let muscles = MusclePalette::from_matrices(vec![Affine3A::from_scale(Vec3::new(1.0, 2.0, 1.0))]);
    let mut out = streams.clone();
    displace(streams.as_surface(), &weights, &muscles, out.as_surface_mut()).unwrap();
    assert!(out.positions[0].distance(Vec3::new(0.0, 3.0, 0.0)) < 1e-6);
    assert!(out.normals[0].distance(Vec3::new(3.0, 1.0, 0.0).normalize()) < 1e-6, "{}", out.normals[0]);
    assert!(out.normals[0].dot(out.tangents[0].truncate()).abs() < 1e-6);
}

#[test]
fn a_map_mixes_two_methods_vertex_by_vertex() {
    let a = Streams {
        positions: vec![Vec3::ZERO; 3],
        normals: vec![Vec3::X; 3],
        tangents: vec![Vec4::new(0.0, 0.0, 1.0, 1.0); 3],
    };
    let b = Streams {
        positions: vec![Vec3::Y; 3],
        normals: vec![Vec3::Y; 3],
        tangents: vec![Vec4::new(0.0, 0.0, 1.0, -1.0); 3],
    };
    let map = BlendMap::new(vec![0.0, 0.25, 1.0]).unwrap();
    let mut out = a.clone();
    blend_methods(a.as_surface(), b.as_surface(), &map, out.as_surface_mut()).unwrap();
    assert_eq!(out.positions, [Vec3::ZERO, Vec3::Y * 0.25, Vec3::Y]);
    assert_eq!((out.normals[0], out.normals[2]), (Vec3::X, Vec3::Y));
    assert!(out.normals[1].distance(Vec3::new(3.0, 1.0, 0.0).normalize()) < 1e-6);
    assert_eq!(out.tangents.iter().map(|t| t.w).collect::<Vec<_>>(), [1.0, 1.0, -1.0]);
    let short = BlendMap::new(vec![0.0]).unwrap();
    assert!(blend_methods(a.as_surface(), b.as_surface(), &short, out.as_surface_mut()).is_err());
}

#[test]
fn dual_quats_follow_the_blend_map_of_a_mesh() {
    let tube = sinew_samples::tube();
    let weights = |p: &Vec3| ((p.x * 2.0).clamp(-0.5, 0.5) + 0.5).clamp(0.0, 1.0);
    let mesh = &tube.meshes()[0];
    let map = Arc::new(BlendMap::new(mesh.positions().iter().map(weights).collect()).unwrap());
    let precomputed = Precomputed { blend_map: Some(map.clone()), ..mesh.precomputed().clone() };
    let mapped = Mesh::clone(mesh).with_weights(mesh.weights().unwrap().clone(), precomputed).unwrap();
    let mut parts = tube.parts().clone();
    parts.meshes[0] = Arc::new(mapped);
    let pose = sinew_samples::tube_pose(1.2, 1.0);
    let deformed = |character: &Character, method: Method| {
        let mut frame = Frame::new(character);
        frame.local_mut().copy_from(&pose);
        let path = frame.deform(method).unwrap();
        (frame.deformed()[0].clone(), path)
    };
    let (linear, _) = deformed(&tube, Method::Linear);
    let (turned, _) = deformed(&tube, Method::DualQuat);
    let mut want = linear.clone();
    blend_methods(linear.as_surface(), turned.as_surface(), &map, want.as_surface_mut()).unwrap();
    let (got, path) = deformed(&Character::new(parts).unwrap(), Method::DualQuat);
    assert_eq!(path, DeformPath::Reference(ReferenceReason::BlendMap));
    assert!(furthest(&got.positions, &want.positions) < 1e-5);
    assert!(furthest(&got.normals, &want.normals) < 1e-4);
}

/// Two joints bound at one point, rotated by 0 and by `angle` about an axis through it.
fn hinge(angle: f32, axis: Vec3, at: Vec3) -> PosedMesh {
    let turn = Affine3A::from_translation(at)
        * Affine3A::from_axis_angle(axis, angle)
        * Affine3A::from_translation(-at);
    PosedMesh::about(&[Affine3A::IDENTITY, turn], &[at - Vec3::X, at])
}

#[test]
fn every_rotating_method_rotates_about_a_hinge_that_both_joints_share() {
    let (axis, at) = (Vec3::new(1.0, 2.0, 2.0) / 3.0, Vec3::new(0.3, -0.2, 0.9));
    let streams =
        Streams { positions: vec![Vec3::new(1.0, 0.5, -0.7)], normals: vec![Vec3::Z], tangents: vec![] };
    let centers = Precomputed {
        centers: Some(Arc::new(CentersOfRotation::new(vec![at]).unwrap())),
        ..Precomputed::NONE
    };
    for degrees in [10.0_f32, 90.0, 150.0, 179.0] {
        let angle = degrees.to_radians();
        let posed = hinge(angle, axis, at);
        for share in [0.1_f32, 0.5, 0.8] {
            let halves = [Influence { slot: 0, weight: 1.0 - share }, Influence { slot: 1, weight: share }];
            let weights = Weights::new(2, [halves]).unwrap().0;
            // Slerp rotates by a fraction of the angle; a normalized sum rotates to the direction of the sum.
            let half = angle / 2.0;
            let summed = 2.0 * (share * half.sin()).atan2(1.0 - share + share * half.cos());
            for (method, turned) in
                [(Method::Slerp, share * angle), (Method::DualQuat, summed), (Method::Cor, summed)]
            {
                let mut out = streams.clone();
                posed.deform(method, streams.as_surface(), &weights, &centers, out.as_surface_mut()).unwrap();
                let turn = Quat::from_axis_angle(axis, turned);
                let want = turn * (streams.positions[0] - at) + at;
                assert!(
                    out.positions[0].distance(want) < 2e-6,
                    "{method} {degrees}° {share}: {} instead of {want}",
                    out.positions[0]
                );
                assert!(out.normals[0].distance(turn * Vec3::Z) < 2e-6, "{method}");
            }
        }
    }
}

#[test]
fn scaling_the_character_scales_the_result() {
    for name in sinew_samples::NAMES {
        let character = subjects::prepared(&sinew_samples::find(name).unwrap());
        let (mut frame, mut large) = (framed(&character), framed(&character));
        for root in character.skeleton().roots() {
            let joint = &mut large.local_mut().joints[root.index()];
            (joint.scale, joint.translation) = (joint.scale * 3.0, joint.translation * 3.0);
        }
        for method in Method::ALL {
            frame.deform(method).unwrap();
            large.deform(method).unwrap();
            let size = large.bounds().diagonal();
            for (small, big) in frame.deformed().iter().zip(large.deformed()) {
                let want: Vec<Vec3> = small.positions.iter().map(|p| *p * 3.0).collect();
                let off = furthest(&big.positions, &want) / size;
                assert!(off < 2e-6, "{name} {method}: off by {off:e} of its size");
                let off = furthest(&big.normals, &small.normals);
                assert!(off < 5e-4, "{name} {method}: normals off by {off:e}");
            }
        }
    }
}

#[test]
fn a_method_without_its_data_or_palette_says_what_is_missing() {
    let arm = sinew_samples::arm();
    let mut frame = Frame::new(&arm);
    for method in Method::ALL {
        let result = frame.deform(method);
        match method.needs_precomputed() {
            Some(what) => assert_eq!(result, Err(DeformError::MissingPrecomputed { method, what })),
            None => assert_eq!(result.map(DeformPath::is_kernel), Ok(method.has_kernel())),
        }
    }
    let mesh = &arm.meshes()[0];
    let binding = sinew::Binding::new(mesh.weights().unwrap(), &frame.palettes()[0]);
    let mut out = Streams::of_mesh(mesh);
    let result = reference::deform(
        Method::DualQuat,
        Surface::from(&**mesh),
        &binding,
        &mut sinew::DeformScratch::default(),
        out.as_surface_mut(),
    );
    assert_eq!(result, Err(DeformError::MissingDualQuats { method: Method::DualQuat }));
}

#[test]
fn bones_reach_from_joint_to_joint_and_continue_at_the_end() {
    let tube = sinew_samples::tube();
    let bones = bone_segments(tube.skeleton(), &tube.skins()[0]);
    let half = Vec3::new(0.0, 5.0, 0.0);
    assert!(bones[0].head.length() < 1e-6 && bones[0].tail.distance(half) < 1e-6, "{bones:?}");
    assert!(bones[1].head.distance(half) < 1e-6 && bones[1].tail.distance(half * 2.0) < 1e-6, "{bones:?}");
    assert_eq!(bones[0].nearest(Vec3::new(1.0, 2.0, 0.0)), Vec3::new(0.0, 2.0, 0.0));
    assert_eq!(bones[0].nearest(Vec3::new(1.0, -2.0, 0.0)), bones[0].head);
}

/// Mirrors across each axis, through a point, and one that stretches too.
const MIRRORS: [Vec3; 5] = [
    Vec3::new(-1.0, 1.0, 1.0),
    Vec3::new(1.0, -1.0, 1.0),
    Vec3::new(1.0, 1.0, -1.0),
    Vec3::NEG_ONE,
    Vec3::new(-2.0, 0.5, 1.0),
];

#[test]
fn a_character_mirrored_as_a_whole_is_its_mirror_image() {
    let tube = subjects::prepared(&sinew_samples::tube());
    let mut plain = Frame::new(&tube);
    plain.local_mut().copy_from(&sinew_samples::tube_pose(1.1, 0.6));
    let mut mirrored = plain.clone();
    mirrored.local_mut().joints[0].scale.x = -1.0;
    let across = |v: &Vec3| *v * Vec3::new(-1.0, 1.0, 1.0);
    for method in Method::ALL {
        plain.deform(method).unwrap();
        mirrored.deform(method).unwrap();
        let (plain, mirrored) = (&plain.deformed()[0], &mirrored.deformed()[0]);
        let want: Vec<Vec3> = plain.positions.iter().map(across).collect();
        let off = furthest(&mirrored.positions, &want);
        assert!(off < 1e-5, "{method}: off by {off}");
        let want: Vec<Vec3> = plain.normals.iter().map(across).collect();
        let off = furthest(&mirrored.normals, &want);
        assert!(off < 1e-3, "{method}: normals off by {off}");
        assert!(plain.tangents.iter().zip(&mirrored.tangents).all(|(a, b)| a.w == -b.w), "{method}");
    }
}

#[test]
fn every_method_stays_finite_and_near_its_joints_if_one_of_two_joints_mirrors() {
    let tube = subjects::prepared(&sinew_samples::tube());
    let mut frame = Frame::new(&tube);
    let (about_x, about_z) = (Quat::from_rotation_x, Quat::from_rotation_z);
    let half = std::f32::consts::PI;
    for rotation in [Quat::IDENTITY, about_x(half), about_z(half), about_z(1.2), about_x(half - 1e-4)] {
        for scale in MIRRORS {
            frame.reset();
            (frame.local_mut().joints[1].rotation, frame.local_mut().joints[1].scale) = (rotation, scale);
            frame.update();
            for method in Method::ALL {
                frame.deform(method).unwrap();
                check_surface(&frame.deformed()[0], &format!("{method}, {rotation}, {scale}"));
            }
        }
    }
}

/// Asserts finite positions near the tube, unit or zero directions, and handedness of ±1.
fn check_surface(out: &Streams, what: &str) {
    let is_direction = |d: Vec3| d == Vec3::ZERO || (d.length() - 1.0).abs() < 1e-5;
    for (v, &position) in out.positions.iter().enumerate() {
        assert!(position.is_finite() && position.length() < 40.0, "{what}: vertex {v} at {position}");
        assert!(is_direction(out.normals[v]), "{what}: normal {v} is {}", out.normals[v]);
        let tangent = out.tangents[v];
        assert!(
            is_direction(tangent.truncate()) && tangent.w.abs() == 1.0,
            "{what}: tangent {v} is {tangent}"
        );
    }
}
