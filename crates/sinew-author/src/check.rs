//! The skin doctor: what is wrong with a character, where, how much, and what can be mended.
//!
//! [`check`] looks and changes nothing; [`fix()`] mends what can be mended and says for each change how far it moved vertices.
//!
//! ```
//! use sinew_author::check::{CheckOptions, Target, check};
//!
//! let options = CheckOptions { target: Some(Target::Bevy), ..CheckOptions::default() };
//! for finding in check(&sinew_samples::figure(), &[], &options) {
//!     println!("{} at {}: {}", finding.code, finding.place, finding.message);
//! }
//! ```

mod binds;
mod bound;
mod code;
mod facts;
mod feet;
mod finding;
mod fix;
mod influences;
mod keys;
mod placement;
mod rest;
mod seams;
mod shape;
mod symmetry;
mod target;

pub use code::{Code, Severity};
pub use facts::{RawFact, RawKind};
pub use finding::{CheckFinding, FindingPlace, Measurement};
pub use fix::{Fix, FixError, FixResult, fix, mend};
pub use target::{CheckTarget, TargetLimits};

use crate::weights::{Effect, PoseOptions};
use bound::bound_meshes;
use sinew::Character;
use std::collections::{BTreeMap, BTreeSet};

/// What is looked for, and where a fault begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckOptions {
    /// Where the character goes; without it nothing is said of limits.
    pub target: Option<CheckTarget>,
    /// Poses that are measured a second of a clip.
    pub rate_hz: f32,
    /// Candy-wrap: below this part of its distance from the bone at rest, skin has collapsed.
    pub least_radius: f64,
    /// Volume loss: below this part of the volume at rest.
    pub least_volume: f64,
    /// Foot slide: how far a standing foot may travel, as a part of the character's height.
    pub most_slide: f32,
    /// Jitter: how far a key may be off the mean of its neighbours when they alternate, in radians.
    pub most_jitter_radians: f32,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            target: None,
            rate_hz: 15.0,
            least_radius: 0.5,
            least_volume: 0.8,
            most_slide: 0.05,
            most_jitter_radians: 0.01,
        }
    }
}

/// Everything that is wrong with `character`, the worst first.
///
/// `raw` are faults of the file that reading it has mended already; they are gone from the character, so they must be told.
pub fn check(character: &Character, raw: &[RawFact], options: &CheckOptions) -> Vec<CheckFinding> {
    let mut out = facts::findings(raw);
    for bound in bound_meshes(character) {
        influences::over_target(&bound, options, &mut out);
        placement::findings(&bound, &mut out);
        symmetry::findings(&bound, &mut out);
        seams::findings(&bound, &mut out);
    }
    influences::joints(character, options, &mut out);
    binds::findings(character, &mut out);
    rest::findings(character, &mut out);
    keys::findings(character, options, &mut out);
    shape::findings(character, options, &mut out);
    feet::findings(character, options, &mut out);
    out.sort_by_key(|f| std::cmp::Reverse(f.severity()));
    out
}

/// The vertices of each instance whose weights look wrong: more joints than the target takes, weight of far limbs, loose parts that
/// follow nothing around them, seams that open, and one side unlike the other.
pub fn badly_weighted(character: &Character, options: &CheckOptions) -> BTreeMap<usize, BTreeSet<u32>> {
    let mut findings = Vec::new();
    for bound in bound_meshes(character) {
        influences::over_target(&bound, options, &mut findings);
        placement::findings(&bound, &mut findings);
        symmetry::findings(&bound, &mut findings);
        seams::findings(&bound, &mut findings);
    }
    let mut out: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    for place in findings.into_iter().map(|f| f.place).filter(|p| !p.vertices.is_empty()) {
        if let Some(instance) = place.instance {
            out.entry(instance).or_default().extend(place.vertices);
        }
    }
    out
}

/// How far vertices of `after` stand from where they stand in `before`, over the poses that `options` ask for; the mesh that
/// moves most counts.
///
/// Where the two have other joints, or joints with other axes, only the clips are compared.
pub fn effect_of_change(before: &Character, after: &Character, options: &PoseOptions) -> Effect {
    let has_same_joints = before.skeleton() == after.skeleton();
    let angle_radians = if has_same_joints { options.angle_radians } else { 0.0 };
    fix::effect_over(before, after, &PoseOptions { angle_radians, ..*options })
}
