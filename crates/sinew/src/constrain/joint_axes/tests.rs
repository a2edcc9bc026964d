use super::*;
use crate::constrain::test_input::rotation;
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};
use std::f32::consts::{FRAC_PI_2, PI};

/// Every list of axes: three of one, six of two, twelve of three.
fn all() -> Vec<JointAxes> {
    let mut out: Vec<JointAxes> = JointAxis::ALL.map(|a| JointAxes::new(&[a]).unwrap()).to_vec();
    for a in JointAxis::ALL {
        out.extend(JointAxis::ALL.iter().filter_map(|&b| JointAxes::new(&[a, b]).ok()));
    }
    out.extend(JointAxes::ORDERS);
    assert_eq!(out.len(), 3 + 6 + 12);
    out
}

fn angle_between(a: Quat, b: Quat) -> f64 {
    let left = a.as_dquat().conjugate() * b.as_dquat();
    2.0 * left.xyz().length().atan2(left.w.abs())
}

proptest! {
    #![proptest_config(Config { rng_seed: RngSeed::Fixed(0x61786573), failure_persistence: None, ..Config::default() })]

    #[test]
    fn three_axes_in_any_order_represent_every_rotation(q in rotation(), before in [-9.0_f32..9.0, -9.0_f32..9.0, -9.0_f32..9.0]) {
        for axes in JointAxes::ORDERS {
            let angles = axes.angles(q);
            prop_assert!(angles.residual_radians < 1e-6, "{axes}: {angles:?}");
            prop_assert!(angle_between(axes.rotation(angles.radians), q) < 1e-6, "{axes}");
            let range = if axes.is_proper() { 0.0..=PI + 1e-5 } else { -FRAC_PI_2 - 1e-4..=FRAC_PI_2 + 1e-4 };
            prop_assert!(range.contains(&angles.radians[1]), "{axes}: {angles:?}");
            let near = axes.angles_near(q, before);
            prop_assert!(angle_between(axes.rotation(near.radians), q) < 3e-6, "{axes}");
        }
    }

    #[test]
    fn the_angles_of_one_to_three_axes_come_back(angles in [-3.0_f32..3.0, -3.0_f32..3.0, -3.0_f32..3.0], off in [-0.2_f32..0.2, -0.2_f32..0.2, -0.2_f32..0.2]) {
        for axes in all() {
            let count = axes.axes().len();
            let found = axes.angles_near(axes.rotation(angles), [0, 1, 2].map(|k| angles[k] + off[k]));
            prop_assert!(found.residual_radians < 1e-6, "{axes}: {found:?}");
            prop_assert!(angle_between(axes.rotation(found.radians), axes.rotation(angles)) < 1e-6);
            if count < 3 {
                for k in 0..count {
                    prop_assert!((found.radians[k] - angles[k]).abs() < 3e-6, "{axes}: {found:?} {angles:?}");
                }
            }
        }
    }

    #[test]
    fn no_other_rotation_about_one_or_two_axes_is_closer(q in rotation(), by in [-0.3_f32..0.3, -0.3_f32..0.3]) {
        for axes in all().into_iter().filter(|axes| axes.axes().len() < 3) {
            let found = axes.angles(q);
            let off = angle_between(axes.rotation(found.radians), q);
            prop_assert!((off - f64::from(found.residual_radians)).abs() < 2e-6);
            let [a, b, _] = found.radians;
            let moved = angle_between(axes.rotation([a + by[0], b + by[1], 0.0]), q);
            prop_assert!(moved >= off - 1e-6, "{axes}: {moved} {off}");
        }
    }

    #[test]
    fn gimbal_lock_keeps_the_angles_before(outer in -3.0_f32..3.0, inner in -3.0_f32..3.0) {
        for axes in JointAxes::ORDERS {
            let locked = if axes.is_proper() { [0.0, PI] } else { [-1.0, 1.0].map(|s| s * FRAC_PI_2) };
            for middle in locked {
                let before = [outer, middle, inner];
                let found = axes.angles_near(axes.rotation(before), before);
                prop_assert!(found.residual_radians < 1e-6);
                for k in 0..3 {
                    // Near the lock, rounding of the rotation is a larger angle.
                    prop_assert!((found.radians[k] - before[k]).abs() < 1.0, "{axes}: {found:?} {before:?}");
                }
            }
        }
    }
}

#[test]
fn a_motion_continues_past_half_a_turn_without_jumps() {
    for axes in all() {
        let mut before = [0.0; 3];
        for step in 0_i16..600 {
            let time = f32::from(step) * 0.02;
            let wanted =
                [0, 1, 2].map(|k| if k < axes.axes().len() { time * [1.0, 0.07, -0.6][k] } else { 0.0 });
            let wanted = if axes.is_proper() && axes.axes().len() == 3 {
                [wanted[0], wanted[1] + 1.0, wanted[2]]
            } else {
                wanted
            };
            let start = if step == 0 { wanted } else { before };
            let found = axes.angles_near(axes.rotation(wanted), start).radians;
            for k in 0..3 {
                assert!((found[k] - wanted[k]).abs() < 1e-4, "{axes} at {time}: {found:?} {wanted:?}");
            }
            before = found;
        }
    }
}

#[test]
fn axes_are_written_as_letters() {
    for axes in all() {
        assert_eq!(axes.to_string().parse::<JointAxes>().unwrap(), axes);
    }
    for bad in ["", "w", "xx", "xyy", "xyzx", "x y", "äöü"] {
        assert!(bad.parse::<JointAxes>().is_err(), "{bad}");
    }
    assert!("xyyyyyyyyyyyyyyyyyyyyyyyyyyy".parse::<JointAxes>().unwrap_err().to_string().len() < 120);
}
