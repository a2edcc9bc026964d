//! The skin doctor: what is wrong with a character, where, how much, and what can be fixed.
//!
//! [`check`] only reads; [`fix()`] fixes what has an automatic fix and reports for each change how far it moved vertices.
//!
//! ```
//! use sinew_author::check::{CheckOptions, CheckTarget, check};
//!
//! let options = CheckOptions { target: Some(CheckTarget::Bevy), ..CheckOptions::default() };
//! for finding in check(&sinew_samples::figure(), &[], &options) {
//!     println!("{} at {}: {}", finding.code, finding.place, finding.message);
//! }
//! ```

mod binds;
mod bound;
mod counted;
mod feet;
mod fix;
mod influences;
mod keys;
mod placement;
mod rest;
mod seams;
mod shape;
mod symmetry;
mod target;

pub use fix::{Fix, FixError, FixResult, fix, fix_code};
pub use sinew::finding::{Finding, FindingCode, FindingPlace, Measurement, Severity};
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

/// Everything that is wrong with `character`, the most severe first.
///
/// `imported` are the findings of the import report, or none for a character that was not read from a file. Import repairs
/// faults of the file, so the character shows no trace of them; those that concern the skin are repeated here.
#[must_use]
pub fn check(character: &Character, imported: &[Finding], options: &CheckOptions) -> Vec<Finding> {
    let repeated = imported.iter().filter_map(|f| Some(Finding { code: f.code.check_code()?, ..f.clone() }));
    let mut out: Vec<Finding> = repeated.collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_import_finding_about_the_skin_reappears_under_its_check_code() {
        let imported: Vec<Finding> = FindingCode::of_import()
            .map(|code| Finding::new(code, FindingPlace::named("meshes[0]"), "repaired").with("count", 2.0))
            .collect();
        let found = check(&sinew_samples::tube(), &imported, &CheckOptions::default());
        for finding in &imported {
            let repeated = finding.code.check_code().map(|code| Finding { code, ..finding.clone() });
            assert!(repeated.as_ref().is_none_or(|it| found.contains(it)), "{finding}");
        }
        assert_eq!(found.iter().filter(|f| f.place.text == "meshes[0]").count(), 9);
    }
}
