//! Joints, weights and motion from a mesh that moves: the inverse of skinning.
//!
//! A sequence of one mesh (a simulation, a capture, another program's deformer) becomes bones that move rigidly and at most a few
//! weights a vertex, so that linear blend skinning shows the sequence. The method is SSDR: Le and Deng (2012), "Smooth skinning
//! decomposition with rigid bones"; the hierarchy follows Le and Deng (2014), "Robust and accurate skeletal rigging from mesh sequences".
//!
//! 1. Points are grouped into clusters that move rigidly, split where the error is largest.
//! 2. Weights and motions take turns, each the best for the other: weights by least squares that stay positive and sum to one, motions
//!    by a rotation fit of each bone to what the others leave.
//! 3. Bones that are missed least move to where the error is largest.
//!
//! The cost hardly depends on the number of frames. With weights that sum to one, every error is a quadratic form in matrices that
//! are summed over the frames once a round.

mod bone_motion;
mod character;
mod clusters;
mod error;
mod exchange;
mod hierarchy;
mod influences;
mod motion_step;
mod rigid_sums;
mod sequence;
mod trajectories;

pub use character::{SolveSequenceOptions, SolvedCharacter, SolvedSkeleton, character_from_sequence};
pub use error::DecomposeError;
pub use sequence::MeshSequence;

use crate::{AuthorError, Progress, progress::tell};
use bone_motion::BoneMotion;
use influences::{Influences, rigid_labels};
use motion_step::solve_motion;
use sinew::{Influence, glam::DAffine3};
use trajectories::Trajectories;

/// How a sequence is decomposed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecomposeOptions {
    /// The number of bones, at least 1. Fewer are used if the sequence has no more parts that move.
    pub bones: usize,
    /// The most bones that influence a vertex, 1 to 16.
    pub influences: usize,
    /// How often weights and motions take turns at most.
    pub rounds: usize,
    /// Rounds end when the error has fallen by less than this share in ten of them.
    pub min_gain: f64,
}

impl Default for DecomposeOptions {
    fn default() -> Self {
        Self { bones: 32, influences: 4, rounds: 80, min_gain: 0.005 }
    }
}

/// Bones and weights that show a sequence by linear blend skinning.
#[derive(Clone, Debug)]
pub struct Decomposition {
    /// The bones and weights of each vertex; they sum to one.
    pub influences: Vec<Vec<Influence>>,
    /// For each bone what takes the mesh from rest to each frame, in meters.
    pub motions: Vec<Vec<DAffine3>>,
    /// How near the bones come to the sequence.
    pub report: DecomposeReport,
}

/// How well a decomposition shows its sequence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecomposeReport {
    /// The number of bones in use.
    pub bones: usize,
    /// The root mean square distance of all vertices in all frames, in meters.
    pub rms_meters: f64,
    /// The largest distance, in meters.
    pub max_meters: f64,
    /// The frame and the vertex of the largest distance.
    pub max_at: (usize, usize),
    /// How often weights and motions took turns.
    pub rounds: usize,
    /// How many bones were moved to where the error was larger.
    pub exchanged: usize,
}

/// Finds the motion of given joints and, unless `keeps_weights`, better weights. `start` holds the influences of each vertex.
pub(crate) fn decompose_with_skeleton(
    sequence: &MeshSequence,
    start: Vec<Vec<Influence>>,
    bones: usize,
    keeps_weights: bool,
    options: &DecomposeOptions,
    progress: Progress<'_>,
) -> Result<Decomposition, DecomposeError> {
    check(options)?;
    let trajectories = Trajectories::new(sequence)?;
    let influences = Influences::starting(options.influences, &trajectories, &start);
    let motion = BoneMotion::at_rest(bones, trajectories.frames);
    let mut solver = Solver { trajectories: &trajectories, influences, motion, exchanged: 0 };
    let rounds = solver.follow(options, keeps_weights, progress)?;
    Ok(solver.finish(sequence, rounds))
}

/// Finds bones, weights and motions that show `sequence`.
///
/// # Errors
/// If an option is out of range, memory does not suffice, or the caller stops the work.
pub fn decompose(
    sequence: &MeshSequence,
    options: &DecomposeOptions,
    progress: Progress<'_>,
) -> Result<Decomposition, DecomposeError> {
    check(options)?;
    let trajectories = Trajectories::new(sequence)?;
    tell(progress, 0, options.rounds + 1)?;
    let motion = clusters::clusters(&trajectories, None, options.bones);
    let pairs = motion.pairs();
    let labels: Vec<u16> = rigid_labels(&trajectories, &motion, &pairs).into_iter().map(|l| l.0).collect();
    let influences = Influences::rigid(options.influences, &labels);
    let mut solver = Solver { trajectories: &trajectories, influences, motion, exchanged: 0 };
    let rounds = solver.run(options, progress)?;
    Ok(solver.finish(sequence, rounds))
}

