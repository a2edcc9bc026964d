// The palette of a pose in the group's own memory. Reading it there costs a third of the instructions, since nothing has
// to be checked against the end of a buffer. There is one, at a place that is the same in every pose, so that addresses
// are computed once.

var<workgroup> palette: array<Joint, PALETTE>;

fn joint_of(pose: u32, slot: u32) -> Joint {
    return palette[slot];
}

fn stage_joint(pose: u32, slot: u32) {
    if (slot < job.joints) {
        palette[slot] = load_joint(pose, slot);
    }
}

// The row that a thread brings, on its way; asked for before a pose is worked on and left after it.
fn next_row(pose: u32, end: u32, row: u32) -> vec4<f32> {
    if (pose < end && row < JOINT_ROWS * job.joints) {
        return joint_row(pose, row);
    }
    return vec4(0.0);
}

fn leave_row(row: u32, value: vec4<f32>) {
    if (row < JOINT_ROWS * job.joints) {
        palette[row / JOINT_ROWS].row[row % JOINT_ROWS] = value;
    }
}
