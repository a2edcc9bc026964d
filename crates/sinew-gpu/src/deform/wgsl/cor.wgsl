// Centers of rotation: q (Σ w S)(v − p) q⁻¹ + (Σ w K) p about each vertex's center p.

struct Sum {
    pivot: vec4<f32>,
    real: vec4<f32>,
    rows: Rows,
    stretch: Rows,
}

fn start(joint: Joint, pose: u32, slot: u32, weight: f32) -> Sum {
    var out: Sum;
    out.pivot = joint.real;
    return add(out, joint, pose, slot, weight);
}

fn add(sum: Sum, joint: Joint, pose: u32, slot: u32, weight: f32) -> Sum {
    let m = joint.rows;
    var out = sum;
    out.real += joint.real * select(weight, -weight, dot(joint.real, sum.pivot) < 0.0);
    out.rows = Rows(sum.rows.x + m.x * weight, sum.rows.y + m.y * weight, sum.rows.z + m.z * weight);
    if (stretched_pose) {
        out.stretch = stretched_by(sum.stretch, pose, slot, weight);
    }
    return out;
}

fn finish(sum: Sum, pose: u32, raw: Raw, rest: Vertex) -> Vertex {
    let rotation = normalize(sum.real);
    let center = center_of(raw);
    let stretched = stretched_pose;
    var offset = rest.position - center;
    if (stretched) {
        offset = through(sum.stretch, offset);
    }
    let position = turn(rotation, offset) + place(sum.rows, center);
    return turn_vertex(rotation, sum.stretch, stretched, position, rest);
}
