//! `sinew completions`: scripts for shells.

use crate::{command_line, failure::Failure, output::print};
use clap_complete::Shell;

/// Print a script that completes Sinew's commands in a shell.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  sinew completions bash > ~/.local/share/bash-completion/completions/sinew"
)]
pub(crate) struct CompletionsArgs {
    /// The shell to complete in.
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command_line(), "sinew", &mut script);
    print(&script)
}
