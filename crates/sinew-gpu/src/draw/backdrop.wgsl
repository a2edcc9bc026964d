// Background and ground, per pixel.

struct Backdrop {
    top: vec4<f32>,
    bottom: vec4<f32>,
    // Width and height in pixels; z is 1 with a ground, w is 1 in an orthographic projection.
    size: vec4<f32>,
    eye: vec4<f32>,
    // The ray through the upper left corner and its change per pixel to the right and down: directions in
    // perspective, origins in an orthographic projection, where `ahead` is the direction.
    ray: vec4<f32>,
    right: vec4<f32>,
    down: vec4<f32>,
    ahead: vec4<f32>,
    // World X and Z of the ground's center, radius, world Y.
    ground: vec4<f32>,
    // Spacing (0 without a grid), subdivisions, width in pixels.
    grid: vec4<f32>,
    grid_color: vec4<f32>,
    axis_x: vec4<f32>,
    axis_z: vec4<f32>,
    shadow_color: vec4<f32>,
    // Corner of the shadow's mask, texels per meter (0 without a shadow).
    mask: vec4<f32>,
    mask_size: vec4<f32>,
}

@group(0) @binding(0) var<uniform> backdrop: Backdrop;
@group(0) @binding(1) var shadow_mask: texture_2d<f32>;

@vertex
fn vs_backdrop(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return vec4(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.5, 1.0);
}

struct Seen {
    place: vec2<f32>,
    is_ground: bool,
}

// World X and Z of the ground at a position in pixels.
fn ground_at(pixel: vec2<f32>) -> Seen {
    let place = backdrop.ray.xyz + backdrop.right.xyz * pixel.x + backdrop.down.xyz * pixel.y;
    var origin = backdrop.eye.xyz;
    var direction = place;
    if backdrop.size.w > 0.5 {
        origin = place;
        direction = backdrop.ahead.xyz;
    }
    if direction.y >= -1e-6 {
        return Seen(vec2(0.0), false);
    }
    let along = (backdrop.ground.w - origin.y) / direction.y;
    return Seen((origin + direction * along).xz, along > 0.0);
}

fn line_cover(distance_px: f32, width_px: f32) -> f32 {
    return min(clamp(width_px * 0.5 + 0.5 - distance_px, 0.0, 1.0), width_px);
}

fn line_across(value: f32, pixel: f32, spacing: f32, width_px: f32) -> f32 {
    let cells = value / spacing;
    let gap_px = spacing / max(pixel, 1e-12);
    let distance_px = abs(cells - round(cells)) * gap_px;
    return line_cover(distance_px, width_px) * clamp((gap_px - 3.0) / 9.0, 0.0, 1.0);
}

fn lines(place: vec2<f32>, pixel: vec2<f32>, spacing: f32, width_px: f32) -> f32 {
    return max(
        line_across(place.x, pixel.x, spacing, width_px),
        line_across(place.y, pixel.y, spacing, width_px),
    );
}

fn grid_color(place: vec2<f32>, right: vec2<f32>, down: vec2<f32>) -> vec4<f32> {
    // Meters that one pixel covers along X and along Z.
    let pixel = vec2(length(vec2(right.x, down.x)), length(vec2(right.y, down.y)));
    let width = backdrop.grid.z;
    let base = backdrop.grid_color;
    var color = vec4(base.xyz, base.w * lines(place, pixel, backdrop.grid.x, width));
    if backdrop.grid.y > 1.0 {
        let minor = lines(place, pixel, backdrop.grid.x / backdrop.grid.y, width * 0.8) * base.w * 0.33;
        color.w = max(color.w, minor);
    }
    let along_x = line_cover(abs(place.y) / max(pixel.y, 1e-12), width * 1.4) * backdrop.axis_x.w;
    let along_z = line_cover(abs(place.x) / max(pixel.x, 1e-12), width * 1.4) * backdrop.axis_z.w;
    if along_x > color.w {
        color = vec4(backdrop.axis_x.xyz, along_x);
    }
    if along_z > color.w {
        color = vec4(backdrop.axis_z.xyz, along_z);
    }
    return color;
}

fn mask_at(texel: vec2<i32>) -> f32 {
    return textureLoad(shadow_mask, texel, 0).x;
}

fn darkness(place: vec2<f32>) -> f32 {
    let texel = (place - backdrop.mask.xy) * backdrop.mask.z - 0.5;
    if any(texel < vec2(0.0)) || any(texel > backdrop.mask_size.xy - 2.0) {
        return 0.0;
    }
    let corner = vec2<i32>(texel);
    let part = texel - vec2<f32>(corner);
    let upper = mix(mask_at(corner), mask_at(corner + vec2(1, 0)), part.x);
    let lower = mix(mask_at(corner + vec2(0, 1)), mask_at(corner + vec2(1, 1)), part.x);
    return mix(upper, lower, part.y);
}

fn mixed_over(under: vec4<f32>, color: vec4<f32>, fraction: f32) -> vec4<f32> {
    let alpha = color.w * fraction;
    return vec4(color.xyz * alpha, alpha) + under * (1.0 - alpha);
}

fn over_ground(wall: vec4<f32>, pixel: vec2<f32>) -> vec4<f32> {
    let here = ground_at(pixel);
    if !here.is_ground {
        return wall;
    }
    let reach = length(here.place - backdrop.ground.xy) / max(backdrop.ground.z, 1e-6);
    let fade = select(0.0, (1.0 - reach * reach) * (1.0 - reach * reach), reach < 1.0);
    var color = wall;
    let right = ground_at(pixel + vec2(1.0, 0.0));
    let down = ground_at(pixel + vec2(0.0, 1.0));
    if backdrop.grid.x > 0.0 && fade > 0.0 && right.is_ground && down.is_ground {
        color = mixed_over(color, grid_color(here.place, right.place - here.place, down.place - here.place), fade);
    }
    if backdrop.mask.z > 0.0 {
        color = mixed_over(color, backdrop.shadow_color, darkness(here.place));
    }
    return color;
}

@fragment
fn fs_backdrop(@builtin(position) pixel: vec4<f32>) -> @location(0) vec4<f32> {
    let color = mix(backdrop.top, backdrop.bottom, pixel.y / backdrop.size.y);
    let wall = vec4(color.xyz * color.w, color.w);
    if backdrop.size.z < 0.5 {
        return wall;
    }
    return over_ground(wall, pixel.xy);
}
