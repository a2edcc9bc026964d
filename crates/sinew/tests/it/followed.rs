//! Rotations whose signs are followed in time: no jump, and kernels that equal the reference.

use crate::subjects;
use sinew::{
    Binding, Character, DeformPath, DeformScratch, Frame, LocalPose, Method, RotationHistory, Streams,
    deform,
    glam::{Quat, Vec3},
    simd,
};

/// The methods that blend rotations by their quaternions.
const TURNING: [Method; 4] = [Method::Slerp, Method::DualQuat, Method::Cor, Method::Contact];

fn twisted(degrees: u16) -> LocalPose {
    sinew_samples::tube_pose(0.3, f32::from(degrees).to_radians())
}

/// The largest step of a vertex from one degree of twist to the next, up to `degrees`.
fn largest_step(character: &Character, method: Method, degrees: u16, follows: bool) -> f32 {
    let mut frame = Frame::new(character);
    let mut histories = vec![RotationHistory::default(); character.skins().len()];
    let (mut last, mut largest): (Vec<Vec3>, f32) = (Vec::new(), 0.0);
    for at in 0..=degrees {
        frame.local_mut().copy_from(&twisted(at));
        if follows {
            frame.follow_rotations(&mut histories);
        }
        frame.deform(method).unwrap();
        let now = &frame.deformed()[0].positions;
        largest = now.iter().zip(&last).map(|(a, b)| a.distance(*b)).fold(largest, f32::max);
        last.clone_from(now);
    }
    largest
}

#[test]
fn a_joint_turns_twice_around_without_a_jump_if_its_rotation_is_followed() {
    let tube = subjects::prepared(&sinew_samples::tube());
    for method in [Method::Slerp, Method::DualQuat] {
        let plain = largest_step(&tube, method, 200, false);
        assert!(plain > 0.5, "{method} jumps by {plain} at 180°");
        // At the radius of 1 a degree moves a vertex by 0.017.
        let early = largest_step(&tube, method, 300, true);
        assert!(early < 0.03, "{method} moves by {early} up to 300°");
        let all = largest_step(&tube, method, 720, true);
        assert!(all < 0.2, "{method} moves by {all} up to 720°");
    }
}

#[test]
fn followed_rotations_keep_the_radius_up_to_350_degrees() {
    let tube = sinew_samples::tube();
    let mut frame = Frame::new(&tube);
    let mut histories = vec![RotationHistory::default(); 1];
    for degrees in 0..=350 {
        frame.local_mut().copy_from(&sinew_samples::tube_pose(0.0, f32::from(degrees as u16).to_radians()));
        frame.follow_rotations(&mut histories);
        frame.deform(Method::DualQuat).unwrap();
        let sides = tube.meshes()[0].positions().iter().zip(&frame.deformed()[0].positions);
        for (rest, place) in sides.filter(|(rest, _)| (rest.x.hypot(rest.z) - 1.0).abs() < 1e-4) {
            let radius = place.x.hypot(place.z);
            assert!((radius - 1.0).abs() < 1e-3, "{degrees}°: {rest} is at {place}");
        }
    }
}

#[test]
fn below_180_degrees_following_changes_nothing() {
    let tube = subjects::prepared(&sinew_samples::tube());
    for method in [Method::DualQuat, Method::Cor, Method::Contact] {
        let deformed = |follows: bool| {
            let mut frame = Frame::new(&tube);
            frame.local_mut().copy_from(&twisted(150));
            if follows {
                frame.follow_rotations(&mut [RotationHistory::default()]);
            }
            frame.deform(method).unwrap();
            frame.deformed()[0].positions.clone()
        };
        assert_eq!(deformed(true), deformed(false), "{method}");
    }
}

#[test]
fn a_new_pose_is_not_followed_until_it_is_asked_for() {
    let mut frame = Frame::new(sinew_samples::tube());
    let mut histories = vec![RotationHistory::default(); 1];
    for degrees in (0..=300).step_by(10) {
        frame.local_mut().copy_from(&twisted(degrees));
        frame.follow_rotations(&mut histories);
    }
    frame.deform(Method::DualQuat).unwrap();
    assert!(frame.dual_quats()[0].is_followed());
    let followed = frame.deformed()[0].positions.clone();
    frame.deform(Method::DualQuat).unwrap();
    assert_eq!(frame.deformed()[0].positions, followed, "the same pose again");
    frame.local_mut().copy_from(&twisted(300));
    frame.deform(Method::DualQuat).unwrap();
    assert!(!frame.dual_quats()[0].is_followed());
    assert_ne!(frame.deformed()[0].positions, followed);
}

#[test]
#[should_panic(expected = "there are 2 histories of rotations for 1 skins")]
fn histories_of_another_character_are_refused() {
    Frame::new(sinew_samples::tube())
        .follow_rotations(&mut [RotationHistory::default(), RotationHistory::default()]);
}

/// Turns every joint of the figure on, faster than its parent, so that neighbors differ by whole turns.
fn winding(character: &Character, step: u16) -> LocalPose {
    let mut pose = character.rest_pose();
    for (nth, joint) in pose.joints.iter_mut().enumerate() {
        let axis = Vec3::new((nth as f32).sin(), 1.0, (nth as f32).cos()).normalize();
        joint.rotation *= Quat::from_axis_angle(axis, 0.1 * f32::from(step) * (1.0 + (nth % 3) as f32 * 0.4));
    }
    pose
}

#[test]
fn kernels_equal_the_reference_on_followed_rotations_at_every_level() {
    for character in [sinew_samples::tube(), sinew_samples::figure()] {
        let character = subjects::prepared(&character);
        let levels: Vec<_> = simd::available().collect();
        println!("levels: {levels:?}");
        for level in levels {
            let mut frame = Frame::new(&character).at_level(level);
            let mut histories = vec![RotationHistory::default(); character.skins().len()];
            for step in 0..45 {
                frame.local_mut().copy_from(&winding(&character, step));
                frame.follow_rotations(&mut histories);
            }
            for method in TURNING {
                let path = frame.deform(method).unwrap();
                assert_eq!(path, DeformPath::Kernel(level), "{method}");
                assert_equal_to_reference(&character, &frame, method);
            }
        }
    }
}

fn assert_equal_to_reference(character: &Character, frame: &Frame, method: Method) {
    let size = frame.bounds().diagonal().max(1.0);
    for (instance, got) in character.instances().iter().zip(frame.deformed()) {
        let mesh = character.mesh_of(instance);
        let (Some(skin), Some(weights)) = (instance.skin, mesh.weights()) else { continue };
        let binding = Binding::new(weights, &frame.palettes()[skin])
            .with_dual_quats(&frame.dual_quats()[skin])
            .with_precomputed(mesh.precomputed());
        let mut want = Streams::of_mesh(mesh);
        let mut scratch = DeformScratch::default();
        deform::reference::deform(method, mesh.into(), &binding, &mut scratch, want.as_surface_mut())
            .unwrap();
        for (vertex, (a, b)) in got.positions.iter().zip(&want.positions).enumerate() {
            assert!(a.distance(*b) <= 1e-4 * size, "{method}: vertex {vertex} is at {a}, not at {b}");
        }
    }
}
