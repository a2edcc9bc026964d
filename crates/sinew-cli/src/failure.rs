//! Why a command stopped, and the exit code that says so.

use crate::limits::STOPPED;
use sinew_author::{
    AuthorError,
    autorig::AutorigError,
    helper_joints::HelperJointError,
    motion::MotionError,
    weights::{WeightError, text::WeightsTextError},
};
use sinew_formats::{
    ReadFileError, WriteError, clip_text::ClipTextError, graph::GraphFileError, pose_text::PoseTextError,
};
use std::{fmt::Display, io, path::PathBuf, process::ExitCode};
use thiserror::Error;

/// Why a command stopped. Every text names what was attempted, on which file, and the cause.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// The command line asks for something that does not exist or does not fit. Exit code 2.
    #[error("{0}")]
    Usage(String),
    /// An input file cannot be read. Exit code 3.
    #[error("cannot read {0}")]
    Read(#[from] ReadFileError),
    /// A graph file cannot be read or does not fit its character. Exit code 3.
    #[error("cannot read the graph {0}")]
    Graph(#[from] GraphFileError),
    /// A text file with weights cannot be read. Exit code 3.
    #[error("cannot read the weights {}: {source}", path.display())]
    WeightText { path: PathBuf, source: WeightsTextError },
    /// A text file with a pose cannot be read. Exit code 3.
    #[error("cannot read the pose {}: {source}", path.display())]
    PoseText { path: PathBuf, source: PoseTextError },
    /// A text file with clips cannot be read. Exit code 3.
    #[error("cannot read the clips {}: {source}", path.display())]
    ClipText { path: PathBuf, source: ClipTextError },
    /// The time of `--timeout` is over. Exit code 4.
    #[error("{0}")]
    TimedOut(String),
    /// A character cannot be written. Exit code 1.
    #[error("cannot write {0}")]
    Write(#[from] WriteError),
    /// A file cannot be written. Exit code 1.
    #[error("cannot write {}: {source}", path.display())]
    Output { path: PathBuf, source: io::Error },
    /// A file exists that nobody allowed to be replaced. Exit code 1.
    #[error(
        "cannot write {}: it {}; give --force to replace it",
        path.display(),
        if *is_input { "is the input" } else { "exists" }
    )]
    Exists { path: PathBuf, is_input: bool },
    /// Standard output is closed or full. Exit code 1.
    #[error("cannot print to standard output: {0}")]
    Print(io::Error),
    /// The work itself failed. Exit code 1.
    #[error("cannot {attempt}: {cause}")]
    Work {
        /// A verb and its object: `fix knight.glb`.
        attempt: String,
        cause: String,
    },
}

impl Failure {
    /// 1 for work that failed, 2 for a wrong command line, 3 for input that cannot be read, 4 for work that was stopped.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Write(_)
            | Self::Output { .. }
            | Self::Exists { .. }
            | Self::Print(_)
            | Self::Work { .. } => 1,
            Self::Usage(_) => 2,
            Self::Read(_)
            | Self::Graph(_)
            | Self::WeightText { .. }
            | Self::PoseText { .. }
            | Self::ClipText { .. } => 3,
            Self::TimedOut(_) => STOPPED,
        })
    }

    /// The work failed: `attempt` is a verb and its object, as in "cannot fix knight.glb: …".
    pub(crate) fn work(attempt: impl Into<String>, cause: impl Display) -> Self {
        Self::Work { attempt: attempt.into(), cause: cause.to_string() }
    }

    /// Adds the file to what was attempted: "draw the character" becomes "draw the character of fox.glb".
    pub(crate) fn of_file(self, file: &str) -> Self {
        match self {
            Self::Work { attempt, cause } => Self::Work { attempt: format!("{attempt} of {file}"), cause },
            other => other,
        }
    }

    /// The command line is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    /// An option that must be a positive, finite number is not.
    pub(crate) fn not_positive(option: &str, value: impl Display) -> Self {
        Self::Usage(format!("{option} must be positive, got {value}"))
    }

    /// `--gpu` was given to a build that has no GPU support.
    #[cfg(any(test, not(feature = "gpu")))]
    pub(crate) fn without_gpu() -> Self {
        Self::usage(
            "--gpu: this sinew was built without GPU support; build it with `cargo build --release --features gpu`, \
             or install it with `cargo install sinew-cli --features gpu`",
        )
    }
}

