// The material of one layer.

const SOLID = 0u;
const STREAM = 1u;
const SCALAR = 2u;
const TEXTURE = 3u;

const LIT = 0u;
const UNLIT = 1u;
const NORMALS = 2u;

const SMOOTH = 1u;
const SHADED = 2u;
const VERTEX_COLORS = 4u;

struct Material {
    // Color of a solid paint, tint of a texture.
    color: vec4<f32>,
    wire: vec4<f32>,
    contour: vec4<f32>,
    // Low end, one over the range, bands of contours, width of contours in pixels (0 is none).
    scalar: vec4<f32>,
    // Gloss, opacity, opacity where hidden, width of wires in pixels (0 is none).
    finish: vec4<f32>,
    // Texels across and down, alpha below which there are holes (negative is none).
    picture: vec4<f32>,
    // Paint, shading, flags, row of the color ramp.
    kind: vec4<u32>,
}

@group(1) @binding(0) var<uniform> material: Material;

// Whether this pipeline draws what opaque layers hide.
override HIDDEN: bool = false;

// A color with the layer's opacity, premultiplied.
fn shared_out(color: vec3<f32>) -> vec4<f32> {
    let fraction = material.finish.y * select(1.0, material.finish.z, HIDDEN);
    return vec4(color * fraction, fraction);
}
