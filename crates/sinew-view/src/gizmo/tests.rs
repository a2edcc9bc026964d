use super::*;
use crate::camera::{CameraLens, Orbit, Projection};
use crate::glam::Quat;
use proptest::prelude::*;

fn view(orbit: Orbit) -> GizmoView {
    let corners = [Vec3::splat(-1.0), Vec3::splat(1.0)];
    GizmoView {
        camera: Camera::framing(corners, orbit, CameraLens { aspect: 1.5, ..CameraLens::default() }),
        aspect: 1.5,
    }
}

fn gizmo(shape: GizmoShape, view: &GizmoView, axes: Mat3) -> Gizmo {
    Gizmo::new(shape, Vec3::new(0.2, -0.1, 0.3), axes, &view.camera, 0.3)
}

fn place(view: &GizmoView, point: Vec3) -> Vec2 {
    view.camera.place(point, view.aspect).unwrap()
}

fn turned_axes() -> impl Strategy<Value = Mat3> {
    let angle = || -3.0_f32..3.0;
    (angle(), angle(), angle())
        .prop_map(|(x, y, z)| Mat3::from_quat(Quat::from_euler(crate::glam::EulerRot::XYZ, x, y, z)))
}

fn orbit() -> impl Strategy<Value = Orbit> {
    (-3.0_f32..3.0, -1.2_f32..1.2)
        .prop_map(|(yaw_radians, pitch_radians)| Orbit { yaw_radians, pitch_radians })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_drag_along_a_ring_turns_by_the_angle_between(
        orbit in orbit(), axes in turned_axes(), handle in 0_usize..4, start in -3.0_f32..3.0, turn in -2.5_f32..2.5,
    ) {
        let view = view(orbit);
        let (rings, handle) = (gizmo(GizmoShape::Rings, &view, axes), Handle::ALL[handle]);
        let axis = rings.axis(handle, &view.camera);
        // Edge-on rings are followed along their edge instead.
        prop_assume!(axis.dot((rings.origin - view.camera.eye).normalize()).abs() > 0.3);
        let first = Quat::from_axis_angle(axis, start) * axis.any_orthonormal_vector();
        let points = rings.arc(handle, &view.camera, first, turn);
        let [from, to] = [points[0], points[points.len() - 1]].map(|point| place(&view, point));
        let found = rings.turn_radians(handle, &view, from, to).unwrap();
        prop_assert!((found - turn).abs() < 0.01, "{} for {}", found, turn);
    }

    #[test]
    fn the_near_side_of_a_ring_can_be_picked(
        orbit in orbit(), axes in turned_axes(), handle in 0_usize..4, stretch in 0_usize..64,
    ) {
        let view = view(orbit);
        let (rings, handle) = (gizmo(GizmoShape::Rings, &view, axes), Handle::ALL[handle]);
        let line = rings.line(handle, &view.camera);
        prop_assume!(line.is_near[stretch]);
        let found = rings.handle_at(&view, place(&view, line.points[stretch]), 0.02);
        // Either ring may be picked at a crossing.
        let others = Handle::ALL.into_iter().filter(|other| *other != handle).any(|other| found == Some(other));
        prop_assert!(found == Some(handle) || others);
    }

    #[test]
    fn an_arrow_dragged_by_its_end_follows_the_pointer(
        orbit in orbit(), axes in turned_axes(), handle in 0_usize..3, way in -0.4_f32..0.4,
    ) {
        let view = view(orbit);
        let (arrows, handle) = (gizmo(GizmoShape::Arrows, &view, axes), Handle::ALL[handle]);
        let axis = arrows.axis(handle, &view.camera);
        prop_assume!(axis.dot((arrows.origin - view.camera.eye).normalize()).abs() < 0.9);
        let end = arrows.origin + axis * arrows.radius;
        let [from, to] = [end, end + axis * way].map(|point| place(&view, point));
        let shift = arrows.shift(handle, &view, from, to).unwrap();
        prop_assert!(shift.distance(axis * way) < 2e-3, "{}", shift);
        let arms = Gizmo { shape: GizmoShape::Arms, ..arrows };
        let factor = arms.factor(handle, &view, from, to).unwrap();
        prop_assert!((factor - (1.0 + way / arms.radius).max(0.01)).abs() < 2e-2);
    }

    #[test]
    fn drags_never_return_nan(
        orbit in orbit(), shape in 0_usize..3, handle in 0_usize..4, from in [-2.0_f32..2.0, -2.0..2.0], to in [-2.0_f32..2.0, -2.0..2.0],
    ) {
        let view = view(orbit);
        let shape = [GizmoShape::Rings, GizmoShape::Arrows, GizmoShape::Arms][shape];
        let (one, handle) = (gizmo(shape, &view, Mat3::IDENTITY), Handle::ALL[handle]);
        let (from, to) = (Vec2::from(from), Vec2::from(to));
        prop_assert!(one.turn_radians(handle, &view, from, to).is_none_or(f32::is_finite));
        prop_assert!(one.shift(handle, &view, from, to).is_none_or(Vec3::is_finite));
        prop_assert!(one.factor(handle, &view, from, to).is_none_or(|f| f > 0.0 && f.is_finite()));
    }
}

