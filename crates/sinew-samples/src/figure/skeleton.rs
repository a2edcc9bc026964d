//! The skeleton: proportions of a person of 1.75 m, standing in an A-pose.
//!
//! Every joint's frame follows one rule: +Y points along the bone, +Z is the side the bone bends towards (forward for
//! trunk, arms and legs, the palm for fingers), and +X = Y × Z. A positive rotation about X therefore bends a bone
//! forward or curls a finger; a knee bends by a negative one. A right joint's frame is that of its left twin with Y and Z
//! mirrored, so the mirror image of a rotation (x, y, z, w) is (x, −y, −z, w).

use glam::{Mat3, Quat, Vec3};
use sinew::{Joint, JointId, Skeleton, Transform};

/// Joints on the middle plane.
pub(super) const ROOT: usize = 0;
pub(super) const HIPS: usize = 1;
pub(super) const SPINE_LOWER: usize = 2;
pub(super) const SPINE_MIDDLE: usize = 3;
pub(super) const SPINE_UPPER: usize = 4;
pub(super) const NECK: usize = 5;
pub(super) const HEAD: usize = 6;
/// The first left joint; all joints before it are on the middle plane.
pub(super) const FIRST_LEFT: usize = 7;
pub(super) const CLAVICLE: usize = 7;
pub(super) const UPPER_ARM: usize = 8;
pub(super) const FOREARM: usize = 9;
pub(super) const HAND: usize = 10;
/// The first of 15 finger joints: thumb, index, middle, ring, pinky, three each.
pub(super) const FINGERS: usize = 11;
pub(super) const THIGH: usize = 26;
pub(super) const SHIN: usize = 27;
pub(super) const FOOT: usize = 28;
pub(super) const TOE: usize = 29;
/// Joints of the middle and the left side.
pub(super) const HALF: usize = 30;
/// The number of joints on each side.
pub(super) const PER_SIDE: usize = HALF - FIRST_LEFT;
/// The number of joints of the figure.
pub(super) const COUNT: usize = HALF + PER_SIDE;

/// The joint's twin on the other side; joints on the middle plane are their own.
pub(super) fn twin(joint: usize) -> usize {
    match joint {
        0..FIRST_LEFT => joint,
        FIRST_LEFT..HALF => joint + PER_SIDE,
        _ => joint - PER_SIDE,
    }
}

/// The point or vector on the other side.
pub(super) fn mirrored(v: Vec3) -> Vec3 {
    Vec3::new(-v.x, v.y, v.z)
}

const NAMES: [&str; HALF] = [
    "root",
    "hips",
    "spine_lower",
    "spine_middle",
    "spine_upper",
    "neck",
    "head",
    "clavicle",
    "upper_arm",
    "forearm",
    "hand",
    "thumb_1",
    "thumb_2",
    "thumb_3",
    "index_1",
    "index_2",
    "index_3",
    "middle_1",
    "middle_2",
    "middle_3",
    "ring_1",
    "ring_2",
    "ring_3",
    "pinky_1",
    "pinky_2",
    "pinky_3",
    "thigh",
    "shin",
    "foot",
    "toe",
];

/// One finger in hand space: Y towards the fingers, Z towards the thumb, X out of the palm.
struct FingerRest {
    knuckle: [f32; 3],
    /// The direction of the first phalanx; each further phalanx curls towards the palm by `curl`.
    direction: [f32; 3],
    lengths: [f32; 3],
    curl: f32,
}

