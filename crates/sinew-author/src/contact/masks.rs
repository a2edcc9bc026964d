//! How much each point is part of a limb.

use super::{LimbPoint, bones::LimbBones, gates::falling};
use crate::topology::WeldedTopology;

/// The masks of a point, 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointMasks {
    /// How much of the correction is applied.
    pub(super) mask: f64,
    /// How much of the distance to the bone is restored.
    pub(super) radius: f64,
}

/// The part of a bone near an end with a smaller gate.
const UNLIKE_END: f64 = 0.35;
/// Smoothed masks are 0 below the first and 1 above the second: where a vertex is moved in part, it is still beyond its plane.
const EDGE: [f64; 2] = [0.15, 0.6];
/// Masks below this are zero, so that the vertex need not be visited.
const MIN_MASK: f64 = 0.004;

pub(super) fn masks(
    topology: &WeldedTopology<'_>,
    bones: &LimbBones,
    points: &[LimbPoint],
    gates: &[f64],
    passes: u32,
) -> Vec<PointMasks> {
    let rigid = rigid_shells(topology);
    let raw = |(at, point): (usize, &LimbPoint)| {
        if rigid[at] {
            return 0.0;
        }
        let outward = point.normal.dot(point.away.normalize_or_zero());
        let aligned = 1.0 - falling(0.0, 0.35, outward);
        let on_bones = bones.weight_on(topology, at, &bones.neighbors(point.bone));
        aligned * (1.0 - falling(0.75, 0.95, on_bones)) * nearness(bones, gates, point)
    };
    let raw: Vec<f64> = points.iter().enumerate().map(raw).collect();
    let smooth = smoothed(topology, raw, passes);
    let mask = |(mask, &is_rigid): (f64, &bool)| {
        let mask = 1.0 - falling(EDGE[0], EDGE[1], mask);
        let mask = if is_rigid || mask < MIN_MASK { 0.0 } else { mask };
        PointMasks { mask, radius: 1.0 }
    };
    smooth.into_iter().zip(&rigid).map(mask).collect()
}

/// How much a point belongs to a part of its bone that folds: the larger gate of both ends, but near the end with the smaller
/// gate that one. A free end is like the other end.
fn nearness(bones: &LimbBones, gates: &[f64], point: &LimbPoint) -> f64 {
    let bone = &bones.list[usize::from(point.bone)];
    let tail_gate = bone.after.map(|after| gates[usize::from(after)]);
    let head_gate = if bone.is_root { None } else { Some(gates[usize::from(point.bone)]) };
    let (head, tail) = match (head_gate, tail_gate) {
        (Some(head), Some(tail)) => (head, tail),
        (head, tail) => (head.or(tail).unwrap_or(0.0), tail.or(head).unwrap_or(0.0)),
    };
    let (low, high, from_low) =
        if head < tail { (head, tail, point.along) } else { (tail, head, 1.0 - point.along) };
    high + (low - high) * falling(0.0, UNLIKE_END, from_low)
}

fn smoothed(topology: &WeldedTopology<'_>, mut values: Vec<f64>, passes: u32) -> Vec<f64> {
    let (first, neighbors) = topology.rings();
    for _ in 0..passes {
        let next = |(at, &value): (usize, &f64)| {
            let ring = &neighbors[first[at] as usize..first[at + 1] as usize];
            let mean = ring.iter().map(|&n| values[n as usize]).sum::<f64>() / ring.len().max(1) as f64;
            if ring.is_empty() { value } else { 0.5 * (value + mean) }
        };
        values = values.iter().enumerate().map(next).collect();
    }
    values
}

/// The points of parts of the mesh that follow one joint alone, such as buckles and plates.
fn rigid_shells(topology: &WeldedTopology<'_>) -> Vec<bool> {
    let (first, neighbors) = topology.rings();
    let mut out = vec![false; topology.len()];
    let mut seen = vec![false; topology.len()];
    for start in 0..topology.len() {
        if seen[start] {
            continue;
        }
        let (mut shell, mut at) = (vec![start], 0);
        seen[start] = true;
        while let Some(&point) = shell.get(at) {
            for &next in &neighbors[first[point] as usize..first[point + 1] as usize] {
                if !seen[next as usize] {
                    seen[next as usize] = true;
                    shell.push(next as usize);
                }
            }
            at += 1;
        }
        let only = |point: usize| match topology.weights_of(point).0 {
            [slot] => Some(*slot),
            _ => None,
        };
        let slot = only(start);
        if slot.is_some() && shell.iter().all(|&point| only(point) == slot) {
            shell.iter().for_each(|&point| out[point] = true);
        }
    }
    out
}
