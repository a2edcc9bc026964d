//! The entry point: what a thread reads once, and its loop over poses.

use super::KernelKey;
use sinew::Method;
use std::fmt::Write;

/// Rows that a thread may have on their way to workgroup memory while it works; more cost registers.
const MAX_ROWS_ON_THEIR_WAY: usize = 2;

/// The entry point of a kernel.
pub(super) fn entry(key: &KernelKey) -> String {
    let mut out = format!(
        "const SPAN: u32 = {}u;\n\n@compute @workgroup_size(WORKGROUP)\n\
         fn deform(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {{\n    \
         let first = group.y * job.poses_per_thread;\n    \
         let end = min(first + job.poses_per_thread, job.poses);\n",
        key.workgroup * key.vertices_per_thread
    );
    read(key, &mut out);
    match key.several_poses {
        true => many_poses(key, &mut out),
        false => one_pose(key, &mut out),
    }
    out.push_str("}\n");
    out
}

/// Reads all vertices of the thread, so that all are on their way before the palette is waited for.
fn read(key: &KernelKey, out: &mut String) {
    out.push_str("    let v0 = group.x * SPAN + local;\n    let last = job.vertices - 1u;\n");
    for k in 1..key.vertices_per_thread {
        let _ = writeln!(out, "    let v{k} = v0 + {}u;", k * key.workgroup);
    }
    for k in 0..key.vertices_per_thread {
        let _ = writeln!(out, "    let raw{k} = read_raw(min(v{k}, last));");
    }
}

/// Has the palette of the next pose on its way while a pose is worked on. Compact vertices are decoded once for all poses;
/// others take little decoding, and more registers decoded than as they lie in memory.
fn many_poses(key: &KernelKey, out: &mut String) {
    let rows = palette_rows(key);
    let is_early = rows.len() <= MAX_ROWS_ON_THEIR_WAY;
    let barrier = if rows.is_empty() { "" } else { "        workgroupBarrier();\n" };
    if is_early {
        for (k, row) in rows.iter().enumerate() {
            let _ = writeln!(out, "    var row{k} = next_row(first, end, {row});");
        }
    }
    if key.layout.compact {
        for k in 0..key.vertices_per_thread {
            let _ = writeln!(out, "    let bound{k} = bound_of(raw{k});");
        }
    }
    out.push_str("    for (var pose = first; pose < end; pose++) {\n");
    for (k, row) in rows.iter().enumerate() {
        let value = if is_early { format!("row{k}") } else { format!("next_row(pose, end, {row})") };
        let _ = writeln!(out, "        leave_row({row}, {value});");
    }
    out.push_str(barrier);
    if is_early {
        for (k, row) in rows.iter().enumerate() {
            let _ = writeln!(out, "        row{k} = next_row(pose + 1u, end, {row});");
        }
    }
    if key.method.method.needs_dual_quats() {
        out.push_str("        take_pose(pose);\n");
    }
    for k in 0..key.vertices_per_thread {
        let bound = if key.layout.compact { format!("bound{k}") } else { format!("bound_of(raw{k})") };
        let _ = writeln!(out, "        work({bound}, v{k}, pose);");
    }
    out.push_str(barrier);
    out.push_str("    }\n");
}

/// Decodes each vertex when its turn comes.
fn one_pose(key: &KernelKey, out: &mut String) {
    for step in 0..key.palette.div_ceil(key.workgroup) {
        let _ = writeln!(out, "    stage_joint(first, local + {}u);", step * key.workgroup);
    }
    if key.palette > 0 {
        out.push_str("    workgroupBarrier();\n");
    }
    // A loop that runs once: without it the compiler works on all vertices side by side, which takes more registers and
    // leaves fewer threads to wait for memory. Dual quaternions are faster side by side.
    let is_loop = key.method.method != Method::DualQuat;
    out.push_str(if is_loop {
        "    for (var pose = first; pose < end; pose++) {\n"
    } else {
        "    let pose = first;\n"
    });
    if key.method.method.needs_dual_quats() {
        out.push_str("        take_pose(pose);\n");
    }
    for k in 0..key.vertices_per_thread {
        let _ = writeln!(out, "        work(bound_of(raw{k}), v{k}, pose);");
    }
    if is_loop {
        out.push_str("    }\n");
    }
}

/// The rows of a palette that a thread brings into workgroup memory; none where palettes are read from their buffer.
fn palette_rows(key: &KernelKey) -> Vec<String> {
    let steps = (key.palette * key.method.joint_rows).div_ceil(key.workgroup);
    (0..steps).map(|step| format!("local + {}u", step * key.workgroup)).collect()
}
