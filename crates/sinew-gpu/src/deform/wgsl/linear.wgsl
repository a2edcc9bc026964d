// Linear blend skinning: (Σ w K) v over any number of influences.

struct Sum {
    rows: Rows,
}

fn start(joint: Joint, pose: u32, slot: u32, weight: f32) -> Sum {
    return Sum(Rows(joint.rows.x * weight, joint.rows.y * weight, joint.rows.z * weight));
}

fn add(sum: Sum, joint: Joint, pose: u32, slot: u32, weight: f32) -> Sum {
    let m = joint.rows;
    return Sum(Rows(sum.rows.x + m.x * weight, sum.rows.y + m.y * weight, sum.rows.z + m.z * weight));
}

fn finish(sum: Sum, pose: u32, raw: Raw, rest: Vertex) -> Vertex {
    return transform_vertex(sum.rows, rest);
}
