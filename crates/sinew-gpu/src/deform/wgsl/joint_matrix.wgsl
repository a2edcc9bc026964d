// A joint as its skinning matrix.

const JOINT_ROWS: u32 = 3u;

struct Joint {
    row: array<vec4<f32>, 3>,
}

// Row `row` of all joints of a pose, one joint after the other.
fn joint_row(pose: u32, row: u32) -> vec4<f32> {
    return poses[pose_at(pose) + job.matrices + row];
}

fn load_joint(pose: u32, slot: u32) -> Joint {
    let first = JOINT_ROWS * slot;
    return Joint(array(
        joint_row(pose, first),
        joint_row(pose, first + 1u),
        joint_row(pose, first + 2u),
    ));
}

fn matrix_of(joint: Joint) -> Rows {
    return Rows(joint.row[0], joint.row[1], joint.row[2]);
}
