//! Scale that a joint does not inherit.

use super::JointId;

/// What a joint inherits of its parent's scale.
///
/// With the parent's `model_from_joint` P, its scale factors S and the joint's own translation T, rotation R and scale C,
/// the joint's `model_from_joint` is `P · T · R · C` or, compensated, `P · T · S⁻¹ · R · C`. No inverse is computed: P ends
/// with S, so the factor is left out, and a parent that is scaled to zero has well-defined children.
#[doc(alias = "segment scale compensate")]
#[doc(alias = "inherit scale")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum ScaleInheritance {
    /// The joint is scaled with its parent.
    #[default]
    Full,
    /// The parent's own scale moves the joint but does not scale it, as with Maya's "segment scale compensate".
    ///
    /// The scale that the parent inherits is inherited further: it is removed where the parent itself is compensated.
    Compensated,
}

impl ScaleInheritance {
    /// Both kinds, the usual one first.
    pub const ALL: [Self; 2] = [Self::Full, Self::Compensated];

    /// The name in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Compensated => "compensated",
        }
    }

    /// The kind called `name`.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A joint that compensation concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScaleStep {
    pub(crate) joint: u16,
    pub(crate) parent: Option<u16>,
    pub(crate) is_compensated: bool,
    /// True if a child is compensated.
    pub(crate) has_compensated: bool,
}

/// The joints that compensation concerns, parents before children.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScaleOrder {
    pub(crate) inheritance: Vec<ScaleInheritance>,
    /// Compensated joints, their parents and their descendants.
    pub(crate) steps: Vec<ScaleStep>,
    /// The parents of compensated joints. If none is scaled, the plain hierarchy is the result.
    pub(crate) sources: Vec<u16>,
}

impl ScaleOrder {
    /// The order for joints whose parents come before them; `None` if no joint with a parent is compensated.
    pub(super) fn of(inheritance: Vec<ScaleInheritance>, parents: &[Option<JointId>]) -> Option<Self> {
        let is_compensated =
            |joint: usize| inheritance[joint] == ScaleInheritance::Compensated && parents[joint].is_some();
        let (mut is_source, mut is_below) = (vec![false; parents.len()], vec![false; parents.len()]);
        for (joint, parent) in parents.iter().enumerate() {
            let Some(parent) = parent.map(JointId::index) else { continue };
            is_below[joint] = is_compensated(joint) || is_below[parent];
            is_source[parent] |= is_compensated(joint);
        }
        let numbered = || (0..=u16::MAX).zip(0..parents.len());
        let steps =
            numbered().filter(|&(_, at)| is_source[at] || is_below[at]).map(|(joint, at)| ScaleStep {
                joint,
                parent: parents[at].map(|p| p.0),
                is_compensated: is_compensated(at),
                has_compensated: is_source[at],
            });
        let steps: Vec<ScaleStep> = steps.collect();
        let sources: Vec<u16> = numbered().filter(|&(_, at)| is_source[at]).map(|(joint, _)| joint).collect();
        // A root has no parent to compensate, but keeps what the file says.
        let any = inheritance.contains(&ScaleInheritance::Compensated);
        any.then_some(Self { inheritance, steps, sources })
    }
}
