// The palettes of two poses in the group's own memory: one is read while the next one comes. Reading them there costs a
// third of the instructions, since nothing has to be checked against the end of a buffer.

var<workgroup> palette: array<Joint, 2u * PALETTE>;

fn joint_of(half: u32, pose: u32, slot: u32) -> Joint {
    return palette[half * PALETTE + slot];
}

fn stage_one(pose: u32, half: u32, slot: u32) {
    if (slot < job.joints) {
        palette[half * PALETTE + slot] = load_joint(pose, slot);
    }
}
