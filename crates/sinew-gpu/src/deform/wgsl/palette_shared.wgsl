// The palettes of two poses in the group's own memory: one is read while the next one comes. Reading them there costs a
// third of the instructions, since nothing has to be checked against the end of a buffer.

var<workgroup> palette: array<Joint, 2u * PALETTE>;

fn joint_of(half: u32, pose: u32, slot: u32) -> Joint {
    return palette[half * PALETTE + slot];
}

// The row that a thread brings, on its way; asked for before a pose is worked on and left after it.
fn next_row(pose: u32, end: u32, row: u32) -> vec4<f32> {
    if (pose < end && row < JOINT_ROWS * job.joints) {
        return joint_row(pose, row);
    }
    return vec4(0.0);
}

fn leave_row(half: u32, row: u32, value: vec4<f32>) {
    if (row < JOINT_ROWS * job.joints) {
        palette[half * PALETTE + row / JOINT_ROWS].row[row % JOINT_ROWS] = value;
    }
}
