// The color of a mesh at one point: paint, light, then lines over it.

@group(0) @binding(1) var ramps: texture_2d<f32>;
@group(2) @binding(0) var picture: texture_2d<f32>;
@group(2) @binding(1) var picture_sampler: sampler;

struct Varyings {
    @invariant @builtin(position) clip: vec4<f32>,
    // Sampled in the middle of the covered part of a pixel: colors must stay in range at edges.
    @location(0) @interpolate(perspective, centroid) normal: vec3<f32>,
    @location(1) @interpolate(perspective, centroid) paint: vec3<f32>,
    @location(2) @interpolate(perspective, centroid) tint: vec3<f32>,
    @location(3) @interpolate(perspective, centroid) corner: vec3<f32>,
    // Sampled at the pixel center: derivatives need even steps. So do positions: software renderers place a position
    // sampled elsewhere too near or too far on edge-on triangles, which shadows show.
    @location(4) even_place: vec3<f32>,
    @location(5) even_paint: vec3<f32>,
    @location(6) even_corner: vec3<f32>,
}

struct Slopes {
    place: array<vec3<f32>, 2>,
    paint: array<vec3<f32>, 2>,
    corner: array<vec3<f32>, 2>,
}

fn slopes_of(in: Varyings) -> Slopes {
    var slopes: Slopes;
    slopes.place = array(dpdx(in.even_place), dpdy(in.even_place));
    slopes.paint = array(dpdx(in.even_paint), dpdy(in.even_paint));
    slopes.corner = array(dpdx(in.even_corner), dpdy(in.even_corner));
    return slopes;
}

fn is_hole(in: Varyings) -> bool {
    if material.kind.x != TEXTURE || material.picture.z < 0.0 {
        return false;
    }
    let alpha = textureSampleLevel(picture, picture_sampler, in.even_paint.xy, 0.0).w * material.color.w;
    return alpha < material.picture.z;
}

// The unit normal on the visible side; the triangle's own if the mesh has no normals.
fn normal_of(in: Varyings, slopes: Slopes, viewer: vec3<f32>, front: bool) -> vec3<f32> {
    let square = dot(in.normal, in.normal);
    if (material.kind.z & SMOOTH) != 0u && square > 1e-30 {
        return in.normal * inverseSqrt(square) * select(-1.0, 1.0, front);
    }
    let flat_normal = normalize_or(cross(slopes.place[0], slopes.place[1]), viewer);
    return flat_normal * select(1.0, -1.0, dot(flat_normal, viewer) < 0.0);
}

fn ramp_color(value: f32) -> vec3<f32> {
    let place = clamp(value, 0.0, 1.0) * 511.0;
    let cell = min(i32(place), 510);
    let row = i32(material.kind.w);
    let low = textureLoad(ramps, vec2(cell, row), 0).xyz;
    let high = textureLoad(ramps, vec2(cell + 1, row), 0).xyz;
    return mix(low, high, place - f32(cell));
}

fn contour_cover(value: f32, slope: f32) -> f32 {
    let bands = material.scalar.z;
    let place = value * bands;
    let step = slope * bands;
    if step < 1e-5 || place < 0.5 || place > bands - 0.5 {
        return 0.0;
    }
    let distance_px = abs(place - round(place)) / step;
    let room = clamp(0.34 / step - 0.4, 0.0, 1.0);
    return clamp(material.scalar.w * 0.5 + 0.5 - distance_px, 0.0, 1.0) * material.contour.w * room;
}

fn scalar_color(in: Varyings, slopes: Slopes) -> vec3<f32> {
    // The second component marks NaN values.
    if in.paint.y > 0.0 {
        return vec3(1.0, 0.0, 1.0);
    }
    let value = (in.paint.x - material.scalar.x) * material.scalar.y;
    let color = ramp_color(value);
    if material.scalar.w <= 0.0 {
        return color;
    }
    let slope = length(vec2(slopes.paint[0].x, slopes.paint[1].x)) * abs(material.scalar.y);
    return mix(color, material.contour.xyz, contour_cover(value, slope));
}

