//! Campaigns of mutated files against every format, stage and writer, and against every fuzz target.

use crate::{
    Outcome,
    shell::{root, run as run_command},
    test,
};
use std::{process::Command, thread};

/// The cases of one run of CI.
const CI_CASES: u32 = 10_000;
/// The seconds for each fuzz target in CI.
const CI_SECONDS: u32 = 1;

/// What `cargo xtask torture` was asked to do.
#[derive(Debug, PartialEq)]
struct TortureRequest {
    cases: u64,
    seed: u64,
    jobs: usize,
}

/// `cargo xtask torture`: as many cases as asked for.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    campaign(&format!("formats --cases {} --seed {} --jobs {}", request.cases, request.seed, request.jobs))
}

/// The step of CI.
pub(crate) fn check() -> Outcome {
    campaign(&format!("formats --cases {CI_CASES} --jobs {}", cores()))
}

/// Every fuzz target for a moment, from its committed corpus, without libFuzzer.
pub(crate) fn check_targets() -> Outcome {
    campaign(&format!("targets --corpus fuzz/corpus-min --seconds {CI_SECONDS} --jobs {}", cores()))
}

fn campaign(line: &str) -> Outcome {
    let program = test::program("sinew-torture")?;
    let mut torture = Command::new(program);
    torture
        .args(line.split_whitespace())
        .arg("--kept")
        .arg(root().join("target/torture"))
        .current_dir(root());
    run_command(&mut torture)
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn parse(arguments: &[String]) -> Result<TortureRequest, String> {
    let mut request = TortureRequest { cases: CI_CASES.into(), seed: 1, jobs: cores() };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut number = || {
            let number = words.next().and_then(|n| n.parse::<u64>().ok());
            number.ok_or_else(|| format!("{word} needs a whole number"))
        };
        match word.as_str() {
            "--cases" => request.cases = number()?,
            "--seed" => request.seed = number()?,
            "--jobs" => request.jobs = number()?.max(1) as usize,
            other => return Err(format!("{other:?} is neither --cases, --seed nor --jobs")),
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<TortureRequest, String> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn cases_seed_and_jobs_come_in_any_order() {
        let want = TortureRequest { cases: 200, seed: 7, jobs: 1 };
        assert_eq!(parsed("--seed 7 --jobs 1 --cases 200"), Ok(want));
        assert_eq!(parsed("").map(|request| request.cases), Ok(CI_CASES.into()));
    }

    #[test]
    fn anything_else_is_refused() {
        for line in ["--cases", "--cases x", "--fast", "glb"] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}
