// Lighting of surface points in linear light: the twin of the software rasterizer's shading.

@group(0) @binding(2) var shadow_map: texture_2d<f32>;

struct Facet {
    albedo: vec3<f32>,
    normal: vec3<f32>,
    viewer: vec3<f32>,
    gloss: f32,
    key_light: f32,
}

fn highlight(cosine: f32) -> f32 {
    let c2 = max(cosine, 0.0) * max(cosine, 0.0);
    let c4 = c2 * c2;
    let c16 = c4 * c4 * c4 * c4;
    let c64 = c16 * c16 * c16 * c16;
    return 0.35 * c16 + 1.3 * c64;
}

// Light reflected towards the viewer, before tone mapping.
fn reflected(facet: Facet) -> vec3<f32> {
    let facing = clamp(dot(facet.normal, facet.viewer), 0.0, 1.0);
    let away = 1.0 - facing;
    let grazing = away * away * away * away * away;
    let up = 0.5 + 0.5 * facet.normal.y;
    var diffuse = mix(frame.bounce.xyz, frame.sky.xyz, up);
    var shine = vec3(0.0);
    let count = min(u32(frame.sky.w), MAX_LAMPS);
    for (var index = 0u; index < count; index++) {
        let lamp = frame.lamps[index];
        let cosine = dot(facet.normal, lamp.towards.xyz);
        let light = lamp.color.xyz * select(1.0, facet.key_light, index == 0u);
        diffuse += light * max((cosine + lamp.towards.w) / (1.0 + lamp.towards.w), 0.0);
        let half_way = normalize_or(lamp.towards.xyz + facet.viewer, facet.normal);
        let lobe = highlight(dot(facet.normal, half_way)) * clamp(cosine * 4.0, 0.0, 1.0);
        shine += light * (lobe * lamp.color.w * (0.12 + 0.6 * grazing));
    }
    let rim = frame.rim.xyz * (away * away * away * (0.35 + 0.65 * up));
    return facet.albedo * diffuse + shine * facet.gloss + rim * (0.4 + facet.albedo);
}

// Compresses light above the knee towards white.
fn tone_mapped(raw: vec3<f32>) -> vec3<f32> {
    const KNEE = 0.70;
    let light = max(raw, vec3(0.0));
    let peak = max(light.x, max(light.y, light.z));
    if peak <= KNEE {
        return light;
    }
    let over = (peak - KNEE) / (1.0 - KNEE);
    let bent = KNEE + (1.0 - KNEE) * over / (1.0 + over);
    let kept = light * (bent / peak);
    return mix(kept, vec3(bent), (1.0 - bent / peak) * 0.25);
}

fn in_light_axes(vector: vec3<f32>) -> vec3<f32> {
    return vec3(
        dot(frame.light_from_world[0].xyz, vector),
        dot(frame.light_from_world[1].xyz, vector),
        dot(frame.light_from_world[2].xyz, vector),
    );
}

const REACH = 2;

fn edge_weight(step: i32, part: f32) -> f32 {
    return select(select(1.0, part, step == REACH + 1), 1.0 - part, step == -REACH);
}

// The fraction of the key light that reaches a point, 0 to 1.
fn light_at(place: vec3<f32>, normal: vec3<f32>) -> f32 {
    let texels_per_meter = frame.shadow.z;
    // An offset along the normal keeps a surface from shadowing itself between texels.
    let lift = 1.6 / texels_per_meter;
    let in_light = in_light_axes(place + normal * lift);
    let texel = (in_light.xy - frame.shadow.xy) * texels_per_meter - 0.5;
    let corner = floor(texel);
    let part = texel - corner;
    // Neighbors are compared with the plane of the surface: a tilted surface would shadow itself.
    let tilt = in_light_axes(normal);
    let slope = -tilt.xy / (max(tilt.z, 0.2) * texels_per_meter);
    let depth = in_light.z + lift * 0.5 - dot(slope, part);
    let size = vec2<i32>(frame.shadow_size.xy);
    var sum = 0.0;
    for (var dy = -REACH; dy <= REACH + 1; dy++) {
        for (var dx = -REACH; dx <= REACH + 1; dx++) {
            let at = vec2<i32>(corner) + vec2(dx, dy);
            var lit = true;
            if all(at >= vec2(0)) && all(at < size) {
                let stored = textureLoad(shadow_map, at, 0).x;
                // 0 is where nothing was drawn.
                let nearest = (stored - 0.01) / 0.98 * frame.shadow_size.w + frame.shadow_size.z;
                let plane = depth + slope.x * f32(dx) + slope.y * f32(dy);
                lit = stored <= 0.0 || nearest <= plane;
            }
            sum += select(0.0, edge_weight(dx, part.x) * edge_weight(dy, part.y), lit);
        }
    }
    let side = f32(2 * REACH + 1);
    return clamp(sum / (side * side), 0.0, 1.0);
}

// The fraction of the first light that reaches a surface.
fn key_light(place: vec3<f32>, normal: vec3<f32>) -> f32 {
    let turn = dot(normal, frame.lamps[0].towards.xyz);
    let trust = clamp((turn - 0.02) * 4.0, 0.0, 1.0) * frame.bounce.w;
    if trust > 0.0 {
        return 1.0 - trust * (1.0 - light_at(place, normal));
    }
    return 1.0;
}
