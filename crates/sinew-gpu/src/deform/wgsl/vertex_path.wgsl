// Linear blend skinning in a vertex shader. The palette is a texture with three texels per joint, so the shader needs
// neither storage buffers nor compute.

struct Skinned {
    position: vec3<f32>,
    normal: vec3<f32>,
}

struct SkinRows {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

// The part of one joint in a pose; poses lie below each other in the texture.
fn skin_part(pose: u32, slot: u32, weight: f32, sum: SkinRows) -> SkinRows {
    let row = i32(pose * PALETTE_ROWS + slot / PALETTE_JOINTS_A_ROW);
    let column = i32(3u * (slot % PALETTE_JOINTS_A_ROW));
    return SkinRows(
        sum.x + textureLoad(palette, vec2(column, row), 0) * weight,
        sum.y + textureLoad(palette, vec2(column + 1, row), 0) * weight,
        sum.z + textureLoad(palette, vec2(column + 2, row), 0) * weight,
    );
}

fn skin_four(pose: u32, slots: vec4<u32>, weights: vec4<f32>, start: SkinRows) -> SkinRows {
    var sum = start;
    sum = skin_part(pose, slots.x, weights.x, sum);
    sum = skin_part(pose, slots.y, weights.y, sum);
    sum = skin_part(pose, slots.z, weights.z, sum);
    sum = skin_part(pose, slots.w, weights.w, sum);
    return sum;
}

// A vertex in model space, moved by up to eight joints.
fn skin(
    pose: u32,
    position: vec3<f32>,
    normal: vec3<f32>,
    slots_a: vec4<u32>,
    weights_a: vec4<f32>,
    slots_b: vec4<u32>,
    weights_b: vec4<f32>,
) -> Skinned {
    var sum = skin_four(pose, slots_a, weights_a, SkinRows());
    if (weights_b.x > 0.0) {
        sum = skin_four(pose, slots_b, weights_b, sum);
    }
    let p = vec4(position, 1.0);
    let yz = cross(sum.y.xyz, sum.z.xyz);
    let turned = vec3(
        dot(yz, normal),
        dot(cross(sum.z.xyz, sum.x.xyz), normal),
        dot(cross(sum.x.xyz, sum.y.xyz), normal),
    );
    let size = max(abs(turned.x), max(abs(turned.y), abs(turned.z)));
    var direction = vec3(0.0);
    if (size > 0.0) {
        direction = normalize(turned / size);
    }
    if (dot(sum.x.xyz, yz) < 0.0) {
        direction = -direction;
    }
    return Skinned(vec3(dot(sum.x, p), dot(sum.y, p), dot(sum.z, p)), direction);
}
