//! A tree of bones, and the pivots about which they turn.

use sinew::{
    Influence,
    glam::{DAffine3, DMat3, DVec3},
};
use std::collections::BTreeMap;

/// Bones as joints: parents before children in `order`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BoneTree {
    pub(super) parents: Vec<Option<usize>>,
    /// Where each joint is at rest, in meters.
    pub(super) pivots: Vec<DVec3>,
    pub(super) order: Vec<usize>,
}

/// What the joint between two bones would be.
#[derive(Clone, Copy, Debug)]
struct Link {
    bones: (usize, usize),
    pivot: DVec3,
    /// How far the two bones tear the pivot apart, as a root mean square in meters, and how far it is from the skin they share.
    cost: f64,
}

impl BoneTree {
    /// Every bone is a root that turns about the middle of its skin.
    pub(super) fn flat(rest: &[DVec3], influences: &[Vec<Influence>], bones: usize) -> Self {
        let pivots = Masses::new(rest, influences, bones).centers();
        Self { parents: vec![None; bones], pivots, order: (0..bones).collect() }
    }

    /// The tree whose joints hold together best, hung up at its middle.
    pub(super) fn of_motions(
        rest: &[DVec3],
        influences: &[Vec<Influence>],
        motions: &[Vec<DAffine3>],
    ) -> Self {
        let masses = Masses::new(rest, influences, motions.len());
        let centers = masses.centers();
        let mut links: Vec<Link> = shared_skin(rest, influences)
            .into_iter()
            .map(|(bones, middle)| Link::new(bones, middle, motions))
            .collect();
        // Loose parts hang on the bone whose skin is nearest.
        let far: f64 = links.iter().map(|l| l.cost).sum::<f64>() + 1.0;
        for a in 0..motions.len() {
            let loose = (0..a).map(|b| Link {
                bones: (b, a),
                pivot: centers[a],
                cost: far + centers[a].distance(centers[b]),
            });
            links.extend(loose);
        }
        links.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.bones.cmp(&b.bones)));
        let kept = spanning_tree(&links, motions.len());
        Self::hung(&kept, &masses.of_bone, centers)
    }

    /// The tree of `links` with the root that leaves no branch heavier than it must be.
    fn hung(links: &[Link], masses: &[f64], mut pivots: Vec<DVec3>) -> Self {
        let mut near: Vec<Vec<(usize, DVec3)>> = vec![Vec::new(); masses.len()];
        for link in links {
            near[link.bones.0].push((link.bones.1, link.pivot));
            near[link.bones.1].push((link.bones.0, link.pivot));
        }
        let heaviest = |root: usize| {
            let (order, parents) = walk(root, &near);
            let mut branch = masses.to_vec();
            for &bone in order.iter().rev() {
                if let Some(parent) = parents[bone] {
                    branch[parent] += branch[bone];
                }
            }
            near[root].iter().map(|n| branch[n.0]).fold(0.0, f64::max)
        };
        let ratings = (0..masses.len()).map(|bone| (bone, heaviest(bone)));
        let root = ratings.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |r| r.0);
        let (order, parents) = walk(root, &near);
        for &bone in &order {
            let to_parent = near[bone].iter().find(|n| Some(n.0) == parents[bone]);
            if let Some(&(_, pivot)) = to_parent {
                pivots[bone] = pivot;
            }
        }
        Self { parents, pivots, order }
    }
}

impl Link {
    /// The place that two bones carry to the same places as nearly as they can, near the skin that they share.
    fn new(bones: (usize, usize), middle: DVec3, motions: &[Vec<DAffine3>]) -> Self {
        /// The pull towards the shared skin for what the motions leave open (the place along a hinge's axis).
        const PULL: f64 = 1e-3;
        let frames = motions[bones.0].len() as f64;
        let mut normal = DMat3::from_diagonal(DVec3::splat(PULL * frames));
        let mut right = DVec3::ZERO;
        let pairs = || motions[bones.0].iter().zip(&motions[bones.1]);
        for (a, b) in pairs() {
            let turned = a.matrix3 - b.matrix3;
            normal += turned.transpose() * turned;
            right -= turned.transpose() * (turned * middle + a.translation - b.translation);
        }
        let pivot = middle + normal.inverse() * right;
        let torn: f64 =
            pairs().map(|(a, b)| a.transform_point3(pivot).distance_squared(b.transform_point3(pivot))).sum();
        Self { bones, pivot, cost: (torn / frames).sqrt() + pivot.distance(middle) * 0.1 }
    }
}

/// How much skin each bone has, and the weighted sum of its places.
struct Masses {
    of_bone: Vec<f64>,
    sums: Vec<DVec3>,
}

impl Masses {
    fn new(rest: &[DVec3], influences: &[Vec<Influence>], bones: usize) -> Self {
        let mut new = Self { of_bone: vec![0.0; bones], sums: vec![DVec3::ZERO; bones] };
        for (place, influences) in rest.iter().zip(influences) {
            for influence in influences {
                new.of_bone[usize::from(influence.slot)] += f64::from(influence.weight);
                new.sums[usize::from(influence.slot)] += *place * f64::from(influence.weight);
            }
        }
        new
    }

    fn centers(&self) -> Vec<DVec3> {
        self.sums.iter().zip(&self.of_bone).map(|(sum, mass)| *sum / mass.max(1e-12)).collect()
    }
}

/// The middle of the skin that two bones share, for all pairs that share some.
fn shared_skin(rest: &[DVec3], influences: &[Vec<Influence>]) -> BTreeMap<(usize, usize), DVec3> {
    let mut sums: BTreeMap<(usize, usize), (DVec3, f64)> = BTreeMap::new();
    for (place, influences) in rest.iter().zip(influences) {
        for a in influences {
            for b in influences.iter().filter(|b| a.slot < b.slot) {
                let weight = f64::from(a.weight) * f64::from(b.weight);
                let sum = sums.entry((a.slot.into(), b.slot.into())).or_default();
                *sum = (sum.0 + *place * weight, sum.1 + weight);
            }
        }
    }
    sums.into_iter().filter(|(_, sum)| sum.1 > 1e-6).map(|(bones, sum)| (bones, sum.0 / sum.1)).collect()
}

/// The cheapest links that connect all bones, as in Kruskal's algorithm.
fn spanning_tree(sorted: &[Link], bones: usize) -> Vec<Link> {
    let mut part: Vec<usize> = (0..bones).collect();
    let mut kept = Vec::new();
    for link in sorted {
        let (a, b) = (part[link.bones.0], part[link.bones.1]);
        if a != b {
            part.iter_mut().filter(|p| **p == b).for_each(|p| *p = a);
            kept.push(*link);
        }
    }
    kept
}

/// The bones from `root` outwards, and the parent of each.
fn walk(root: usize, near: &[Vec<(usize, DVec3)>]) -> (Vec<usize>, Vec<Option<usize>>) {
    let mut parents = vec![None; near.len()];
    let mut order = vec![root];
    let mut next = 0;
    while next < order.len() {
        let bone = order[next];
        let above = parents[bone];
        for &(child, _) in near[bone].iter().filter(|n| Some(n.0) != above) {
            parents[child] = Some(bone);
            order.push(child);
        }
        next += 1;
    }
    (order, parents)
}
