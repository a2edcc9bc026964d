// Muscles displace a vertex in mesh space before it is skinned: v + Σ w (E v − v), with E the muscle's motion since rest.

fn displaced(v: u32, pose: u32, rest: Vertex) -> Vertex {
    let lists = job.muscle_lists;
    let first = morphs[lists + v];
    let end = morphs[lists + v + 1u];
    if (first == end) {
        return rest;
    }
    var rows: Rows;
    var still = 1.0;
    for (var i = first; i < end; i++) {
        let entry = lists + job.vertices + 1u + 2u * i;
        let weight = bitcast<f32>(morphs[entry + 1u]);
        rows = with_weighted(rows, rows_at(pose_at(pose) + job.muscles + 3u * morphs[entry]), weight);
        still -= weight;
    }
    rows.x.x += still;
    rows.y.y += still;
    rows.z.z += still;
    return transform_vertex(rows, rest);
}
