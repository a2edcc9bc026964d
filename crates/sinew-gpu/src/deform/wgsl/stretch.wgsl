// Stretches of joints, blended as matrices; poses without any skip this.

fn stretched_by(sum: Rows, pose: u32, slot: u32, weight: f32) -> Rows {
    let m = rows_at(pose_at(pose) + job.stretches + 3u * slot);
    return Rows(sum.x + m.x * weight, sum.y + m.y * weight, sum.z + m.z * weight);
}
