// Vertices of a mesh layer, shared by triangles or one for each corner of each triangle.

struct Vertex {
    @builtin(vertex_index) index: u32,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) paint: vec3<f32>,
    @location(3) tint: vec3<f32>,
}

@vertex
fn vs_mesh(in: Vertex) -> Varyings {
    // Valid only with unshared corners.
    let corner = in.index % 3u;
    let weights = vec3(f32(corner == 0u), f32(corner == 1u), f32(corner == 2u));
    var out: Varyings;
    out.clip = frame.clip_from_world * vec4(in.position, 1.0);
    out.normal = in.normal;
    out.paint = in.paint;
    out.tint = in.tint;
    out.corner = weights;
    out.even_place = in.position;
    out.even_paint = in.paint;
    out.even_corner = weights;
    return out;
}
