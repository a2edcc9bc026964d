//! Every check that a change must pass, in the order in which failures are cheapest to find.

use crate::{
    Outcome, arrows,
    shell::{command, run as run_command},
    tools, wasm, web_test, window_test,
};
use std::time::{Duration, Instant};

/// One check.
pub(crate) struct CiStep {
    pub(crate) name: &'static str,
    pub(crate) does: &'static str,
    run: fn() -> Outcome,
}

pub(crate) const STEPS: [CiStep; 10] = [
    CiStep { name: "tools", does: "what the tests call is installed", run: tools::install },
    CiStep { name: "fmt", does: "code is formatted", run: formatted },
    CiStep {
        name: "arrows",
        does: "crates depend on each other only as the design allows",
        run: arrows::check,
    },
    CiStep { name: "clippy", does: "no warning in any target", run: clippy },
    CiStep { name: "test", does: "every test of every crate, examples in documentation too", run: test },
    CiStep { name: "wasm", does: "kernels in WebAssembly agree with the references", run: wasm::check },
    CiStep { name: "window", does: "the studio's window opens, draws and closes", run: window_test::check },
    CiStep { name: "web", does: "the studio's page works in a browser", run: web_test::check },
    CiStep { name: "doc", does: "documentation builds without a warning", run: doc },
    CiStep { name: "fuzz", does: "fuzz targets compile without a warning", run: fuzz_targets },
];

/// How a step ended, and after how long.
struct Result {
    name: &'static str,
    outcome: Outcome,
    took: Duration,
}

/// Runs the steps called `only`, or all, up to the first that fails.
pub(crate) fn run(only: &[String]) -> Outcome {
    if let Some(unknown) = only.iter().find(|name| !STEPS.iter().any(|s| s.name == name.as_str())) {
        let names: Vec<_> = STEPS.iter().map(|s| s.name).collect();
        return Err(format!("there is no step {unknown:?}, only {}", names.join(", ")));
    }
    let wanted = |step: &&CiStep| only.is_empty() || only.iter().any(|name| name == step.name);
    let steps: Vec<&CiStep> = STEPS.iter().filter(wanted).collect();
    let mut results: Vec<Result> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        println!("\n== {} ({} of {}): {}", step.name, number + 1, steps.len(), step.does);
        let start = Instant::now();
        let outcome = (step.run)();
        let failed = outcome.is_err();
        results.push(Result { name: step.name, outcome, took: start.elapsed() });
        if failed {
            break;
        }
    }
    summarise(&steps, &results)
}

fn summarise(steps: &[&CiStep], results: &[Result]) -> Outcome {
    println!("\n== summary");
    for result in results {
        let verdict = if result.outcome.is_ok() { "ok" } else { "FAILED" };
        println!("{:<8}{verdict:<8}{:>7.1} s", result.name, result.took.as_secs_f64());
    }
    for step in steps.iter().skip(results.len()) {
        println!("{:<8}not run", step.name);
    }
    let total: Duration = results.iter().map(|r| r.took).sum();
    println!("{:<8}{:<8}{:>7.1} s", "total", "", total.as_secs_f64());
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
    run_command(&mut command(
        "cargo clippy --workspace --all-targets --features sinew-cli/gpu -- -D warnings",
    ))?;
    // What is left out without the card must not be missed.
    run_command(&mut command("cargo clippy -p sinew-cli --all-targets -- -D warnings"))
}

fn test() -> Outcome {
    // Without these a test that needs the validator or a card skips where it is missing; here nothing may be skipped.
    // The last one keeps Mesa from remarking on a missing desktop.
    let require = ["SINEW_REQUIRE_VALIDATOR", "SINEW_REQUIRE_GPU", "NODEVICE_SELECT"].map(|name| (name, "1"));
    run_command(command("cargo test --workspace --features sinew-cli/gpu").envs(require))
}

fn doc() -> Outcome {
    run_command(command("cargo doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings"))
}

fn fuzz_targets() -> Outcome {
    // Without the default features libFuzzer is not compiled, so neither nightly nor a C++ compiler is needed.
    run_command(&mut command(
        "cargo clippy --manifest-path fuzz/Cargo.toml --no-default-features --features fbx -- -D warnings",
    ))
}
