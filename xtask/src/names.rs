//! Public types have a name each: a reader who finds one in a signature finds one definition of it.

use crate::{
    Outcome,
    shell::{command, output, root},
};
use std::{collections::BTreeMap, fs};

/// Fails on two public types of one name in the libraries, whatever their modules.
pub(crate) fn check() -> Outcome {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in
        output(&mut command("git ls-files --cached --others --exclude-standard -- crates/*.rs"))?.lines()
    {
        // A file that is deleted and not yet committed is still listed.
        let Ok(text) = fs::read_to_string(root().join(path)) else { continue };
        if path.contains("/src/") {
            for (line, name) in public_types(&text) {
                places.entry(name.into()).or_default().push(format!("{path}:{line}"));
            }
        }
    }
    let repeated: Vec<String> = places
        .iter()
        .filter(|(_, places)| places.len() > 1)
        .map(|(name, places)| format!("{name}: {}", places.join(", ")))
        .collect();
    if !repeated.is_empty() {
        return Err(format!(
            "{} names stand for several public types:\n  {}",
            repeated.len(),
            repeated.join("\n  ")
        ));
    }
    println!("{} public types have a name each", places.len());
    Ok(())
}

/// Line and name of every type that other crates may see. Names without a suffix such as `pub(crate)` count alone.
fn public_types(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(index, line)| {
        let mut words = line.trim_start().strip_prefix("pub ")?.split_whitespace();
        matches!(words.next()?, "struct" | "enum" | "trait" | "union").then_some(())?;
        let name = words.next()?.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        Some((index + 1, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_types_are_found_and_others_are_not() {
        let text = "pub struct A<T>(T);\n    pub enum B {\npub(crate) struct C;\nstruct D;\npub trait E: F {\npub fn g() {}\n";
        assert_eq!(public_types(text).collect::<Vec<_>>(), [(1, "A"), (2, "B"), (5, "E")]);
    }
}
