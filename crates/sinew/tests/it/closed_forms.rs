//! Results that are known without a second implementation.

use crate::subjects::{self, PosedMesh};
use sinew::{
    Character, Frame, LocalPose, Method, Streams, Transform, Wrap,
    glam::{Affine3A, Quat, Vec3},
    measure::{self, MeasureAxis},
};
use std::f64::consts::{PI, TAU};

fn builtins() -> impl Iterator<Item = Character> {
    let named = |name| sinew_samples::find(name).expect("every listed name is built in");
    sinew_samples::NAMES.into_iter().map(move |name| subjects::prepared(&named(name)))
}

fn posed(character: &Character, pose: &LocalPose, method: Method) -> Frame {
    let mut frame = Frame::new(character);
    frame.local_mut().copy_from(pose);
    frame.deform(method).expect("the frame is of this character");
    frame
}

fn furthest(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

/// Direct delta mush finds its rotations from moments of neighborhoods, which are nearly lines here; every other method
/// has them from the joints or from edges in double precision.
fn direction_tolerance(method: Method) -> f32 {
    if method == Method::Ddm { 2e-4 } else { 2e-5 }
}

/// A moment of the longest clip: a pose that is not at rest.
fn busy_pose(character: &Character) -> LocalPose {
    let longest = character.clips().iter().max_by(|a, b| a.duration_secs().total_cmp(&b.duration_secs()));
    let mut pose = character.rest_pose();
    if let Some(clip) = longest {
        sinew::sample_clip(clip, 0.3 * clip.duration_secs(), Wrap::Clamp, &mut pose);
    }
    pose
}

#[test]
fn the_bind_pose_leaves_every_builtin_as_it_is() {
    for character in builtins() {
        for method in Method::ALL {
            let mut bind = character.rest_pose();
            bind.morphs.fill(0.0);
            let frame = posed(&character, &bind, method);
            for (instance, got) in character.instances().iter().zip(frame.deformed()) {
                let mesh = character.mesh_of(instance);
                if character.skin_of(instance).is_none() {
                    continue;
                }
                let size = frame.bounds().diagonal();
                let off = furthest(&got.positions, mesh.positions()) / size;
                assert!(off < 1e-6, "{} {method}: off by {off:e} of its size", character.name());
                let off = furthest(&got.normals, mesh.normals());
                assert!(
                    off < direction_tolerance(method),
                    "{} {method}: normals off by {off:e}",
                    character.name()
                );
            }
        }
    }
}

#[test]
fn one_matrix_for_all_joints_moves_the_mesh_rigidly() {
    let motion = Affine3A::from_rotation_translation(
        Quat::from_axis_angle(Vec3::new(1.0, 2.0, -2.0) / 3.0, 1.9),
        Vec3::new(0.7, -1.1, 0.4),
    );
    for character in builtins() {
        for instance in character.instances() {
            let mesh = character.mesh_of(instance);
            let (Some(skin), Some(weights)) = (character.skin_of(instance), mesh.weights()) else { continue };
            let pose = PosedMesh::new(&vec![motion; skin.joints().len()]);
            let size = sinew::Aabb::of_points(mesh.positions()).diagonal();
            for method in Method::ALL {
                let mut got = Streams::of_mesh(mesh);
                pose.deform(method, mesh.into(), weights, mesh.precomputed(), got.as_surface_mut()).unwrap();
                let want: Vec<Vec3> = mesh.positions().iter().map(|p| motion.transform_point3(*p)).collect();
                let off = furthest(&got.positions, &want) / size;
                assert!(off < 1e-5, "{} {method}: off by {off:e} of its size", character.name());
                let want: Vec<Vec3> = mesh.normals().iter().map(|n| motion.transform_vector3(*n)).collect();
                let off = furthest(&got.normals, &want);
                assert!(
                    off < direction_tolerance(method),
                    "{} {method}: normals off by {off:e}",
                    character.name()
                );
            }
        }
    }
}

#[test]
fn moving_the_roots_moves_a_posed_character_rigidly() {
    let motion = Transform::from_rotation_translation(
        Quat::from_rotation_y(2.2) * Quat::from_rotation_x(0.6),
        Vec3::ONE,
    );
    for character in builtins() {
        let here = busy_pose(&character);
        let mut there = here.clone();
        for root in character.skeleton().roots() {
            there.joints[root.index()] = motion * here.joints[root.index()];
        }
        for method in Method::ALL {
            let (here, there) = (posed(&character, &here, method), posed(&character, &there, method));
            let size = here.bounds().diagonal();
            for (before, after) in here.deformed().iter().zip(there.deformed()) {
                let want: Vec<Vec3> = before.positions.iter().map(|p| motion.transform_point(*p)).collect();
                let off = furthest(&after.positions, &want) / size;
                assert!(off < 1e-5, "{} {method}: off by {off:e} of its size", character.name());
            }
        }
    }
}

/// The volume of the deformed tube, relative to its volume at rest.
fn tube_volume_ratio(bend_radians: f32, twist_radians: f32, method: Method) -> f64 {
    let tube = sinew_samples::tube();
    let mesh = &tube.meshes()[0];
    let frame = posed(&tube, &sinew_samples::tube_pose(bend_radians, twist_radians), method);
    let rest = measure::volume(mesh.positions(), mesh.triangles());
    measure::volume(&frame.deformed()[0].positions, mesh.triangles()) / rest
}

#[test]
fn the_tube_holds_what_its_prism_does() {
    let tube = sinew_samples::tube();
    let mesh = &tube.meshes()[0];
    let (radius, length) = (f64::from(sinew_samples::TUBE_RADIUS), f64::from(sinew_samples::TUBE_LENGTH));
    let sides = sinew_samples::TUBE_SIDES as f64;
    let want = sides / 2.0 * (TAU / sides).sin() * radius * radius * length;
    let got = measure::volume(mesh.positions(), mesh.triangles());
    assert!((got / want - 1.0).abs() < 1e-6, "{got} instead of {want}");
}

#[test]
fn a_twisted_tube_thins_to_the_cosine_of_half_the_angle() {
    let tube = sinew_samples::tube();
    let axis = MeasureAxis::new(Vec3::ZERO, Vec3::Y).unwrap();
    // The lids reach to the axis: only the wall counts.
    let wall = 0.5..=f64::from(sinew_samples::TUBE_LENGTH) - 0.5;
    for degrees in [0.0_f32, 30.0, 60.0, 90.0, 120.0, 150.0, 179.0] {
        let frame = posed(&tube, &sinew_samples::tube_pose(0.0, degrees.to_radians()), Method::Linear);
        let got = measure::min_radius(&frame.deformed()[0].positions, &axis, wall.clone()).unwrap();
        let want = (f64::from(degrees) * PI / 360.0).cos();
        assert!((got - want).abs() < 1e-3, "{degrees}°: {got} instead of {want}");
    }
}

#[test]
fn linear_blend_loses_the_volume_that_the_methods_page_says() {
    let bent = tube_volume_ratio(90_f32.to_radians(), 0.0, Method::Linear);
    assert!((bent - 0.961).abs() < 0.01, "bent by 90°: {bent}");
    let twisted = tube_volume_ratio(0.0, 179_f32.to_radians(), Method::Linear);
    assert!((twisted - 0.846).abs() < 0.01, "twisted by 179°: {twisted}");
}

#[test]
fn rigid_skinning_moves_each_vertex_by_its_joint_alone() {
    let arm = sinew_samples::rigid_arm();
    let (mesh, skin) = (&arm.meshes()[0], &arm.skins()[0]);
    let frame = posed(&arm, &sinew_samples::arm_pose(1.9), Method::Rigid);
    assert_eq!(skin.joints().len(), frame.palettes()[0].matrices().len());
    for (v, got) in frame.deformed()[0].positions.iter().enumerate() {
        let (slots, weights) = mesh.weights().unwrap().of(v);
        assert_eq!(weights, [1.0]);
        let matrix = frame.palettes()[0].matrices()[usize::from(slots[0])];
        assert!(got.distance(matrix.transform_point3(mesh.positions()[v])) < 1e-6, "vertex {v}");
    }
}

#[test]
fn rigid_and_linear_blend_skinning_agree_with_one_influence_per_vertex() {
    let rigid_arm = sinew_samples::rigid_arm();
    for degrees in [0.0_f32, 45.0, 90.0, 120.0] {
        let pose = sinew_samples::arm_pose(degrees.to_radians());
        let by_rigid = posed(&rigid_arm, &pose, Method::Rigid);
        let by_linear = posed(&rigid_arm, &pose, Method::Linear);
        let by_linear = &by_linear.deformed()[0].positions;
        let by_rigid = &by_rigid.deformed()[0].positions;
        assert!(furthest(by_rigid, by_linear) < 1e-6, "{degrees}°");
        let blended = posed(&sinew_samples::arm(), &pose, Method::Rigid);
        assert!(
            furthest(by_rigid, &blended.deformed()[0].positions) < 1e-6,
            "the strongest joint is the one of the rigid arm"
        );
    }
}

#[test]
fn far_from_the_elbow_the_arms_are_equal_and_near_it_they_differ() {
    let pose = sinew_samples::arm_pose(1.6);
    let smooth = posed(&sinew_samples::arm(), &pose, Method::Linear);
    let rigid = posed(&sinew_samples::rigid_arm(), &pose, Method::Linear);
    let rest = sinew_samples::arm();
    let mut differ = 0;
    for (v, p) in rest.meshes()[0].positions().iter().enumerate() {
        let off = smooth.deformed()[0].positions[v].distance(rigid.deformed()[0].positions[v]);
        if p.x.abs() > 0.06 {
            assert!(off < 1e-6, "vertex {v} at {p} is off by {off}");
        } else {
            differ += usize::from(off > 1e-3);
        }
    }
    assert!(differ > 100, "only {differ} vertices differ");
}
