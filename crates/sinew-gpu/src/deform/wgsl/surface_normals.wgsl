// Normals and tangents of the deformed surface, from the positions that another kernel has left. The twin of
// `sinew::deform::write_surface_normals`.

struct NormalJob {
    vertices: u32,
    // Rows of a pose.
    pose_stride: u32,
    // Words from one position to the next.
    position_words: u32,
    unused: u32,
}

@group(0) @binding(0) var<uniform> job: NormalJob;
// The record of every vertex, then the vertices around each.
@group(0) @binding(1) var<storage, read> rings: array<u32>;
@group(0) @binding(2) var<storage, read> poses: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> positions: array<u32>;
@group(0) @binding(4) var<storage, read_write> normals: array<u32>;
@group(0) @binding(5) var<storage, read_write> tangents: array<u32>;

// Words of the record of a vertex: where its ring begins and ends, its normal on the ring in three, its tangent in three, and
// the end of the second edge.
const RECORD: u32 = 9u;
// The bit of an entry that begins a fan of triangles.
const FAN: u32 = 0x80000000u;

fn numbers(at: u32) -> vec3<f32> {
    return bitcast<vec3<f32>>(vec3(rings[at], rings[at + 1u], rings[at + 2u]));
}

fn position_of(v: u32) -> vec3<f32> {
    let at = job.position_words * v;
    return bitcast<vec3<f32>>(vec3(positions[at], positions[at + 1u], positions[at + 2u]));
}

fn normal_of(at: u32) -> vec3<f32> {
    if (QUADS) {
        return unfold(positions[4u * at + 3u]);
    }
    return bitcast<vec3<f32>>(vec3(normals[3u * at], normals[3u * at + 1u], normals[3u * at + 2u]));
}

fn leave_normal(at: u32, normal: vec3<f32>) {
    if (QUADS) {
        positions[4u * at + 3u] = fold(normal);
    } else {
        normals[3u * at] = bitcast<u32>(normal.x);
        normals[3u * at + 1u] = bitcast<u32>(normal.y);
        normals[3u * at + 2u] = bitcast<u32>(normal.z);
    }
}

fn leave_tangent(at: u32, tangent: vec3<f32>) {
    if (COMPACT) {
        tangents[at] = (fold(tangent) & 0xfffeffffu) | (tangents[at] & 0x10000u);
    } else {
        tangents[4u * at] = bitcast<u32>(tangent.x);
        tangents[4u * at + 1u] = bitcast<u32>(tangent.y);
        tangents[4u * at + 2u] = bitcast<u32>(tangent.z);
    }
}

@compute @workgroup_size(64)
fn refit(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= job.vertices) {
        return;
    }
    let first = id.y * job.vertices;
    let at = first + id.x;
    let record = RECORD * id.x;
    let begin = rings[record];
    let end = rings[record + 1u];
    if (begin == end) {
        return;
    }
    let center = position_of(at);
    let first_edge = position_of(first + (rings[begin] & ~FAN)) - center;
    var sum = vec3(0.0);
    var before = vec3(0.0);
    for (var i = begin; i < end; i++) {
        let entry = rings[i];
        let edge = position_of(first + (entry & ~FAN)) - center;
        sum += select(vec3(0.0), cross(before, edge), (entry & FAN) == 0u);
        before = edge;
    }
    let up = unit_or_zero(sum);
    let on_ring = numbers(record + 2u);
    let flat_edge = unit_or_zero(first_edge - up * dot(first_edge, up));
    let in_plane = flat_edge * on_ring.y + cross(up, flat_edge) * on_ring.z;
    var side = 1.0;
    // Where joints mirror, the order of the corners of a triangle has changed sides, and the normal has not.
    if (poses[id.y * job.pose_stride].z > 0.0 && dot(up * on_ring.x + in_plane, normal_of(at)) < 0.0) {
        side = -1.0;
    }
    let normal = unit_or_zero(up * (on_ring.x * side) + in_plane);
    if (all(normal == vec3(0.0)) || all(up == vec3(0.0))) {
        return;
    }
    leave_normal(at, normal);
    if (TANGENTS) {
        let second_edge = position_of(first + rings[record + 8u]) - center;
        let parts = numbers(record + 5u);
        let flat_first = first_edge - up * dot(first_edge, up);
        let flat_second = second_edge - up * dot(second_edge, up);
        let along = flat_first * parts.x + flat_second * parts.y + up * (parts.z * side);
        let tangent = unit_or_zero(along - normal * dot(along, normal));
        if (any(tangent != vec3(0.0))) {
            leave_tangent(at, tangent);
        }
    }
}
