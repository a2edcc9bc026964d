//! Every chore of the project: `cargo xtask CHORE`.
#![forbid(unsafe_code)]

mod arrows;
mod bless;
mod book;
mod ci;
mod deny;
mod examples;
mod fuzz;
mod idioms;
mod names;
mod pages;
mod pictures;
mod publish;
mod sanitize;
mod shell;
mod sizes;
mod stopwatch;
mod test;
mod tools;
mod torture;
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

const fn chore(
    name: &'static str,
    arguments: &'static str,
    does: &'static str,
    run: fn(&[String]) -> Outcome,
) -> Chore {
    Chore { name, arguments, does, run }
}

const CHORES: [Chore; 20] = [
    chore("ci", "[STEP]...", "every check that a change must pass, or only the steps named", ci::run),
    chore("nightly", "[STEP]...", "checks that take too long for every change", ci::run_nightly),
    chore("test", "[WORD]...", "the inner ring of tests: no browser, no GPU, no window", test::run),
    chore(
        "words",
        "[PATH]...",
        "counts words that the project leaves out, or lists them below PATH",
        words::run,
    ),
    chore("sizes", "", "how long functions and files are, and the longest", sizes::run),
    chore("deny", "", "holds the dependencies to the licenses, bans and registries of deny.toml", deny::run),
    chore("publish", "", "packs every crate and builds it from its package; sends nothing", publish::run),
    chore("examples", "", "builds and runs every example program", examples::run),
    chore("book", "", "makes the book of docs in target/book with mdBook", book::run),
    chore("bless", "[PACKAGE]...", "rewrites the golden pictures from what the code draws now", bless::run),
    chore(
        "fuzz",
        "[TARGET|--all] [--seconds N]",
        "feeds mutated files to one fuzz target or to each in turn (60 seconds each)",
        fuzz::run,
    ),
    chore(
        "torture",
        "[--cases N] [--seed N] [--jobs N]",
        "mutates every format and drives every stage and writer, in processes with limits (10,000 cases)",
        torture::run,
    ),
    chore(
        "sanitize",
        "[--seconds N]",
        "the FBX targets under the address and undefined behavior sanitizers (30 seconds each)",
        sanitize::run,
    ),
    chore("wasm", "", "compares the kernels in WebAssembly with the references; prints speeds", wasm::run),
    chore("web", "", "makes the studio's page in target/web", web::run),
    chore(
        "web-test",
        "[--keep] [webgl|webgpu]",
        "uses the page in a headless browser, with one renderer or both; --keep builds no page",
        web_test::run,
    ),
    chore("window-test", "", "opens and closes the studio's window under Xvfb", window_test::run),
    chore("pictures", "", "redraws the pictures of README and docs with the demo", pictures::run),
    chore("tools", "", "installs what the tests call", |_| tools::install()),
    chore("help", "", "this list", help),
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
    let line = |c: &Chore| format!("  {:<44}{}", format!("{} {}", c.name, c.arguments), c.does);
    let mut out: Vec<String> = vec!["cargo xtask CHORE".into(), String::new()];
    out.extend(CHORES.iter().map(line));
    let step = |s: &ci::CiStep| format!("  {:<44}{}", s.name, s.does);
    out.extend([String::new(), "The steps of ci, in order:".into()]);
    out.extend(ci::STEPS.iter().map(step));
    out.extend([String::new(), "The steps of nightly:".into()]);
    out.extend(ci::NIGHTLY.iter().map(step));
    out.join("\n")
}
