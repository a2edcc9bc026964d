//! The studio's page in a headless browser.

use crate::{
    Outcome,
    shell::{command, root, run as run_command},
    test, tools, web,
};
use std::process::Command;

/// Builds the page, unless `--keep` is given, and tests it with the renderers named.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let is_known = |word: &&String| ["--keep", "webgl", "webgpu"].contains(&word.as_str());
    if let Some(unknown) = arguments.iter().find(|word| !is_known(word)) {
        return Err(format!("{unknown:?} is not --keep, webgl or webgpu"));
    }
    let (keep, renderers): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|w| *w == "--keep");
    if keep.is_empty() {
        // By itself it would be compiled with features of its own, and with it all that it depends on.
        web::build(Command::new(test::program("xtask-bindings")?))?;
    }
    use_page(&renderers)
}

/// Uses the page with the given renderers, or with all.
fn use_page(renderers: &[&String]) -> Outcome {
    tools::install_browser()?;
    let folder = root().join("crates/sinew-studio/web/test");
    let install =
        || run_command(command("npm ci --no-audit --no-fund --loglevel=error").current_dir(&folder));
    // Registries sometimes time out.
    install().or_else(|reason| {
        println!("{reason}; trying once more");
        install()
    })?;
    let sinew = test::program("sinew")?;
    let test = folder.join("run.mjs");
    let mut node = command("node");
    node.arg(test).args(renderers).env("SINEW", sinew).env("PAGE", web::folder()).env("ROOT", root());
    run_command(node.env("PICTURES", root().join("target/web-test")))
}
