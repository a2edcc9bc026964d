//! Mends what can be mended, and measures what that moves.

mod clips;
mod joints;
mod measure;
mod roots;
mod scales;
mod skins;
mod weights;

pub(super) use measure::effect_over;

use super::{CheckFinding, CheckOptions, Code};
use crate::weights::{Effect, WeightError};
use sinew::{
    Character, CharacterError, ClipError, CurveError, MeshError, SkeletonError, SkinError, WeightsError,
};
use thiserror::Error;

/// Something that was mended.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// What was wrong.
    pub code: Code,
    /// What was done, and where.
    pub what: String,
    /// How far it moved vertices.
    pub effect: Effect,
}

/// A mended character.
#[derive(Clone, Debug, PartialEq)]
pub struct FixResult {
    /// The character.
    pub character: Character,
    /// What was done, in order.
    pub fixes: Vec<Fix>,
}

/// Why something could not be mended.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FixError {
    /// Weights could not be changed.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// The result is no valid set of weights.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The result is no valid mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The result is no valid skin.
    #[error(transparent)]
    Skin(#[from] SkinError),
    /// The result is no valid skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The result is no valid clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The result is no valid curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// The result's parts do not fit.
    #[error(transparent)]
    Character(#[from] CharacterError),
}

/// A character while it is mended.
struct Mending<'a> {
    character: Character,
    options: &'a CheckOptions,
    fixes: Vec<Fix>,
}

impl Mending<'_> {
    /// Puts `next` in the place of the character and notes what that does.
    fn done(&mut self, code: Code, what: String, next: Character, measure: measure::Over) {
        let effect = measure::effect(&self.character, &next, measure);
        self.character = next;
        self.fixes.push(Fix { code, what, effect });
    }
}

/// A step that mends the faults of one code.
type FixStep = fn(&mut Mending<'_>) -> Result<(), FixError>;

/// The steps in the order in which they help each other: the rig first, then weights, then what depends on both.
const STEPS: [(Code, FixStep); 16] = [
    (Code::RootUnreachable, roots::mend_root),
    (Code::JointsNotInScene, roots::mend_scene),
    (Code::BindSingular, skins::mend_singular),
    (Code::BindMismatch, skins::mend_binds),
    (Code::ScaleNegative, scales::mend_negative),
    (Code::ScaleNonUniform, scales::mend_non_uniform),
    (Code::SeamOpens, weights::mend_seams),
    (Code::LooseIsland, weights::mend_islands),
    (Code::StrayWeights, weights::mend_strays),
    (Code::AsymmetricWeights, weights::mend_sides),
    (Code::InfluencesOverTarget, weights::mend_influences),
    (Code::JointsOverTarget, joints::mend_count),
    (Code::UnusedJoint, joints::mend_unused),
    (Code::ClipFlip, clips::mend_flips),
    (Code::ClipFlipCubic, clips::mend_cubic_flips),
    (Code::ClipJitter, clips::mend_jitter),
];

/// Mends what `findings` say of `character`, as far as it can be mended.
///
/// Faults that reading the file has mended are mended by writing it again. What is changed loses what was precomputed from it.
///
/// # Errors
/// Where a result is not valid, which data alone does not cause.
pub fn fix(
    character: &Character,
    findings: &[CheckFinding],
    options: &CheckOptions,
) -> Result<FixResult, FixError> {
    let mut mending = Mending { character: character.clone(), options, fixes: Vec::new() };
    for finding in findings.iter().filter(|f| is_mended_by_reading(f.code)) {
        let what = format!("{}: written again as it was read", finding.place);
        mending.fixes.push(Fix { code: finding.code, what, effect: Effect::default() });
    }
    for (code, step) in STEPS {
        if findings.iter().any(|f| f.code == code) {
            step(&mut mending)?;
        }
    }
    Ok(FixResult { character: mending.character, fixes: mending.fixes })
}

/// Mends every fault of `code` in `character`; nothing is done where there is none, or none that can be mended here.
///
/// # Errors
/// As [`fix`].
pub fn mend(character: &Character, code: Code, options: &CheckOptions) -> Result<FixResult, FixError> {
    let mut mending = Mending { character: character.clone(), options, fixes: Vec::new() };
    if let Some((_, step)) = STEPS.iter().find(|(of, _)| *of == code) {
        step(&mut mending)?;
    }
    Ok(FixResult { character: mending.character, fixes: mending.fixes })
}

fn is_mended_by_reading(code: Code) -> bool {
    matches!(
        code,
        Code::WeightsSum
            | Code::WeightsMissing
            | Code::WeightsNegative
            | Code::DuplicateJoint
            | Code::JointOutOfRange
            | Code::InfluenceSetIncomplete
            | Code::QuaternionNotUnit
            | Code::BindNotAffine
            | Code::MatrixSheared
    )
}
