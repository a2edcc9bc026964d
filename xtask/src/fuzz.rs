//! Runs of cargo-fuzz over targets that are seeded with real files.

use crate::{
    Outcome,
    shell::{command, output, root, run as run_command, works},
};
use std::{fs, process::Command};

/// What `cargo xtask fuzz` was asked to do.
#[derive(Debug, PartialEq)]
struct FuzzRequest {
    /// `None` for every target.
    target: Option<String>,
    seconds: u32,
}

/// Fuzzes one target or each in turn, for a while.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let request = parse(arguments)?;
    install()?;
    let targets = targets()?;
    let chosen: Vec<&String> =
        targets.iter().filter(|t| request.target.as_ref().is_none_or(|r| r == *t)).collect();
    if chosen.is_empty() {
        return Err(format!("there is no target {:?}, only {}", request.target, targets.join(", ")));
    }
    seed()?;
    for target in chosen {
        // The seeds are as long as inputs should be: there is no need to begin with short ones.
        let limits =
            format!("-max_total_time={} -timeout=20 -rss_limit_mb=4096 -len_control=0", request.seconds);
        run_command(&mut nightly(&format!("cargo fuzz run {target} -- {limits}")))?;
    }
    Ok(())
}

/// Fails on a file of a target that is not what all are: a call of the function of its name, which `sinew-torture` has.
///
/// The step of CI. The functions are compiled with the workspace; compiling the files too would check all that they
/// depend on once more, with other features. `cargo xtask fuzz` does that.
pub(crate) fn check_files() -> Outcome {
    let read = |path: &str| fs::read_to_string(root().join(path)).map_err(|e| format!("{path}: {e}"));
    let (manifest, functions) = (read("fuzz/Cargo.toml")?, read("crates/sinew-torture/src/target.rs")?);
    let files =
        output(&mut command("git ls-files --cached --others --exclude-standard -- fuzz/fuzz_targets"))?;
    let names: Vec<&str> = files.lines().map(name_of).collect();
    for name in &names {
        if read(&format!("fuzz/fuzz_targets/{name}.rs"))? != body(name) {
            return Err(format!(
                "fuzz/fuzz_targets/{name}.rs is not a call of sinew_torture::target::{name}"
            ));
        }
        if !manifest.contains(&format!("name = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"\n")) {
            return Err(format!("fuzz/Cargo.toml has no target {name}"));
        }
        if !exports(&functions, name) {
            return Err(format!("crates/sinew-torture/src/target.rs exports no {name}"));
        }
    }
    if let Some(name) = targets_in(&manifest).find(|name| !names.contains(name)) {
        return Err(format!("fuzz/Cargo.toml has a target {name}, which has no file"));
    }
    // The lock file of the targets fits the crates that they use.
    output(&mut command("cargo metadata --format-version 1 --locked --manifest-path fuzz/Cargo.toml"))?;
    println!("{} fuzz targets call what exists", names.len());
    Ok(())
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path).trim_end_matches(".rs")
}

/// The text of every target's file.
fn body(name: &str) -> String {
    format!(
        "#![no_main]\n\nlibfuzzer_sys::fuzz_target!(|bytes: &[u8]| {{\n    sinew_torture::target::{name}(bytes);\n}});\n"
    )
}

/// True where a public re-export of `module` has the name.
fn exports(module: &str, name: &str) -> bool {
    let is_name = |word: &str| word == name;
    let exported = module.lines().filter_map(|line| line.strip_prefix("pub use ")?.split_once("::"));
    exported.flat_map(|(_, names)| names.split(|c: char| !c.is_alphanumeric() && c != '_')).any(is_name)
}

/// The names of the programs of a manifest.
fn targets_in(manifest: &str) -> impl Iterator<Item = &str> {
    manifest.split("[[bin]]").skip(1).filter_map(|bin| bin.split('"').nth(1))
}

fn parse(arguments: &[String]) -> Result<FuzzRequest, String> {
    let mut request = FuzzRequest { target: None, seconds: 60 };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => {
                let number = words.next().and_then(|n| n.parse().ok()).filter(|&n| n > 0);
                request.seconds = number.ok_or("--seconds needs a number of at least 1")?;
            }
            // Every target, as without a name.
            "--all" => {}
            option if option.starts_with('-') => return Err(format!("there is no option {option}")),
            target if request.target.is_none() => request.target = Some(target.into()),
            extra => return Err(format!("one target at a time, {extra:?} is too much")),
        }
    }
    Ok(request)
}

/// Makes sure that the nightly toolchain and cargo-fuzz are there.
fn install() -> Outcome {
    need_nightly()?;
    if works("cargo fuzz --version") {
        return Ok(());
    }
    println!("cargo-fuzz not found: installing it");
    run_command(&mut command("cargo install cargo-fuzz --locked"))
        .map_err(|reason| format!("{reason}; install it with `cargo install cargo-fuzz --locked`"))
}

/// Makes sure that the nightly toolchain is there.
pub(crate) fn need_nightly() -> Outcome {
    if !works("rustup run nightly rustc --version") {
        return Err(
            "this needs the nightly toolchain: `rustup toolchain install nightly --profile minimal`".into()
        );
    }
    Ok(())
}

fn targets() -> Result<Vec<String>, String> {
    let list = output(&mut nightly("cargo fuzz list"))?;
    Ok(list.split_whitespace().map(str::to_owned).collect())
}

/// Puts valid files into every target's corpus: the committed ones, and real ones where they lie beside the checkout.
fn seed() -> Outcome {
    let mut seeds = command(
        "cargo run --quiet --manifest-path fuzz/Cargo.toml --no-default-features --features fbx --example seeds",
    );
    seeds.arg("--").arg(root().join("fuzz/corpus"));
    let real = root().join("../shared/corpus");
    if real.is_dir() {
        seeds.arg(real);
    }
    run_command(&mut seeds)
}

/// `line` under the nightly toolchain.
pub(crate) fn nightly(line: &str) -> Command {
    let mut command = command(&format!("rustup run nightly {line}"));
    // Left by the cargo that started this program; cargo-fuzz would build with that one.
    command.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<FuzzRequest, String> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_target_and_seconds_come_in_any_order() {
        let want = FuzzRequest { target: Some("glb".into()), seconds: 9 };
        assert_eq!(parsed("glb --seconds 9").as_ref(), Ok(&want));
        assert_eq!(parsed("--seconds 9 glb").as_ref(), Ok(&want));
        assert_eq!(parsed("--all --seconds 9"), Ok(FuzzRequest { target: None, seconds: 9 }));
        assert_eq!(parsed(""), Ok(FuzzRequest { target: None, seconds: 60 }));
    }

    #[test]
    fn exported_functions_and_programs_are_found_by_their_whole_name() {
        let module = "mod a;\npub use a::a;\npub use b::{bc, d};\npub(crate) use e::e;\n";
        assert!(["a", "bc", "d"].iter().all(|name| exports(module, name)));
        assert!(["b", "c", "e"].iter().all(|name| !exports(module, name)));
        let manifest = "[package]\nname = \"x\"\n[[bin]]\nname = \"y\"\n\n[[bin]]\nname = \"z\"\n";
        assert_eq!(targets_in(manifest).collect::<Vec<_>>(), ["y", "z"]);
    }

    #[test]
    fn anything_else_is_refused() {
        for line in ["--seconds", "--seconds 0", "--seconds x", "--fast", "glb gltf"] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}
