//! What a command may cost: `--max-memory`, `--timeout` and `--allow-outside`.
//!
//! Readers and long stages stop by themselves when their time is over. A watchdog ends the process if they do not, for
//! instance because they are inside C code.

use crate::failure::Failure;
use sinew_formats::{Limits, ReadFileError, ReadOptions, read_regular_text};
use std::{
    cell::Cell,
    collections::BTreeMap,
    ops::ControlFlow,
    path::Path,
    process,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// The exit code of a command that was stopped by `--timeout` or `--max-memory`.
pub(crate) const STOPPED: u8 = 4;

/// How long after the deadline the watchdog ends the process.
const GRACE: Duration = Duration::from_millis(500);

/// How often the watchdog looks.
const PERIOD: Duration = Duration::from_millis(20);

/// Limits for every verb, for files from strangers.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// The maximum memory, such as 2GiB or 500MB: of what reading a file may unpack, and on Linux of the whole process.
    /// Without it a file may unpack 64 MiB plus 256 times its size, at most 1 GiB.
    #[arg(long, global = true, value_name = "SIZE", value_parser = parse_size)]
    max_memory: Option<usize>,

    /// Stop after this time with exit code 4. If a verb takes several files, each file has this time.
    #[arg(long, global = true, value_name = "SECONDS", value_parser = parse_seconds)]
    timeout: Option<Duration>,

    /// Read files that a document names outside its own folder: by "..", by an absolute path or through a link.
    #[arg(long, global = true)]
    allow_outside: bool,
}

/// The limits of this process: a command line is one command.
static ARGS: OnceLock<LimitArgs> = OnceLock::new();

/// The work that is under way, by number.
static RUNNING: Mutex<BTreeMap<usize, RunningTask>> = Mutex::new(BTreeMap::new());

/// The number of the whole command among the work under way.
const COMMAND: usize = 0;

thread_local! {
    /// The deadline of the work on this thread.
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
}

#[derive(Clone, Debug)]
struct RunningTask {
    name: String,
    deadline: Instant,
}

fn args() -> &'static LimitArgs {
    ARGS.get_or_init(LimitArgs::default)
}

fn running() -> MutexGuard<'static, BTreeMap<usize, RunningTask>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LimitArgs {
    /// Applies the limits to this process, and starts the watchdog if one of them needs it.
    pub(crate) fn apply(&self) -> Result<(), Failure> {
        let args = ARGS.get_or_init(|| self.clone());
        if let Some(bytes) = args.max_memory {
            limit_process(bytes).map_err(|e| Failure::work(format!("limit memory to {bytes} bytes"), e))?;
        }
        if args.max_memory.is_some() || args.timeout.is_some() {
            let watchdog = thread::Builder::new().name("watchdog".into());
            watchdog.spawn(|| watch(args)).map_err(|e| Failure::work("start the watchdog", e))?;
        }
        Ok(())
    }
}

/// The options for reading with the limits of the command line.
pub(crate) fn read_options() -> ReadOptions {
    let mut limits = Limits::default();
    if let Some(bytes) = args().max_memory {
        limits = limits.with_max_memory(bytes);
    }
    if let Some(deadline) = DEADLINE.get() {
        limits = limits.with_deadline(deadline);
    }
    ReadOptions::default().with_limits(limits).with_allow_outside(args().allow_outside)
}

/// Reads a file of text beside a character: a pose, weights, clips or a map.
pub(crate) fn read_text(path: &Path) -> Result<String, ReadFileError> {
    read_regular_text(path, read_options().limits.max_read_bytes)
        .map_err(|source| ReadFileError::Io { path: path.to_owned(), source })
}

/// Tells a stage to stop once the time of the work on this thread is over.
pub(crate) fn go_on() -> ControlFlow<()> {
    if is_late() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn is_late() -> bool {
    DEADLINE.get().is_some_and(|deadline| Instant::now() >= deadline)
}

/// Does the whole command within the time limit.
pub(crate) fn timed_command<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    timed(COMMAND, "the command", work)
}