/// Says what was attempted when a library call fails.
pub(crate) trait Attempt<T> {
    /// Turns an error into "cannot ATTEMPT: CAUSE". The text is only built on failure.
    fn attempt<S: Into<String>>(self, attempt: impl FnOnce() -> S) -> Result<T, Failure>;
}

impl<T, E: Display> Attempt<T> for Result<T, E> {
    fn attempt<S: Into<String>>(self, attempt: impl FnOnce() -> S) -> Result<T, Failure> {
        self.map_err(|cause| Failure::work(attempt(), cause))
    }
}

/// Errors that can be the fault of an option as well as of the input.
pub(crate) trait OptionFault: Display {
    /// Whether another command line would have avoided the error.
    fn is_option_fault(&self) -> bool;
}

impl OptionFault for WeightError {
    fn is_option_fault(&self) -> bool {
        matches!(self, Self::BadOption { .. } | Self::Missing { .. } | Self::WrongCount { .. })
    }
}

impl OptionFault for AuthorError {
    fn is_option_fault(&self) -> bool {
        matches!(self, Self::BadOption { .. })
    }
}

impl OptionFault for AutorigError {
    fn is_option_fault(&self) -> bool {
        matches!(self, Self::Author(error) if error.is_option_fault())
    }
}

impl OptionFault for MotionError {
    fn is_option_fault(&self) -> bool {
        matches!(
            self,
            Self::BadOption { .. }
                | Self::NoKey { .. }
                | Self::KeysBeyond { .. }
                | Self::KeysBefore { .. }
                | Self::NameTaken { .. }
        )
    }
}

impl OptionFault for HelperJointError {
    fn is_option_fault(&self) -> bool {
        matches!(self, Self::BadOption { .. } | Self::NotBelow { .. })
    }
}

/// As [`Attempt`], for errors that may be the fault of an option: those exit with 2.
pub(crate) trait AttemptWithOptions<T> {
    /// Turns an error into "cannot ATTEMPT: CAUSE", with exit code 2 for a bad option and 1 for everything else.
    fn attempt_with_options<S: Into<String>>(self, attempt: impl FnOnce() -> S) -> Result<T, Failure>;
}

impl<T, E: OptionFault> AttemptWithOptions<T> for Result<T, E> {
    fn attempt_with_options<S: Into<String>>(self, attempt: impl FnOnce() -> S) -> Result<T, Failure> {
        self.map_err(|cause| {
            let failure = Failure::work(attempt(), &cause);
            if cause.is_option_fault() { Failure::Usage(failure.to_string()) } else { failure }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_attempt_names_the_attempt_the_file_and_the_cause() {
        let failure = Err::<(), _>("no skin").attempt(|| "fix knight.glb").unwrap_err();
        assert_eq!(failure.to_string(), "cannot fix knight.glb: no skin");
        assert_eq!(failure.exit_code(), ExitCode::from(1));
    }

    #[test]
    fn a_bad_option_is_a_wrong_command_line() {
        struct BadCount;
        impl Display for BadCount {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("count must be positive, got 0")
            }
        }
        impl OptionFault for BadCount {
            fn is_option_fault(&self) -> bool {
                true
            }
        }
        let failure = Err::<(), _>(BadCount).attempt_with_options(|| "limit a.glb").unwrap_err();
        assert_eq!(failure.to_string(), "cannot limit a.glb: count must be positive, got 0");
        assert_eq!(failure.exit_code(), ExitCode::from(2));
    }

    #[test]
    fn a_number_that_must_be_positive_says_so_with_its_value() {
        assert_eq!(Failure::not_positive("--seconds", -1).to_string(), "--seconds must be positive, got -1");
    }
    #[test]
    fn a_build_without_gpu_support_names_the_commands_that_make_one() {
        let failure = Failure::without_gpu();
        let text = failure.to_string();
        for command in ["`cargo build --release --features gpu`", "`cargo install sinew-cli --features gpu`"]
        {
            assert!(text.contains(command), "{text}");
        }
        assert_eq!(failure.exit_code(), ExitCode::from(2));
    }
}