#[test]
fn an_edge_on_ring_is_followed_along_its_edge() {
    let view = view(Orbit::FRONT);
    let rings = gizmo(GizmoShape::Rings, &view, Mat3::IDENTITY);
    let middle = place(&view, rings.origin);
    // About Y the near side moves to the right, about X it moves down.
    let right = rings.turn_radians(Handle::Y, &view, middle, middle + Vec2::new(0.1, 0.0)).unwrap();
    let down = rings.turn_radians(Handle::X, &view, middle, middle - Vec2::new(0.0, 0.1)).unwrap();
    assert!(right > 0.2 && down > 0.2, "{right} {down}");
}

#[test]
fn handles_have_the_same_size_at_any_distance() {
    let near = view(Orbit::THREE_QUARTER);
    let mut far = near;
    far.camera.zoom(7.0);
    let mut flat = near;
    flat.camera.projection = Projection::Orthographic { height: 3.0 };
    for view in [near, far, flat] {
        let rings = gizmo(GizmoShape::Rings, &view, Mat3::IDENTITY);
        let up = rings.origin + view.camera.axes().y_axis * rings.radius;
        let height = place(&view, up).y - place(&view, rings.origin).y;
        assert!((height - 0.3).abs() < 1e-3, "{height}");
    }
}

#[test]
fn the_middle_of_arrows_is_the_handle_that_faces_the_camera() {
    let view = view(Orbit::THREE_QUARTER);
    let arrows = gizmo(GizmoShape::Arrows, &view, Mat3::IDENTITY);
    let middle = place(&view, arrows.origin);
    assert_eq!(arrows.handle_at(&view, middle, 0.02), Some(Handle::View));
    let rings = Gizmo { shape: GizmoShape::Rings, ..arrows };
    assert_eq!(rings.handle_at(&view, Vec2::new(0.9, 0.9), 0.02), None);
    let end = place(&view, arrows.origin + Vec3::Y * arrows.radius);
    assert_eq!(arrows.handle_at(&view, end, 0.02), Some(Handle::Y));
}

#[test]
fn turns_are_counted_and_snapped() {
    assert!((unwound(-3.0, 3.1) - (std::f32::consts::TAU - 3.0)).abs() < 1e-5);
    assert_eq!(unwound(0.5, 0.1), 0.5);
    assert!((snapped(0.3, 0.25) - 0.25).abs() < 1e-6);
    assert!(unwound(f32::NAN, 0.0).is_nan() && snapped(f32::INFINITY, 0.1).is_infinite());
}
