// A quad holds the weights of a thread's four vertices, which lie a quarter of a block apart.
alias VertexWeights = vec4<f32>;

fn weights_at(at: u32, lane: u32) -> VertexWeights {
    return bitcast<vec4<f32>>(quads[at + lane]);
}
