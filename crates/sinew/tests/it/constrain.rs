//! Roll joints and muscles, measured on the skin that they deform.

use sinew::{
    Character, CharacterParts, Frame, Influence, Joint, JointId, Mesh, MeshParts, Method, Skeleton, Skin,
    Transform, Weights,
    constrain::{DrivenProperty, Driver, DriverCurve, DriverMeasure, Drivers},
    glam::{Quat, Vec3},
};
use sinew_samples::{TUBE_LENGTH, TUBE_RADIUS};
use std::{f32::consts::PI, sync::Arc};

/// The smallest distance of a wall vertex from the axis of the twisted tube, in meters.
fn min_radius(spans: u16, twist_radians: f32, is_spread: bool) -> f32 {
    let (tube, spread) = sinew_samples::tube_with_rolls(spans);
    let mut frame = Frame::new(&tube);
    frame.local_mut().joints[1].rotation = Quat::from_rotation_y(twist_radians);
    if is_spread {
        spread.apply(frame.local_mut());
    }
    frame.deform(Method::Linear).expect("the frame is of this tube");
    let mesh = &tube.meshes()[0];
    let on_wall = |p: &Vec3| (Vec3::new(p.x, 0.0, p.z).length() - TUBE_RADIUS).abs() < 1e-4;
    let pairs = mesh.positions().iter().zip(&frame.deformed()[0].positions);
    let radii = pairs.filter(|(rest, _)| on_wall(rest)).map(|(_, p)| Vec3::new(p.x, 0.0, p.z).length());
    radii.fold(f32::INFINITY, f32::min)
}

#[test]
fn n_spans_lift_the_smallest_radius_to_the_cosine_of_half_a_span() {
    for spans in 1..=8_u16 {
        for degrees in [45.0_f32, 90.0, 135.0, 150.0, 179.0] {
            let twist = degrees.to_radians();
            let min = min_radius(spans, twist, true);
            let closed_form = (twist / (2.0 * f32::from(spans))).cos();
            assert!(min > closed_form - 1e-5, "{spans} spans, {degrees}°: {min} below {closed_form}");
            // With an odd number of spans, the middle of one is the middle of the tube, which has a ring of vertices.
            // With an even number, some ring is close enough to show a wrong fraction.
            let off = if spans % 2 == 1 { 1e-5 } else { 0.02 };
            assert!(min < closed_form + off, "{spans} spans, {degrees}°: {min} above {closed_form}");
        }
    }
}

#[test]
fn one_span_is_the_plain_tube() {
    let (rolled, _) = sinew_samples::tube_with_rolls(1);
    let plain = sinew_samples::tube();
    assert_eq!(rolled.skeleton(), plain.skeleton());
    assert_eq!(rolled.meshes()[0].weights(), plain.meshes()[0].weights());
}

#[test]
fn without_the_spread_the_twist_collapses_into_one_span() {
    let (alone, spread) = (min_radius(4, PI * 0.9, false), min_radius(4, PI * 0.9, true));
    assert!(alone < 0.2 && spread > 0.93, "alone {alone}, spread {spread}");
}

/// Half extent of the muscle along the tube and position of its middle, in meters.
const MUSCLE: (f32, f32) = (1.2, 2.5);

/// The tube with a muscle in its lower half that only swells.
fn muscular_tube() -> (Character, JointId) {
    let mut parts = sinew_samples::tube().into_parts();
    let old = parts.skeleton.clone();
    let joint = |j: JointId| Joint { name: old.name(j).into(), parent: old.parent(j), rest: old.rest(j) };
    let muscle = Joint {
        name: "biceps".into(),
        parent: Some(JointId(0)),
        rest: Transform::from_translation(Vec3::new(0.0, MUSCLE.1, 0.0)),
    };
    parts.skeleton =
        Arc::new(Skeleton::new(old.joints().map(joint).chain([muscle])).expect("everything fits"));
    let biceps = parts.skeleton.find("biceps").expect("everything fits");
    let skin = Skin::bound_at_rest("tube", &parts.skeleton, vec![JointId(0), JointId(1), biceps])
        .expect("everything fits");
    let mesh = parts.meshes.remove(0);
    let influences = (0..mesh.vertex_count()).map(|v| {
        let away = ((mesh.positions()[v].y - MUSCLE.1) / MUSCLE.0).abs().min(1.0);
        let free = Influence { slot: 2, weight: (1.0 - away * away).powi(2) };
        let carried = mesh.weights().expect("everything fits").influences(v);
        carried.chain([free]).collect::<Vec<_>>()
    });
    let weights = Weights::new_with_muscles(3, influences, |slot| slot == 2).expect("everything fits").0;
    let changed = MeshParts { weights: Some(Arc::new(weights)), ..Mesh::clone(&mesh).into_parts() };
    let parts = CharacterParts {
        meshes: vec![Arc::new(Mesh::new(changed).expect("everything fits"))],
        skins: vec![Arc::new(skin)],
        ..parts
    };
    (Character::new(parts).expect("everything fits"), biceps)
}

/// The mean radius of the wall vertices that are near `height` at rest, in meters.
fn radius_at(character: &Character, frame: &Frame, height: f32) -> f32 {
    let pairs = character.meshes()[0].positions().iter().zip(&frame.deformed()[0].positions);
    let is_there = |rest: &Vec3| {
        (rest.y - height).abs() < 0.04 && (Vec3::new(rest.x, 0.0, rest.z).length() - TUBE_RADIUS).abs() < 1e-4
    };
    let radii: Vec<f32> =
        pairs.filter(|(rest, _)| is_there(rest)).map(|(_, p)| Vec3::new(p.x, 0.0, p.z).length()).collect();
    radii.iter().sum::<f32>() / radii.len() as f32
}

#[test]
fn a_biceps_swells_as_the_elbow_bends_and_the_rest_does_not_move() {
    let (tube, biceps) = muscular_tube();
    let swell = Driver {
        source: JointId(1),
        measure: DriverMeasure::Swing { axis: Vec3::Y },
        target: biceps,
        property: DrivenProperty::Scale { axes: [true, false, true] },
        curve: DriverCurve::smooth([[0.3, 1.0], [2.0, 1.4]]).unwrap(),
    };
    let drivers = Drivers::new(tube.skeleton(), vec![swell]).unwrap();
    let mut frame = Frame::new(&tube);
    for method in [Method::Linear, Method::DualQuat] {
        let mut last = TUBE_RADIUS;
        for (bend, want) in [(0.0_f32, 1.0_f32), (0.3, 1.0), (1.15, 1.2), (2.0, 1.4), (2.5, 1.4)] {
            frame.reset();
            // An additional twist is not a bend.
            frame.local_mut().joints[1].rotation = Quat::from_rotation_z(-bend) * Quat::from_rotation_y(0.7);
            drivers.apply(frame.local_mut());
            frame.deform(method).unwrap();
            let middle = radius_at(&tube, &frame, MUSCLE.1);
            assert!((middle - want * TUBE_RADIUS).abs() < 1e-3, "{method}, bent by {bend}: {middle}");
            assert!(middle >= last - 1e-4, "it only ever swells");
            last = middle;
            let beside = radius_at(&tube, &frame, MUSCLE.1 - MUSCLE.0 - 0.1);
            assert!((beside - TUBE_RADIUS).abs() < 1e-4, "{method}: {beside}");
        }
    }
    assert!(TUBE_LENGTH / 2.0 - 1.5 > MUSCLE.1 + 0.5, "the muscle lies where one bone has all the weight");
}
