// The signs of rotations: a quaternion and its opposite are the same rotation. The twin of `SumOfSigns`.

fn signed_weight(real: vec4<f32>, strongest: vec4<f32>, weight: f32) -> f32 {
    return select(weight, -weight, dot(real, strongest) < 0.0 && !followed_pose);
}

// The part of the strongest rotation that a sum of followed ones gets where they nearly cancel.
fn own_part(sum: vec4<f32>) -> f32 {
    return select(0.0, 5.0 * max(0.04 - dot(sum, sum), 0.0), followed_pose);
}
