//! The example programs of the crates.

use crate::{
    Outcome,
    shell::{command, root, run as run_command, target},
    test,
};
use std::{fs, time::Instant};

const FOLDER: &str = "crates/sinew/examples";

/// `cargo xtask examples`: builds all examples at once and runs each.
pub(crate) fn run(_: &[String]) -> Outcome {
    run_command(&mut command(&format!("cargo build {} --examples --quiet", test::SELECTION)))?;
    let programs = target()?.join("debug/examples");
    let names = names()?;
    for name in &names {
        let start = Instant::now();
        run_command(&mut command(&programs.join(name).to_string_lossy()))?;
        println!("{name} took {:.1} s", start.elapsed().as_secs_f64());
    }
    println!("{} examples ran", names.len());
    Ok(())
}

/// The names of all examples, in order.
fn names() -> Result<Vec<String>, String> {
    let Ok(entries) = fs::read_dir(root().join(FOLDER)) else { return Ok(Vec::new()) };
    let mut names = Vec::new();
    for entry in entries {
        let path = entry.map_err(|e| format!("{FOLDER}: {e}"))?.path();
        let is_program = path.extension().is_some_and(|e| e == "rs") || path.join("main.rs").exists();
        names.extend(path.file_stem().filter(|_| is_program).map(|stem| stem.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}
