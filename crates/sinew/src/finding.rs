//! Findings: what an importer repaired or left out of a file, and what a check found wrong with a character.
//!
//! [`FindingCode`] is the one registry of everything that can be reported, by whichever crate finds it. A [`Finding`] is
//! one occurrence: its code, its place, a message with the values, and the measurements as numbers.
//!
//! ```
//! use sinew::finding::{Finding, FindingCode, FindingPlace, Severity};
//!
//! let place = FindingPlace::named("mesh \"body\"");
//! let finding = Finding::new(FindingCode::SeamOpens, place, "2 vertices part").with("gap_mm", 3.5);
//! assert_eq!(finding.severity(), Severity::Warning);
//! assert_eq!(finding.to_string(), "warning: seam-opens at mesh \"body\": 2 vertices part");
//! ```

mod code;

pub use code::{FindingCode, Remedy, Reporter};

use crate::JointId;
use std::{borrow::Cow, fmt};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Severity {
    /// Worth knowing. The character looks right.
    Note,
    /// The character looks wrong somewhere, or in some programs.
    Warning,
    /// The file breaks a rule of its format, or the character cannot look right.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The place of a finding. Fields that do not apply are empty.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct FindingPlace {
    /// The place for people: names of meshes, joints and clips, or a path in the file such as `meshes[2].primitives[0]`.
    pub text: String,
    /// Index of the mesh instance that shows the finding.
    pub instance: Option<usize>,
    /// Indices of the affected vertices in that instance's mesh.
    pub vertices: Vec<u32>,
    /// Index of the skin.
    pub skin: Option<usize>,
    /// The joint that is affected.
    #[cfg_attr(feature = "serde", serde(with = "joint_index"))]
    pub joint: Option<JointId>,
    /// Index of the clip.
    pub clip: Option<usize>,
    /// Time in the clip, in seconds.
    pub time_secs: Option<f32>,
}

impl FindingPlace {
    /// A place that is known by its text alone.
    #[must_use]
    pub fn named(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

impl fmt::Display for FindingPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A named number that belongs to a finding.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Measurement {
    /// What was measured, with its unit as suffix, for instance `gap_mm`.
    pub name: Cow<'static, str>,
    /// The measured value, in the unit that the name states.
    pub value: f64,
}

/// How far a fault moves the skin, at most, over the clips and a range of motion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FindingEffect {
    /// The largest distance of a vertex from where it would be without the fault, in model space, in millimeters.
    pub max_mm: f64,
    /// The same distance as a percentage of the character's height.
    pub height_percent: f64,
    /// The percentage from which a warning stays a warning; below it, it is a note.
    pub warning_percent: f64,
}

impl FindingEffect {
    /// True if the effect is too small for a warning.
    #[must_use]
    pub fn is_minor(&self) -> bool {
        self.height_percent < self.warning_percent
    }
}

impl fmt::Display for FindingEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} mm, {:.2} % of the height", self.max_mm, self.height_percent)
    }
}

/// One thing that was repaired, left out or found wrong.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Finding {
    /// What kind of thing was found.
    pub code: FindingCode,
    /// The place where it was found.
    pub place: FindingPlace,
    /// What was found, and done about it, with the values.
    pub message: String,
    /// The values as numbers.
    pub measurements: Vec<Measurement>,
    /// How far the fault moves the skin; `None` if it was not measured, as for what import repaired.
    pub effect: Option<FindingEffect>,
}

impl Finding {
    /// A finding without measurements.
    #[must_use]
    pub fn new(code: FindingCode, place: FindingPlace, message: impl Into<String>) -> Self {
        Self { code, place, message: message.into(), measurements: Vec::new(), effect: None }
    }

    /// The same finding with one more measurement. `name` ends in the unit, for instance `gap_mm`.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: f64) -> Self {
        self.measurements.push(Measurement { name: name.into(), value });
        self
    }

    /// The same finding with its measured effect.
    #[must_use]
    pub fn with_effect(mut self, effect: FindingEffect) -> Self {
        self.effect = Some(effect);
        self
    }

    /// How much the finding matters: as its code says, but a warning with a minor effect is a note.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self.code.severity() {
            Severity::Warning if self.is_minor() => Severity::Note,
            severity => severity,
        }
    }

    /// True if the effect was measured and is too small for a warning.
    #[must_use]
    pub fn is_minor(&self) -> bool {
        self.effect.is_some_and(|effect| effect.is_minor())
    }

    /// What to do about the finding, in a sentence.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        self.code.advice()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} at {}: {}", self.severity(), self.code, self.place, self.message)?;
        self.effect.map_or(Ok(()), |effect| write!(f, "; effect {effect}"))
    }
}

/// Writes a joint as its index.
#[cfg(feature = "serde")]
mod joint_index {
    use crate::JointId;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    #[expect(clippy::ref_option, reason = "the signature is serde's")]
    pub(super) fn serialize<S: Serializer>(
        joint: &Option<JointId>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        joint.map(|joint| joint.0).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<JointId>, D::Error> {
        Ok(Option::deserialize(deserializer)?.map(JointId))
    }
}
