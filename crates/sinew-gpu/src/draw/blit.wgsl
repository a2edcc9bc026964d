// Copies a finished picture onto another surface.

override ENCODE: bool = false;

@group(0) @binding(0) var finished: texture_2d<f32>;
@group(0) @binding(1) var finished_sampler: sampler;

struct BlitVaryings {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

@vertex
fn vs_blit(@builtin(vertex_index) index: u32) -> BlitVaryings {
    let corner = vec2(f32(index & 1u), f32(index >> 1u)) * 2.0;
    return BlitVaryings(vec4(corner.x * 2.0 - 1.0, 1.0 - corner.y * 2.0, 0.0, 1.0), corner);
}

fn srgb_encoded(value: vec3<f32>) -> vec3<f32> {
    let curved = 1.055 * pow(max(value, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055;
    return select(curved, value * 12.92, value <= vec3(0.0031308));
}

@fragment
fn fs_blit(in: BlitVaryings) -> @location(0) vec4<f32> {
    let color = textureSampleLevel(finished, finished_sampler, in.uv, 0.0);
    if !ENCODE {
        return color;
    }
    // Surfaces without the sRGB curve blend premultiplied bytes: encode the color, then multiply.
    let straight = color.xyz / max(color.w, 1e-6);
    return vec4(srgb_encoded(straight) * color.w, color.w);
}
