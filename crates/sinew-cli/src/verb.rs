//! The verbs: each is a module with its arguments and a `run` function.
//!
//! This file is their registry. To add a verb, write its module and add it to the list of modules, to [`Verb`] and to
//! [`Verb::run`].

mod bake;
mod bench;
mod check;
mod clips;
mod compare;
mod completions;
mod convert;
mod cook;
mod demo;
mod fit;
mod inspect;
mod merge;
mod render;
mod rig;
mod solve;
mod studio;
mod weights;

use crate::failure::Failure;
use clap::Subcommand;
use std::process::ExitCode;

/// What the program is asked to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Demo(demo::DemoArgs),
    Inspect(inspect::InspectArgs),
    Check(check::CheckArgs),
    Weights(weights::WeightsArgs),
    Rig(rig::RigArgs),
    Clips(clips::ClipsArgs),
    Render(render::RenderArgs),
    Bake(bake::BakeArgs),
    Bench(bench::BenchArgs),
    Compare(compare::CompareArgs),
    Convert(convert::ConvertArgs),
    Cook(cook::CookArgs),
    Fit(Box<fit::FitArgs>),
    Merge(merge::MergeArgs),
    Solve(solve::SolveArgs),
    Studio(studio::StudioArgs),
    Completions(completions::CompletionsArgs),
}

impl Verb {
    /// Does it; `quiet` prints no progress and no summary.
    pub(crate) fn run(self, quiet: bool) -> Result<ExitCode, Failure> {
        match self {
            Self::Check(args) => return check::run(&args, quiet),
            Self::Inspect(args) => return inspect::run(&args, quiet),
            Self::Render(args) => return render::run(&args, quiet),
            Self::Bake(args) => return bake::run(&args, quiet),
            Self::Convert(args) => return convert::run(&args, quiet),
            Self::Weights(args) => return weights::run(&args, quiet),
            Self::Demo(args) => demo::run(&args, quiet)?,
            Self::Bench(args) => bench::run(&args, quiet)?,
            Self::Compare(args) => compare::run(&args, quiet)?,
            Self::Cook(args) => cook::run(&args, quiet)?,
            Self::Fit(args) => fit::run(&args, quiet)?,
            Self::Merge(args) => merge::run(&args, quiet)?,
            Self::Solve(args) => solve::run(&args, quiet)?,
            Self::Rig(args) => rig::run(&args, quiet)?,
            Self::Clips(args) => clips::run(&args, quiet)?,
            Self::Studio(args) => return studio::run(&args),
            Self::Completions(args) => completions::run(&args)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
