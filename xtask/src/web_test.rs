//! The studio's page in a real browser without a screen.

use crate::{
    Outcome,
    shell::{command, root, run as run_command, target},
    tools, web,
};
use std::{env, path::PathBuf};

/// `cargo xtask web-test`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    match arguments {
        [] => check(),
        [word] if word == "--keep" => use_page(),
        [extra, ..] => Err(format!("{extra:?} is too much: web-test takes only --keep")),
    }
}

/// Makes the page and uses it.
pub(crate) fn check() -> Outcome {
    web::build()?;
    use_page()
}

fn use_page() -> Outcome {
    tools::install_browser()?;
    let folder = root().join("crates/sinew-studio/web/test");
    let install =
        || run_command(command("npm ci --no-audit --no-fund --loglevel=error").current_dir(&folder));
    // Registries time out now and then.
    install().or_else(|reason| {
        println!("{reason}; trying once more");
        install()
    })?;
    let sinew = program("sinew-cli", "sinew")?;
    let test = folder.join("run.mjs");
    let mut node = command("node");
    node.arg(test).env("SINEW", sinew).env("PAGE", web::folder()).env("ROOT", root());
    run_command(node.env("PICTURES", root().join("target/web-test")))
}

/// Builds a program as the tests before have built it, and says where it is.
pub(crate) fn program(package: &str, name: &str) -> Result<PathBuf, String> {
    run_command(&mut command(&format!("cargo build --package {package} --bin {name}")))?;
    Ok(target()?.join("debug").join(format!("{name}{}", env::consts::EXE_SUFFIX)))
}
