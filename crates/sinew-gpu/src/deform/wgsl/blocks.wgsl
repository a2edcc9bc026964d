// Linear blend skinning of blocks: the vertices of a block share a list of joints, and a thread reads each matrix once
// for all of its vertices.

// The quads that hold the weights of one joint for a whole block.
const BLOCK_QUADS: u32 = BLOCK / 4u;
// The joints whose slots stand in the head.
const HEAD_JOINTS: u32 = 4u;

struct Head {
    // The first vertex.
    first: u32,
    // Joints in the list, and where the weights of all but the first begin in quads.
    count: u32,
    weights: u32,
    slots: vec4<u32>,
}

fn head_of(block: u32) -> Head {
    let words = quads[job.blocks + min(block, job.block_count - 1u)];
    let slots = vec4(words.z & 0xffffu, words.z >> 16u, words.w & 0xffffu, words.w >> 16u);
    return Head((words.x >> 8u) * BLOCK, words.x & 0xffu, words.y, slots);
}

// Where the weights of joint `k` of the list begin; those beyond the head are followed by their slot.
fn weights_of(head: Head, k: u32) -> u32 {
    return head.weights + (k - 1u) * BLOCK_QUADS + max(k, HEAD_JOINTS) - HEAD_JOINTS;
}

// One vertex in one pose, which threads beyond the last block leave alone.
fn work(rows: Rows, rest: Vertex, v: u32, pose: u32, end: u32) {
    if (v >= end) {
        return;
    }
    leave(v, pose, transform_vertex(rows, shaped(v, pose, rest)));
}
