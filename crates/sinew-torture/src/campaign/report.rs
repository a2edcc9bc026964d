//! The lines that a child prints about its cases.

use std::time::Duration;

/// How a case ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The input was read and used.
    Accepted,
    /// The input was refused with a reason.
    Refused,
    /// It panicked, with this message.
    Panicked(String),
}

/// One line of a child.
#[derive(Clone, Debug, PartialEq)]
pub enum CaseReport {
    /// A case begins, and no other runs.
    Begins {
        /// The number of the case.
        number: u64,
    },
    /// A case has ended.
    Ended {
        /// The number of the case.
        number: u64,
        /// What became of the input.
        ending: Ending,
        /// The most bytes that were allocated at a time, beyond those before the case.
        peak_bytes: u64,
        /// The CPU time that it took, or the time on the clock where the system does not count that.
        took: Duration,
        /// The size of the input.
        input_bytes: u64,
    },
    /// The batch has ended.
    Finished,
}

impl CaseReport {
    /// The line without its line break.
    #[must_use]
    pub fn to_line(&self) -> String {
        match self {
            Self::Begins { number } => format!("begins {number}"),
            Self::Ended { number, ending, peak_bytes, took, input_bytes } => {
                let (word, message) = match ending {
                    Ending::Accepted => ("accepted", ""),
                    Ending::Refused => ("refused", ""),
                    Ending::Panicked(message) => ("panicked", &message[..]),
                };
                let message = message.replace(['\n', '\r'], " ");
                format!("{word} {number} {peak_bytes} {} {input_bytes} {message}", took.as_micros())
            }
            Self::Finished => "finished".into(),
        }
    }

    /// Reads a line; `None` if it is none of a child.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.splitn(6, ' ');
        let word = words.next()?;
        if word == "finished" {
            return Some(Self::Finished);
        }
        let mut number = || words.next()?.parse::<u64>().ok();
        let of_case = number()?;
        if word == "begins" {
            return Some(Self::Begins { number: of_case });
        }
        let (peak_bytes, micros, input_bytes) = (number()?, number()?, number()?);
        let message = words.next().unwrap_or_default();
        let ending = match word {
            "accepted" => Ending::Accepted,
            "refused" => Ending::Refused,
            "panicked" => Ending::Panicked(message.to_owned()),
            _ => return None,
        };
        Some(Self::Ended {
            number: of_case,
            ending,
            peak_bytes,
            took: Duration::from_micros(micros),
            input_bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_reads_as_it_was_written() {
        let ended = |ending| CaseReport::Ended {
            number: 7,
            ending,
            peak_bytes: 1 << 40,
            took: Duration::from_micros(12),
            input_bytes: 900,
        };
        let panicked = Ending::Panicked("index out of bounds, at a.rs:3".into());
        let reports = [
            CaseReport::Begins { number: 7 },
            ended(Ending::Accepted),
            ended(Ending::Refused),
            ended(panicked),
            CaseReport::Finished,
        ];
        for report in reports {
            assert_eq!(CaseReport::parse(&report.to_line()), Some(report));
        }
        assert_eq!(CaseReport::parse("something that a library printed"), None);
    }
}