const FINGER_RESTS: [FingerRest; 5] = [
    FingerRest {
        knuckle: [0.010, 0.022, 0.022],
        direction: [0.40, 0.72, 0.57],
        lengths: [0.043, 0.033, 0.028],
        curl: 0.10,
    },
    FingerRest {
        knuckle: [-0.001, 0.090, 0.031],
        direction: [0.10, 0.99, 0.055],
        lengths: [0.043, 0.028, 0.023],
        curl: 0.17,
    },
    FingerRest {
        knuckle: [-0.004, 0.094, 0.0095],
        direction: [0.12, 0.99, 0.01],
        lengths: [0.048, 0.031, 0.024],
        curl: 0.19,
    },
    FingerRest {
        knuckle: [-0.002, 0.089, -0.0115],
        direction: [0.14, 0.98, -0.035],
        lengths: [0.044, 0.029, 0.024],
        curl: 0.21,
    },
    FingerRest {
        knuckle: [0.002, 0.080, -0.0305],
        direction: [0.16, 0.97, -0.085],
        lengths: [0.034, 0.022, 0.020],
        curl: 0.22,
    },
];

/// The position and frame of a joint at rest, in model space.
#[derive(Clone, Copy, Debug)]
pub(super) struct FigureRest {
    pub(super) position: Vec3,
    /// The end of the bone in model space: a child joint, or the tip.
    pub(super) tail: Vec3,
    /// `model_from_joint` of a joint at rest.
    pub(super) rotation: Quat,
}

impl FigureRest {
    /// A bone from `position` to `tail` that bends towards `front`.
    fn new(position: Vec3, tail: Vec3, front: Vec3) -> Self {
        let y = (tail - position).normalize();
        let z = (front - y * y.dot(front)).normalize();
        let rotation = Quat::from_mat3(&Mat3::from_cols(y.cross(z), y, z)).normalize();
        Self { position, tail, rotation }
    }

    fn mirrored(self) -> Self {
        let [x, y, z, w] = self.rotation.to_array();
        // The mirror image of a frame is left-handed; negating X makes it right-handed again.
        let flipped = Quat::from_xyzw(x, -y, -z, w);
        let (position, tail) = (mirrored(self.position), mirrored(self.tail));
        Self { position, tail, rotation: flipped }
    }

    /// Transforms a point from joint space to model space.
    pub(super) fn to_model(self, local: Vec3) -> Vec3 {
        self.position + self.rotation * local
    }
}

/// The rest pose of every joint, in joint order.
pub(super) struct FigureBones {
    rests: Vec<FigureRest>,
}

impl FigureBones {
    pub(super) fn new() -> Self {
        let mut rests = Vec::with_capacity(COUNT);
        let v = Vec3::new;
        let trunk = [
            v(0.0, 0.0, 0.0),
            v(0.0, 0.93, 0.0),
            v(0.0, 1.02, 0.0),
            v(0.0, 1.13, -0.006),
            v(0.0, 1.25, -0.010),
            v(0.0, 1.452, -0.018),
            v(0.0, 1.535, 0.002),
            v(0.0, 1.75, 0.02),
        ];
        rests.push(FigureRest::new(trunk[0], v(0.0, 0.2, 0.0), Vec3::Z));
        rests.extend((1..FIRST_LEFT).map(|j| FigureRest::new(trunk[j], trunk[j + 1], Vec3::Z)));
        rests.extend(arm());
        rests.extend(leg());
        rests.extend_from_within(FIRST_LEFT..HALF);
        for rest in &mut rests[HALF..] {
            *rest = rest.mirrored();
        }
        Self { rests }
    }

    pub(super) fn rest(&self, joint: usize) -> FigureRest {
        self.rests[joint]
    }

    pub(super) fn position(&self, joint: usize) -> Vec3 {
        self.rests[joint].position
    }

    /// A rotation by `degrees` about the joint's own x axis: bends it forward, curls a finger.
    pub(super) fn bend(&self, joint: usize, degrees: f32) -> Quat {
        Quat::from_axis_angle(self.rests[joint].rotation * Vec3::X, degrees.to_radians())
    }

    /// A rotation by `degrees` about the bone.
    pub(super) fn twist(&self, joint: usize, degrees: f32) -> Quat {
        Quat::from_axis_angle(self.rests[joint].rotation * Vec3::Y, degrees.to_radians())
    }

