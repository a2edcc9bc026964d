//! `sinew completions`.

use crate::{
    args::{Args, CompletionsArgs},
    failure::Failure,
    output::print,
};
use clap::CommandFactory;

pub(crate) fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "sinew", &mut script);
    print(&script)
}
