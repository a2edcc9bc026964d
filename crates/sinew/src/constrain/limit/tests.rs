use super::*;
use crate::constrain::test_input::rotation;
use crate::{Joint, Transform};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};

fn skeleton() -> Skeleton {
    let rest = Transform::from_rotation(Quat::from_euler(glam::EulerRot::XYZ, 0.3, -0.6, 1.0));
    Skeleton::new([Joint { name: "j".into(), parent: None, rest }]).unwrap()
}

fn parts() -> LimitParts {
    LimitParts {
        axis: Vec3::Y,
        swing_axis: Vec3::X,
        swing_radians: [[-0.2, 1.2], [-0.6, 0.4]],
        twist_radians: [-0.5, 1.0],
    }
}

proptest! {
    #![proptest_config(Config {
        rng_seed: RngSeed::Fixed(0x6c69_6d69),
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn a_clamped_rotation_is_inside_and_clamping_again_changes_nothing(q in rotation()) {
        let skeleton = skeleton();
        let limit = Limit::new(&skeleton, JointId(0), parts()).unwrap();
        let hinge = Limit::hinge(&skeleton, JointId(0), Vec3::new(1.0, 2.0, 0.0), [-0.4, 2.0]).unwrap();
        for limit in [limit, hinge, limit.with_freedom([true, false, true])] {
            let inside = limit.clamp(q);
            prop_assert!(inside.is_normalized());
            let [swing, twist] = limit.excess_radians(inside);
            prop_assert!(swing < 1e-4 && twist < 1e-4, "{} {}", swing, twist);
            let again = limit.clamp(inside);
            prop_assert!(again.dot(inside).abs() > 1.0 - 1e-6);
        }
    }

    #[test]
    fn a_rotation_inside_the_limit_keeps_every_bit(x in 0.0_f32..0.8, z in 0.0_f32..0.25, twist in -0.45_f32..0.95) {
        let skeleton = skeleton();
        let limit = Limit::new(&skeleton, JointId(0), parts()).unwrap();
        let turn = Quat::from_scaled_axis(Vec3::new(x, 0.0, -z)) * Quat::from_rotation_y(twist);
        let q = skeleton.rest(JointId(0)).rotation * turn;
        prop_assert_eq!(limit.clamp(q), q);
    }

    #[test]
    fn a_small_step_over_the_border_is_a_small_step(
        x in -2.0_f32..2.0, z in -2.0_f32..2.0, twist in -2.0_f32..2.0, step in -1e-3_f32..1e-3,
    ) {
        let skeleton = skeleton();
        let limit = Limit::new(&skeleton, JointId(0), parts()).unwrap();
        let at = |x: f32, twist: f32| {
            let turn = Quat::from_scaled_axis(Vec3::new(x, 0.0, z)) * Quat::from_rotation_y(twist);
            limit.clamp(skeleton.rest(JointId(0)).rotation * turn)
        };
        let (a, b) = (at(x, twist), at(x + step, twist + step));
        let moved = 2.0 * (1.0 - a.dot(b).abs()).max(0.0).sqrt();
        prop_assert!(moved < 5e-3, "{}", moved);
    }

    #[test]
    fn the_nearest_point_is_nearer_than_any_other(px in 0.0_f32..3.0, py in 0.0_f32..3.0, rx in 0.0_f32..2.0, ry in 0.0_f32..2.0) {
        let (point, radii) = (Vec2::new(px, py), Vec2::new(rx, ry));
        let nearest = nearest_on_ellipse(point, radii);
        prop_assert!(radii.min_element() < 1e-3 || (nearest / radii).length() < 1.0 + 1e-4);
        for step in 0..=64_u8 {
            let angle = f32::from(step) / 64.0 * std::f32::consts::FRAC_PI_2;
            let other = radii * Vec2::new(angle.cos(), angle.sin());
            prop_assert!(nearest.distance(point) <= other.distance(point) + 1e-4);
        }
    }
}

#[test]
fn a_hinge_keeps_its_bend_for_any_swing() {
    let skeleton = skeleton();
    let hinge = Limit::hinge(&skeleton, JointId(0), Vec3::X, [0.0, 2.4]).unwrap();
    assert_eq!(hinge.freedom(), [true, false, false]);
    let rest = skeleton.rest(JointId(0)).rotation;
    let bent = rest * Quat::from_rotation_y(0.1) * Quat::from_rotation_x(1.3);
    let want = rest * Quat::from_rotation_x(1.3);
    assert!(hinge.clamp(bent).dot(want).abs() > 1.0 - 1e-6);
    let back = hinge.clamp(rest * Quat::from_rotation_x(-0.7));
    assert!(back.dot(rest).abs() > 1.0 - 1e-6, "never backwards");
}

#[test]
fn invalid_limits_are_rejected() {
    let skeleton = skeleton();
    let new = |change: fn(&mut LimitParts)| {
        let mut parts = parts();
        change(&mut parts);
        Limit::new(&skeleton, JointId(0), parts)
    };
    assert!(matches!(new(|p| p.axis = Vec3::ZERO), Err(LimitError::BadAxes { .. })));
    assert!(matches!(new(|p| p.swing_axis = Vec3::Y), Err(LimitError::BadAxes { .. })));
    assert!(matches!(new(|p| p.swing_radians[1][0] = 0.1), Err(LimitError::BadRange { what: "swing", .. })));
    assert!(matches!(new(|p| p.twist_radians = [1.0, 0.5]), Err(LimitError::BadRange { what: "twist", .. })));
    assert!(matches!(new(|p| p.twist_radians[1] = f32::NAN), Err(LimitError::BadRange { .. })));
    let missing = Limit::new(&skeleton, JointId(1), parts());
    assert!(matches!(missing, Err(LimitError::NoSuchJoint { joint: JointId(1), joints: 1 })));
}
