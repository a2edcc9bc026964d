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
mod clip_work;
mod counted;
mod effect;
mod feet;
mod fix;
mod frozen;
mod influences;
mod islands;
mod keys;
mod placement;
mod pops;
mod rest;
mod seams;
mod shape;
mod sides;
mod symmetry;
mod target;

pub use fix::{Fix, FixError, FixResult, fix, fix_code};
pub use sinew::finding::{Finding, FindingCode, FindingEffect, FindingPlace, Measurement, Severity};
pub use target::{CheckTarget, TargetLimits};

use crate::weights::{Effect, PoseOptions};
use bound::{BoundMesh, bound_meshes};
use clip_work::ClipWork;
use effect::EffectMeter;
use sinew::Character;
use std::collections::{BTreeMap, BTreeSet};

/// Which faults are looked for, and their thresholds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CheckOptions {
    /// The program that the character is for. Without it, limits are not checked.
    pub target: Option<CheckTarget>,
    /// The number of poses that are measured per second of a clip.
    pub rate_hz: f32,
    /// Candy-wrap: skin has collapsed below this fraction of its rest distance from the bone.
    pub min_radius_ratio: f64,
    /// Volume loss: the minimum volume, as a fraction of the volume at rest.
    pub min_volume_ratio: f64,
    /// Foot slide: how far a planted foot may travel, as a fraction of the character's height.
    pub max_slide_ratio: f32,
    /// The effect from which a warning stays a warning, as a percentage of the character's height; below it, it is a note.
    pub warning_percent: f64,
    /// Jitter: how far alternating keys may be off the mean of their neighbors, in radians.
    pub max_jitter_radians: f32,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            target: None,
            rate_hz: 15.0,
            min_radius_ratio: 0.5,
            min_volume_ratio: 0.8,
            max_slide_ratio: 0.05,
            warning_percent: 0.2,
            max_jitter_radians: 0.01,
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
    let meter = EffectMeter::new(character, options);
    let bounds = bound_meshes(character);
    weights(&bounds, options, &meter, &mut out);
    frozen::findings(&bounds, &meter, &mut out);
    influences::joints(character, options, &meter, &mut out);
    binds::findings(&bounds, &meter, &mut out);
    rest::findings(&meter, &mut out);
    keys::findings(&meter, options, &mut out);
    pops::findings(&meter, &mut out);
    let work = ClipWork::new();
    shape::findings(&meter, options, &work, &mut out);
    feet::findings(&meter, options, &work, &mut out);
    work.finding(character, &mut out);
    out.sort_by_key(|f| std::cmp::Reverse(f.severity()));
    out
}

/// Faults of the weights of single vertices.
fn weights(
    bounds: &[BoundMesh<'_>],
    options: &CheckOptions,
    meter: &EffectMeter<'_>,
    out: &mut Vec<Finding>,
) {
    let in_islands = islands::findings(meter.character(), bounds, meter, out);
    for (bound, in_islands) in bounds.iter().zip(&in_islands) {
        influences::over_target(bound, options, meter, out);
        placement::findings(bound, in_islands, meter, out);
        sides::findings(bound, meter, out);
        symmetry::findings(bound, meter, out);
        seams::findings(bound, meter, out);
    }
}

/// The vertices with faulty weights, by mesh instance: more influences than the target supports, stray weights, loose islands,
/// parts that follow the other side, open seams and asymmetric weights.
#[must_use]
pub fn badly_weighted(character: &Character, options: &CheckOptions) -> BTreeMap<usize, BTreeSet<u32>> {
    let mut findings = Vec::new();
    weights(&bound_meshes(character), options, &EffectMeter::new(character, options), &mut findings);
    let mut out: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
    for place in findings.into_iter().map(|f| f.place).filter(|p| !p.vertices.is_empty()) {
        if let Some(instance) = place.instance {
            out.entry(instance).or_default().extend(place.vertices);
        }
    }
    out
}

/// How far vertices of `after` are from the same vertices of `before`, over the poses of `options`, for the mesh that moves most.
///
/// If the joints or their axes differ, only the clips are compared.
#[must_use]
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
