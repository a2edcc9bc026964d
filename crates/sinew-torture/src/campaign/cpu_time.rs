//! The CPU time of a process, which other programs on the machine do not lengthen.

use std::{fs, time::Duration};

/// The CPU time of the process with the number `pid`, of all its threads; `None` where the system does not say.
///
/// Linux counts in hundredths of a second.
pub(super) fn cpu_time(pid: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program is in parentheses and may have spaces; user and system time are the 14th and 15th field.
    let (_, fields) = text.rsplit_once(')')?;
    let mut ticks = fields.split_whitespace().skip(11).map(str::parse::<u64>);
    let (user, system) = (ticks.next()?.ok()?, ticks.next()?.ok()?);
    Some(Duration::from_millis(10 * (user + system)))
}

/// True if no thread of the process with the number `pid` runs or waits for a core: they all wait for something else.
pub(super) fn is_waiting(pid: u32) -> bool {
    let is_running =
        |stat: String| stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('R'));
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut stats = threads.filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok());
    !stats.any(is_running)
}

/// The CPU time of this process.
pub(super) fn own_cpu_time() -> Option<Duration> {
    cpu_time(std::process::id())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_busy_process_has_used_cpu_time() {
        let before = own_cpu_time().unwrap();
        let mut number = 1_u64;
        while own_cpu_time().unwrap() == before {
            number = (0..100_000).fold(number, |n, k| n.wrapping_mul(3).rotate_left(k));
        }
        assert!(number != 0 && own_cpu_time().unwrap() > before);
        assert!(!is_waiting(std::process::id()), "it reads this itself");
    }
}
