// Lines of constant width: each is a rectangle on the screen.

struct Line {
    @builtin(vertex_index) index: u32,
    // World position of one end; w is the width in pixels.
    @location(0) start: vec4<f32>,
    // World position of the other end; w is 1 for lines that are moved towards the camera.
    @location(1) end: vec4<f32>,
    @location(2) start_color: vec3<f32>,
    @location(3) end_color: vec3<f32>,
}

struct LineVaryings {
    @invariant @builtin(position) clip: vec4<f32>,
    @location(0) color: vec3<f32>,
}

fn on_screen(clip: vec4<f32>) -> vec2<f32> {
    return clip.xy / clip.w * 0.5 * frame.size.xy;
}

@vertex
fn vs_line(in: Line) -> LineVaryings {
    var out: LineVaryings;
    var a = frame.clip_from_world * vec4(in.start.xyz, 1.0);
    var b = frame.clip_from_world * vec4(in.end.xyz, 1.0);
    let near = frame.line.x;
    if a.w < near && b.w < near {
        out.clip = vec4(2.0, 2.0, 2.0, 1.0);
        return out;
    }
    // Clips positions and colors behind the viewer.
    let first = select(0.0, (near - a.w) / (b.w - a.w), a.w < near);
    let last = select(1.0, (near - a.w) / (b.w - a.w), b.w < near);
    let cut_a = mix(a, b, first);
    let cut_b = mix(a, b, last);
    let way = on_screen(cut_b) - on_screen(cut_a);
    let along = way / max(length(way), 1e-6);
    let half_width = min(in.start.w, 256.0) * 0.5;
    // Corners 0 to 3 of the rectangle, then 0, 2, 3: two triangles.
    let number = array(0u, 1u, 2u, 0u, 2u, 3u)[in.index];
    let at_end = number == 1u || number == 2u;
    let across = vec2(-along.y, along.x) * select(-1.0, 1.0, number >= 2u);
    let shift = (along * select(-1.0, 1.0, at_end) + across) * half_width;
    var clip = cut_a;
    var t = first;
    if at_end {
        clip = cut_b;
        t = last;
    }
    clip = vec4(clip.xy + shift * 2.0 / frame.size.xy * clip.w, clip.zw);
    if in.end.w > 0.5 {
        clip.z = clip.z * frame.line.y + frame.line.z * clip.w;
    }
    out.clip = clip;
    out.color = mix(in.start_color, in.end_color, t);
    if length(way) < 1e-6 {
        out.clip = vec4(2.0, 2.0, 2.0, 1.0);
    }
    return out;
}

@fragment
fn fs_line(in: LineVaryings) -> @location(0) vec4<f32> {
    return shared_out(in.color);
}

@fragment
fn fs_line_depth(in: LineVaryings) -> @location(0) vec4<f32> {
    return vec4(0.0);
}
