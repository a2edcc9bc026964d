// Layer and triangle of each pixel.

struct Picked {
    // Index of the layer plus one.
    layer: vec4<u32>,
}

@group(1) @binding(0) var<uniform> picked: Picked;

struct PickVaryings {
    @builtin(position) clip: vec4<f32>,
    @location(0) @interpolate(flat, either) face: u32,
}

@vertex
fn vs_pick(@builtin(vertex_index) index: u32, @location(0) position: vec3<f32>) -> PickVaryings {
    return PickVaryings(in_region(frame.clip_from_world * vec4(position, 1.0)), index / 3u);
}

@fragment
fn fs_pick(in: PickVaryings) -> @location(0) vec4<u32> {
    return vec4(picked.layer.x, in.face, bitcast<u32>(in.clip.z), 0u);
}
