// Vertices of a crowd: one mesh, many instances, read from the output buffers of deformation.

override FOLDED: bool = false;
override HAS_NORMALS: bool = true;

struct CrowdSize {
    // Vertices of one instance.
    vertices: u32,
    // Stride of positions in words.
    stride: u32,
    unused_a: u32,
    unused_b: u32,
}

@group(3) @binding(0) var<uniform> crowd: CrowdSize;
// Three floats per vertex, and its folded normal if there is no stream of normals; instance by instance.
@group(3) @binding(1) var<storage, read> positions: array<u32>;
// Three floats per vertex.
@group(3) @binding(2) var<storage, read> normals: array<u32>;
// Three rows per instance.
@group(3) @binding(3) var<storage, read> world_from_mesh: array<vec4<f32>>;

struct CrowdVertex {
    @builtin(vertex_index) vertex: u32,
    @builtin(instance_index) instance: u32,
    @location(0) paint: vec3<f32>,
    @location(1) tint: vec3<f32>,
}

fn octahedral(word: u32) -> vec3<f32> {
    let flat_xy = unpack2x16snorm(word);
    var normal = vec3(flat_xy, 1.0 - abs(flat_xy.x) - abs(flat_xy.y));
    let fold = max(-normal.z, 0.0);
    normal.x += select(fold, -fold, normal.x >= 0.0);
    normal.y += select(fold, -fold, normal.y >= 0.0);
    return normal;
}

fn normal_at(vertex: u32) -> vec3<f32> {
    if !HAS_NORMALS {
        return vec3(0.0);
    }
    if FOLDED {
        return octahedral(positions[vertex * crowd.stride + 3u]);
    }
    let first = vertex * 3u;
    return bitcast<vec3<f32>>(vec3(normals[first], normals[first + 1u], normals[first + 2u]));
}

@vertex
fn vs_crowd(in: CrowdVertex) -> Varyings {
    let vertex = in.instance * crowd.vertices + in.vertex;
    let first = vertex * crowd.stride;
    let local = bitcast<vec3<f32>>(vec3(positions[first], positions[first + 1u], positions[first + 2u]));
    let rows = array(
        world_from_mesh[in.instance * 3u],
        world_from_mesh[in.instance * 3u + 1u],
        world_from_mesh[in.instance * 3u + 2u],
    );
    let place = vec3(dot(rows[0].xyz, local), dot(rows[1].xyz, local), dot(rows[2].xyz, local))
        + vec3(rows[0].w, rows[1].w, rows[2].w);
    // The cofactor matrix transforms normals under any scale. For a mirrored instance it flips the normal, and
    // so does the back side that its triangles then show.
    let cofactors = array(cross(rows[1].xyz, rows[2].xyz), cross(rows[2].xyz, rows[0].xyz), cross(rows[0].xyz, rows[1].xyz));
    let normal = normal_at(vertex);
    var out: Varyings;
    out.clip = frame.clip_from_world * vec4(place, 1.0);
    out.normal = vec3(dot(cofactors[0], normal), dot(cofactors[1], normal), dot(cofactors[2], normal));
    out.paint = in.paint;
    out.tint = in.tint;
    out.corner = vec3(1.0);
    out.even_place = place;
    out.even_paint = in.paint;
    out.even_corner = vec3(1.0);
    return out;
}
