// Stretches of joints, blended as matrices; poses without any skip this.

fn stretched_by(sum: Rows, pose: u32, slot: u32, weight: f32) -> Rows {
    return with_weighted(sum, rows_at(pose_at(pose) + job.stretches + 3u * slot), weight);
}