// The level of detail of a footprint in texels: a logarithm with a linear mantissa.
fn level_of(texels: f32) -> f32 {
    if texels <= 1.0 {
        return 0.0;
    }
    let bits = bitcast<u32>(min(texels, 1e9));
    return f32((bits >> 23u) - 127u) + f32(bits & 0x7fffffu) / 8388608.0;
}

fn texture_color(in: Varyings, slopes: Slopes) -> vec3<f32> {
    let footprint = (abs(slopes.paint[0].xy) + abs(slopes.paint[1].xy)) * 0.6;
    let texels = footprint * material.picture.xy;
    let level = level_of(max(texels.x, texels.y));
    let texel = textureSampleLevel(picture, picture_sampler, in.even_paint.xy, level);
    let color = texel.xyz / max(texel.w, 1e-6) * material.color.xyz;
    return color * select(vec3(1.0), in.tint, (material.kind.z & VERTEX_COLORS) != 0u);
}

fn albedo_of(in: Varyings, slopes: Slopes) -> vec3<f32> {
    switch material.kind.x {
        case STREAM: { return in.paint; }
        case SCALAR: { return scalar_color(in, slopes); }
        case TEXTURE: { return texture_color(in, slopes); }
        default: { return material.color.xyz; }
    }
}

fn srgb_decoded(value: vec3<f32>) -> vec3<f32> {
    let curved = pow((value + 0.055) / 1.055, vec3(2.4));
    return select(curved, value / 12.92, value <= vec3(0.04045));
}

// How much of a pixel the nearest edge of the triangle covers.
fn wire_cover(corner: vec3<f32>, slopes: array<vec3<f32>, 2>) -> f32 {
    let width = material.finish.w;
    let steep = max(sqrt(slopes[0] * slopes[0] + slopes[1] * slopes[1]), vec3(1e-9));
    let distances = corner / steep;
    let heights = 1.0 / steep;
    let nearest = min(distances.x, min(distances.y, distances.z));
    let height = min(heights.x, min(heights.y, heights.z));
    // If triangles are hardly larger than the line, it thins out instead of covering everything.
    let room = clamp(height / (5.0 * max(width, 0.1)), 0.0, 1.0);
    return clamp(width * 0.5 + 0.5 - nearest, 0.0, 1.0) * room;
}

fn surface_color(in: Varyings, slopes: Slopes, front: bool) -> vec3<f32> {
    let viewer = towards_viewer(in.even_place);
    var color: vec3<f32>;
    if material.kind.y == UNLIT {
        color = albedo_of(in, slopes);
    } else {
        let normal = normal_of(in, slopes, viewer, front);
        if material.kind.y == NORMALS {
            color = srgb_decoded(floor(clamp(normal * 0.5 + 0.5, vec3(0.0), vec3(1.0)) * 255.0) / 255.0);
        } else {
            var fraction = 1.0;
            if (material.kind.z & SHADED) != 0u && frame.bounce.w > 0.0 {
                fraction = key_light(in.even_place, normal);
            }
            color = tone_mapped(reflected(Facet(albedo_of(in, slopes), normal, viewer, material.finish.x, fraction)));
        }
    }
    if material.finish.w > 0.0 {
        color = mix(color, material.wire.xyz, wire_cover(in.corner, slopes.corner) * material.wire.w);
    }
    return color;
}

@fragment
fn fs_color(in: Varyings, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    // Derivatives come first: they need all pixels of a quad.
    let slopes = slopes_of(in);
    if is_hole(in) {
        discard;
    }
    return shared_out(surface_color(in, slopes, front));
}

@fragment
fn fs_depth(in: Varyings) -> @location(0) vec4<f32> {
    if is_hole(in) {
        discard;
    }
    return vec4(0.0);
}
