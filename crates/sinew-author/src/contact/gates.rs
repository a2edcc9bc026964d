//! How much the skin around each joint is like a limb.

use super::{LimbPoint, bones::LimbBones};
use crate::topology::WeldedTopology;
use sinew::glam::DVec3;
use std::f64::consts::TAU;

/// A ring with fewer points says nothing about its shape.
const MIN_RING: usize = 6;

/// The gate of the joint at the head of each slot's bone, 0 to 1; 0 where no bone ends.
pub(super) fn gates(topology: &WeldedTopology<'_>, bones: &LimbBones, points: &[LimbPoint]) -> Vec<f64> {
    (0..bones.list.len()).map(|slot| gate(topology, bones, points, slot).unwrap_or(0.0)).collect()
}

fn gate(topology: &WeldedTopology<'_>, bones: &LimbBones, points: &[LimbPoint], slot: usize) -> Option<f64> {
    let next = &bones.list[slot];
    let before = next.before?;
    let own = &bones.list[usize::from(before)];
    let normal = (own.axis() + next.axis()).try_normalize()?;
    let pair = [before, u16::try_from(slot).ok()?];
    let shorter = own.length().min(next.length());
    if shorter <= 0.0 {
        return None;
    }
    let ring = Ring::around(points, pair, next.head, normal, shorter)?;
    let around = [bones.neighbors(pair[0]), bones.neighbors(pair[1])].concat();
    let on_them = |&p: &usize| bones.weight_on(topology, p, &around);
    let foreign = 1.0 - ring.points.iter().map(on_them).sum::<f64>() / ring.points.len() as f64;
    let bend = own.axis().angle_between(next.axis()).to_degrees();
    let factors = [
        falling(75.0, 120.0, ring.largest_gap(points, next.head, normal).to_degrees()),
        1.0 - falling(0.45, 0.75, ring.outwardness(points)),
        falling(2.2, 3.6, ring.unevenness(points)),
        falling(0.55, 0.95, ring.radius / shorter),
        falling(0.08, 0.16, foreign),
        falling(50.0, 75.0, bend),
    ];
    Some(factors.iter().product())
}

/// The points near the plane that halves the angle of a joint.
struct Ring {
    points: Vec<usize>,
    /// The median distance from the bones.
    radius: f64,
}

impl Ring {
    fn around(points: &[LimbPoint], pair: [u16; 2], joint: DVec3, normal: DVec3, reach: f64) -> Option<Self> {
        let near = |height: f64| -> Vec<usize> {
            let is_near =
                |p: &LimbPoint| pair.contains(&p.bone) && (p.position - joint).dot(normal).abs() < height;
            points.iter().enumerate().filter(|(_, p)| is_near(p)).map(|(at, _)| at).collect()
        };
        let median = |list: &[usize]| quantile(list.iter().map(|&p| points[p].distance), 0.5);
        let wide = near(0.25 * reach);
        let radius =
            median(if wide.len() < MIN_RING { &[] } else { &wide }).or_else(|| median(&near(reach)))?;
        let ring = near(radius);
        let radius = median(&ring)?;
        (ring.len() >= MIN_RING).then_some(Self { points: ring, radius })
    }

    /// The largest angle around the joint without a point, in radians.
    fn largest_gap(&self, points: &[LimbPoint], joint: DVec3, normal: DVec3) -> f64 {
        let (x, y) = normal.any_orthonormal_pair();
        let angle = |&p: &usize| {
            let from = points[p].position - joint;
            from.dot(y).atan2(from.dot(x))
        };
        let mut angles: Vec<f64> = self.points.iter().map(angle).collect();
        angles.sort_by(f64::total_cmp);
        let around = angles.last().zip(angles.first()).map_or(TAU, |(last, first)| first + TAU - last);
        angles.windows(2).map(|pair| pair[1] - pair[0]).fold(around, f64::max)
    }

    /// The cosine between normals and the direction away from the bone that three quarters of the points exceed.
    fn outwardness(&self, points: &[LimbPoint]) -> f64 {
        let cosine = |&p: &usize| points[p].normal.dot(points[p].away.normalize_or_zero());
        quantile(self.points.iter().map(cosine), 0.25).unwrap_or(-1.0)
    }

    /// The ratio between large and small distances from the bone.
    fn unevenness(&self, points: &[LimbPoint]) -> f64 {
        let distances = || self.points.iter().map(|&p| points[p].distance);
        match (quantile(distances(), 0.85), quantile(distances(), 0.15)) {
            (Some(large), Some(small)) if small > 0.0 => large / small,
            _ => f64::INFINITY,
        }
    }
}

/// The value below which a fraction of `values` lies.
fn quantile(values: impl Iterator<Item = f64>, fraction: f64) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let at = (values.len().checked_sub(1)? as f64 * fraction).round() as usize;
    values.get(at).copied()
}

/// 1 below `from`, 0 above `to`, and a cubic between.
pub(super) fn falling(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    1.0 - t * t * (3.0 - 2.0 * t)
}
