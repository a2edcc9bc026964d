//! Every chore of the project: `cargo xtask CHORE`.
#![forbid(unsafe_code)]

mod arrows;
mod bless;
mod ci;
mod fuzz;
mod pictures;
mod shell;
mod tools;
mod wasm;
mod web;
mod web_test;
mod window_test;
mod words;

use std::process::ExitCode;

/// Why a chore failed, in the words that are printed.
type Outcome = Result<(), String>;

/// One word after `cargo xtask`.
struct Chore {
    name: &'static str,
    arguments: &'static str,
    does: &'static str,
    run: fn(&[String]) -> Outcome,
}

const CHORES: [Chore; 10] = [
    Chore {
        name: "ci",
        arguments: "[STEP]...",
        does: "every check that a change must pass, or only the steps named",
        run: ci::run,
    },
    Chore {
        name: "bless",
        arguments: "[PACKAGE]...",
        does: "rewrites the golden pictures from what the code draws now",
        run: bless::run,
    },
    Chore {
        name: "fuzz",
        arguments: "[TARGET] [--seconds N]",
        does: "feeds mutated files to one fuzz target or to each in turn (60 seconds each)",
        run: fuzz::run,
    },
    Chore {
        name: "wasm",
        arguments: "",
        does: "runs the kernels in WebAssembly, compares them with the references and prints speeds",
        run: wasm::run,
    },
    Chore { name: "web", arguments: "", does: "makes the studio's page in target/web", run: web::run },
    Chore {
        name: "web-test",
        arguments: "[--keep]",
        does: "uses the page in a browser without a screen; --keep takes the page that is there",
        run: web_test::run,
    },
    Chore {
        name: "window-test",
        arguments: "",
        does: "opens and closes the studio's window on a screen in memory",
        run: window_test::run,
    },
    Chore {
        name: "pictures",
        arguments: "",
        does: "draws the pictures of README and docs anew with the demo",
        run: pictures::run,
    },
    Chore {
        name: "words",
        arguments: "[PATH]...",
        does: "counts the words that the project leaves out, or lists them below the paths given",
        run: words::run,
    },
    Chore { name: "help", arguments: "", does: "this list", run: help },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = match arguments.split_first() {
        None => ("help", &[][..]),
        Some((first, _)) if ["-h", "--help"].contains(&first.as_str()) => ("help", &[][..]),
        Some((first, rest)) => (first.as_str(), rest),
    };
    let Some(chore) = CHORES.iter().find(|c| c.name == name) else {
        eprintln!("xtask: there is no chore {name:?}\n\n{}", usage());
        return ExitCode::from(2);
    };
    match (chore.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask {name}: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn help(_: &[String]) -> Outcome {
    println!("{}", usage());
    Ok(())
}

fn usage() -> String {
    let line = |c: &Chore| format!("  {:<32}{}", format!("{} {}", c.name, c.arguments), c.does);
    let mut out: Vec<String> = vec!["cargo xtask CHORE".into(), String::new()];
    out.extend(CHORES.iter().map(line));
    out.extend([String::new(), "The steps of ci, in order:".into()]);
    out.extend(ci::STEPS.iter().map(|s| format!("  {:<32}{}", s.name, s.does)));
    out.join("\n")
}
