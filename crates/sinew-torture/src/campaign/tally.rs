//! What happened to the cases, as a table.

use super::{CaseLimits, CaseReport, Cases, Ending};
use crate::campaign::Group;
use std::{fmt::Write as _, time::Duration};

/// A case that broke a promise.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The number of the case.
    pub number: u64,
    /// What happened, in a few words.
    pub what: String,
}

/// The counts of one subject.
#[derive(Clone, Debug, Default)]
struct Row {
    cases: u64,
    accepted: u64,
    refused: u64,
    panics: u64,
    aborts: u64,
    over_time: u64,
    over_memory: u64,
    amplification: f64,
    peak_bytes: u64,
    slowest: Duration,
    slowest_case: u64,
}

impl Row {
    fn took(&mut self, number: u64, took: Duration) {
        if took > self.slowest {
            (self.slowest, self.slowest_case) = (took, number);
        }
    }
}

/// The counts of a campaign.
#[derive(Clone, Debug)]
pub struct Tally {
    group: Group,
    rows: Vec<Row>,
    failures: Vec<Failure>,
}

impl Tally {
    /// Counts for the subjects of `group`.
    #[must_use]
    pub fn new(group: Group) -> Self {
        Self { group, rows: vec![Row::default(); group.subjects().len()], failures: Vec::new() }
    }

    /// The cases that broke a promise, in the order in which they ended.
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// The number of cases that ran.
    #[must_use]
    pub fn cases(&self) -> u64 {
        self.rows.iter().map(|row| row.cases).sum()
    }

    fn row(&mut self, number: u64) -> &mut Row {
        let at = number as usize % self.rows.len();
        &mut self.rows[at]
    }

    /// Counts a case that came to an end. Returns whether it broke a promise.
    pub(super) fn ended(&mut self, report: &CaseReport, limits: &CaseLimits) -> bool {
        let CaseReport::Ended { number, ending, peak_bytes, took, input_bytes } = report else {
            return false;
        };
        let row = self.row(*number);
        row.cases += 1;
        row.took(*number, *took);
        row.peak_bytes = row.peak_bytes.max(*peak_bytes);
        row.amplification = row.amplification.max(*peak_bytes as f64 / (*input_bytes).max(1) as f64);
        let mut what = None;
        match ending {
            Ending::Accepted => row.accepted += 1,
            Ending::Refused => row.refused += 1,
            Ending::Panicked(message) => {
                row.panics += 1;
                what = Some(message.clone());
            }
        }
        if what.is_none() && *peak_bytes > limits.memory_bytes {
            row.over_memory += 1;
            what = Some(format!("allocated {} MiB for {input_bytes} bytes", peak_bytes >> 20));
        }
        let is_failure = what.is_some();
        self.failures.extend(what.map(|what| Failure { number: *number, what }));
        is_failure
    }

    /// Counts a case that had not ended in time.
    pub(super) fn over_time(&mut self, number: u64, after: Duration) {
        let row = self.row(number);
        (row.cases, row.over_time) = (row.cases + 1, row.over_time + 1);
        row.took(number, after);
        self.failures.push(Failure { number, what: format!("had not ended after {} s", after.as_secs()) });
    }

    /// Counts a case during which the child died; `words` is what it said last.
    pub(super) fn died(&mut self, number: u64, words: &str) {
        let row = self.row(number);
        row.cases += 1;
        // What the standard library says when the limit of the address space is reached.
        if words.contains("memory allocation of") {
            row.over_memory += 1;
        } else {
            row.aborts += 1;
        }
        let last = words.trim().lines().last().unwrap_or("without a word").to_owned();
        self.failures.push(Failure { number, what: format!("the process died: {last}") });
    }

    /// The table, one line per subject, and every failure with the command that repeats it.
    #[must_use]
    pub fn table(&self, cases: &Cases) -> String {
        let mut out = format!(
            "{:<16}{:>8}{:>10}{:>9}{:>8}{:>8}{:>11}{:>13}{:>15}{:>10}{:>10}{:>10}\n",
            "input",
            "cases",
            "accepted",
            "refused",
            "panics",
            "aborts",
            "over time",
            "over memory",
            "amplification",
            "peak MiB",
            "seconds",
            "in case"
        );
        let names = self.group.subjects().iter().map(|subject| subject.name);
        for (name, row) in names.zip(&self.rows).chain([("total", &self.total())]) {
            // Writing to a string does not fail.
            let _ = writeln!(
                out,
                "{name:<16}{:>8}{:>10}{:>9}{:>8}{:>8}{:>11}{:>13}{:>15.0}{:>10.1}{:>10.3}{:>10}",
                row.cases,
                row.accepted,
                row.refused,
                row.panics,
                row.aborts,
                row.over_time,
                row.over_memory,
                row.amplification,
                row.peak_bytes as f64 / f64::from(1 << 20),
                row.slowest.as_secs_f64(),
                row.slowest_case
            );
        }
        let corpus =
            cases.corpus.as_ref().map(|folder| format!(" --corpus {}", folder.display())).unwrap_or_default();
        for failure in &self.failures {
            let subject = self.group.subjects()[failure.number as usize % self.rows.len()].name;
            let _ = writeln!(
                out,
                "case {} ({subject}): {}\n  repeat it with `sinew-torture case {} --seed {}{corpus} {}`",
                failure.number,
                failure.what,
                self.group.name(),
                cases.seed,
                failure.number
            );
        }
        out
    }

    fn total(&self) -> Row {
        self.rows.iter().fold(Row::default(), |sum, row| Row {
            cases: sum.cases + row.cases,
            accepted: sum.accepted + row.accepted,
            refused: sum.refused + row.refused,
            panics: sum.panics + row.panics,
            aborts: sum.aborts + row.aborts,
            over_time: sum.over_time + row.over_time,
            over_memory: sum.over_memory + row.over_memory,
            amplification: sum.amplification.max(row.amplification),
            peak_bytes: sum.peak_bytes.max(row.peak_bytes),
            slowest: sum.slowest.max(row.slowest),
            slowest_case: if row.slowest > sum.slowest { row.slowest_case } else { sum.slowest_case },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(number: u64, ending: Ending, peak_bytes: u64) -> CaseReport {
        CaseReport::Ended { number, ending, peak_bytes, took: Duration::from_millis(3), input_bytes: 10 }
    }

    #[test]
    fn every_way_to_fail_is_counted_and_named() {
        let mut tally = Tally::new(Group::Formats);
        let limits = CaseLimits { memory_bytes: 1000, ..CaseLimits::default() };
        assert!(!tally.ended(&ended(0, Ending::Accepted, 50), &limits));
        assert!(!tally.ended(&ended(1, Ending::Refused, 0), &limits));
        assert!(tally.ended(&ended(2, Ending::Panicked("oops".into()), 0), &limits));
        assert!(tally.ended(&ended(3, Ending::Accepted, 1001), &limits));
        tally.over_time(4, Duration::from_secs(9));
        tally.died(5, "thread 'main' has overflowed its stack");
        tally.died(6, "memory allocation of 99 bytes failed");
        assert_eq!((tally.cases(), tally.failures().len()), (7, 5));
        let total = tally.total();
        assert_eq!((total.accepted, total.refused, total.panics, total.aborts), (2, 1, 1, 1));
        assert_eq!((total.over_time, total.over_memory), (1, 2));
        let cases = Cases::new(Group::Formats, 1, None).unwrap();
        let table = tally.table(&cases);
        assert!(table.contains("oops") && table.contains("case formats --seed 1 2"), "{table}");
    }
}
