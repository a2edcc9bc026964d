// A palette that the group's own memory does not hold.

fn joint_of(pose: u32, slot: u32) -> Joint {
    return load_joint(pose, slot);
}
