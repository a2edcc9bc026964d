//! Time on the clock and on the CPU.

use std::{
    fs,
    time::{Duration, Instant},
};

/// Started before a piece of work.
pub(crate) struct Stopwatch {
    start: Instant,
    cpu_secs: Option<f64>,
}

/// How long a piece of work took.
#[derive(Clone, Copy, Default)]
pub(crate) struct Took {
    pub(crate) wall: Duration,
    /// Seconds on all cores of all programs that were started and have ended; `None` outside Linux.
    pub(crate) cpu_secs: Option<f64>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { start: Instant::now(), cpu_secs: cpu_secs_of_children() }
    }

    pub(crate) fn read(&self) -> Took {
        let cpu_secs = cpu_secs_of_children().zip(self.cpu_secs).map(|(now, then)| now - then);
        Took { wall: self.start.elapsed(), cpu_secs }
    }
}

impl std::ops::Add for Took {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let cpu_secs = self.cpu_secs.zip(other.cpu_secs).map(|(a, b)| a + b);
        Self { wall: self.wall + other.wall, cpu_secs }
    }
}

impl std::fmt::Display for Took {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:>7.1} s", self.wall.as_secs_f64())?;
        match self.cpu_secs {
            Some(cpu_secs) => write!(f, "{cpu_secs:>9.1} s CPU"),
            None => Ok(()),
        }
    }
}

fn cpu_secs_of_children() -> Option<f64> {
    children_secs(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// User and system time of ended children in a line of `/proc/PID/stat`, which counts in hundredths of a second.
fn children_secs(stat: &str) -> Option<f64> {
    // The program's name comes second, in parentheses, and may contain spaces.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_read_behind_a_name_with_spaces() {
        let stat = "1 (a b) c) S 0 1 1 0 -1 4194560 1 2 3 4 50 60 700 80 20 0 1 0 9";
        assert_eq!(children_secs(stat), Some(7.8));
        assert_eq!(children_secs("1 (a) S"), None);
    }

    #[test]
    fn sums_keep_the_cpu_only_if_both_know_it() {
        let took = |cpu_secs| Took { wall: Duration::from_secs(1), cpu_secs };
        assert_eq!((took(Some(1.0)) + took(Some(2.0))).to_string(), "    2.0 s      3.0 s CPU");
        assert_eq!((took(Some(1.0)) + took(None)).to_string(), "    2.0 s");
    }
}
