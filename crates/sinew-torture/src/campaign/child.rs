//! The child: runs a batch and prints a line before and after each case.

use super::{Batch, CaseReport, Cases, Ending, cpu_time::own_cpu_time};
use crate::subject::Verdict;
use peak_alloc::PeakAlloc;
use std::{
    io::{self, Write},
    panic::{self, AssertUnwindSafe},
    sync::Mutex,
    time::Instant,
};

/// Reads the counts of the program's allocator; they are shared by all values of the type.
static PEAK: PeakAlloc = PeakAlloc;

/// The message and the place of the last panic.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Runs `batch` and reports to `out`.
///
/// # Errors
/// If nobody reads the reports.
pub fn run_batch(cases: &Cases, batch: Batch, out: &mut impl Write) -> io::Result<()> {
    panic::set_hook(Box::new(|info| {
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = info.to_string();
        }
    }));
    let start = Instant::now();
    for number in batch.numbers() {
        if batch.time.is_some_and(|time| start.elapsed() >= time) {
            break;
        }
        put(out, &CaseReport::Begins { number })?;
        let report = run_case(cases, number);
        put(out, &report)?;
    }
    put(out, &CaseReport::Finished)
}

fn run_case(cases: &Cases, number: u64) -> CaseReport {
    let mut case = cases.get(number);
    PEAK.reset_peak_usage();
    let (before, start, busy) = (PEAK.current_usage(), Instant::now(), own_cpu_time());
    let verdict = panic::catch_unwind(AssertUnwindSafe(|| case.run()));
    let took = own_cpu_time().zip(busy).map_or(start.elapsed(), |(now, then)| now - then);
    let ending = match verdict {
        Ok(Verdict::Accepted) => Ending::Accepted,
        Ok(Verdict::Refused) => Ending::Refused,
        Err(_) => Ending::Panicked(LAST_PANIC.lock().map_or_else(|_| String::new(), |last| last.clone())),
    };
    let peak_bytes = PEAK.peak_usage().saturating_sub(before) as u64;
    CaseReport::Ended { number, ending, peak_bytes, took, input_bytes: case.input.len() as u64 }
}

fn put(out: &mut impl Write, report: &CaseReport) -> io::Result<()> {
    writeln!(out, "{}", report.to_line())?;
    out.flush()
}
