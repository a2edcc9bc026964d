// A thread reads its vertices once and deforms them by each of its poses. `shader.rs` generates the entry point.

// The vertex with every morph target added by the morph weights of the pose.
fn morphed(v: u32, pose: u32, rest: Vertex) -> Vertex {
    var out = rest;
    for (var i = morphs[v]; i < morphs[v + 1u]; i++) {
        let entry = job.vertices + 1u + i * MORPH_STRIDE;
        let target_number = morphs[entry];
        let weight = poses[pose_at(pose) + job.morph_weights + target_number / 4u][target_number % 4u];
        out.position += morph_numbers(entry + 1u) * weight;
        if (NORMALS) {
            out.normal += morph_numbers(entry + 4u) * weight;
        }
        if (TANGENTS) {
            out.tangent += vec4(morph_numbers(entry + MORPH_STRIDE - 3u) * weight, 0.0);
        }
    }
    return out;
}

fn morph_numbers(at: u32) -> vec3<f32> {
    return three(morphs[at], morphs[at + 1u], morphs[at + 2u]);
}

fn leave_normal(at: u32, normal: vec3<f32>) {
    out_normals[3u * at] = bitcast<u32>(normal.x);
    out_normals[3u * at + 1u] = bitcast<u32>(normal.y);
    out_normals[3u * at + 2u] = bitcast<u32>(normal.z);
}

fn leave_tangent(at: u32, tangent: vec4<f32>) {
    if (COMPACT) {
        out_tangents[at] = (fold(tangent.xyz) & 0xfffeffffu) | select(0u, 0x10000u, tangent.w < 0.0);
    } else {
        out_tangents[4u * at] = bitcast<u32>(tangent.x);
        out_tangents[4u * at + 1u] = bitcast<u32>(tangent.y);
        out_tangents[4u * at + 2u] = bitcast<u32>(tangent.z);
        out_tangents[4u * at + 3u] = bitcast<u32>(tangent.w);
    }
}

// The vertex with the shapes and muscles of the pose.
fn shaped(bound: Bound, v: u32, pose: u32) -> Vertex {
    var out = bound.rest;
    if (MORPHS) {
        out = morphed(v, pose, out);
    }
    if (MUSCLES) {
        out = displaced(bound.muscles, pose, out);
    }
    return out;
}

fn leave(v: u32, pose: u32, moved: Vertex) {
    let at = pose * job.vertices + v;
    leave_position(at, moved);
    if (NORMALS && !QUADS) {
        leave_normal(at, moved.normal);
    }
    if (TANGENTS) {
        leave_tangent(at, moved.tangent);
    }
}

// One vertex in one pose.
fn work(bound: Bound, v: u32, pose: u32) {
    if (v >= job.vertices) {
        return;
    }
    leave(v, pose, move_vertex(bound, pose, shaped(bound, v, pose)));
}
