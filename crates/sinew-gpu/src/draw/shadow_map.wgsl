// Depths of shadow casters from the key light.

@vertex
fn vs_shadow_map(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> {
    let in_light = vec3(
        dot(frame.light_from_world[0].xyz, position),
        dot(frame.light_from_world[1].xyz, position),
        dot(frame.light_from_world[2].xyz, position),
    );
    let fraction = (in_light.xy - frame.shadow.xy) * frame.shadow.z / frame.shadow_size.xy;
    let depth = (in_light.z - frame.shadow_size.z) / frame.shadow_size.w;
    return vec4(fraction.x * 2.0 - 1.0, 1.0 - fraction.y * 2.0, depth * 0.98 + 0.01, 1.0);
}
