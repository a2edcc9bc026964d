// Positions on their way out together with folded normals: one store of sixteen bytes a vertex.

@group(0) @binding(5) var<storage, read_write> out_positions: array<vec4<u32>>;

fn leave_position(at: u32, moved: Vertex) {
    out_positions[at] = vec4(bitcast<vec3<u32>>(moved.position), fold(moved.normal));
}
