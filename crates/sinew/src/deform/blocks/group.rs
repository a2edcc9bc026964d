//! Assigns vertices to blocks.
//!
//! Vertices with the same set of joints form a group. A group of sixteen or more fills its own blocks. The remaining
//! vertices are packed greedily: a block starts with the group that has the largest number of joints, then takes the groups
//! that add the fewest joints. Candidates come from lists of groups by joint, and their number is limited, so that even
//! random weights are packed in linear time.

use super::{WIDTH, normal_slopes};
use crate::asset::weights::Weights;
use glam::Vec3;
use std::{cmp::Reverse, collections::HashMap, ops::Range};

/// The maximum number of candidates examined for a whole mesh, which takes about 40 ms.
const LOOKS: usize = 8_000_000;

/// Up to sixteen vertices and the joints they use, in ascending order.
pub(super) struct Batch {
    pub(super) joints: Vec<u16>,
    pub(super) vertices: Vec<u32>,
}

/// Divides the vertices into batches in file order.
pub(super) fn consecutive(weights: &Weights) -> Vec<Batch> {
    let count = weights.vertex_count() as u32;
    let batch = |first: u32| {
        let vertices: Vec<u32> = (first..count.min(first + WIDTH as u32)).collect();
        let mut joints: Vec<u16> = vertices.iter().flat_map(|&v| weights.of(v as usize).0).copied().collect();
        joints.sort_unstable();
        joints.dedup();
        Batch { joints, vertices }
    };
    (0..count).step_by(WIDTH).map(batch).collect()
}

/// Packs the vertices so that blocks use few joints, and so that the normals of most blocks share a dominant axis.
pub(super) fn packed(weights: &Weights, normals: &[Vec3]) -> Vec<Batch> {
    let mut groups = VertexGroups::of(weights);
    if !normals.is_empty() {
        groups.sort_by_normal_axis(normals);
    }
    let mut batches = groups.take_full_batches();
    let mut filler = Filler::new(&groups, weights.slot_count());
    let mut seeds: Vec<usize> = (0..groups.list.len()).filter(|&g| groups.left(g) > 0).collect();
    seeds.sort_by_key(|&g| (Reverse(groups.joints(g).len()), groups.joints(g)));
    let mut seeds = seeds.into_iter().peekable();
    // A seed group stays the current one until all its vertices are assigned.
    let mut next_seed = |groups: &VertexGroups| {
        while seeds.next_if(|&g| groups.left(g) == 0).is_some() {}
        seeds.peek().copied()
    };
    while let Some(seed) = next_seed(&groups) {
        let mut batch = filler.open(&mut groups, seed);
        while batch.vertices.len() < WIDTH {
            let room = WIDTH - batch.vertices.len();
            let Some(group) = filler.best(&groups, &batch, room).or_else(|| next_seed(&groups)) else {
                break;
            };
            filler.add(&mut groups, group, &mut batch);
        }
        batch.joints.sort_unstable();
        batches.push(batch);
    }
    batches
}

/// The vertices with one set of joints.
struct VertexGroup {
    joints: Range<usize>,
    /// The vertices that are not yet assigned to a block.
    members: Range<usize>,
}

struct VertexGroups {
    list: Vec<VertexGroup>,
    joints: Vec<u16>,
    members: Vec<u32>,
}

impl VertexGroups {
    fn of(weights: &Weights) -> Self {
        let mut group_of_set: HashMap<Vec<u16>, u32> = HashMap::new();
        let mut sets: Vec<Vec<u16>> = Vec::new();
        let mut group_of_vertex = Vec::with_capacity(weights.vertex_count());
        let mut counts: Vec<usize> = Vec::new();
        let mut set = Vec::new();
        for vertex in 0..weights.vertex_count() {
            set.clear();
            set.extend_from_slice(weights.of(vertex).0);
            set.sort_unstable();
            let group = match group_of_set.get(&set) {
                Some(&group) => group,
                None => {
                    let group = sets.len() as u32;
                    group_of_set.insert(set.clone(), group);
                    sets.push(set.clone());
                    counts.push(0);
                    group
                }
            };
            counts[group as usize] += 1;
            group_of_vertex.push(group);
        }
        Self::collect(&sets, &counts, &group_of_vertex)
    }

    fn collect(sets: &[Vec<u16>], counts: &[usize], group_of_vertex: &[u32]) -> Self {
        let mut joints = Vec::new();
        let mut first = 0;
        let list: Vec<VertexGroup> = sets
            .iter()
            .zip(counts)
            .map(|(set, count)| {
                let from = joints.len();
                joints.extend_from_slice(set);
                let members = first..first + count;
                first = members.end;
                VertexGroup { joints: from..joints.len(), members }
            })
            .collect();
        let mut next: Vec<usize> = list.iter().map(|g| g.members.start).collect();
        let mut members = vec![0; group_of_vertex.len()];
        for (vertex, &group) in group_of_vertex.iter().enumerate() {
            let place = &mut next[group as usize];
            members[*place] = vertex as u32;
            *place += 1;
        }
        Self { list, joints, members }
    }

