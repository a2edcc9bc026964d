// Dual quaternions in two phases: stretches are blended as matrices, rigid motions as dual quaternions.

struct Sum {
    // The rotation of the strongest joint: the others are taken on its hemisphere.
    pivot: vec4<f32>,
    real: vec4<f32>,
    dual: vec4<f32>,
    stretch: Rows,
}

fn start(joint: Joint, pose: u32, slot: u32, weight: f32) -> Sum {
    var out: Sum;
    out.pivot = joint.real;
    return add(out, joint, pose, slot, weight);
}

fn add(sum: Sum, joint: Joint, pose: u32, slot: u32, weight: f32) -> Sum {
    let signed = select(weight, -weight, dot(joint.real, sum.pivot) < 0.0);
    var out = sum;
    out.real += joint.real * signed;
    out.dual += joint.dual * signed;
    if (stretched_pose) {
        out.stretch = stretched_by(sum.stretch, pose, slot, weight);
    }
    return out;
}

fn finish(sum: Sum, pose: u32, raw: Raw, rest: Vertex) -> Vertex {
    let inverse = inverseSqrt(dot(sum.real, sum.real));
    let real = sum.real * inverse;
    let dual = sum.dual * inverse;
    let stretched = stretched_pose;
    var point = rest.position;
    if (stretched) {
        point = place(sum.stretch, point);
    }
    let moved = 2.0 * (dual.xyz * real.w - real.xyz * dual.w + cross(real.xyz, dual.xyz));
    return turn_vertex(real, sum.stretch, stretched, turn(real, point) + moved, rest);
}
