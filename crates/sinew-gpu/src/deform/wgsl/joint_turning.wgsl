// A joint as its rotation and its skinning matrix.

const JOINT_ROWS: u32 = 4u;

struct Joint {
    row: array<vec4<f32>, 4>,
}

// Row `row` of all joints of a pose, one joint after the other.
fn joint_row(pose: u32, row: u32) -> vec4<f32> {
    let slot = row / 4u;
    let of_joint = row % 4u;
    let matrix = job.matrices + 3u * slot + of_joint - 1u;
    return poses[pose_at(pose) + select(matrix, job.dual_quats + 2u * slot, of_joint == 0u)];
}

fn load_joint(pose: u32, slot: u32) -> Joint {
    let first = JOINT_ROWS * slot;
    return Joint(array(
        joint_row(pose, first),
        joint_row(pose, first + 1u),
        joint_row(pose, first + 2u),
        joint_row(pose, first + 3u),
    ));
}

fn real_of(joint: Joint) -> vec4<f32> {
    return joint.row[0];
}

fn matrix_of(joint: Joint) -> Rows {
    return Rows(joint.row[1], joint.row[2], joint.row[3]);
}
