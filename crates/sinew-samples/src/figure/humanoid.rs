//! Which joints of the figure are the bones of a human body.

use super::skeleton::{self, FINGERS, PER_SIDE};
use sinew::{HumanBone, Humanoid, JointId};

/// The bones on the middle plane.
const MIDDLE: [(HumanBone, usize); 6] = [
    (HumanBone::Hips, skeleton::HIPS),
    (HumanBone::Spine, skeleton::SPINE_LOWER),
    (HumanBone::Chest, skeleton::SPINE_MIDDLE),
    (HumanBone::UpperChest, skeleton::SPINE_UPPER),
    (HumanBone::Neck, skeleton::NECK),
    (HumanBone::Head, skeleton::HEAD),
];

/// The bones of the left side without fingers.
const LEFT: [(HumanBone, usize); 8] = [
    (HumanBone::LeftShoulder, skeleton::CLAVICLE),
    (HumanBone::LeftUpperArm, skeleton::UPPER_ARM),
    (HumanBone::LeftLowerArm, skeleton::FOREARM),
    (HumanBone::LeftHand, skeleton::HAND),
    (HumanBone::LeftUpperLeg, skeleton::THIGH),
    (HumanBone::LeftLowerLeg, skeleton::SHIN),
    (HumanBone::LeftFoot, skeleton::FOOT),
    (HumanBone::LeftToes, skeleton::TOE),
];

/// The bones of the left fingers, thumb first, from the hand outwards.
const LEFT_FINGERS: [HumanBone; 15] = [
    HumanBone::LeftThumbMetacarpal,
    HumanBone::LeftThumbProximal,
    HumanBone::LeftThumbDistal,
    HumanBone::LeftIndexProximal,
    HumanBone::LeftIndexIntermediate,
    HumanBone::LeftIndexDistal,
    HumanBone::LeftMiddleProximal,
    HumanBone::LeftMiddleIntermediate,
    HumanBone::LeftMiddleDistal,
    HumanBone::LeftRingProximal,
    HumanBone::LeftRingIntermediate,
    HumanBone::LeftRingDistal,
    HumanBone::LeftLittleProximal,
    HumanBone::LeftLittleIntermediate,
    HumanBone::LeftLittleDistal,
];

/// Which joints of [`figure`](super::figure) are the bones of a human body, as a VRM file says it of its joints.
pub fn figure_humanoid() -> Humanoid {
    let fingers = LEFT_FINGERS.into_iter().zip(FINGERS..);
    let left = LEFT.into_iter().chain(fingers);
    let sides = left.flat_map(|(bone, joint)| [(bone, joint), (bone.mirror(), joint + PER_SIDE)]);
    let bones = MIDDLE.into_iter().chain(sides).map(|(bone, joint)| (bone, JointId(joint as u16)));
    let figure = super::figure();
    Humanoid::new(figure.skeleton(), bones).expect("the figure has these joints, each once")
}
