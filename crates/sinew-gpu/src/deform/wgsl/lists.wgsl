// More influences than the fixed layout has: each vertex owns a piece of a list, its strongest joint first.

fn listed_slot(i: u32) -> u32 {
    return lists[job.vertices + 1u + 2u * i];
}

fn listed_weight(i: u32) -> f32 {
    return bitcast<f32>(lists[job.vertices + 2u + 2u * i]);
}

fn move_vertex(bound: Bound, pose: u32, rest: Vertex) -> Vertex {
    let strongest = listed_slot(bound.first);
    var sum = start(joint_of(pose, strongest), pose, strongest, listed_weight(bound.first));
    for (var i = bound.first + 1u; i < bound.end; i++) {
        let slot = listed_slot(i);
        sum = add(sum, joint_of(pose, slot), pose, slot, listed_weight(i));
    }
    return finish(sum, bound, rest);
}
