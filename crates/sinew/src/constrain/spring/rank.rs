//! Ranks of nodes: nodes of one rank do not depend on each other, so that they are evaluated side by side.

use super::{NodeParent, SpringNode, SpringPair, lanes::SpringGroup, real::WIDTH};
use std::ops::Range;

/// Nodes and pairs in the order of their ranks, and the groups that are evaluated together.
pub(super) struct RankedNodes {
    pub(super) nodes: Vec<SpringNode>,
    pub(super) pairs: Vec<SpringPair>,
    pub(super) groups: Vec<SpringGroup>,
}

/// What the nodes of a group have in common: rank, colliders, center space, and whether they swing and have a limit.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct GroupKey {
    rank: u32,
    swings: bool,
    is_limited: bool,
    center: Option<u32>,
    colliders: (u32, u32),
}

/// Orders nodes by rank without a change in what any of them sees of the others.
///
/// `tested` are the colliders of pairs. A node comes after its parent, after those whose colliders it sees in their new
/// place, and before those whose colliders it sees in their old one.
pub(super) fn ranked(
    mut nodes: Vec<SpringNode>,
    mut pairs: Vec<SpringPair>,
    tested: &[u32],
    collider_count: usize,
) -> RankedNodes {
    let ranks = ranks(&nodes, &pairs, tested, collider_count);
    let key_of = |node: &SpringNode, rank: u32, pairs: &[SpringPair]| {
        let pair = node.pair.map(|pair| &pairs[pair as usize]);
        let colliders = pair.map_or(0..0, |pair| pair.colliders.clone());
        GroupKey {
            rank,
            swings: pair.is_some(),
            is_limited: pair.is_some_and(|pair| pair.limit.is_some()),
            center: pair.and_then(|pair| pair.center),
            colliders: (colliders.start, colliders.end),
        }
    };
    let mut order: Vec<u32> = (0..nodes.len() as u32).collect();
    order.sort_by_cached_key(|&at| (key_of(&nodes[at as usize], ranks[at as usize], &pairs), at));
    let mut new_of = vec![0_u32; nodes.len()];
    for (new, &old) in (0..).zip(&order) {
        new_of[old as usize] = new;
    }
    for node in &mut nodes {
        if let NodeParent::Node(parent) = &mut node.from {
            *parent = new_of[*parent as usize];
        }
    }
    let pair_order: Vec<u32> = order.iter().filter_map(|&at| nodes[at as usize].pair).collect();
    let mut new_pair = 0;
    for &at in &order {
        if let Some(pair) = &mut nodes[at as usize].pair {
            *pair = new_pair;
            new_pair += 1;
        }
    }
    nodes = permuted(nodes, &order);
    pairs = permuted(pairs, &pair_order);
    let ranks = permuted(ranks, &order);
    let keys: Vec<GroupKey> =
        nodes.iter().zip(&ranks).map(|(node, &rank)| key_of(node, rank, &pairs)).collect();
    let (mut groups, mut first) = (Vec::new(), 0);
    for run in keys.chunk_by(|a, b| a == b) {
        let end = first + run.len();
        while first < end {
            let last = end.min(first + WIDTH);
            groups.push(SpringGroup::new(&nodes[first..last], &pairs, first as u32));
            first = last;
        }
    }
    RankedNodes { nodes, pairs, groups }
}

/// `items[order[0]], items[order[1]], …`; `order` names each item once.
fn permuted<T>(items: Vec<T>, order: &[u32]) -> Vec<T> {
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    order.iter().filter_map(|&at| items[at as usize].take()).collect()
}

/// The rank of each node, which is larger than that of every earlier node that it must not overtake.
fn ranks(nodes: &[SpringNode], pairs: &[SpringPair], tested: &[u32], collider_count: usize) -> Vec<u32> {
    let mut ranks: Vec<u32> = Vec::with_capacity(nodes.len());
    // The first rank in which a node may read or move each collider.
    let (mut may_read, mut may_move) = (vec![0_u32; collider_count], vec![0_u32; collider_count]);
    for node in nodes {
        let seen = node.pair.map_or(0..0, |pair| pairs[pair as usize].colliders.clone());
        let seen = &tested[usize_range(&seen)];
        let parent = match node.from {
            NodeParent::Node(parent) => ranks[parent as usize] + 1,
            NodeParent::Anchor(_) => 0,
        };
        let read = seen.iter().map(|&collider| may_read[collider as usize]);
        let moved = node.colliders.iter().map(|&collider| may_move[collider as usize]);
        let rank = read.chain(moved).fold(parent, u32::max);
        for &collider in seen {
            let after = &mut may_move[collider as usize];
            *after = (*after).max(rank + 1);
        }
        for &collider in &node.colliders {
            may_read[collider as usize] = rank + 1;
        }
        ranks.push(rank);
    }
    ranks
}

fn usize_range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}
