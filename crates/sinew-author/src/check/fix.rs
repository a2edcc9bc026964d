//! Automatic fixes, and how far they move vertices.

mod clips;
mod joints;
mod measure;
mod roots;
mod scales;
mod skins;
mod weights;

pub(super) use clips::{steady, unflipped};
pub(super) use measure::effect_over;

use super::{CheckOptions, Finding, FindingCode, FindingPlace, Severity, check};
use crate::weights::{Effect, WeightError};
use sinew::{
    Character, CharacterError, ClipError, CurveError, MeshError, SkeletonError, SkinError, WeightsError,
};
use thiserror::Error;

/// A fix that was applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// The fault that was fixed.
    pub code: FindingCode,
    /// What was done and where, in words.
    pub what: String,
    /// How far the fix moved vertices.
    pub effect: Effect,
}

/// A character after fixes.
#[derive(Clone, Debug, PartialEq)]
pub struct FixResult {
    /// The character with all fixes applied.
    pub character: Character,
    /// The fixes that were applied, in order.
    pub fixes: Vec<Fix>,
}

/// Why a fix failed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum FixError {
    /// Weights could not be changed.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// The result is not a valid set of weights.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The result is not a valid mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The result is not a valid skin.
    #[error(transparent)]
    Skin(#[from] SkinError),
    /// The result is not a valid skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The result is not a valid clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The result is not a valid curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// The parts of the result do not fit together.
    #[error(transparent)]
    Character(#[from] CharacterError),
}

/// A character while fixes are applied to it.
struct FixSession<'a> {
    character: Character,
    options: &'a CheckOptions,
    fixes: Vec<Fix>,
    /// The findings to fix. A step changes what they name and nothing else.
    findings: &'a [Finding],
}

impl<'a> FixSession<'a> {
    fn new(character: &Character, findings: &'a [Finding], options: &'a CheckOptions) -> Self {
        Self { character: character.clone(), options, fixes: Vec::new(), findings }
    }

    /// The places of the findings of `code`.
    fn named(&self, code: FindingCode) -> impl Iterator<Item = &'a FindingPlace> + use<'a> {
        self.findings.iter().filter(move |f| f.code == code).map(|f| &f.place)
    }

    /// True if a finding of `code` names the skin at `index`.
    fn names_skin(&self, code: FindingCode, index: usize) -> bool {
        self.named(code).any(|place| place.skin == Some(index))
    }

    /// Replaces the character with `next` and records the effect.
    fn done(&mut self, code: FindingCode, what: String, next: Character, measure: measure::MeasuredOver) {
        let effect = measure::effect(&self.character, &next, measure);
        self.character = next;
        self.fixes.push(Fix { code, what, effect });
    }
}

/// A step that fixes the faults of one code.
type FixStep = fn(&mut FixSession<'_>) -> Result<(), FixError>;

/// The steps in the order in which later ones build on earlier ones: the rig, then weights, then what depends on both.
const STEPS: [(FindingCode, FixStep); 18] = [
    (FindingCode::RootUnreachable, roots::fix_root),
    (FindingCode::JointsNotInScene, roots::fix_scene),
    (FindingCode::BindSingular, skins::fix_singular),
    (FindingCode::BindMismatch, skins::fix_binds),
    (FindingCode::ScaleNegative, scales::fix_negative),
    (FindingCode::ScaleNonUniform, scales::fix_non_uniform),
    (FindingCode::SeamOpens, weights::fix_seams),
    (FindingCode::LooseIsland, weights::fix_islands),
    (FindingCode::StrayWeights, weights::fix_strays),
    (FindingCode::SideSwapped, weights::fix_swapped),
    (FindingCode::AsymmetricWeights, weights::fix_sides),
    (FindingCode::InfluencesOverTarget, weights::fix_influences),
    (FindingCode::JointsOverTarget, joints::fix_count),
    (FindingCode::UnusedJoint, joints::fix_unused),
    (FindingCode::ClipFlip, clips::fix_flips),
    (FindingCode::ClipFlipCubic, clips::fix_cubic_flips),
    (FindingCode::ClipPop, clips::fix_pops),
    (FindingCode::ClipJitter, clips::fix_jitter),
];

/// Fixes the `findings` of `character` that have an automatic fix, and changes nothing that they do not name.
///
/// A warning whose effect was [minor](Finding::is_minor), so that it became a note, is left as it is.
///
/// Faults that import has repaired are listed as fixed without an effect: saving the character writes the repaired data.
/// A mesh or skin that is changed loses what was precomputed from it.
///
/// # Errors
/// If a result is not valid, which is a bug and not caused by data.
pub fn fix(
    character: &Character,
    findings: &[Finding],
    options: &CheckOptions,
) -> Result<FixResult, FixError> {
    // A file must keep within the limits of a target, whatever that costs, and freezing scales moves nothing.
    let always =
        [FindingCode::InfluencesOverTarget, FindingCode::ScaleNegative, FindingCode::ScaleNonUniform];
    let is_worth =
        |f: &&Finding| !f.is_minor() || f.code.severity() != Severity::Warning || always.contains(&f.code);
    let worth: Vec<Finding> = findings.iter().filter(is_worth).cloned().collect();
    let mut session = FixSession::new(character, &worth, options);
    for finding in findings.iter().filter(|f| f.code.is_repair()) {
        let what = format!("{}: repaired on import, written as repaired", finding.place);
        session.fixes.push(Fix { code: finding.code, what, effect: Effect::default() });
    }
    for (code, step) in STEPS {
        if worth.iter().any(|f| f.code == code) {
            step(&mut session)?;
        }
    }
    Ok(FixResult { character: session.character, fixes: session.fixes })
}

/// Fixes every fault of `code` in `character`, however small its effect. Does nothing if there is none, or if `code` has no
/// automatic fix.
///
/// # Errors
/// As [`fix`].
pub fn fix_code(
    character: &Character,
    code: FindingCode,
    options: &CheckOptions,
) -> Result<FixResult, FixError> {
    let findings = check(character, &[], options);
    let mut session = FixSession::new(character, &findings, options);
    if let Some((_, step)) = STEPS.iter().find(|(of, _)| *of == code) {
        step(&mut session)?;
    }
    Ok(FixResult { character: session.character, fixes: session.fixes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::finding::Remedy;

    #[test]
    fn a_code_promises_a_fix_if_and_only_if_there_is_a_step_for_it() {
        for &code in FindingCode::ALL {
            let has_step = STEPS.iter().any(|(of, _)| *of == code);
            assert_eq!(has_step, code.remedy() == Remedy::Fix, "{code}");
        }
    }
}