    fn joints(&self, group: usize) -> &[u16] {
        &self.joints[self.list[group].joints.clone()]
    }

    fn left(&self, group: usize) -> usize {
        self.list[group].members.len()
    }

    /// The next `count` vertices of `group`.
    fn take(&mut self, group: usize, count: usize) -> &[u32] {
        let members = &mut self.list[group].members;
        let taken = members.start..members.start + count.min(members.len());
        members.start = taken.end;
        &self.members[taken]
    }

    /// Sorts the vertices of a group by the dominant axis of their normals. Groups with one joint do not need it.
    fn sort_by_normal_axis(&mut self, normals: &[Vec3]) {
        for group in self.list.iter().filter(|g| g.joints.len() > 1 && g.members.len() > WIDTH) {
            self.members[group.members.clone()]
                .sort_by_key(|&v| normal_slopes::order_of(normals[v as usize]));
        }
    }

    fn take_full_batches(&mut self) -> Vec<Batch> {
        let mut batches = Vec::new();
        for group in 0..self.list.len() {
            while self.left(group) >= WIDTH {
                let vertices = self.take(group, WIDTH).to_vec();
                batches.push(Batch { joints: self.joints(group).to_vec(), vertices });
            }
        }
        batches
    }
}

/// The state of the greedy packing.
struct Filler {
    groups_of_joint: Vec<Vec<u32>>,
    /// The batch that a joint was last added to.
    batch_of_joint: Vec<u32>,
    batch: u32,
    looks_a_step: usize,
}

impl Filler {
    fn new(groups: &VertexGroups, slots: usize) -> Self {
        let mut groups_of_joint: Vec<Vec<u32>> = vec![Vec::new(); slots];
        let mut left_over = 0;
        for group in (0..groups.list.len()).filter(|&g| groups.left(g) > 0) {
            left_over += 1;
            for &joint in groups.joints(group) {
                groups_of_joint[usize::from(joint)].push(group as u32);
            }
        }
        let looks_a_step = (LOOKS / (left_over + 1)).clamp(48, 2048);
        Self { groups_of_joint, batch_of_joint: vec![0; slots], batch: 0, looks_a_step }
    }

    fn open(&mut self, groups: &mut VertexGroups, seed: usize) -> Batch {
        self.batch += 1;
        let mut batch = Batch { joints: Vec::new(), vertices: Vec::with_capacity(WIDTH) };
        self.add(groups, seed, &mut batch);
        batch
    }

    fn add(&mut self, groups: &mut VertexGroups, group: usize, batch: &mut Batch) {
        for &joint in groups.joints(group) {
            let last = &mut self.batch_of_joint[usize::from(joint)];
            if *last != self.batch {
                *last = self.batch;
                batch.joints.push(joint);
            }
        }
        let room = WIDTH - batch.vertices.len();
        batch.vertices.extend_from_slice(groups.take(group, room));
    }

    /// The group with the best score for `batch`, among those that share a joint with it.
    fn best(&mut self, groups: &VertexGroups, batch: &Batch, room: usize) -> Option<usize> {
        let mut best: Option<(usize, f32)> = None;
        let mut looks = self.looks_a_step;
        for &joint in &batch.joints {
            let candidates = &mut self.groups_of_joint[usize::from(joint)];
            let mut at = 0;
            while at < candidates.len() && looks > 0 {
                let group = candidates[at] as usize;
                if groups.left(group) == 0 {
                    candidates.swap_remove(at);
                    continue;
                }
                at += 1;
                looks -= 1;
                let joints = groups.joints(group);
                let is_new = |j: &&u16| self.batch_of_joint[usize::from(**j)] != self.batch;
                let added = joints.iter().filter(is_new).count();
                let score = score(added, joints.len(), groups.left(group).min(room));
                if best.is_none_or(|(_, most)| score > most) {
                    best = Some((group, score));
                }
            }
        }
        best.map(|(group, _)| group)
    }
}

/// The gain of adding `vertices` vertices with `joints` joints to a block, `added` of which are new to it.
///
/// A joint costs a block twelve multiply-adds. A vertex placed here saves a sixteenth of another block: about 45
/// operations and twelve more per joint. Sets with many joints are the hardest to place.
fn score(added: usize, joints: usize, vertices: usize) -> f32 {
    vertices as f32 * (45.0 + 12.0 * joints as f32) / WIDTH as f32 - 12.0 * added as f32
}
