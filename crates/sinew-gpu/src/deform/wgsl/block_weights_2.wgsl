// A quad holds the weights of vertices a quarter of a block apart, so a thread with two vertices takes every other one.
alias VertexWeights = vec2<f32>;

fn weights_at(at: u32, lane: u32) -> VertexWeights {
    let four = bitcast<vec4<f32>>(quads[at + lane % BLOCK_QUADS]);
    return select(four.xz, four.yw, lane >= BLOCK_QUADS);
}
