//! Euler angles in any order of three axes.

use super::BvhAxis;
use sinew::glam::{DMat3, DQuat};
use std::f64::consts::{PI, TAU};

/// The rotation about one axis.
pub(super) fn turn(axis: BvhAxis, radians: f64) -> DQuat {
    DQuat::from_axis_angle(axis.unit(), radians)
}

/// The angles in radians about three different axes whose rotations, multiplied in order, give `rotation`.
///
/// Of all solutions this is the closest to `previous`, so a motion has no jumps. In gimbal lock only the sum of the first
/// and the last angle is determined: the first angle then keeps its previous value.
pub(super) fn angles(rotation: DQuat, order: [BvhAxis; 3], previous: [f64; 3]) -> [f64; 3] {
    let matrix = DMat3::from_quat(rotation.normalize());
    let [i, j, k] = order.map(BvhAxis::index);
    // +1 for XYZ and its cyclic permutations.
    let sign = if (j + 3 - i) % 3 == 1 { 1.0 } else { -1.0 };
    let entry = |row: usize, column: usize| matrix.col(column)[row];
    let cosine = entry(i, i).hypot(entry(i, j));
    let second = (sign * entry(i, k)).atan2(cosine);
    let first = if cosine > 1e-9 { (-sign * entry(j, k)).atan2(entry(k, k)) } else { previous[0] };
    let last = {
        // The first two angles leave a rotation about the last axis. Near gimbal lock this is exact; matrix entries are not.
        let rest = (turn(order[0], first) * turn(order[1], second)).inverse() * rotation.normalize();
        let rest = DMat3::from_quat(rest);
        (sign * rest.col(i)[j]).atan2(rest.col(i)[i])
    };
    let near = [first, second, last];
    let far = [first + PI, PI - second, last + PI];
    let [near, far] = [near, far].map(|angles| unwound(angles, previous));
    if distance(near, previous) <= distance(far, previous) { near } else { far }
}

/// The same angles with full turns added, so that each is closest to its predecessor.
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

    const ORDERS: [[BvhAxis; 3]; 6] = [
        [BvhAxis::X, BvhAxis::Y, BvhAxis::Z],
        [BvhAxis::Y, BvhAxis::Z, BvhAxis::X],
        [BvhAxis::Z, BvhAxis::X, BvhAxis::Y],
        [BvhAxis::X, BvhAxis::Z, BvhAxis::Y],
        [BvhAxis::Z, BvhAxis::Y, BvhAxis::X],
        [BvhAxis::Y, BvhAxis::X, BvhAxis::Z],
    ];

    fn composed(order: [BvhAxis; 3], angles: [f64; 3]) -> DQuat {
        turn(order[0], angles[0]) * turn(order[1], angles[1]) * turn(order[2], angles[2])
    }

    #[test]
    fn angles_reproduce_the_rotation_at_and_near_gimbal_lock() {
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
    fn a_motion_through_gimbal_lock_and_over_many_turns_does_not_jump() {
        for order in ORDERS {
            let mut previous = [0.0; 3];
            for step in 1..=2000 {
                let t = f64::from(step) * 0.01;
                // The middle angle passes gimbal lock every half turn while the others accumulate turns.
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
