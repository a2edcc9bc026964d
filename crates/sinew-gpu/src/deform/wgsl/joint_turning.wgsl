// A joint as its rotation and its skinning matrix.

struct Joint {
    real: vec4<f32>,
    rows: Rows,
}

fn load_joint(pose: u32, slot: u32) -> Joint {
    let at = pose_at(pose);
    return Joint(poses[at + job.dual_quats + 2u * slot], rows_at(at + job.matrices + 3u * slot));
}
