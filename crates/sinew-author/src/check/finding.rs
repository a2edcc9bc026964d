//! One thing that is wrong, and where.

use super::{Code, Severity};
use sinew::JointId;
use std::fmt;

/// Where something is. What does not apply is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FindingPlace {
    /// In words: names of meshes, joints and clips, or a place in the file.
    pub text: String,
    /// The mesh instance that shows it.
    pub instance: Option<usize>,
    /// The vertices of that instance's mesh.
    pub vertices: Vec<u32>,
    /// The skin.
    pub skin: Option<usize>,
    /// The joint.
    pub joint: Option<JointId>,
    /// The clip.
    pub clip: Option<usize>,
    /// The moment of the clip.
    pub time_secs: Option<f32>,
}

impl fmt::Display for FindingPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A figure with its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurement {
    /// What was measured, with its unit, for instance `gap_mm`.
    pub name: &'static str,
    /// The value.
    pub value: f64,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckFinding {
    /// What kind of thing.
    pub code: Code,
    /// Where.
    pub place: FindingPlace,
    /// What was found, with the values.
    pub message: String,
    /// How much.
    pub measured: Vec<Measurement>,
}

impl CheckFinding {
    pub(super) fn new(code: Code, place: FindingPlace, message: String) -> Self {
        Self { code, place, message, measured: Vec::new() }
    }

    pub(super) fn with(mut self, name: &'static str, value: f64) -> Self {
        self.measured.push(Measurement { name, value });
        self
    }

    /// How much it matters.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// What to do about it.
    pub fn advice(&self) -> &'static str {
        self.code.advice()
    }
}

impl fmt::Display for CheckFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} at {}: {}", self.severity().as_str(), self.code, self.place, self.message)
    }
}

/// `1 vertex`, `2 vertices`.
pub(super) fn vertices(count: usize) -> String {
    format!("{count} {}", if count == 1 { "vertex" } else { "vertices" })
}

/// `1 vertex follows`, `2 vertices follow`: a count with what they do, a regular verb.
pub(super) fn vertices_do(count: usize, verb: &str) -> String {
    format!("{} {verb}{}", vertices(count), if count == 1 { "s" } else { "" })
}