/// Does the work on one of several files within the time limit; `number` is its place among them.
pub(crate) fn timed_file<T>(
    number: usize,
    name: &str,
    work: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    timed(number + 1, name, work)
}

/// Does the work on several files, each of which has its own time: that of the command stands still.
pub(crate) fn without_command<T>(work: impl FnOnce() -> T) -> T {
    let command = running().remove(&COMMAND);
    let done = work();
    if let (Some(command), Some(timeout)) = (command, args().timeout) {
        let deadline = Instant::now() + timeout;
        DEADLINE.set(Some(deadline));
        running().insert(COMMAND, RunningTask { deadline, ..command });
    }
    done
}

fn timed<T>(number: usize, name: &str, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let Some(timeout) = args().timeout else { return work() };
    let deadline = Instant::now() + timeout;
    DEADLINE.set(Some(deadline));
    running().insert(number, RunningTask { name: name.to_owned(), deadline });
    let done = work();
    running().remove(&number);
    let was_late = is_late();
    DEADLINE.set(None);
    done.map_err(|failure| if was_late { Failure::TimedOut(timed_out(name, timeout)) } else { failure })
}

fn timed_out(name: &str, timeout: Duration) -> String {
    format!("{name}: stopped after {} s, the limit of --timeout", timeout.as_secs_f64())
}

/// Ends the process when work is late by more than the grace, or memory exceeds its limit.
fn watch(args: &LimitArgs) {
    loop {
        thread::sleep(PERIOD);
        let late = running().values().find(|task| Instant::now() >= task.deadline + GRACE).cloned();
        if let (Some(task), Some(timeout)) = (late, args.timeout) {
            stop(&timed_out(&task.name, timeout));
        }
        if let (Some(limit), Some(used)) = (args.max_memory, resident_bytes())
            && used > limit
        {
            stop(&format!("stopped at {used} bytes of memory, the limit of --max-memory is {limit}"));
        }
    }
}

/// Ends the process, whatever its other threads do.
fn stop(message: &str) -> ! {
    tell!("sinew: {message}");
    process::exit(i32::from(STOPPED))
}

/// The memory that the process has in use, in bytes; `None` where the system does not tell.
fn resident_bytes() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<usize>().ok()?.checked_mul(1024)
}

/// Lets the system refuse allocations beyond `bytes`.
#[cfg(target_os = "linux")]
fn limit_process(bytes: usize) -> std::io::Result<()> {
    // Data, not address space: threads and drivers reserve much of that and never use it.
    let (_, hard) = rlimit::Resource::DATA.get()?;
    rlimit::Resource::DATA.set((bytes as u64).min(hard), hard)
}

#[cfg(not(target_os = "linux"))]
fn limit_process(_: usize) -> std::io::Result<()> {
    Ok(())
}

/// Parses a size such as `2GiB`, `500MB` or `1073741824`. `K`, `M` and `G` alone are powers of 1024.
fn parse_size(text: &str) -> Result<usize, String> {
    const MIN: f64 = (16 << 20) as f64;
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len()));
    let scale = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0 * 1024.0,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "t" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err("must be a size such as 2GiB or 500MB".into()),
    };
    let number: f64 = number.trim().parse().map_err(|_| "must be a size such as 2GiB or 500MB".to_owned())?;
    let bytes = number * scale;
    if bytes.is_finite() && bytes >= MIN { Ok(bytes as usize) } else { Err("must be at least 16MiB".into()) }
}

/// Parses a time in seconds.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && *seconds <= 1e9);
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "must be a positive number of seconds".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_decimal_and_binary_units() {
        for (text, bytes) in [
            ("2GiB", 2 << 30),
            ("2g", 2 << 30),
            ("500MB", 500_000_000),
            ("0.5 GiB", 1 << 29),
            ("16777216", 16 << 20),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in ["", "2 apples", "-1GiB", "1MiB", "NaN", "infGiB"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_positive() {
        assert_eq!(parse_seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["0", "-1", "NaN", "inf", "soon"] {
            assert!(parse_seconds(text).is_err(), "{text}");
        }
    }
}
