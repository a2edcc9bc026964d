//! Progress bars on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};

/// A bar of `steps`, hidden if standard error is not a terminal or `quiet` is set.
pub(crate) fn bar(steps: u64, what: &'static str, quiet: bool) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
    if !quiet && io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::stderr());
    }
    let style = ProgressStyle::with_template("{msg:>10} [{bar:32}] {pos}/{len}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("=> "));
    bar.set_message(what);
    bar
}
