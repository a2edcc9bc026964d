// Every vertex has its own influences.

// One vertex in one pose.
fn work(bound: Bound, v: u32, pose: u32, half: u32) {
    if (v >= job.vertices) {
        return;
    }
    leave(v, pose, move_vertex(bound, pose, half, shaped(v, pose, bound.rest)));
}
