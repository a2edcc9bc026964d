// Muscles displace a vertex in mesh space before it is skinned: v + Σ w (E v − v), with E the muscle's motion since rest.

// The muscle influences of a vertex, the same in every pose: the first, which mostly is the only one, and where the next
// ones stand.
struct Muscles {
    count: u32,
    next: u32,
    slot: u32,
    weight: f32,
}

fn muscles_of(v: u32) -> Muscles {
    let first = morphs[job.muscle_lists + v];
    let count = morphs[job.muscle_lists + v + 1u] - first;
    let entry = muscle_entry(first);
    // Where a vertex has no muscles this is another's, or nothing, and goes unread.
    return Muscles(count, entry + 2u, morphs[entry], bitcast<f32>(morphs[entry + 1u]));
}

fn muscle_entry(i: u32) -> u32 {
    return job.muscle_lists + job.vertices + 1u + 2u * i;
}

fn muscle_motion(pose: u32, slot: u32) -> Rows {
    return rows_at(pose_at(pose) + job.muscles + 3u * slot);
}

fn displaced(muscles: Muscles, pose: u32, rest: Vertex) -> Vertex {
    if (muscles.count == 0u) {
        return rest;
    }
    var rows = weighted(muscle_motion(pose, muscles.slot), muscles.weight);
    var still = 1.0 - muscles.weight;
    for (var i = 1u; i < muscles.count; i++) {
        let entry = muscles.next + 2u * (i - 1u);
        let weight = bitcast<f32>(morphs[entry + 1u]);
        rows = with_weighted(rows, muscle_motion(pose, morphs[entry]), weight);
        still -= weight;
    }
    rows.x.x += still;
    rows.y.y += still;
    rows.z.z += still;
    return transform_vertex(rows, rest);
}
