//! How far transferred weights can be trusted.

use super::{MatchLimits, TransferSourceMesh};
use crate::weights::{surface::WeldedSurface, tree::NearestPoint};
use std::{cmp::Reverse, collections::BinaryHeap};

/// The confidence of each point, see [`TransferOutcome::confidence`](super::TransferOutcome::confidence).
pub(super) fn of_points(
    target: &WeldedSurface,
    source: &TransferSourceMesh,
    found: &[Option<NearestPoint>],
    limits: MatchLimits,
) -> Vec<f32> {
    let reach = limits.distance.max(f64::MIN_POSITIVE);
    let matched = |near: &NearestPoint| 1.0 - 0.5 * (near.distance / source.surface.scale / reach).min(1.0);
    let far = distances(target, found);
    let of = |(near, far): (&Option<NearestPoint>, f64)| match near {
        Some(near) => matched(near) as f32,
        // Half of what a match at the limit has, one reach away from it.
        None => (0.5 / (1.0 + far / target.scale / reach)) as f32,
    };
    found.iter().zip(far).map(of).collect()
}

/// The shortest way along edges from each point to a matched one, in the units of the target's box.
fn distances(target: &WeldedSurface, found: &[Option<NearestPoint>]) -> Vec<f64> {
    let rings = target.rings();
    let mut far = vec![f64::INFINITY; found.len()];
    // Positive floats are in the order of their bits.
    let mut next: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
    for (point, _) in found.iter().enumerate().filter(|(_, near)| near.is_some()) {
        far[point] = 0.0;
        next.push(Reverse((0, point as u32)));
    }
    while let Some(Reverse((bits, point))) = next.pop() {
        let here = f64::from_bits(bits);
        if here > far[point as usize] {
            continue;
        }
        for &other in rings.of(point as usize) {
            let way = target.positions[point as usize].distance(target.positions[other as usize]);
            if here + way < far[other as usize] {
                far[other as usize] = here + way;
                next.push(Reverse(((here + way).to_bits(), other)));
            }
        }
    }
    far
}
