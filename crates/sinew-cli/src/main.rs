//! The command line of Sinew.
//!
//! Each verb is a module with its arguments and a `run` function. This file is their registry: to add a verb, write its
//! module and add it to the list of modules, to [`Verb`] and to [`run`].
#![forbid(unsafe_code)]

mod bake;
mod bench;
mod check;
mod clip;
mod compare;
mod completions;
mod convert;
mod demo;
mod failure;
mod film;
#[cfg(feature = "gpu")]
mod gpu;
mod input;
mod inspect;
mod joint;
mod json;
mod method;
mod motion;
mod output;
mod page;
mod prepare;
mod progress;
mod render;
mod rig;
mod studio;
mod weights;

use clap::{Parser, Subcommand};
use failure::Failure;
use std::process::ExitCode;

/// Skeletal animation and skinning: inspect, check, fix, pose, deform, draw and convert characters.
#[derive(Debug, Parser)]
#[command(name = "sinew", version, about, max_term_width = 100, after_help = after_help())]
#[command(propagate_version = true, arg_required_else_help = true)]
struct Args {
    /// Print no progress and no summary.
    #[arg(long, short, global = true)]
    quiet: bool,

    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Demo(demo::DemoArgs),
    Inspect(inspect::InspectArgs),
    Check(check::CheckArgs),
    Weights(weights::WeightsArgs),
    Rig(rig::RigArgs),
    Render(render::RenderArgs),
    Bake(bake::BakeArgs),
    Bench(bench::BenchArgs),
    Compare(compare::CompareArgs),
    Convert(convert::ConvertArgs),
    Studio(studio::StudioArgs),
    Completions(completions::CompletionsArgs),
}

fn run(args: Args) -> Result<ExitCode, Failure> {
    let quiet = args.quiet;
    match args.verb {
        Verb::Check(args) => return check::run(&args, quiet),
        Verb::Demo(args) => demo::run(&args, quiet)?,
        Verb::Inspect(args) => inspect::run(&args)?,
        Verb::Render(args) => render::run(&args, quiet)?,
        Verb::Bake(args) => bake::run(&args, quiet)?,
        Verb::Bench(args) => bench::run(&args, quiet)?,
        Verb::Compare(args) => compare::run(&args, quiet)?,
        Verb::Convert(args) => convert::run(&args, quiet)?,
        Verb::Weights(args) => weights::run(&args, quiet)?,
        Verb::Rig(args) => rig::run(&args, quiet)?,
        Verb::Studio(args) => return studio::run(&args),
        Verb::Completions(args) => completions::run(&args)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(code) => code,
        // The reader of the output closed it, as `head` does: nothing is wrong.
        Err(Failure::Print(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("sinew: {failure}");
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

Exit codes: 0 done, 1 the work failed, 2 wrong command line, 3 an input cannot be read.",
        input::readable_files(),
        input::builtin_names(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }
}
