//! Faults of a file that reading it has mended.

use super::{CheckFinding, Code, FindingPlace};

/// What kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawKind {
    /// Weights did not sum to one.
    WeightsSum,
    /// Vertices had no weight.
    WeightsMissing,
    /// A weight was negative.
    WeightsNegative,
    /// A joint stood twice in a vertex.
    DuplicateJoint,
    /// A joint was not in the skin.
    JointOutOfRange,
    /// Joints without weights, or weights without joints.
    InfluenceSetIncomplete,
    /// A rotation was not of unit length.
    QuaternionNotUnit,
    /// An inverse bind was not affine.
    BindNotAffine,
    /// A joint's matrix had shear.
    MatrixSheared,
}

/// A fault that reading the file has mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawFact {
    /// What kind.
    pub kind: RawKind,
    /// Where in the file.
    pub place: String,
    /// What was found and done.
    pub detail: String,
}

impl RawKind {
    /// The code under which it is reported.
    pub const fn code(self) -> Code {
        match self {
            Self::WeightsSum => Code::WeightsSum,
            Self::WeightsMissing => Code::WeightsMissing,
            Self::WeightsNegative => Code::WeightsNegative,
            Self::DuplicateJoint => Code::DuplicateJoint,
            Self::JointOutOfRange => Code::JointOutOfRange,
            Self::InfluenceSetIncomplete => Code::InfluenceSetIncomplete,
            Self::QuaternionNotUnit => Code::QuaternionNotUnit,
            Self::BindNotAffine => Code::BindNotAffine,
            Self::MatrixSheared => Code::MatrixSheared,
        }
    }
}

pub(super) fn findings(raw: &[RawFact]) -> Vec<CheckFinding> {
    let finding = |fact: &RawFact| {
        let place = FindingPlace { text: fact.place.clone(), ..FindingPlace::default() };
        CheckFinding::new(fact.kind.code(), place, fact.detail.clone())
    };
    raw.iter().map(finding).collect()
}
