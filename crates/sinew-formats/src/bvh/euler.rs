//! Angles about three axes in a row.

use super::UpAxis;
use sinew::glam::{DMat3, DQuat};
use std::f64::consts::{PI, TAU};

/// Turns about one axis.
pub(super) fn turn(axis: UpAxis, radians: f64) -> DQuat {
    DQuat::from_axis_angle(axis.unit(), radians)
}

/// The angles in radians about three different axes whose turns, multiplied in order, are `rotation`.
///
/// Of all that there are these are the nearest to `previous`, so a motion goes on without jumps. Where the first and the
/// last axis fall together only their sum matters: then the first angle stays as it was.
pub(super) fn angles(rotation: DQuat, order: [UpAxis; 3], previous: [f64; 3]) -> [f64; 3] {
    let matrix = DMat3::from_quat(rotation.normalize());
    let [i, j, k] = order.map(UpAxis::index);
    // +1 for XYZ and the orders that go round the same way.
    let sign = if (j + 3 - i) % 3 == 1 { 1.0 } else { -1.0 };
    let entry = |row: usize, column: usize| matrix.col(column)[row];
    let cosine = entry(i, i).hypot(entry(i, j));
    let second = (sign * entry(i, k)).atan2(cosine);
    let first = if cosine > 1e-9 { (-sign * entry(j, k)).atan2(entry(k, k)) } else { previous[0] };
    let last = {
        // What the first two leave is a turn about the last axis: near the poles this is exact where entries are not.
        let rest = (turn(order[0], first) * turn(order[1], second)).inverse() * rotation.normalize();
        let rest = DMat3::from_quat(rest);
        (sign * rest.col(i)[j]).atan2(rest.col(i)[i])
    };
    let near = [first, second, last];
    let far = [first + PI, PI - second, last + PI];
    let [near, far] = [near, far].map(|angles| unwound(angles, previous));
    if distance(near, previous) <= distance(far, previous) { near } else { far }
}

/// The same angles with whole turns added so that each is nearest to the one before.
fn unwound(angles: [f64; 3], previous: [f64; 3]) -> [f64; 3] {
    let mut out = angles;
    for (angle, previous) in out.iter_mut().zip(previous) {
        *angle -= ((*angle - previous) / TAU).round() * TAU;
    }
    out
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    const ORDERS: [[UpAxis; 3]; 6] = [
        [UpAxis::X, UpAxis::Y, UpAxis::Z],
        [UpAxis::Y, UpAxis::Z, UpAxis::X],
        [UpAxis::Z, UpAxis::X, UpAxis::Y],
        [UpAxis::X, UpAxis::Z, UpAxis::Y],
        [UpAxis::Z, UpAxis::Y, UpAxis::X],
        [UpAxis::Y, UpAxis::X, UpAxis::Z],
    ];

    fn composed(order: [UpAxis; 3], angles: [f64; 3]) -> DQuat {
        turn(order[0], angles[0]) * turn(order[1], angles[1]) * turn(order[2], angles[2])
    }

    #[test]
    fn angles_give_the_rotation_back_at_and_near_the_poles_too() {
        let tilts = [0.0, 0.4, -1.2, FRAC_PI_2, -FRAC_PI_2, FRAC_PI_2 - 1e-8, 1e-7 - FRAC_PI_2, 2.5];
        for order in ORDERS {
            for tilt in tilts {
                for step in 0..40 {
                    let wanted = composed(order, [f64::from(step) * 0.4, tilt, f64::from(step) * -1.1]);
                    let got = composed(order, angles(wanted, order, [0.3, -0.2, 0.1]));
                    let off = 2.0 * (1.0 - got.dot(wanted).abs()).max(0.0).sqrt();
                    assert!(off < 1e-7, "{order:?} at {tilt}, step {step}: off by {off}");
                }
            }
        }
    }

    #[test]
    fn a_motion_through_the_pole_and_over_many_turns_does_not_jump() {
        for order in ORDERS {
            let mut previous = [0.0; 3];
            for step in 1..=2000 {
                let t = f64::from(step) * 0.01;
                // The middle angle passes the pole every half turn, the others wind up.
                let wanted = composed(order, [0.7 * t, t, -0.4 * t]);
                let next = angles(wanted, order, previous);
                let jump = distance(next, previous);
                assert!(jump < 0.1, "{order:?}, step {step}: {previous:?} to {next:?}");
                previous = next;
            }
            assert!(previous[1] > 19.0, "the middle angle winds up too: {previous:?}");
        }
    }
}
