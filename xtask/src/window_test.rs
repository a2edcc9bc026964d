//! The studio's window under Xvfb.

use crate::{
    Outcome,
    shell::{command, root, run as run_command},
    test, tools,
};

/// Runs `cargo xtask window-test`, which takes no arguments.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments.first() {
        Some(extra) => Err(format!("{extra:?} is too much: window-test takes no arguments")),
        None => check(),
    }
}

/// Opens, looks at, closes and kills windows.
pub(crate) fn check() -> Outcome {
    if !cfg!(target_os = "linux") {
        println!("skipped: Xvfb is only available on Linux");
        return Ok(());
    }
    tools::install_screen()?;
    let studio = test::program("sinew-studio")?;
    let script = root().join("crates/sinew-studio/tests/window.sh");
    let mut screen = command("xvfb-run --auto-servernum");
    // Without -noreset the screen starts over when its last client is killed, and the next window may find no display.
    screen.arg("--server-args=-screen 0 1400x900x24 -noreset").arg("bash").arg(script);
    run_command(screen.env("STUDIO", studio).env("PICTURES", root().join("target/window-test")))
}
