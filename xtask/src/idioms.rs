//! Two habits that hide mistakes: a wildcard arm over the deformation methods, which runs a new method as another one,
//! and parameters packed in a tuple, which pass the lint on their number and have no names at the call.

use crate::{
    Outcome,
    shell::{command, output, root},
};
use std::fs;

/// What begins an arm over the deformation methods.
const METHOD: &str = "Method::";

/// Fails on both, anywhere in the workspace.
pub(crate) fn check() -> Outcome {
    let mut faults = Vec::new();
    let listed = output(&mut command("git ls-files --cached --others --exclude-standard -- *.rs"))?;
    for path in listed.lines() {
        // A file that is deleted and not yet committed is still listed.
        let Ok(text) = fs::read_to_string(root().join(path)) else { continue };
        let wildcards = wildcards_over_methods(&text).into_iter();
        faults.extend(wildcards.map(|line| format!("{path}:{line}: a wildcard arm over Method")));
        let packed = packed_parameters(&text).into_iter();
        faults.extend(packed.map(|(line, what)| format!("{path}:{line}: parameters in a tuple: {what}")));
    }
    if !faults.is_empty() {
        return Err(format!("{} places:\n  {}", faults.len(), faults.join("\n  ")));
    }
    println!("no wildcard arm over Method, no parameters in tuples");
    Ok(())
}

/// The lines of arms that catch all methods without a name in a `match` with arms for some. Formatted code has all arms
/// of a `match` at one indent.
fn wildcards_over_methods(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<usize> = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        if !begins_arm_of_method(line.trim_start()) {
            continue;
        }
        let indent = indent_of(line);
        let arms = lines[first..]
            .iter()
            .enumerate()
            .take_while(|(_, l)| l.trim().is_empty() || indent_of(l) >= indent);
        let caught = arms.filter(|(_, l)| indent_of(l) == indent && catches_all(l.trim_start()));
        found.extend(caught.map(|(nth, _)| first + nth + 1));
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// True for `Method::Cor => …`, `(Method::Cor, true) => …`, `| Method::Cor` and the like.
fn begins_arm_of_method(line: &str) -> bool {
    let pattern = line.split("=>").next().unwrap_or_default();
    let is_pattern = line.contains("=>") || line.starts_with("| ");
    let names_method = pattern.match_indices(METHOD).any(|(at, _)| {
        let before = pattern[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':')
    });
    is_pattern && names_method && !pattern.contains("matches!")
}

/// True for an arm whose pattern is one name or an underscore, alone or in every place of a tuple.
fn catches_all(line: &str) -> bool {
    let Some((pattern, _)) = line.split_once("=>") else { return false };
    let pattern = pattern.split(" if ").next().unwrap_or_default().trim();
    let inner = pattern.strip_prefix('(').and_then(|p| p.strip_suffix(')')).unwrap_or(pattern);
    let is_name = |name: &str| {
        let name = name.trim();
        !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
    };
    inner.split(',').all(is_name)
}

/// Line and text of every parameter of a function that takes a tuple apart.
fn packed_parameters(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("fn ") {
        if text[..at].chars().next_back().is_some_and(|c| !c.is_whitespace() && c != '(') {
            continue;
        }
        let Some(open) = opening(&text[at + 3..]) else { continue };
        let list = &text[at + 3 + open + 1..];
        for parameter in parameters(list) {
            if takes_tuple_apart(&parameter) {
                found.push((text[..at].matches('\n').count() + 1, parameter));
            }
        }
    }
    found
}

/// True for `(x, y): (u8, u8)`; a name for such a type says what it is.
fn takes_tuple_apart(parameter: &str) -> bool {
    let is_tuple = |text: &str| {
        let text = text.trim_start_matches(['&', ' ']);
        text.starts_with('(') && !text.starts_with("()")
    };
    is_tuple(parameter) && parameter.split_once("):").is_some_and(|(_, kind)| is_tuple(kind))
}

/// Where the parameters of a function begin whose name is at the start of `text`, behind its generics.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if before != '-' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => return Some(at),
            _ if depth == 0 && !c.is_alphanumeric() && c != '_' => return None,
            _ => {}
        }
        before = c;
    }
    None
}

/// The parameters of the list whose opening parenthesis is before `text`.
fn parameters(text: &str) -> Vec<String> {
    let (mut out, mut current, mut depth) = (Vec::new(), String::new(), 0_usize);
    for c in text.chars() {
        match c {
            ')' if depth == 0 => break,
            ',' if depth == 0 => out.push(std::mem::take(&mut current)),
            _ => current.push(c),
        }
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    out.push(current);
    out.into_iter().map(|p| p.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_beside_methods_are_found_and_others_are_not() {
        let text = "match method {\n    Method::Cor => 1,\n    _ => 2,\n}\nmatch (a, method) {\n    (1, Method::Cor) => {\n        \
                    match b {\n            _ => 3,\n        }\n    }\n    (_, other) => 4,\n}\n";
        assert_eq!(wildcards_over_methods(text), [3, 11]);
        let fine = "match method {\n    Method::Cor\n    | Method::Ddm => match a {\n        _ => 1,\n    },\n    Method::Slerp => 2,\n}\n\
                    match auto {\n    AutoMethod::Heat => 1,\n    _ => 2,\n}\n";
        assert!(wildcards_over_methods(fine).is_empty());
    }

    #[test]
    fn parameters_in_tuples_are_found_and_plain_ones_are_not() {
        let text = "fn a(x: u8) {}\n    fn b<F: Fn(u8) -> u8>(\n        &self,\n        (x, y): (u8, u8),\n    ) {}\nfn c(&(x, y): &(u8, u8)) {}\n";
        let found = packed_parameters(text);
        assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 6]);
        assert_eq!(found[0].1, "(x, y): (u8, u8)");
        assert!(
            packed_parameters(
                "fn d(size: (u8, u8), (x, y): Point, (): (), f: fn(u8) -> (u8, u8)) -> (u8, u8) {}\n"
            )
            .is_empty()
        );
    }
}
