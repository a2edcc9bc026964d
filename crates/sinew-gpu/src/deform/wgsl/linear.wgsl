// Linear blend skinning: (Σ w K) v over any number of influences.

struct Sum {
    rows: Rows,
}

fn start(joint: Joint, pose: u32, slot: u32, weight: f32) -> Sum {
    return Sum(weighted(matrix_of(joint), weight));
}

fn add(sum: Sum, joint: Joint, pose: u32, slot: u32, weight: f32) -> Sum {
    return Sum(with_weighted(sum.rows, matrix_of(joint), weight));
}

fn finish(sum: Sum, bound: Bound, rest: Vertex) -> Vertex {
    return transform_vertex(sum.rows, rest);
}
