//! The command line of Sinew.
//!
//! `verb` has one module per verb. The modules beside it are what verbs share: reading input, choosing clips and
//! methods, printing.
#![forbid(unsafe_code)]

#[macro_use]
mod text;

mod batch;
mod clip;
mod compression;
mod failure;
mod film;
#[cfg(feature = "gpu")]
mod gpu;
mod input;
mod joint;
mod json;
mod limits;
mod losses;
mod method;
mod motion;
mod output;
mod overwrite;
mod page;
mod pose;
mod prepare;
mod progress;
mod reports;
mod simd;
mod verb;
mod write;

use clap::{Command, CommandFactory, FromArgMatches, Parser};
use failure::Failure;
use input::ReadArgs;
use limits::LimitArgs;
use std::process::ExitCode;
use verb::Verb;

/// Skeletal animation and skinning: inspect, check, fix, pose, deform, draw and convert characters.
#[derive(Debug, Parser)]
#[command(name = "sinew", version, about, max_term_width = 100, after_help = after_help())]
#[command(propagate_version = true, arg_required_else_help = true)]
struct Args {
    /// Print no progress and no summary.
    #[arg(long, short, global = true)]
    quiet: bool,

    /// Replace files that exist. Without it a person at a terminal is asked, and everybody else gets an error.
    #[arg(long, global = true)]
    force: bool,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    read: ReadArgs,

    #[command(subcommand)]
    verb: Verb,
}

/// The command line. A negative number is a value, never an unknown option.
fn command_line() -> Command {
    fn with_numbers(command: Command) -> Command {
        command.allow_negative_numbers(true).mut_subcommands(with_numbers)
    }
    with_numbers(Args::command())
}

fn main() -> ExitCode {
    let args = Args::from_arg_matches(&command_line().get_matches()).unwrap_or_else(|error| error.exit());
    let Args { quiet, force, limits, read, verb } = args;
    read.apply();
    if force {
        overwrite::force();
    }
    let run = || {
        let done = verb.run(quiet);
        reports::finish().and(done)
    };
    match limits.apply().and_then(|()| limits::timed_command(run)) {
        Ok(code) => code,
        // The reader of the output closed it, as `head` does: nothing is wrong.
        Err(Failure::Print(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            tell!("sinew: {failure}");
            failure.exit_code()
        }
    }
}

fn after_help() -> String {
    format!(
        "\
FILE is a {}, or a built-in character:
  {}

Examples:
  sinew demo                                     pictures of the built-in characters, on one page
  sinew inspect fox.glb                          what is in the file, and what was repaired
  sinew check fox.glb --target bevy              what will break, where, and what to do about it
  sinew weights limit 4 --refit fox.glb -o four.glb
  sinew render builtin:figure --clip walk -o walk.gif
  sinew bake fox.glb --clip Run --times 0,0.25,0.5 --format npy -o run
  sinew compare builtin:tube                     every method, measured
  sinew convert fox.gltf fox.glb

Exit codes: 0 done, 1 the work failed, 2 wrong command line, 3 an input cannot be read, 4 stopped by\n\
--timeout or --max-memory.",
        input::readable_files(),
        input::builtin_names(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command_line().debug_assert();
    }
}
