// The shadow on the ground, seen from above: triangles thrown along the light, then blurred.
//
// Three masks stand in three channels: low parts, parts up to the knee, everything. Each is blurred more than
// the one before; the darkest counts.

struct Mask {
    // World X and Z of the corner, texels a metre, world Y of the ground.
    corner: vec4<f32>,
    // Texels across and down, metres the shadow moves a metre of height along X and Z.
    size: vec4<f32>,
    // Greatest height of a part in the first and the second mask.
    limits: vec4<f32>,
    // Texels that each mask is blurred by.
    radii: vec4<u32>,
    // Step between texels, then 1 where the masks are put together.
    step: vec4<i32>,
}

@group(0) @binding(0) var<uniform> mask: Mask;
@group(1) @binding(0) var masks: texture_2d<f32>;

struct Thrown {
    @builtin(position) clip: vec4<f32>,
    @location(0) lift: f32,
}

@vertex
fn vs_throw(@location(0) position: vec3<f32>) -> Thrown {
    let lift = max(position.y - mask.corner.w, 0.0);
    let place = position.xz - mask.size.zw * lift;
    let share = (place - mask.corner.xy) * mask.corner.z / mask.size.xy;
    return Thrown(vec4(share.x * 2.0 - 1.0, 1.0 - share.y * 2.0, 0.5, 1.0), lift);
}

@fragment
fn fs_throw(in: Thrown) -> @location(0) vec4<f32> {
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
        // Beyond the border there is light.
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
