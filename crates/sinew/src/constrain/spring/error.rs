//! What is wrong with the definition of spring bones.

use crate::asset::skeleton::JointId;
use thiserror::Error;

/// Why spring bones are invalid. Chains, colliders and groups are named by their index.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SpringError {
    /// A joint that the skeleton does not have.
    #[error("{place}: joint {} is not one of the skeleton's {joints}", joint.0)]
    NoSuchJoint {
        /// The chain or collider that refers to it.
        place: String,
        /// The joint that does not exist.
        joint: JointId,
        /// How many the skeleton has.
        joints: usize,
    },
    /// A chain refers to a group, or a group to a collider, that does not exist.
    #[error("{place} refers to {kind} {index}, but there are {count}")]
    Missing {
        /// The chain or group that refers to it.
        place: String,
        /// The kind of part: `collider group` or `collider`.
        kind: &'static str,
        /// The index that it refers to.
        index: usize,
        /// How many of that kind exist.
        count: usize,
    },
    /// A chain has nothing that swings.
    #[error("spring chain {chain} needs two joints, or one joint and a tip; it has {joints} joints")]
    TooShort {
        /// Index of the chain.
        chain: usize,
        /// How many joints it has.
        joints: usize,
    },
    /// A joint of a chain is not below the joint before it.
    #[error("spring chain {chain}: joint {} is not below joint {}", joint.0, above.0)]
    NotBelow {
        /// Index of the chain.
        chain: usize,
        /// The joint in question.
        joint: JointId,
        /// The joint before it in the chain.
        above: JointId,
    },
    /// A joint swings in two chains, or twice in one.
    #[error("joint {} swings twice: in spring chains {first} and {second}", joint.0)]
    SwingsTwice {
        /// The joint in question.
        joint: JointId,
        /// Index of the chain that has it first.
        first: usize,
        /// Index of the chain that has it again.
        second: usize,
    },
    /// A number is not finite or out of its range.
    #[error("{place}: {what} must be {range}, got {value}")]
    BadNumber {
        /// The chain and joint, or the collider.
        place: String,
        /// What the number is.
        what: &'static str,
        /// The range in words.
        range: &'static str,
        /// The number that was given; NaN if several were.
        value: f32,
    },
    /// There are more pairs of joints and colliders, or joints between the ends of bones, than a step can afford.
    #[error("the springs need {count} {what} per step; the limit is {limit}")]
    TooMuch {
        /// The thing that is counted.
        what: &'static str,
        /// How many there are, or more.
        count: usize,
        /// The largest number allowed.
        limit: usize,
    },
}
