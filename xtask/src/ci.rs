//! Every check that a change must pass, in the order in which failures are cheapest to find.

use crate::{
    Outcome, arrows, book, deny, examples, fuzz, idioms, names, publish, sanitize,
    shell::{command, run as run_command},
    sizes,
    stopwatch::{Stopwatch, Took},
    test::{self, SELECTION},
    tools, torture, wasm, web_test, window_test, words,
};
/// One named check of the pipeline.
pub(crate) struct CiStep {
    pub(crate) name: &'static str,
    pub(crate) does: &'static str,
    run: fn() -> Outcome,
}

const fn step(name: &'static str, does: &'static str, run: fn() -> Outcome) -> CiStep {
    CiStep { name, does, run }
}

pub(crate) const STEPS: [CiStep; 19] = [
    step("tools", "what the tests call is installed", tools::install),
    step("fmt", "code is formatted", formatted),
    step("words", "texts and names use the words of the field", || words::run(&[])),
    step("sizes", "functions and files are short", || sizes::run(&[])),
    step("names", "public types have a name each", names::check),
    step("idioms", "no wildcard arm over Method, no parameters in tuples", idioms::check),
    step("arrows", "crates depend on each other only as the design allows", arrows::check),
    step("deny", "dependencies have allowed licenses and sources", || deny::run(&[])),
    step("book", "pages are in the summary and their links lead somewhere", book::check),
    step("clippy", "no warning in any target", clippy),
    step("test", "every test of every crate, and the examples in documentation", test::check),
    step("examples", "every example program runs", || examples::run(&[])),
    step("doc", "documentation builds without a warning", doc),
    step("publish", "every crate can be packed and its dependencies resolve", publish::check),
    step("fuzz", "fuzz targets call what exists and take mutants of their corpus", fuzz_targets),
    step("torture", "10,000 mutated files do no harm to any stage or writer", torture::check),
    step("window", "the studio's window opens, draws and closes", window_test::check),
    step("wasm", "kernels in WebAssembly agree with the references", wasm::check),
    step("web", "the studio's page works in a browser with WebGL2", || web_test::run(&["webgl".into()])),
];

pub(crate) const NIGHTLY: [CiStep; 5] = [
    step("publish-build", "every crate builds from its package", || publish::run(&[])),
    step("web-gpu", "the studio's page works in a browser with WebGPU", || web_test::run(&["webgpu".into()])),
    step("torture-run", "200,000 mutated files do no harm to any stage or writer", || {
        torture::run(&["--cases".into(), "200000".into()])
    }),
    step("sanitize", "mutated FBX files under the sanitizers", || sanitize::run(&[])),
    step("fuzz-run", "a minute of mutated files for each fuzz target", || fuzz::run(&[])),
];

/// How a step ended, and after how long.
struct Result {
    name: &'static str,
    outcome: Outcome,
    took: Took,
}

/// Runs the steps called `only`, or all, up to the first that fails.
pub(crate) fn run(only: &[String]) -> Outcome {
    run_steps(&STEPS, only)
}

/// Runs what takes too long for every change.
pub(crate) fn run_nightly(only: &[String]) -> Outcome {
    run_steps(&NIGHTLY, only)
}

fn run_steps(all: &[CiStep], only: &[String]) -> Outcome {
    if let Some(unknown) = only.iter().find(|name| !all.iter().any(|s| s.name == name.as_str())) {
        let names: Vec<_> = all.iter().map(|s| s.name).collect();
        return Err(format!("there is no step {unknown:?}, only {}", names.join(", ")));
    }
    let wanted = |step: &&CiStep| only.is_empty() || only.iter().any(|name| name == step.name);
    let steps: Vec<&CiStep> = all.iter().filter(wanted).collect();
    let mut results: Vec<Result> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        println!("\n== {} ({} of {}): {}", step.name, number + 1, steps.len(), step.does);
        let stopwatch = Stopwatch::start();
        let outcome = (step.run)();
        let (failed, took) = (outcome.is_err(), stopwatch.read());
        println!("== {}: {took}", step.name);
        results.push(Result { name: step.name, outcome, took });
        if failed {
            break;
        }
    }
    summarize(&steps, &results)
}

fn summarize(steps: &[&CiStep], results: &[Result]) -> Outcome {
    println!("\n== summary");
    for result in results {
        let verdict = if result.outcome.is_ok() { "ok" } else { "FAILED" };
        println!("{:<10}{verdict:<8}{}", result.name, result.took);
    }
    for step in steps.iter().skip(results.len()) {
        println!("{:<10}not run", step.name);
    }
    let total = results.iter().map(|r| r.took).reduce(|a, b| a + b).unwrap_or_default();
    println!("{:<10}{:<8}{total}", "total", "");
    match results.iter().find_map(|r| Some((r.name, r.outcome.as_ref().err()?))) {
        Some((name, reason)) => Err(format!("step {name}: {reason}")),
        None => Ok(()),
    }
}

fn formatted() -> Outcome {
    run_command(&mut command("cargo fmt --all --check"))?;
    run_command(&mut command("cargo fmt --manifest-path fuzz/Cargo.toml --check"))
}

fn clippy() -> Outcome {
    run_command(&mut command(&format!("cargo clippy {SELECTION} --all-targets -- -D warnings")))?;
    // The command line without the GPU: all other crates are the same and are not compiled again.
    run_command(&mut command("cargo clippy --workspace --all-targets -- -D warnings"))
}

fn doc() -> Outcome {
    // An example needs what tests need: with one of them, nothing is checked again with fewer features.
    let line =
        format!("cargo doc {SELECTION} --no-deps --lib --bin xtask --bin xtask-bindings --example play_clip");
    run_command(command(&line).env("RUSTDOCFLAGS", "-D warnings"))
}

fn fuzz_targets() -> Outcome {
    fuzz::check_files()?;
    torture::check_targets()
}
