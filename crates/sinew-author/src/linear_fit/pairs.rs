//! Pairs of joints between which a corrective joint may stand.

use super::points::FitSkin;
use std::collections::BTreeMap;

/// A corrective joint may follow a joint this many joints below its base.
const MAX_LEVELS: usize = 4;

/// Two slots of a skin: the joint of `source` is below that of `base`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct JointPair {
    pub(super) base: u16,
    pub(super) source: u16,
}

/// The pairs of a skin with the part of the error that each accounts for, the largest first.
///
/// The error of a point is divided among the pairs of joints that it follows, in proportion to the weights of both and to how far apart
/// the two joints would put it.
pub(super) fn pairs(skin: &FitSkin) -> Vec<(JointPair, f64)> {
    let mut sums: BTreeMap<JointPair, f64> = BTreeMap::new();
    for (point, original) in skin.original.iter().enumerate() {
        let mut parts: Vec<(JointPair, f64)> = Vec::new();
        for (n, &(a, a_weight)) in original.iter().enumerate() {
            for &(b, b_weight) in &original[..n] {
                let apart = apart(skin, point, a, b) * a_weight * b_weight;
                if let Some(pair) = related(skin, a, b).filter(|_| apart > 0.0) {
                    parts.push((pair, apart));
                }
            }
        }
        let sum: f64 = parts.iter().map(|p| p.1).sum();
        for (pair, part) in parts {
            *sums.entry(pair).or_default() += skin.errors[point] * part / sum;
        }
    }
    let mut pairs: Vec<(JointPair, f64)> = sums.into_iter().collect();
    pairs.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    pairs
}

/// The points that follow both joints of the pair.
pub(super) fn points_between(skin: &FitSkin, pair: JointPair) -> Vec<usize> {
    let has = |point: usize, slot: u16| skin.original[point].iter().any(|w| w.0 == slot);
    (0..skin.rest.len()).filter(|&p| has(p, pair.base) && has(p, pair.source)).collect()
}

fn related(skin: &FitSkin, a: u16, b: u16) -> Option<JointPair> {
    let is_above = |top: u16, below: u16| {
        let (top, below) = (skin.joint(top), skin.joint(below));
        skin.skeleton.ancestors(below).skip(1).take(MAX_LEVELS).any(|joint| joint == top)
    };
    if is_above(a, b) {
        Some(JointPair { base: a, source: b })
    } else {
        is_above(b, a).then_some(JointPair { base: b, source: a })
    }
}

/// The sum over the poses of the squared distance between where two joints would put a point.
fn apart(skin: &FitSkin, point: usize, a: u16, b: u16) -> f64 {
    let rest = skin.rest[point];
    let [a, b] = [a, b].map(|slot| &skin.motions[usize::from(slot)]);
    a.iter().zip(b).map(|(a, b)| a.transform_point3(rest).distance_squared(b.transform_point3(rest))).sum()
}
