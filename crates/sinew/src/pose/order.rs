//! The order in which joints are worked out.

use super::hierarchy::{Group, Link};
use crate::asset::skeleton::{JointId, Skeleton};

/// Stands for "no parent": one more than any joint's number can be.
const NONE: u16 = u16::MAX;

/// The joints of a skeleton by their depth, in groups.
///
/// A file lists a chain joint by joint, and each waits for the one before it. By depth, neighbours in the list mostly do
/// not wait for each other: a third less time on a human skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Order {
    /// Whose order this is: the parent of each joint, in joint order.
    parents: Vec<u16>,
    roots: Vec<u16>,
    /// Every joint with a parent. The last group is filled up by repeating the last joint, which changes nothing.
    groups: Vec<Group>,
}

impl Order {
    pub(super) fn of(skeleton: &Skeleton) -> Self {
        let code = |parent: &Option<JointId>| parent.map_or(NONE, |p| p.0);
        let parents: Vec<u16> = skeleton.parents().iter().map(code).collect();
        let mut depths: Vec<u16> = Vec::with_capacity(parents.len());
        for &parent in &parents {
            let above = depths.get(usize::from(parent)).copied();
            depths.push(above.map_or(0, |depth| depth + 1));
        }
        let numbered = || (0..).zip(&parents);
        let roots = numbered().filter(|(_, p)| **p == NONE).map(|(joint, _)| joint).collect();
        let links = numbered().filter(|(_, p)| **p != NONE);
        let mut links: Vec<Link> = links.map(|(joint, &parent)| Link { joint, parent }).collect();
        links.sort_by_key(|link| depths[usize::from(link.joint)]);
        let groups = links.chunks(4).map(|some| std::array::from_fn(|i| some[i.min(some.len() - 1)]));
        Self { groups: groups.collect(), roots, parents }
    }

    /// True where this is the order of `skeleton`.
    pub(super) fn fits(&self, skeleton: &Skeleton) -> bool {
        let same = self.parents.len() == skeleton.len();
        let pairs = self.parents.iter().zip(skeleton.parents());
        // Without an early exit: equal is what it nearly always is.
        same && pairs.fold(0, |off, (a, b)| off | (a ^ b.map_or(NONE, |p| p.0))) == 0
    }

    pub(super) fn roots(&self) -> &[u16] {
        &self.roots
    }

    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Every joint with a parent, after its parent; the last one may come several times.
    pub(super) fn links(&self) -> impl Iterator<Item = Link> + '_ {
        self.groups.iter().flatten().copied()
    }
}
