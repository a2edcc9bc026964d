// A joint as a rigid motion.

const JOINT_ROWS: u32 = 2u;

struct Joint {
    row: array<vec4<f32>, 2>,
}

// Row `row` of all joints of a pose, one joint after the other.
fn joint_row(pose: u32, row: u32) -> vec4<f32> {
    return poses[pose_at(pose) + job.dual_quats + row];
}

fn load_joint(pose: u32, slot: u32) -> Joint {
    let first = JOINT_ROWS * slot;
    return Joint(array(
        joint_row(pose, first),
        joint_row(pose, first + 1u),
    ));
}

fn real_of(joint: Joint) -> vec4<f32> {
    return joint.row[0];
}

fn dual_of(joint: Joint) -> vec4<f32> {
    return joint.row[1];
}
