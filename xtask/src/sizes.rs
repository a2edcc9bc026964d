//! How long functions and files are.

use crate::{
    Outcome,
    shell::{command, output, root},
};
use std::fs;

/// Nine of ten functions have at most this many lines.
const MAX_FUNCTION_P90: usize = 25;
/// Nine of ten files have at most this many lines.
const MAX_FILE_P90: usize = 300;
const WORST_COUNT: usize = 10;

/// A file or a function, and its lines.
struct Sized {
    lines: usize,
    place: String,
}

/// `cargo xtask sizes`: the lengths of which nine tenths are shorter, and the longest.
pub(crate) fn run(_: &[String]) -> Outcome {
    let (mut files, mut functions) = (Vec::new(), Vec::new());
    for path in output(&mut command("git ls-files --cached --others --exclude-standard -- *.rs"))?.lines() {
        // A file that is deleted and not yet committed is still listed.
        let Ok(text) = fs::read_to_string(root().join(path)) else { continue };
        files.push(Sized { lines: text.lines().count(), place: path.into() });
        functions.extend(
            functions_in(&text).map(|(line, lines)| Sized { lines, place: format!("{path}:{line}") }),
        );
    }
    let function_p90 = print("functions", &mut functions);
    let file_p90 = print("files", &mut files);
    if function_p90 > MAX_FUNCTION_P90 || file_p90 > MAX_FILE_P90 {
        return Err(format!(
            "nine of ten functions must have at most {MAX_FUNCTION_P90} lines and files {MAX_FILE_P90}"
        ));
    }
    Ok(())
}

/// Prints the middle, the ninth tenth and the longest of `all`, and returns the ninth tenth.
fn print(what: &str, all: &mut [Sized]) -> usize {
    all.sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.place.cmp(&b.place)));
    let p90 = at_fraction(all, 0.1);
    println!("{} {what}: median {} lines, p90 {p90}", all.len(), at_fraction(all, 0.5));
    for one in all.iter().take(WORST_COUNT) {
        println!("{:>6}  {}", one.lines, one.place);
    }
    p90
}

/// The length that this fraction of `sorted`, longest first, exceeds.
fn at_fraction(sorted: &[Sized], fraction: f64) -> usize {
    sorted.get((sorted.len() as f64 * fraction) as usize).map_or(0, |one| one.lines)
}

/// First line and length of every function with a body. Formatted code closes a function at the indent that opened it.
fn functions_in(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let lines: Vec<&str> = text.lines().collect();
    (0..lines.len()).filter_map(move |first| {
        if !opens_function(lines[first].trim_start()) {
            return None;
        }
        let indent = &lines[first][..lines[first].len() - lines[first].trim_start().len()];
        let is_end = |line: &&str| {
            line.strip_prefix(indent)
                .is_some_and(|rest| rest.starts_with('}') || rest.ends_with(';') && !rest.starts_with(' '))
        };
        if lines[first].ends_with('}') {
            return Some((first + 1, 1));
        }
        let length = lines[first..].iter().skip(1).position(is_end)? + 2;
        // A declaration in a trait ends with a semicolon and has no body.
        lines[first + length - 1].trim_start().starts_with('}').then_some((first + 1, length))
    })
}

/// True where a line begins a function: `fn` behind nothing but its qualifiers.
fn opens_function(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_qualifier =
        |word: &str| matches!(word, "pub" | "const" | "async" | "unsafe") || word.starts_with("pub(");
    let first = words.by_ref().find(|word| !is_qualifier(word) && *word != "in");
    first == Some("fn") && !line.ends_with(';')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, usize)> {
        functions_in(text).collect()
    }

    #[test]
    fn a_function_ends_where_its_indent_comes_back() {
        assert_eq!(found("fn a() {\n    if b {\n    }\n}\n"), [(1, 4)]);
        assert_eq!(
            found("impl A {\n    pub(crate) const fn b(&self) -> u8 {\n        1\n    }\n}\n"),
            [(2, 3)]
        );
    }

    #[test]
    fn a_function_on_one_line_has_one_line() {
        assert_eq!(found("fn a() {}\nfn b() -> u8 { 1 }\n"), [(1, 1), (2, 1)]);
    }

    #[test]
    fn arguments_on_lines_of_their_own_count() {
        assert_eq!(found("fn a(\n    b: u8,\n) -> u8 {\n    b\n}\n"), [(1, 5)]);
    }

    #[test]
    fn declarations_have_no_length() {
        assert_eq!(found("trait A {\n    fn b();\n    fn c(\n        d: u8,\n    );\n}\n"), []);
    }

    #[test]
    fn the_ninth_tenth_is_exceeded_by_one_of_ten() {
        let sorted: Vec<Sized> = (1..=10).rev().map(|lines| Sized { lines, place: String::new() }).collect();
        assert_eq!(at_fraction(&sorted, 0.1), 9);
        assert_eq!(at_fraction(&sorted, 0.5), 5);
    }
}
