// What every kernel is given. The lines before this file are made by `shader.rs`: constants of the streams.

struct Job {
    vertices: u32,
    // Words from one plane of the mesh to the next: word w of vertex v stands at w * plane + v.
    plane: u32,
    poses: u32,
    // A thread keeps its vertex and moves it through so many poses.
    poses_per_thread: u32,
    // The sections of a pose, in rows of four numbers.
    pose_stride: u32,
    matrices: u32,
    dual_quats: u32,
    stretches: u32,
    morph_weights: u32,
    // Words of one entry of direct delta mush.
    moments_stride: u32,
    joints: u32,
    // The section of a pose with the motions of muscles, and the word of the lists of muscle influences.
    muscles: u32,
    muscle_lists: u32,
    // The word of the mesh at which the bones of contact skinning begin.
    contact_bones: u32,
}

@group(0) @binding(0) var<uniform> job: Job;
@group(0) @binding(1) var<storage, read> mesh: array<u32>;
@group(0) @binding(2) var<storage, read> lists: array<u32>;
@group(0) @binding(3) var<storage, read> poses: array<vec4<f32>>;
// Lists of morph targets, then those of muscles.
@group(0) @binding(4) var<storage, read> morphs: array<u32>;
// Binding 5 takes positions: positions.wgsl or quads.wgsl.
@group(0) @binding(6) var<storage, read_write> out_normals: array<u32>;
@group(0) @binding(7) var<storage, read_write> out_tangents: array<u32>;
// Position and folded normal of every vertex of a compact mesh.
@group(0) @binding(8) var<storage, read> quads: array<vec4<u32>>;

// A vertex in mesh space.
struct Vertex {
    position: vec3<f32>,
    normal: vec3<f32>,
    tangent: vec4<f32>,
}

// Three rows of a matrix that takes (x, y, z, 1).
struct Rows {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

fn word(index: u32, vertex: u32) -> u32 {
    return mesh[index * job.plane + vertex];
}

fn three(x: u32, y: u32, z: u32) -> vec3<f32> {
    return bitcast<vec3<f32>>(vec3(x, y, z));
}

fn rows_at(first: u32) -> Rows {
    return Rows(poses[first], poses[first + 1u], poses[first + 2u]);
}

// Where the record of a pose begins. Its first row holds flags.
fn pose_at(pose: u32) -> u32 {
    return pose * job.pose_stride;
}

// Whether joints of the pose in hand stretch; the flag in its record, read once.
var<private> stretched_pose: bool;

// Whether the signs of rotations are followed in time; the second flag.
var<private> followed_pose: bool;

var<private> pose_in_hand: u32;

fn take_pose(pose: u32) {
    pose_in_hand = pose;
    let flags = poses[pose_at(pose)];
    stretched_pose = flags.x > 0.0;
    followed_pose = flags.y > 0.0;
}