fn check(options: &DecomposeOptions) -> Result<(), AuthorError> {
    let bad = |option, value, wanted| Err(AuthorError::BadOption { option, value, wanted });
    let DecomposeOptions { bones, influences, rounds, .. } = *options;
    if !(1..=usize::from(u16::MAX)).contains(&bones) {
        return bad("bones", bones as f64, "1 to 65535");
    }
    if !(1..=crate::convex_fit::MAX_CANDIDATES).contains(&influences) {
        return bad("influences", influences as f64, "1 to 16");
    }
    if rounds == 0 {
        return bad("rounds", 0.0, "at least 1");
    }
    Ok(())
}

/// Weights and motions that take turns.
struct Solver<'a> {
    trajectories: &'a Trajectories,
    influences: Influences,
    motion: BoneMotion,
    exchanged: usize,
}

impl Solver<'_> {
    /// Turns for given joints: none is exchanged. Returns the number of rounds.
    fn follow(
        &mut self,
        options: &DecomposeOptions,
        keeps_weights: bool,
        progress: Progress<'_>,
    ) -> Result<usize, DecomposeError> {
        let free = 0..self.motion.bones;
        for round in 0..options.rounds {
            tell(progress, round, options.rounds)?;
            solve_motion(self.trajectories, &self.influences, &mut self.motion, free.clone());
            // Motions settle for the weights that are there before those change.
            if !keeps_weights && round >= options.rounds / 4 {
                self.influences.solve(self.trajectories, &self.motion);
            }
        }
        Ok(options.rounds)
    }

    /// Returns the number of rounds.
    fn run(&mut self, options: &DecomposeOptions, progress: Progress<'_>) -> Result<usize, DecomposeError> {
        /// Rounds after which the gain is measured.
        const SPAN: usize = 10;
        let mut errors = Vec::new();
        // Exchanged bones need some rounds to settle.
        let last_exchange = options.rounds.saturating_sub(SPAN * 2);
        self.influences.solve(self.trajectories, &self.motion);
        for round in 0..options.rounds {
            self.step();
            let may_exchange = round % 3 == 2 && round < last_exchange;
            let moved = if may_exchange { self.exchange() } else { 0 };
            errors.push(self.influences.total_error());
            tell(progress, round + 2, options.rounds + 1)?;
            let before = errors.len().checked_sub(SPAN + 1).map(|n| errors[n]);
            let is_settled = before.is_some_and(|before| errors[round] > before * (1.0 - options.min_gain));
            if is_settled && moved == 0 || errors[round] == 0.0 {
                return Ok(round + 1);
            }
        }
        Ok(options.rounds)
    }

    fn step(&mut self) {
        let free = 0..self.motion.bones;
        solve_motion(self.trajectories, &self.influences, &mut self.motion, free);
        self.influences.solve(self.trajectories, &self.motion);
    }

    /// Moves some bones to where the error is largest. Returns how many.
    fn exchange(&mut self) -> usize {
        let free = 0..self.motion.bones;
        let count = (self.motion.bones / 10).max(1);
        let moved =
            exchange::exchange(self.trajectories, &mut self.influences, &mut self.motion, free, count);
        if moved > 0 {
            self.influences.solve(self.trajectories, &self.motion);
        }
        self.exchanged += moved;
        moved
    }

    fn finish(self, sequence: &MeshSequence, rounds: usize) -> Decomposition {
        let (bones, frames) = (self.motion.bones, self.trajectories.frames);
        let in_meters = |bone, frame| self.trajectories.in_meters(&self.motion.get(bone, frame));
        let motions: Vec<Vec<DAffine3>> =
            (0..bones).map(|bone| (0..frames).map(|frame| in_meters(bone, frame)).collect()).collect();
        let of_point = |&point: &u32| {
            let influences = self.influences.of(point as usize);
            influences.map(|(slot, weight)| Influence { slot, weight: weight as f32 }).collect()
        };
        let influences: Vec<Vec<Influence>> = self.trajectories.of_vertex.iter().map(of_point).collect();
        let report =
            DecomposeReport { rounds, exchanged: self.exchanged, ..measure(sequence, &influences, &motions) };
        Decomposition { influences, motions, report }
    }
}

/// The distances between a sequence and what its decomposition shows.
fn measure(
    sequence: &MeshSequence,
    influences: &[Vec<Influence>],
    motions: &[Vec<DAffine3>],
) -> DecomposeReport {
    let mut report = DecomposeReport { bones: motions.len(), ..DecomposeReport::default() };
    let mut squares = 0.0;
    for (frame, places) in sequence.frames().iter().enumerate() {
        for (vertex, (place, influences)) in places.iter().zip(influences).enumerate() {
            let rest = sequence.rest()[vertex].as_dvec3();
            let of_bone = |i: &Influence| {
                motions[usize::from(i.slot)][frame].transform_point3(rest) * f64::from(i.weight)
            };
            let shown: sinew::glam::DVec3 = influences.iter().map(of_bone).sum();
            let square = shown.distance_squared(place.as_dvec3());
            squares += square;
            if square > report.max_meters {
                (report.max_meters, report.max_at) = (square, (frame, vertex));
            }
        }
    }
    let count = (sequence.frames().len() * sequence.rest().len()).max(1);
    report.max_meters = report.max_meters.sqrt();
    report.rms_meters = (squares / count as f64).sqrt();
    report
}

#[cfg(test)]
mod tests;
