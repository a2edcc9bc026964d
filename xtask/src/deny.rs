//! Which licenses, crates and registries the project's dependencies may have: the rules of `deny.toml`.

use crate::{
    Outcome,
    shell::{command, output, root, run as run_command, works},
};
use serde_json::Value;
use std::fs;

/// The lists of `deny.toml` that are checked without cargo-deny.
struct Rules {
    licenses: Vec<String>,
    banned: Vec<String>,
    registries: Vec<String>,
}

/// `cargo xtask deny`: cargo-deny where it is installed, and the same three lists without it.
pub(crate) fn run(_: &[String]) -> Outcome {
    if works("cargo deny --version") {
        return run_command(&mut command("cargo deny check licenses bans sources"));
    }
    check()
}

/// Holds every package of the lock file to `deny.toml`. It needs no tool: cargo-deny takes minutes to compile.
pub(crate) fn check() -> Outcome {
    let text = fs::read_to_string(root().join("deny.toml")).map_err(|e| format!("deny.toml: {e}"))?;
    let rules = Rules::parse(&text);
    let metadata = output(&mut command("cargo metadata --locked --all-features --format-version 1"))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let faults: Vec<String> = packages.iter().filter_map(|package| rules.fault_of(package)).collect();
    if !faults.is_empty() {
        return Err(format!("deny.toml forbids:\n  {}", faults.join("\n  ")));
    }
    println!("{} packages keep to the licenses, bans and registries of deny.toml", packages.len());
    Ok(())
}

impl Rules {
    fn parse(text: &str) -> Self {
        let list = |section, key| strings(text, section, key);
        Self {
            licenses: list("[licenses]", "allow"),
            banned: list("[bans]", "deny"),
            registries: list("[sources]", "allow-registry"),
        }
    }

    fn fault_of(&self, package: &Value) -> Option<String> {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        let name = text("name");
        if self.banned.iter().any(|banned| banned == name) {
            return Some(format!("{name} is banned"));
        }
        // Crates of the workspace come from no registry.
        if let Some(source) = package["source"].as_str()
            && !self.registries.iter().any(|registry| source.ends_with(registry.as_str()))
        {
            return Some(format!("{name} comes from {source}"));
        }
        (!self.permits(text("license"))).then(|| format!("{name} has the license {:?}", text("license")))
    }

    /// True where an SPDX expression can be met with the allowed licenses alone.
    fn permits(&self, expression: &str) -> bool {
        let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let (met, rest) = self.any_of(&words);
        met && rest.is_empty()
    }

    fn any_of<'a>(&self, words: &'a [&'a str]) -> (bool, &'a [&'a str]) {
        let (mut met, mut rest) = self.all_of(words);
        while let ["OR", more @ ..] = rest {
            let (next, after) = self.all_of(more);
            (met, rest) = (met | next, after);
        }
        (met, rest)
    }

    fn all_of<'a>(&self, words: &'a [&'a str]) -> (bool, &'a [&'a str]) {
        let (mut met, mut rest) = self.one(words);
        while let ["AND", more @ ..] = rest {
            let (next, after) = self.one(more);
            (met, rest) = (met & next, after);
        }
        (met, rest)
    }

    fn one<'a>(&self, words: &'a [&'a str]) -> (bool, &'a [&'a str]) {
        match words {
            ["(", inner @ ..] => match self.any_of(inner) {
                (met, [")", rest @ ..]) => (met, rest),
                (_, rest) => (false, rest),
            },
            [license, "WITH", exception, rest @ ..] => {
                (self.has(&format!("{license} WITH {exception}")), rest)
            }
            [license, rest @ ..] => (self.has(license), rest),
            [] => (false, words),
        }
    }

    fn has(&self, license: &str) -> bool {
        self.licenses.iter().any(|allowed| allowed == license)
    }
}

/// The strings of the list `key` in `section`.
fn strings(text: &str, section: &str, key: &str) -> Vec<String> {
    let lines =
        text.lines().skip_while(|line| *line != section).skip(1).take_while(|line| !line.starts_with('['));
    let mut list = lines.skip_while(|line| line.split('=').next().is_none_or(|name| name.trim() != key));
    let mut strings = Vec::new();
    for line in list.by_ref() {
        let code = line.split('#').next().unwrap_or_default();
        strings.extend(code.split('"').skip(1).step_by(2).map(str::to_owned));
        if code.contains(']') {
            break;
        }
    }
    strings
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TEXT: &str = "[licenses]\nallow = [\n    \"MIT\", # short\n    \"Zlib\",\n]\n[bans]\nmultiple-versions = \"allow\"\ndeny = [\"openssl\"]\n[sources]\nallow-registry = [\"https://example.org/index\"]\n";

    fn fault(package: &Value) -> Option<String> {
        Rules::parse(TEXT).fault_of(package)
    }

    #[test]
    fn an_expression_is_met_by_allowed_licenses_alone() {
        let rules = Rules::parse(TEXT);
        for met in ["MIT", "MIT OR Apache-2.0", "Apache-2.0/MIT", "(GPL-3.0 OR MIT) AND Zlib"] {
            assert!(rules.permits(met), "{met}");
        }
        for unmet in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT", "Apache-2.0 WITH LLVM-exception"] {
            assert!(!rules.permits(unmet), "{unmet}");
        }
    }

    #[test]
    fn banned_crates_and_other_registries_are_refused() {
        let from = |name, source: Value| json!({ "name": name, "license": "MIT", "source": source });
        assert_eq!(fault(&from("sinew", Value::Null)), None);
        assert_eq!(fault(&from("glam", json!("registry+https://example.org/index"))), None);
        assert!(fault(&from("glam", json!("git+https://example.org/glam"))).is_some());
        assert!(fault(&from("openssl", Value::Null)).is_some());
    }
}
