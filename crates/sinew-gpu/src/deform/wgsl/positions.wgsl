// Positions on their way out: three numbers a vertex.

@group(0) @binding(5) var<storage, read_write> out_positions: array<u32>;

fn leave_position(at: u32, moved: Vertex) {
    out_positions[3u * at] = bitcast<u32>(moved.position.x);
    out_positions[3u * at + 1u] = bitcast<u32>(moved.position.y);
    out_positions[3u * at + 2u] = bitcast<u32>(moved.position.z);
}
