// A joint as a rigid motion.

struct Joint {
    real: vec4<f32>,
    dual: vec4<f32>,
}

fn load_joint(pose: u32, slot: u32) -> Joint {
    let at = pose_at(pose) + job.dual_quats + 2u * slot;
    return Joint(poses[at], poses[at + 1u]);
}
