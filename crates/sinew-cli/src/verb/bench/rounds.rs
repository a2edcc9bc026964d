//! Rounds: every case runs in every round, and its best round counts.

use super::cases::BenchCase;
use serde::Serialize;
use std::time::{Duration, Instant};

/// What was measured of one case; the field names are the keys of `--json`.
#[derive(Clone, Debug, Serialize)]
pub(super) struct RoundRecord {
    /// The case as `step/method/streams/character/level`.
    pub(super) name: String,
    /// Nanoseconds per vertex, joint or whatever the step counts.
    pub(super) ns_per_item: f64,
    /// Bytes that must be read and written per second.
    pub(super) gb_per_sec: Option<f64>,
    /// The bandwidth relative to a copy of the same buffers in the same run.
    pub(super) copy_fraction: Option<f64>,
    /// How many times as fast as the plain loop over the same streams in the same run.
    pub(super) speedup_vs_plain: Option<f64>,
}

/// The minimum time of one turn: long compared with the clock's resolution, short compared with interruptions.
const TURN: Duration = Duration::from_micros(500);

/// Runs all cases in turns for `seconds`, at least five rounds, and returns the best of each.
pub(super) fn measure(cases: &mut [BenchCase<'_>], seconds: f64) -> Vec<RoundRecord> {
    let calls: Vec<u32> = cases.iter_mut().map(calls_per_turn).collect();
    let mut best = vec![f64::INFINITY; cases.len()];
    let started = Instant::now();
    let mut round = 0;
    while round < 5 || started.elapsed().as_secs_f64() < seconds {
        for ((case, &calls), best) in cases.iter_mut().zip(&calls).zip(&mut best) {
            *best = best.min(time(case, calls) / f64::from(calls));
        }
        round += 1;
    }
    let per_item: Vec<f64> = cases.iter().zip(&best).map(|(c, b)| b * 1e9 / c.items as f64).collect();
    (0..cases.len()).map(|i| record(i, cases, &per_item)).collect()
}

fn time(case: &mut BenchCase<'_>, calls: u32) -> f64 {
    let started = Instant::now();
    for _ in 0..calls {
        (case.run)();
    }
    started.elapsed().as_secs_f64()
}

/// How many calls fill a turn, measured by running the case.
fn calls_per_turn(case: &mut BenchCase<'_>) -> u32 {
    time(case, 1);
    let once = time(case, 1).max(1e-9);
    ((TURN.as_secs_f64() / once).ceil() as u32).clamp(1, 100_000)
}

fn record(index: usize, cases: &[BenchCase<'_>], per_item: &[f64]) -> RoundRecord {
    let case = &cases[index];
    let ns = per_item[index];
    let of = |name: Option<&String>| {
        let at = cases.iter().position(|c| Some(&c.name) == name)?;
        Some(per_item[at])
    };
    RoundRecord {
        name: case.name.clone(),
        ns_per_item: ns,
        gb_per_sec: case.bytes.map(|bytes| bytes / ns),
        // The copy moves the same bytes, so the ratio of times is the ratio of bandwidths.
        copy_fraction: of(case.copy.as_ref()).map(|copy| copy / ns),
        speedup_vs_plain: of(case.plain.as_ref()).map(|plain| plain / ns),
    }
}
