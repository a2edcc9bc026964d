// The shadow on the ground, viewed from above: triangles projected along the light, then blurred.
//
// Three masks in three channels: low parts, parts up to the knee, everything. Each is blurred more than
// the previous one; the darkest wins.

struct Mask {
    // World X and Z of the corner, texels per meter, world Y of the ground.
    corner: vec4<f32>,
    // Texels across and down, shadow offset along X and Z per meter of height.
    size: vec4<f32>,
    // Largest height of a part in the first and the second mask.
    limits: vec4<f32>,
    // Blur radius of each mask in texels.
    radii: vec4<u32>,
    // Step between texels, then 1 if the masks are combined.
    step: vec4<i32>,
}

@group(0) @binding(0) var<uniform> mask: Mask;
@group(1) @binding(0) var masks: texture_2d<f32>;

struct CastVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) lift: f32,
}

@vertex
fn vs_cast(@location(0) position: vec3<f32>) -> CastVertex {
    let lift = max(position.y - mask.corner.w, 0.0);
    let place = position.xz - mask.size.zw * lift;
    let fraction = (place - mask.corner.xy) * mask.corner.z / mask.size.xy;
    return CastVertex(vec4(fraction.x * 2.0 - 1.0, 1.0 - fraction.y * 2.0, 0.5, 1.0), lift);
}

@fragment
fn fs_cast(in: CastVertex) -> @location(0) vec4<f32> {
    return vec4(f32(in.lift <= mask.limits.x), f32(in.lift <= mask.limits.y), 1.0, 1.0);
}

@vertex
fn vs_blur(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return vec4(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.5, 1.0);
}

@fragment
fn fs_blur(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    let middle = vec2<i32>(pixel.xy);
    let size = vec2<i32>(mask.size.xy);
    let radii = vec3<i32>(mask.radii.xyz);
    let reach = max(radii.x, max(radii.y, radii.z));
    var sum = vec3(0.0);
    for (var step = -reach; step <= reach; step++) {
        let at = middle + mask.step.xy * step;
        // Texels beyond the border are lit.
        if all(at >= vec2(0)) && all(at < size) {
            let inside = vec3<f32>(vec3(abs(step)) <= radii);
            sum += textureLoad(masks, at, 0).xyz * inside;
        }
    }
    let mean = sum / vec3<f32>(2 * radii + 1);
    if mask.step.z == 0 {
        return vec4(mean, 1.0);
    }
    let dark = max(mean.x, max(mean.y * 0.85, mean.z * 0.70));
    return vec4(dark, dark, dark, 1.0);
}
