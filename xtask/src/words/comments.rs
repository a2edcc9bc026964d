//! Doc comments that say nothing: three words or fewer on their own.

use super::Hit;

const SAY: &str = "a sentence with space and unit, or no comment";
const FEWEST_WORDS: usize = 4;

/// Doc comments of one line with three words or fewer.
pub(super) fn short_ones(path: &str, text: &str) -> Vec<Hit> {
    if !path.ends_with(".rs") {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_doc = |at: usize| lines.get(at).is_some_and(|line| comment_of(line).is_some());
    let is_short = |&at: &usize| {
        let alone = !(is_doc(at + 1) || at > 0 && is_doc(at - 1));
        alone && comment_of(lines[at]).is_some_and(|text| text.split_whitespace().count() < FEWEST_WORDS)
    };
    let hit = |at: usize| Hit { path: path.into(), line: at + 1, found: lines[at].into(), say: SAY };
    (0..lines.len()).filter(is_short).map(hit).collect()
}

fn comment_of(line: &str) -> Option<&str> {
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doc_comment_of_three_words_is_found() {
        let found = |text| short_ones("a.rs", text).len();
        assert_eq!(found("/// Where.\nx: f32,"), 1);
        assert_eq!(found("    /// In model space.\n"), 1);
        assert_eq!(found("/// Position in model space, meters.\n"), 0);
        assert_eq!(found("/// Where.\n///\n/// And more about it.\n"), 0);
        assert_eq!(found("// Where.\n"), 0);
    }
}
