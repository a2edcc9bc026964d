// Camera, lights and shadow map, shared by all shaders of a picture.

const MAX_LAMPS = 16u;

struct Lamp {
    // Unit vector from the subject to the light; w is the wrap of the light.
    towards: vec4<f32>,
    // Color times intensity; w is the strength of highlights.
    color: vec4<f32>,
}

struct Frame {
    clip_from_world: mat4x4<f32>,
    // The eye, or in an orthographic projection (w is 0) the direction to the viewer.
    viewer: vec4<f32>,
    // Width and height in pixels, then the part of the picture that is drawn: scale, offset.
    size: vec4<f32>,
    region: vec4<f32>,
    // Smallest w of a line, then factor and offset that move lines towards the camera.
    line: vec4<f32>,
    // Ambient light from above; w is the number of lights.
    sky: vec4<f32>,
    // Ambient light from below; w is the darkness of shadows, 0 without any.
    bounce: vec4<f32>,
    rim: vec4<f32>,
    // Rows of the matrix from world space to the light's axes.
    light_from_world: array<vec4<f32>, 3>,
    // Corner of the shadow map across the light, texels per meter.
    shadow: vec4<f32>,
    // Texels across and down, minimum depth, range of depths.
    shadow_size: vec4<f32>,
    lamps: array<Lamp, MAX_LAMPS>,
}

@group(0) @binding(0) var<uniform> frame: Frame;

// The unit vector from a point in world space towards the viewer.
fn towards_viewer(place: vec3<f32>) -> vec3<f32> {
    if frame.viewer.w == 0.0 {
        return frame.viewer.xyz;
    }
    return normalize_or(frame.viewer.xyz - place, vec3(0.0, 0.0, 1.0));
}

fn normalize_or(vector: vec3<f32>, fallback: vec3<f32>) -> vec3<f32> {
    let square = dot(vector, vector);
    if square > 1e-30 {
        return vector * inverseSqrt(square);
    }
    return fallback;
}

// Clip space of the drawn part of the picture.
fn in_region(clip: vec4<f32>) -> vec4<f32> {
    return vec4(clip.xy * frame.region.xy + frame.region.zw * clip.w, clip.zw);
}
