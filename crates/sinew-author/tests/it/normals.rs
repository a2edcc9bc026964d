//! Normals of the deformed surface and followed rotations on characters with precomputed data.

use crate::contact::{bent, read};
use sinew::{Frame, Method, NormalSource, RotationHistory, glam::Vec3, measure::bent_normals};
use sinew_author::{PrepareOptions, prepare_character, uninterrupted};

const METHODS: [Method; 4] = [Method::Linear, Method::DualQuat, Method::Cor, Method::Contact];

#[test]
fn normals_of_the_surface_are_within_three_degrees_where_a_body_bends() {
    let Some(body) = read("human_53.glb") else { return };
    let (body, _) =
        prepare_character(&body, &PrepareOptions::for_methods(&METHODS), &mut uninterrupted).unwrap();
    for (joint, axis) in [("lowerarm_l", Vec3::Y), ("calf_l", Vec3::X)] {
        let pose = bent(&body, joint, axis, 100.0);
        for method in METHODS {
            let [joints, surface] = [NormalSource::Joints, NormalSource::Surface].map(|source| {
                let mut frame = Frame::new(&body).with_normals(source);
                frame.local_mut().copy_from(&pose);
                frame.deform(method).unwrap();
                bent_normals(&frame)
            });
            assert!(joints.count > 50 && joints.mean_degrees > 6.0, "{joint}, {method}: {joints:?}");
            assert!(surface.mean_degrees < 3.0, "{joint}, {method}: {surface:?}");
        }
    }
}

#[test]
fn methods_with_precomputed_data_follow_a_joint_twice_around_without_a_jump() {
    let methods = [Method::Cor, Method::Contact];
    let options = PrepareOptions::for_methods(&methods);
    let (tube, _) = prepare_character(&sinew_samples::tube(), &options, &mut uninterrupted).unwrap();
    for method in methods {
        let mut frame = Frame::new(&tube);
        let mut histories = vec![RotationHistory::default(); tube.skins().len()];
        let (mut last, mut largest): (Vec<Vec3>, f32) = (Vec::new(), 0.0);
        for degrees in 0..=720_u16 {
            frame.local_mut().copy_from(&sinew_samples::tube_pose(0.0, f32::from(degrees).to_radians()));
            frame.follow_rotations(&mut histories);
            frame.deform(method).unwrap();
            let now = &frame.deformed()[0].positions;
            largest = now.iter().zip(&last).map(|(a, b)| a.distance(*b)).fold(largest, f32::max);
            last.clone_from(now);
        }
        assert!(largest < 0.2, "{method} moves by {largest} in a degree");
    }
}
