//! Which crate may depend on which.

use crate::{
    Outcome,
    shell::{command, output},
};
use serde_json::Value;

/// The dependencies that a crate of the workspace may have.
struct Rule {
    name: &'static str,
    /// Crates of the workspace that it may use.
    may_use: &'static [&'static str],
    /// Crates from the registry that it may use.
    outside: Outside,
}

enum Outside {
    /// Only the crates listed.
    Only(&'static [&'static str]),
    /// All crates except those listed.
    AllBut(&'static [&'static str]),
}

const LIBRARIES: &[&str] =
    &["sinew", "sinew-formats", "sinew-author", "sinew-view", "sinew-gpu", "sinew-samples"];
/// What takes files from strangers: the libraries, and the studio's journal and messages.
const TORTURED: &[&str] =
    &["sinew", "sinew-formats", "sinew-author", "sinew-view", "sinew-samples", "sinew-studio"];
const WINDOWS: &[&str] = &["egui", "eframe", "winit", "wgpu"];

/// The dependencies that the design allows. A crate that is missing here fails the check.
const RULES: [Rule; 13] = [
    Rule {
        name: "sinew",
        may_use: &[],
        outside: Outside::Only(&["bytemuck", "glam", "thiserror", "fearless_simd", "rayon", "serde"]),
    },
    Rule { name: "sinew-samples", may_use: &["sinew"], outside: Outside::Only(&["glam"]) },
    Rule { name: "sinew-formats", may_use: &["sinew"], outside: Outside::AllBut(WINDOWS) },
    Rule { name: "sinew-author", may_use: &["sinew"], outside: Outside::AllBut(WINDOWS) },
    Rule { name: "sinew-view", may_use: &["sinew"], outside: Outside::AllBut(WINDOWS) },
    Rule {
        name: "sinew-gpu",
        may_use: &["sinew", "sinew-view"],
        outside: Outside::AllBut(&["egui", "eframe", "winit"]),
    },
    Rule { name: "sinew-cli", may_use: LIBRARIES, outside: Outside::AllBut(&[]) },
    Rule { name: "sinew-studio", may_use: LIBRARIES, outside: Outside::AllBut(&[]) },
    Rule { name: "sinew-docs", may_use: LIBRARIES, outside: Outside::Only(&[]) },
    Rule { name: "sinew-wasm-check", may_use: &["sinew", "sinew-samples"], outside: Outside::Only(&[]) },
    Rule { name: "sinew-torture", may_use: TORTURED, outside: Outside::AllBut(WINDOWS) },
    Rule { name: "xtask", may_use: &[], outside: Outside::Only(&["flate2", "serde_json"]) },
    Rule { name: "xtask-bindings", may_use: &[], outside: Outside::Only(&["wasm-bindgen-cli-support"]) },
];

/// These may only be optional in `sinew`: features add, they are never forced on a user.
const OPTIONAL_IN_SINEW: [&str; 2] = ["rayon", "serde"];

/// Arrows that only tests, examples and benches may have: they run on real characters, which come from files, and on
/// the built-in ones.
const TEST_ARROWS: [(&str, &str); 8] = [
    ("sinew", "sinew-author"),
    ("sinew", "sinew-formats"),
    ("sinew", "sinew-samples"),
    ("sinew-formats", "sinew-samples"),
    ("sinew-author", "sinew-formats"),
    ("sinew-author", "sinew-samples"),
    ("sinew-view", "sinew-samples"),
    ("sinew-gpu", "sinew-samples"),
];

/// Fails on any dependency that the design does not allow.
pub(crate) fn check() -> Outcome {
    let text = output(&mut command("cargo metadata --no-deps --format-version 1"))?;
    let metadata: Value = serde_json::from_str(&text).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let broken: Vec<String> = packages.iter().flat_map(broken_rules).collect();
    if !broken.is_empty() {
        return Err(format!("the design forbids:\n  {}", broken.join("\n  ")));
    }
    println!("{} crates depend on each other as designed", packages.len());
    Ok(())
}

/// One line for every dependency of `package` that breaks a rule.
fn broken_rules(package: &Value) -> Vec<String> {
    let name = package["name"].as_str().unwrap_or_default();
    let Some(rule) = RULES.iter().find(|r| r.name == name) else {
        return vec![format!("{name} is not in the table of xtask/src/arrows.rs")];
    };
    let dependencies = package["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
    dependencies.iter().filter_map(|d| broken_by(rule, d)).collect()
}

fn broken_by(rule: &Rule, dependency: &Value) -> Option<String> {
    let name = dependency["name"].as_str().unwrap_or_default();
    // A path is only ever a crate of this workspace. Tests keep to the same arrows, or the layers would grow together.
    if !dependency["path"].is_null() {
        let in_tests = dependency["kind"] == "dev" && TEST_ARROWS.contains(&(rule.name, name));
        return (!in_tests && !rule.may_use.contains(&name)).then(|| format!("{} -> {name}", rule.name));
    }
    // What only tests use does not reach a user.
    if dependency["kind"] == "dev" {
        return None;
    }
    let allowed = match rule.outside {
        Outside::Only(names) => names.contains(&name),
        Outside::AllBut(names) => !names.contains(&name),
    };
    if !allowed {
        return Some(format!("{} -> {name} (from outside)", rule.name));
    }
    let forced = rule.name == "sinew" && OPTIONAL_IN_SINEW.contains(&name) && dependency["optional"] != true;
    forced.then(|| format!("sinew -> {name}, unless it is optional"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn broken(package: &str, dependency: &Value) -> Vec<String> {
        broken_rules(&json!({ "name": package, "dependencies": [dependency] }))
    }

    #[test]
    fn arrows_against_the_data_are_refused() {
        let on = |name: &str| json!({ "name": name, "path": "/somewhere", "kind": null });
        assert!(broken("sinew-formats", &on("sinew")).is_empty());
        assert!(broken("sinew-cli", &on("sinew-view")).is_empty());
        for (from, to) in [
            ("sinew", "sinew-formats"),
            ("sinew-formats", "sinew-view"),
            ("sinew-view", "sinew-gpu"),
            ("sinew-cli", "sinew-studio"),
        ] {
            assert_eq!(broken(from, &on(to)), [format!("{from} -> {to}")]);
        }
    }

    #[test]
    fn tests_keep_to_the_same_arrows() {
        let dependency = json!({ "name": "sinew-formats", "path": "/somewhere", "kind": "dev" });
        assert_eq!(broken("sinew-view", &dependency), ["sinew-view -> sinew-formats"]);
        assert!(broken("sinew", &dependency).is_empty(), "benches of the runtime read files");
    }

    #[test]
    fn the_runtime_takes_nothing_else_from_outside() {
        let on =
            |name: &str, kind: Value, optional| json!({ "name": name, "kind": kind, "optional": optional });
        assert!(broken("sinew", &on("glam", Value::Null, false)).is_empty());
        assert!(broken("sinew", &on("proptest", json!("dev"), false)).is_empty());
        assert!(broken("sinew", &on("rayon", Value::Null, true)).is_empty());
        assert_eq!(
            broken("sinew", &on("rayon", Value::Null, false)),
            ["sinew -> rayon, unless it is optional"]
        );
        assert_eq!(broken("sinew", &on("log", Value::Null, false)), ["sinew -> log (from outside)"]);
    }

    #[test]
    fn a_crate_without_a_rule_is_refused() {
        assert_eq!(broken("sinew-new", &json!({})).len(), 1);
    }
}
