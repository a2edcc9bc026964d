// A joint as its skinning matrix.

struct Joint {
    rows: Rows,
}

fn load_joint(pose: u32, slot: u32) -> Joint {
    return Joint(rows_at(pose_at(pose) + job.matrices + 3u * slot));
}
