//! The FBX reader, which is C, under the sanitizers of addresses and of undefined behavior.

use crate::{
    Outcome,
    fuzz::{need_nightly, nightly},
    shell::{command, run as run_command},
};

/// Flags are given to this machine by name, so that they do not reach build scripts and macros.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// What ufbx is compiled with: undefined behavior ends the program, and its own checks of its structures are on.
const C_FLAGS: &str = "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g \
     -DUFBX_REGRESSION=1 -DUFBX_UBSAN=1";

/// Only the reader has to be fast: everything else is compiled in a third of the time without optimization.
const PROFILE: &str = "--config profile.dev.opt-level=0 --config profile.dev.debug=false \
     --config profile.dev.package.\"*\".opt-level=0 --config profile.dev.package.ufbx.opt-level=1 \
     --config profile.dev.incremental=false";

/// Seconds for each target.
const SECONDS: u32 = 30;

/// Mutates the FBX seeds for some seconds under both sanitizers: `cargo xtask sanitize [--seconds N]`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let seconds = parse(arguments)?;
    need_nightly()?;
    let line = "cargo build --package sinew-torture --no-default-features --features fbx --target-dir target/sanitize";
    let mut build = nightly(&format!("{line} --target {TARGET} {PROFILE}"));
    build.env(format!("CFLAGS_{}", TARGET.replace('-', "_")), C_FLAGS);
    build.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS", "-Zsanitizer=address");
    run_command(build.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS"))?;
    for target in ["fbx", "fbx_motion"] {
        // The shadow memory of the sanitizer needs more address space than any limit allows, and cases take much longer.
        let mut torture = command(&format!(
            "target/sanitize/{TARGET}/debug/sinew-torture targets --only {target} --seconds {seconds} --address 0 --timeout 600"
        ));
        torture.env("ASAN_OPTIONS", "allocator_may_return_null=1").env("UBSAN_OPTIONS", "print_stacktrace=1");
        run_command(&mut torture)?;
    }
    Ok(())
}

fn parse(arguments: &[String]) -> Result<u32, String> {
    match arguments {
        [] => Ok(SECONDS),
        [option, number] if option == "--seconds" => {
            let seconds = number.parse().ok().filter(|&n| n > 0);
            seconds.ok_or_else(|| format!("--seconds needs a number of at least 1, got {number:?}"))
        }
        _ => Err("sanitize takes only --seconds N".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_seconds_can_be_given() {
        let parsed = |line: &str| parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(parsed(""), Ok(SECONDS));
        assert_eq!(parsed("--seconds 5"), Ok(5));
        for line in ["--seconds", "--seconds 0", "fbx", "--seconds 1 2"] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}
