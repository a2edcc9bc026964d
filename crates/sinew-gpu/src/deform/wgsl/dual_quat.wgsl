// Dual quaternions in two phases: stretches are blended as matrices, rigid motions as dual quaternions.

struct Sum {
    // The rotation of the strongest joint: the others are taken on its hemisphere.
    pivot: vec4<f32>,
    strongest: u32,
    real: vec4<f32>,
    dual: vec4<f32>,
    stretch: Rows,
}

fn start(joint: Joint, pose: u32, slot: u32, weight: f32) -> Sum {
    var out: Sum;
    out.pivot = real_of(joint);
    out.strongest = slot;
    return add(out, joint, pose, slot, weight);
}

fn add(sum: Sum, joint: Joint, pose: u32, slot: u32, weight: f32) -> Sum {
    let real = real_of(joint);
    let signed = signed_weight(real, sum.pivot, weight);
    var out = sum;
    out.real += real * signed;
    out.dual += dual_of(joint) * signed;
    if (stretched_pose) {
        out.stretch = stretched_by(sum.stretch, pose, slot, weight);
    }
    return out;
}

fn finish(sum: Sum, bound: Bound, rest: Vertex) -> Vertex {
    let own = own_part(sum.real);
    var real = sum.real;
    var dual = sum.dual;
    if (own > 0.0) {
        real += sum.pivot * own;
        dual += dual_of(joint_of(pose_in_hand, sum.strongest)) * own;
    }
    let inverse = inverseSqrt(dot(real, real));
    real *= inverse;
    dual *= inverse;
    let stretched = stretched_pose;
    var point = rest.position;
    if (stretched) {
        point = place(sum.stretch, point);
    }
    let moved = 2.0 * (dual.xyz * real.w - real.xyz * dual.w + cross(real.xyz, dual.xyz));
    return turn_vertex(real, sum.stretch, stretched, turn(real, point) + moved, rest);
}
