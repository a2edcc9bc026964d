// Centers of rotation: q (Σ w S)(v − p) q⁻¹ + (Σ w K) p about each vertex's center p.

struct Sum {
    pivot: vec4<f32>,
    real: vec4<f32>,
    rows: Rows,
    stretch: Rows,
}

fn start(joint: Joint, pose: u32, slot: u32, weight: f32) -> Sum {
    var out: Sum;
    out.pivot = real_of(joint);
    return add(out, joint, pose, slot, weight);
}

fn add(sum: Sum, joint: Joint, pose: u32, slot: u32, weight: f32) -> Sum {
    let real = real_of(joint);
    var out = sum;
    out.real += real * signed_weight(real, sum.pivot, weight);
    out.rows = with_weighted(sum.rows, matrix_of(joint), weight);
    if (stretched_pose) {
        out.stretch = stretched_by(sum.stretch, pose, slot, weight);
    }
    return out;
}

fn finish(sum: Sum, bound: Bound, rest: Vertex) -> Vertex {
    let rotation = normalize(sum.real + sum.pivot * own_part(sum.real));
    let center = bound.center;
    let stretched = stretched_pose;
    var offset = rest.position - center;
    if (stretched) {
        offset = through(sum.stretch, offset);
    }
    let position = turn(rotation, offset) + place(sum.rows, center);
    return turn_vertex(rotation, sum.stretch, stretched, position, rest);
}
