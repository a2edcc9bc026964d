//! Assigns vertices to blocks.
//!
//! Vertices with the same set of joints form a group. A group of sixteen or more fills its own blocks. The remaining
//! vertices are packed greedily: a block starts with the group that has the largest number of joints, then takes the groups
//! that add the fewest joints. Candidates come from lists of groups by joint, and their number is limited, so that even
//! random weights are packed in linear time. Copies of one vertex stay together.

use super::{WIDTH, copies::Copies, normal_slopes};
use crate::asset::weights::Weights;
use glam::Vec3;
use std::{cmp::Reverse, collections::HashMap, ops::Range};

/// The maximum number of candidates examined for a whole mesh, which takes about 40 ms.
const LOOKS: usize = 8_000_000;

/// Up to sixteen vertices and the joints they use.
pub(super) struct Batch {
    /// The joint that the others are blended as differences from, then the others in ascending order.
    pub(super) joints: Vec<u16>,
    pub(super) vertices: Vec<u32>,
    /// The axis along which the block stores its normals as slopes.
    pub(super) axis: u8,
}

impl Batch {
    fn new(joints: Vec<u16>, vertices: Vec<u32>, normals: &[Vec3]) -> Self {
        let axis = normal_slopes::best_axis(normals, &vertices);
        Self { joints, vertices, axis }
    }

    /// Moves `joint` to the front of the list.
    pub(super) fn begin_with(&mut self, joint: u16) {
        self.joints.sort_unstable();
        if let Ok(place) = self.joints.binary_search(&joint) {
            self.joints[..=place].rotate_right(1);
        }
    }
}

/// Divides the vertices into batches in file order.
pub(super) fn consecutive(weights: &Weights, normals: &[Vec3]) -> Vec<Batch> {
    let count = weights.vertex_count() as u32;
    let batch = |first: u32| {
        let vertices: Vec<u32> = (first..count.min(first + WIDTH as u32)).collect();
        let mut joints: Vec<u16> = vertices.iter().flat_map(|&v| weights.of(v as usize).0).copied().collect();
        joints.sort_unstable();
        joints.dedup();
        Batch::new(joints, vertices, normals)
    };
    (0..count).step_by(WIDTH).map(batch).collect()
}

/// Packs the vertices so that blocks use few joints, so that the normals of most blocks share a dominant axis, and so that
/// all copies of a vertex are in one block.
pub(super) fn packed(weights: &Weights, normals: &[Vec3], copies: &Copies) -> Vec<Batch> {
    let mut groups = VertexGroups::of(weights, copies);
    let mut batches = groups.take_long_sets(copies);
    if !normals.is_empty() {
        groups.sort_by_normal_axis(normals);
    }
    groups.take_full_batches(normals, &mut batches);
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
            let best = filler.best(&groups, &batch, room).or_else(|| next_seed(&groups));
            let Some(group) = best.filter(|&group| groups.next_set(group) <= room) else { break };
            filler.add(&mut groups, group, &mut batch);
        }
        batch.joints.sort_unstable();
        batches.push(Batch::new(batch.joints, batch.vertices, normals));
    }
    batches
}

/// A batch that is not full yet.
struct OpenBatch {
    joints: Vec<u16>,
    vertices: Vec<u32>,
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
    /// The vertices of all groups; copies of one vertex are next to each other.
    members: Vec<u32>,
    /// For the first vertex of each set of copies, their number; one for a vertex without copies.
    set_sizes: Vec<u32>,
}

/// How many sets that do not fit are passed over to fill a block.
const MAX_SKIPPED: usize = 32;

impl VertexGroups {
    fn of(weights: &Weights, copies: &Copies) -> Self {
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
        let mut groups = Self::with_room(&sets, &counts);
        groups.fill(&group_of_vertex, copies);
        groups
    }

    fn with_room(sets: &[Vec<u16>], counts: &[usize]) -> Self {
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
        Self { list, joints, members: vec![0; first], set_sizes: vec![0; first] }
    }

    /// Writes the vertices of each group, with copies next to each other, in the order of the first of them.
    fn fill(&mut self, group_of_vertex: &[u32], copies: &Copies) {
        let mut next: Vec<usize> = self.list.iter().map(|g| g.members.start).collect();
        for (vertex, &group) in group_of_vertex.iter().enumerate() {
            let vertex = vertex as u32;
            let alone = [vertex];
            let set = copies.of_vertex(vertex).unwrap_or(&alone);
            if set[0] == vertex {
                let place = &mut next[group as usize];
                self.set_sizes[*place] = set.len() as u32;
                self.members[*place..*place + set.len()].copy_from_slice(set);
                *place += set.len();
            }
        }
    }

    fn joints(&self, group: usize) -> &[u16] {
        &self.joints[self.list[group].joints.clone()]
    }

