//! The command line of Sinew.
#![forbid(unsafe_code)]

mod args;
mod bake;
mod bench;
#[cfg(feature = "gpu")]
mod card;
mod check;
mod clip;
mod compare;
mod completions;
mod convert;
mod demo;
mod failure;
mod film;
mod input;
mod inspect;
mod joint;
mod output;
mod page;
mod prepare;
mod progress;
mod render;
mod rig;
mod script;
mod studio;
mod weights;

use args::{Args, Verb};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = Args::parse();
    match run(args) {
        Ok(code) => code,
        // The reader of our output went away, as `head` does: nothing is wrong.
        Err(Failure::Print(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("sinew: {failure}");
            failure.exit_code()
        }
    }
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
