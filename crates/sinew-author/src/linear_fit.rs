//! Corrective joints and weights with which linear blend skinning shows what another method does.
//!
//! A game that supports only linear blend skinning cannot show centers of rotation or dual quaternions. It can show a few more joints.
//! This module adds corrective joints where the methods differ most, fits their motion as a polynomial of the rotation between two
//! joints ([`Corrective`](sinew::constrain::Corrective)), fits at most a few weights a vertex, and writes the motion into the clips,
//! so that any engine plays it.
//!
//! The weights are solved as in SSDR (Le and Deng 2012, "Smooth skinning decomposition with rigid bones"); bones that blend and swell
//! follow Mohr and Gleicher (2003), "Building efficient, accurate character skins from examples".
//!
//! 1. Poses of the clips and of a range of motion are deformed by the method.
//! 2. The pair of joints whose corrective joint lowers the error most gets one, until there are as many as asked for.
//! 3. Weights and motions take turns, each the best for the other.
//! 4. The result is measured with the runtime, also in poses that were not used.

mod bake;
mod character;
mod corrective_fit;
mod error;
mod greedy;
mod pairs;
mod points;
mod poses;
mod report;
mod weights;

pub use error::LinearFitError;
pub use poses::FitPoses;
pub use report::{FitError, LinearFitReport, PoseError};

use crate::{AuthorError, Progress};
use sinew::{Character, JointId, Method};

/// What is fitted, with what and how closely.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearFitOptions {
    /// The method whose result is fitted; the meshes must hold its precomputed data.
    pub method: Method,
    /// The most corrective joints to add, 0 to 256.
    pub helpers: usize,
    /// The most joints that influence a vertex, 1 to 16.
    pub influences: usize,
    /// Whether corrective joints may scale. Without it they only turn and slide, for engines that ignore scale.
    pub scale: bool,
    /// The poses to fit.
    pub poses: FitPoses,
    /// How often weights and motions take turns at the end.
    pub rounds: usize,
    /// The number of keys a second that corrective joints get in clips, besides those of the joints that they follow.
    pub keys_per_sec: f32,
}

impl Default for LinearFitOptions {
    fn default() -> Self {
        Self {
            method: Method::Cor,
            helpers: 12,
            influences: 4,
            scale: true,
            poses: FitPoses::default(),
            rounds: 12,
            keys_per_sec: 30.0,
        }
    }
}

/// A character that shows another method's result by linear blend skinning.
#[derive(Clone, Debug)]
pub struct LinearFit {
    /// The character with corrective joints, new weights and longer clips.
    pub character: Character,
    /// The corrective joints that were added.
    pub joints: Vec<JointId>,
    /// How near it comes.
    pub report: LinearFitReport,
}

/// Adds corrective joints and fits weights so that linear blend skinning shows what `options.method` does.
///
/// # Errors
/// If an option is out of range, there is nothing to fit, a mesh has muscle weights or two skins, the method's data is missing, or the
/// caller stops the work.
pub fn fit_to_linear(
    character: &Character,
    options: &LinearFitOptions,
    progress: Progress<'_>,
) -> Result<LinearFit, LinearFitError> {
    check(options)?;
    let poses = options.poses.of_character(character);
    let mut skins = points::FitSkin::of_character(character, options, &poses.fitted)?;
    if skins.is_empty() {
        return Err(LinearFitError::NoSkin);
    }
    greedy::fit(&mut skins, options, progress)?;
    let (fitted, joints) = character::fitted(character, &skins, options)?;
    let report = report::measured(character, &fitted, options.method, &poses, &skins)?;
    Ok(LinearFit { character: fitted, joints, report })
}

fn check(options: &LinearFitOptions) -> Result<(), AuthorError> {
    let bad = |option, value, wanted| Err(AuthorError::BadOption { option, value, wanted });
    if options.helpers > 256 {
        return bad("helpers", options.helpers as f64, "at most 256");
    }
    if !(1..=crate::convex_fit::MAX_CANDIDATES).contains(&options.influences) {
        return bad("influences", options.influences as f64, "1 to 16");
    }
    if !(options.keys_per_sec > 0.0 && options.keys_per_sec <= 1000.0) {
        return bad("keys per second", f64::from(options.keys_per_sec), "above 0, up to 1000");
    }
    options.poses.check()
}

#[cfg(test)]
mod tests;