    fn left(&self, group: usize) -> usize {
        self.list[group].members.len()
    }

    /// The number of vertices that must be taken together from `group` next.
    fn next_set(&self, group: usize) -> usize {
        let members = &self.list[group].members;
        if members.is_empty() { 0 } else { self.set_sizes[members.start] as usize }
    }

    /// The next vertices of `group`, at most `room`, without dividing a set of copies. Sets that do not fit stay.
    fn take(&mut self, group: usize, room: usize) -> Vec<u32> {
        let members = self.list[group].members.clone();
        let (mut taken, mut skipped) = (Vec::with_capacity(room), Vec::new());
        let mut at = members.start;
        while at < members.end && taken.len() < room && skipped.len() < MAX_SKIPPED {
            let size = self.set_sizes[at] as usize;
            let set = at..at + size;
            at = set.end;
            if taken.len() + size <= room {
                taken.extend_from_slice(&self.members[set]);
            } else {
                skipped.push(self.members[set].to_vec());
            }
        }
        // What was passed over moves up to the vertices that are left.
        for set in skipped.iter().rev() {
            at -= set.len();
            self.members[at..at + set.len()].copy_from_slice(set);
            self.set_sizes[at] = set.len() as u32;
        }
        self.list[group].members.start = at;
        taken
    }

    /// Sorts the vertices of a group by the dominant axis of their normals. Groups with one joint do not need it.
    fn sort_by_normal_axis(&mut self, normals: &[Vec3]) {
        for group in 0..self.list.len() {
            if self.joints(group).len() <= 1 || self.left(group) <= WIDTH {
                continue;
            }
            let mut at = self.list[group].members.clone();
            let mut sets: Vec<(u8, Vec<u32>)> = Vec::new();
            while !at.is_empty() {
                let set = self.members[at.start..at.start + self.set_sizes[at.start] as usize].to_vec();
                at.start += set.len();
                let weakest = set.iter().fold(Vec3::ONE, |min, &v| min.min(normals[v as usize].abs()));
                sets.push((normal_slopes::order_of(weakest), set));
            }
            sets.sort_by_key(|(order, _)| *order);
            let mut place = self.list[group].members.start;
            for (_, set) in sets {
                self.members[place..place + set.len()].copy_from_slice(&set);
                self.set_sizes[place] = set.len() as u32;
                place += set.len();
            }
        }
    }

    /// Batches for vertices with more copies than a block holds. All their blocks have one joint list and one axis.
    fn take_long_sets(&mut self, copies: &Copies) -> Vec<Batch> {
        let mut batches = Vec::new();
        for group in 0..self.list.len() {
            let members = self.list[group].members.clone();
            if !self.set_sizes[members.clone()].iter().any(|&size| size as usize > WIDTH) {
                continue;
            }
            let (mut at, mut kept) = (members.start, members.start);
            while at < members.end {
                let size = self.set_sizes[at] as usize;
                if size > WIDTH {
                    for vertices in copies.of_vertex(self.members[at]).unwrap_or_default().chunks(WIDTH) {
                        let (joints, vertices) = (self.joints(group).to_vec(), vertices.to_vec());
                        batches.push(Batch { joints, vertices, axis: 2 });
                    }
                } else {
                    self.members.copy_within(at..at + size, kept);
                    self.set_sizes[kept] = size as u32;
                    kept += size;
                }
                at += size;
            }
            self.list[group].members.end = kept;
        }
        batches
    }

    fn take_full_batches(&mut self, normals: &[Vec3], batches: &mut Vec<Batch>) {
        for group in 0..self.list.len() {
            while self.left(group) >= WIDTH {
                let vertices = self.take(group, WIDTH);
                batches.push(Batch::new(self.joints(group).to_vec(), vertices, normals));
            }
        }
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

    fn open(&mut self, groups: &mut VertexGroups, seed: usize) -> OpenBatch {
        self.batch += 1;
        let mut batch = OpenBatch { joints: Vec::new(), vertices: Vec::with_capacity(WIDTH) };
        self.add(groups, seed, &mut batch);
        batch
    }

    fn add(&mut self, groups: &mut VertexGroups, group: usize, batch: &mut OpenBatch) {
        for &joint in groups.joints(group) {
            let last = &mut self.batch_of_joint[usize::from(joint)];
            if *last != self.batch {
                *last = self.batch;
                batch.joints.push(joint);
            }
        }
        let room = WIDTH - batch.vertices.len();
        batch.vertices.extend(groups.take(group, room));
    }

    /// The group with the best score for `batch`, among those that share a joint with it.
    fn best(&mut self, groups: &VertexGroups, batch: &OpenBatch, room: usize) -> Option<usize> {
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
                if groups.next_set(group) > room {
                    continue;
                }
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
