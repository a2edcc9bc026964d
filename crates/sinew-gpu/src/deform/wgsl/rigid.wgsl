// Rigid skinning: every vertex follows its strongest joint, which stands first.

struct Sum {
    rows: Rows,
}

fn start(joint: Joint, pose: u32, slot: u32, weight: f32) -> Sum {
    return Sum(matrix_of(joint));
}

fn add(sum: Sum, joint: Joint, pose: u32, slot: u32, weight: f32) -> Sum {
    return sum;
}

fn finish(sum: Sum, bound: Bound, rest: Vertex) -> Vertex {
    return transform_vertex(sum.rows, rest);
}
