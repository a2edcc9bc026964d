// Direct delta mush without second moments: the pivot p goes to q = Σ (s K p + L d), the rest turns by the blend of the
// joints' rotations, and v' = R (v − p) + q.

fn move_vertex(bound: Bound, pose: u32, rest: Vertex) -> Vertex {
    let pivot = bound.center;
    let stretched = stretched_pose;
    var real = vec4(0.0);
    var strongest = vec4(0.0);
    var moved = vec3(0.0);
    var stretch: Rows;
    for (var i = bound.first; i < bound.end; i++) {
        let entry = job.vertices + 1u + i * job.moments_stride;
        let slot = lists[entry];
        let weight = bitcast<f32>(lists[entry + 1u]);
        let joint = joint_of(pose, slot);
        let rotation = real_of(joint);
        let rows = matrix_of(joint);
        if (i == bound.first) {
            strongest = rotation;
        }
        real += rotation * select(weight, -weight, dot(rotation, strongest) < 0.0);
        moved += place(rows, pivot) * weight;
        if (job.moments_stride > 2u) {
            moved += through(rows, three(lists[entry + 2u], lists[entry + 3u], lists[entry + 4u]));
        }
        if (stretched) {
            stretch = stretched_by(stretch, pose, slot, weight);
        }
    }
    let size = length(real);
    let rotation = select(strongest, real / size, size > 0.0);
    var offset = rest.position - pivot;
    if (stretched) {
        offset = through(stretch, offset);
    }
    return turn_vertex(rotation, stretch, stretched, turn(rotation, offset) + moved, rest);
}
