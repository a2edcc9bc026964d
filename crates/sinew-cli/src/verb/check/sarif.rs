//! Findings as a SARIF 2.1.0 log, for code-review tools.

use super::checked::CheckedFile;
use crate::{failure::Failure, json::JsonFinding};
use serde_json::{Value, json};
use sinew_author::check::{Finding, FindingCode, Severity};
use std::fmt::Write;

pub(super) fn log(all: &[CheckedFile]) -> Result<String, Failure> {
    let of_file = |checked: &CheckedFile| {
        let uri = uri(&checked.file);
        checked.findings.iter().map(|f| result(f, &uri)).collect::<Vec<_>>()
    };
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "sinew check",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": FindingCode::of_check().map(rule).collect::<Vec<_>>(),
            } },
            "results": all.iter().flat_map(of_file).collect::<Vec<_>>(),
        }],
    });
    Ok(serde_json::to_string_pretty(&log).map_err(|e| Failure::Print(e.into()))? + "\n")
}

fn level(severity: Severity) -> &'static str {
    // The names of the severities are SARIF's own.
    severity.as_str()
}

fn rule(code: FindingCode) -> Value {
    json!({
        "id": code.as_str(),
        "shortDescription": { "text": code.title() },
        "help": { "text": code.advice() },
        "defaultConfiguration": { "level": level(code.severity()) },
    })
}

fn result(finding: &Finding, uri: &str) -> Value {
    json!({
        "ruleId": finding.code.as_str(),
        "ruleIndex": FindingCode::of_check().position(|c| c == finding.code),
        "level": level(finding.severity()),
        "message": { "text": format!("{}: {}. {}", finding.place, finding.message, finding.advice()) },
        "locations": [{
            "physicalLocation": { "artifactLocation": { "uri": uri } },
            "logicalLocations": [{ "fullyQualifiedName": finding.place.text }],
        }],
        "properties": JsonFinding::from(finding),
    })
}

/// A path as a relative URI reference; reserved characters are escaped.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                out.push(byte.into());
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_characters_of_a_path_are_escaped() {
        assert_eq!(uri("a b/ü.glb"), "a%20b/%C3%BC.glb");
        assert_eq!(uri("builtin:figure"), "builtin:figure");
    }
}
