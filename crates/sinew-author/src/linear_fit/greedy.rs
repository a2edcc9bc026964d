//! Chooses where corrective joints stand, and lets weights and motions take turns.

use super::{
    LinearFitOptions,
    corrective_fit::CorrectiveFit,
    pairs::{JointPair, pairs, points_between},
    points::{BoneWeights, FitSkin},
    weights::improve,
};
use crate::{AuthorError, Progress, progress::tell};
use std::collections::HashMap;

/// How often weights and motion of a new joint take turns before its gain is measured.
const TRIAL_ROUNDS: usize = 3;

/// The most pairs that are tried for one joint.
const MAX_TRIALS: usize = 6;

/// Points with a smaller part of the mean error than this are left alone.
const MIN_ERROR: f64 = 1e-3;

pub(super) fn fit(
    skins: &mut [FitSkin],
    options: &LinearFitOptions,
    progress: Progress<'_>,
) -> Result<(), AuthorError> {
    let total = options.helpers + options.rounds;
    // What a pair gained when it was last tried, relative to the error that it accounted for.
    let mut yields: HashMap<(usize, JointPair), f64> = HashMap::new();
    for done in 0..options.helpers {
        tell(progress, done, total)?;
        let Some((skin, trial)) = best_trial(skins, options, &mut yields) else { break };
        trial.keep(&mut skins[skin]);
    }
    for round in 0..options.rounds {
        tell(progress, options.helpers + round, total)?;
        skins.iter_mut().for_each(|skin| turn(skin, options.influences));
    }
    // Weights have the last word: they fit the motions as they are.
    for skin in skins {
        let points = points_with_error(skin, options.influences);
        improve(skin, &points, options.influences);
    }
    Ok(())
}

/// The trial with the largest gain of those that promise most; `None` if none gains.
fn best_trial(
    skins: &mut [FitSkin],
    options: &LinearFitOptions,
    yields: &mut HashMap<(usize, JointPair), f64>,
) -> Option<(usize, Trial)> {
    let mut promises: Vec<(usize, JointPair, f64)> = Vec::new();
    for (index, skin) in skins.iter().enumerate() {
        promises.extend(pairs(skin).into_iter().map(|(pair, error)| (index, pair, error)));
    }
    let mut best: Option<(usize, Trial)> = None;
    let mut tried: Vec<(usize, JointPair)> = Vec::new();
    for _ in 0..MAX_TRIALS {
        let expected = |&(skin, pair, error): &(usize, JointPair, f64)| {
            error * yields.get(&(skin, pair)).copied().unwrap_or(1.0)
        };
        let open = promises.iter().filter(|p| !tried.contains(&(p.0, p.1)));
        let next = open.max_by(|a, b| expected(a).total_cmp(&expected(b)).then(b.1.cmp(&a.1)));
        let Some(&(skin, pair, error)) = next.filter(|p| p.2 > 0.0) else { break };
        if best.as_ref().is_some_and(|(_, trial)| trial.gain >= expected(&(skin, pair, error))) {
            break;
        }
        let trial = Trial::of(&mut skins[skin], pair, options);
        yields.insert((skin, pair), trial.gain / error);
        tried.push((skin, pair));
        if trial.gain > best.as_ref().map_or(0.0, |(_, trial)| trial.gain) {
            best = Some((skin, trial));
        }
    }
    best
}

/// A corrective joint that was fitted, and the weights that go with it.
struct Trial {
    fit: CorrectiveFit,
    points: Vec<usize>,
    weights: Vec<BoneWeights>,
    errors: Vec<f64>,
    gain: f64,
}

impl Trial {
    /// Fits a joint between the pair; the skin is the same afterwards.
    fn of(skin: &mut FitSkin, pair: JointPair, options: &LinearFitOptions) -> Self {
        let points = points_between(skin, pair);
        let before: Vec<BoneWeights> = points.iter().map(|&p| skin.weights[p].clone()).collect();
        let errors_before: Vec<f64> = points.iter().map(|&p| skin.errors[p]).collect();
        let fit = CorrectiveFit::between(skin, pair, options.scale);
        skin.motions.push(fit.motions());
        skin.fitted.push(fit);
        let number = skin.fitted.len() - 1;
        for _ in 0..TRIAL_ROUNDS {
            improve(skin, &points, options.influences);
            move_joint(skin, number, &points);
        }
        improve(skin, &points, options.influences);
        let trial_errors: Vec<f64> = points.iter().map(|&p| skin.errors[p]).collect();
        let gain = errors_before.iter().sum::<f64>() - trial_errors.iter().sum::<f64>();
        let put_back = points.iter().zip(before).zip(errors_before);
        let weights = put_back
            .map(|((&point, before), error)| {
                skin.errors[point] = error;
                std::mem::replace(&mut skin.weights[point], before)
            })
            .collect();
        skin.motions.pop();
        let fit = skin.fitted.remove(number);
        Self { fit, points, weights, errors: trial_errors, gain }
    }

    fn keep(self, skin: &mut FitSkin) {
        skin.motions.push(self.fit.motions());
        skin.fitted.push(self.fit);
        for ((point, weights), error) in self.points.into_iter().zip(self.weights).zip(self.errors) {
            (skin.weights[point], skin.errors[point]) = (weights, error);
        }
    }
}

/// One turn: the best weights for the motions, then the best motions for the weights.
fn turn(skin: &mut FitSkin, influences: usize) {
    let points = points_with_error(skin, influences);
    improve(skin, &points, influences);
    let all: Vec<usize> = (0..skin.rest.len()).collect();
    for number in 0..skin.fitted.len() {
        move_joint(skin, number, &all);
    }
}

/// The best motion of one corrective joint for the weights of `points`.
fn move_joint(skin: &mut FitSkin, number: usize, points: &[usize]) {
    let bone = (skin.slots() + number) as u16;
    let mut fit = skin.fitted[number].clone();
    fit.improve(skin, bone, points.iter().map(|&point| (point, &skin.weights[point])));
    skin.motions[usize::from(bone)] = fit.motions();
    skin.fitted[number] = fit;
}

/// The points that linear blend skinning does not show well, and those with too many influences.
fn points_with_error(skin: &FitSkin, influences: usize) -> Vec<usize> {
    let mean = skin.errors.iter().sum::<f64>() / skin.errors.len().max(1) as f64;
    let is_open = |&p: &usize| skin.errors[p] > mean * MIN_ERROR || skin.weights[p].len() > influences;
    (0..skin.rest.len()).filter(is_open).collect()
}