    /// The skeleton with these rests.
    pub(super) fn skeleton(&self) -> Skeleton {
        let joints = (0..COUNT).map(|joint| {
            let rest = self.rests[joint];
            let transform = match parent(joint) {
                None => Transform::from_rotation_translation(rest.rotation, rest.position),
                Some(parent) => {
                    let from_model = self.rests[parent].rotation.inverse();
                    let offset = from_model * (rest.position - self.rests[parent].position);
                    Transform::from_rotation_translation((from_model * rest.rotation).normalize(), offset)
                }
            };
            let parent = parent(joint).map(|p| JointId(p as u16));
            Joint { name: name(joint), parent, rest: transform }
        });
        Skeleton::new(joints).expect("parents stand before children and rests are finite")
    }
}

/// The joint's name, with `.L` or `.R` for the sides.
pub(super) fn name(joint: usize) -> String {
    match joint {
        0..FIRST_LEFT => NAMES[joint].into(),
        FIRST_LEFT..HALF => format!("{}.L", NAMES[joint]),
        _ => format!("{}.R", NAMES[twin(joint)]),
    }
}

/// The parent joint; `None` for the root.
pub(super) fn parent(joint: usize) -> Option<usize> {
    let left = if joint >= HALF { twin(joint) } else { joint };
    let parent = match left {
        ROOT => return None,
        CLAVICLE => SPINE_UPPER,
        THIGH => HIPS,
        FINGERS..THIGH if (left - FINGERS).is_multiple_of(3) => HAND,
        _ => left - 1,
    };
    Some(if joint >= HALF { twin(parent) } else { parent })
}

fn arm() -> Vec<FigureRest> {
    let clavicle = Vec3::new(0.022, 1.405, 0.020);
    let shoulder = Vec3::new(0.160, 1.392, -0.012);
    let elbow = shoulder + Vec3::new(0.743, -0.669, -0.02).normalize() * 0.278;
    let wrist = elbow + Vec3::new(0.737, -0.667, 0.10).normalize() * 0.250;
    let along = Vec3::new(0.740, -0.664, 0.09).normalize();
    let hand = FigureRest::new(wrist, wrist + along * 0.09, Vec3::Z);
    let mut rests = vec![
        FigureRest::new(clavicle, shoulder, Vec3::Z),
        FigureRest::new(shoulder, elbow, Vec3::Z),
        FigureRest::new(elbow, wrist, Vec3::Z),
        hand,
    ];
    rests.extend(FINGER_RESTS.iter().flat_map(|finger| finger_rests(finger, hand)));
    rests
}

fn finger_rests(finger: &FingerRest, hand: FigureRest) -> [FigureRest; 3] {
    let mut at = Vec3::from(finger.knuckle);
    let mut direction = Vec3::from(finger.direction).normalize();
    // Fingers curl towards the palm; the thumb across it.
    let is_thumb = finger.knuckle[1] < 0.05;
    let curl_to = if is_thumb { Vec3::new(0.62, 0.0, -0.78) } else { Vec3::X };
    let hinge = direction.cross(curl_to).normalize();
    finger.lengths.map(|length| {
        let next = at + direction * length;
        let rest = FigureRest::new(hand.to_model(at), hand.to_model(next), hand.rotation * curl_to);
        at = next;
        direction = Quat::from_axis_angle(hinge, finger.curl) * direction;
        rest
    })
}

fn leg() -> [FigureRest; 4] {
    let hip = Vec3::new(0.088, 0.905, 0.0);
    let knee = Vec3::new(0.094, 0.492, 0.014);
    let ankle = Vec3::new(0.098, 0.088, -0.022);
    let ball = Vec3::new(0.108, 0.024, 0.108);
    let tip = Vec3::new(0.112, 0.020, 0.192);
    [
        FigureRest::new(hip, knee, Vec3::Z),
        FigureRest::new(knee, ankle, Vec3::Z),
        // A foot bends upwards: its front is the instep.
        FigureRest::new(ankle, ball, Vec3::Y),
        FigureRest::new(ball, tip, Vec3::Y),
    ]
}
