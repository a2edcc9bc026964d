//! The entry points: what a thread reads once, and its loop over poses.

use super::{BlockKernel, HEAD_JOINTS, KernelKey};
use std::fmt::Write;

/// Rows that a thread may have on their way to workgroup memory while it works; more cost registers.
const MAX_ROWS_ON_THEIR_WAY: u32 = 2;

/// The entry point where every vertex has its own influences.
pub(super) fn of_vertices(key: &KernelKey) -> String {
    let mut once = String::from("    let v0 = group.x * SPAN + local;\n    let last = job.vertices - 1u;\n");
    let vertices = key.vertices_per_thread;
    for k in 1..vertices {
        let _ = writeln!(once, "    let v{k} = v0 + {}u;", k * key.workgroup);
    }
    for k in 0..vertices {
        let _ = writeln!(once, "    let raw{k} = read_raw(min(v{k}, last));");
    }
    for k in 0..vertices {
        let _ = writeln!(once, "    let bound{k} = bound_of(raw{k});");
    }
    let mut each = String::new();
    for k in 0..vertices {
        let _ = writeln!(each, "        work(bound{k}, v{k}, pose, half);");
    }
    let span = format!("const SPAN: u32 = {}u;\n\n", key.workgroup * vertices);
    span + &entry(key, &once, &each)
}

/// The entry point where the vertices of a block share a list of joints.
pub(super) fn of_blocks(key: &KernelKey, blocks: &BlockKernel) -> String {
    let vertices = key.vertices_per_thread;
    let lanes = format!("const LANES: u32 = BLOCK / {vertices}u;\n\n");
    lanes + &entry(key, &read_block(vertices), &blend_block(vertices, blocks.held_weights))
}

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// What a thread reads of its block: vertices, slots, and the weights of the joints in the head.
fn read_block(vertices: u32) -> String {
    let mut out = String::from(
        "    let thread = group.x * WORKGROUP + local;\n    let block = thread / LANES;\n    \
         let lane = thread % LANES;\n    let head = head_of(block);\n    \
         let limit = select(0u, job.vertices, block < job.block_count);\n    \
         let last = job.vertices - 1u;\n    let v0 = head.first + lane;\n",
    );
    for k in 1..vertices {
        let _ = writeln!(out, "    let v{k} = v0 + {k}u * LANES;");
    }
    for k in 0..vertices {
        let _ = writeln!(out, "    let raw{k} = read_raw(min(v{k}, last));");
    }
    out.push_str("    var first_weights = VertexWeights(1.0);\n");
    for k in 1..HEAD_JOINTS {
        let _ = writeln!(
            out,
            "    var held{k} = VertexWeights(0.0);\n    if (head.count > {k}u) {{\n        \
             held{k} = weights_at(weights_of(head, {k}u), lane);\n        first_weights -= held{k};\n    }}"
        );
    }
    out.push_str(
        "    for (var k = HEAD_JOINTS; k < head.count; k++) {\n        \
         first_weights -= weights_at(weights_of(head, k), lane);\n    }\n",
    );
    for k in 0..vertices {
        let _ = writeln!(out, "    let rest{k} = bound_of(raw{k}).rest;");
    }
    out
}

/// One pose of a thread's vertices: every listed matrix is read once and added to all of them.
fn blend_block(vertices: u32, held: u32) -> String {
    let components = &COMPONENTS[..vertices as usize];
    let mut out = String::from("        let joint0 = matrix_of(joint_of(half, pose, head.slots[0]));\n");
    for (k, c) in components.iter().enumerate() {
        let _ = writeln!(out, "        var sum{k} = weighted(joint0, first_weights.{c});");
    }
    let add = |out: &mut String, slot: &str, weights: &str| {
        let _ = writeln!(out, "            let joint = matrix_of(joint_of(half, pose, {slot}));");
        let _ = writeln!(out, "            let weights = {weights};");
        for (k, c) in components.iter().enumerate() {
            let _ = writeln!(out, "            sum{k} = with_weighted(sum{k}, joint, weights.{c});");
        }
        out.push_str("        }\n");
    };
    for k in 1..HEAD_JOINTS {
        let _ = writeln!(out, "        if (head.count > {k}u) {{");
        let weights = match k <= held {
            true => format!("held{k}"),
            false => format!("weights_at(weights_of(head, {k}u), lane)"),
        };
        add(&mut out, &format!("head.slots[{k}]"), &weights);
    }
    out.push_str("        for (var k = HEAD_JOINTS; k < head.count; k++) {\n");
    out.push_str("            let at = weights_of(head, k);\n");
    add(&mut out, "quads[at + BLOCK_QUADS].x", "weights_at(at, lane)");
    for k in 0..vertices {
        let _ = writeln!(out, "        work(sum{k}, rest{k}, v{k}, pose, limit);");
    }
    out
}

/// An entry point that does `once` and then `each` for every pose of the thread, with the palette of the next pose on its
/// way.
fn entry(key: &KernelKey, once: &str, each: &str) -> String {
    let palette = Staging::new(key);
    let mut out = String::from(
        "@compute @workgroup_size(WORKGROUP)\n\
         fn deform(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {\n",
    );
    out.push_str(
        "    let first = group.y * job.poses_per_thread;\n    \
         let end = min(first + job.poses_per_thread, job.poses);\n    var half = 0u;\n",
    );
    out.push_str(&palette.first);
    out.push_str(once);
    out.push_str(&palette.wait);
    out.push_str("    for (var pose = first; pose < end; pose++) {\n");
    out.push_str(&palette.before);
    if key.method.method.needs_dual_quats() {
        out.push_str("        take_pose(pose);\n");
    }
    out.push_str(each);
    out.push_str(&palette.after);
    out.push_str("        half = 1u - half;\n    }\n}\n");
    out
}

/// The lines that bring palettes into workgroup memory; empty where they are read from their buffer.
#[derive(Default)]
struct Staging {
    first: String,
    wait: String,
    before: String,
    after: String,
}

impl Staging {
    fn new(key: &KernelKey) -> Self {
        let steps = (key.palette * key.method.joint_rows).div_ceil(key.workgroup);
        if steps == 0 {
            return Self::default();
        }
        let mut out = Self { wait: "    workgroupBarrier();\n".to_owned(), ..Self::default() };
        for step in 0..steps {
            let row = format!("local + {}u", step * key.workgroup);
            let _ = writeln!(out.first, "    leave_row(0u, {row}, next_row(first, end, {row}));");
            let next = format!("next_row(pose + 1u, end, {row})");
            if steps <= MAX_ROWS_ON_THEIR_WAY {
                let _ = writeln!(out.before, "        let next{step} = {next};");
                let _ = writeln!(out.after, "        leave_row(1u - half, {row}, next{step});");
            } else {
                let _ = writeln!(out.before, "        leave_row(1u - half, {row}, {next});");
            }
        }
        out.after.push_str("        workgroupBarrier();\n");
        out
    }
}
