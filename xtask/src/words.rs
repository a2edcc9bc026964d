//! The project's own language: words that the field does not use are refused in every tracked file.

mod comments;
mod phrase;
mod table;

use crate::{
    Outcome,
    shell::{command, output, root},
};
use phrase::{Phrase, Word, words_of};
use std::{collections::BTreeMap, fs};
use table::{ALLOWED, LEFT_OUT, LeftOut};

/// A word that is left out, at its place.
struct Hit {
    path: String,
    /// Counted from 1; 0 for the path itself.
    line: usize,
    found: String,
    say: &'static str,
}

/// The table, ready to search with.
struct Search {
    entries: Vec<(&'static LeftOut, Phrase)>,
    /// Entries by the first letter of the words that they can begin with.
    by_letter: BTreeMap<u8, Vec<usize>>,
}

/// `cargo xtask words`: counts per crate and word, or every place below the paths given.
pub(crate) fn run(paths: &[String]) -> Outcome {
    let hits = hits_below(paths)?;
    if paths.is_empty() {
        print_counts(&hits);
    } else {
        hits.iter().for_each(print_hit);
    }
    verdict(&hits)
}

fn verdict(hits: &[Hit]) -> Outcome {
    match hits.len() {
        0 => {
            println!("no word of the table in xtask/src/words/table.rs is used");
            Ok(())
        }
        count => Err(format!(
            "{count} places use words that the project leaves out; `cargo xtask words PATH...` lists those of a folder"
        )),
    }
}

fn print_hit(hit: &Hit) {
    println!("{}:{}: {:?}; say: {}", hit.path, hit.line, hit.found, hit.say);
}

fn print_counts(hits: &[Hit]) {
    let mut by_word: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut by_place: BTreeMap<&str, usize> = BTreeMap::new();
    for hit in hits {
        *by_word.entry((place_of(&hit.path), hit.say)).or_default() += 1;
        *by_place.entry(place_of(&hit.path)).or_default() += 1;
    }
    for (place, total) in by_place {
        println!("{place:<24}{total:>6}");
        for ((_, say), count) in by_word.iter().filter(|((p, _), _)| *p == place) {
            println!("    {count:>6}  {say}");
        }
    }
}

/// The crate of a file, or its first folder.
fn place_of(path: &str) -> &str {
    let depth = if path.starts_with("crates/") { 2 } else { 1 };
    path.match_indices('/').nth(depth - 1).map_or(path, |(at, _)| &path[..at])
}

fn hits_below(paths: &[String]) -> Result<Vec<Hit>, String> {
    let mut list = command("git ls-files --cached --others --exclude-standard --");
    let search = Search::new();
    let mut hits = Vec::new();
    for path in output(list.args(paths))?.lines().filter(|path| is_read(path)) {
        // A file that is deleted and not yet committed is still listed.
        let Ok(bytes) = fs::read(root().join(path)) else { continue };
        hits.extend(search.hits_in(path, path).into_iter().map(|hit| Hit { line: 0, ..hit }));
        if let Ok(text) = String::from_utf8(bytes) {
            hits.extend(search.hits_in(path, &text));
            hits.extend(comments::short_ones(path, &text));
        }
    }
    Ok(hits)
}

/// Lists of other people's packages are not the project's words.
fn is_read(path: &str) -> bool {
    !path.ends_with("Cargo.lock") && !path.ends_with("package-lock.json")
}

impl Search {
    fn new() -> Self {
        let entries: Vec<_> = LEFT_OUT.iter().map(|entry| (entry, Phrase::new(entry.pattern))).collect();
        let beginning_with =
            |letter| (0..entries.len()).filter(|&e| entries[e].1.may_begin_with(letter)).collect();
        let by_letter = (b'a'..=b'z').map(|letter| (letter, beginning_with(letter))).collect();
        Self { entries, by_letter }
    }

    fn hits_in(&self, path: &str, text: &str) -> Vec<Hit> {
        let words = words_of(text);
        let lines: Vec<&str> = text.lines().collect();
        let mut hits = Vec::new();
        for at in 0..words.len() {
            let line = words[at].line;
            let shown = lines.get(line - 1).copied().unwrap_or_default();
            let candidates = self.by_letter.get(&words[at].first_letter()).into_iter().flatten();
            let found = candidates
                .map(|&e| &self.entries[e])
                .filter(|(entry, phrase)| is_left_out(entry, phrase, &words, at));
            let refused = found.filter(|(entry, _)| !is_allowed(entry, path, shown));
            hits.extend(refused.map(|(entry, phrase)| Hit {
                path: path.into(),
                line,
                found: phrase.shown(&words, at),
                say: entry.say,
            }));
        }
        hits
    }
}

fn is_left_out(entry: &LeftOut, phrase: &Phrase, words: &[Word], at: usize) -> bool {
    let harmless = at > 0 && words[at - 1].precedes(&words[at], entry.unless_after);
    !harmless && phrase.is_at(words, at)
}

fn is_allowed(entry: &LeftOut, path: &str, line: &str) -> bool {
    ALLOWED.iter().any(|allowed| {
        path.starts_with(allowed.path)
            && (allowed.pattern == "*" || allowed.pattern == entry.pattern)
            && line.contains(allowed.line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns_in(text: &str) -> Vec<&'static str> {
        let words = words_of(text);
        let search = Search::new();
        let found = search
            .entries
            .iter()
            .filter(|(entry, phrase)| (0..words.len()).any(|at| is_left_out(entry, phrase, &words, at)));
        found.map(|(entry, _)| entry.pattern).collect()
    }

    #[test]
    fn every_entry_catches_its_example() {
        for entry in LEFT_OUT {
            assert!(patterns_in(entry.catches).contains(&entry.pattern), "{:?}", entry.catches);
        }
    }

    #[test]
    fn no_entry_catches_what_is_fine() {
        for entry in LEFT_OUT {
            assert_eq!(patterns_in(entry.passes), [""; 0], "{:?}", entry.passes);
        }
    }

    #[test]
    fn what_to_say_instead_is_not_left_out_itself() {
        for entry in LEFT_OUT {
            assert_eq!(patterns_in(entry.say), [""; 0], "{:?}", entry.say);
        }
    }

    #[test]
    fn every_exception_names_an_entry_and_a_reason() {
        for allowed in ALLOWED {
            let known = allowed.pattern == "*" || LEFT_OUT.iter().any(|e| e.pattern == allowed.pattern);
            assert!(known, "{:?}", allowed.pattern);
            assert!(!allowed.reason.is_empty(), "{:?}", allowed.pattern);
        }
    }

    #[test]
    fn an_exception_holds_for_its_file_and_line_alone() {
        let count = |path, text| Search::new().hits_in(path, text).len();
        assert_eq!(count("src/method.rs", "#[value(alias = \"stitch\")]"), 0);
        assert_eq!(count("src/method.rs", "stitch"), 1);
    }

    #[test]
    fn counts_are_kept_by_crate() {
        assert_eq!(place_of("crates/sinew/src/lib.rs"), "crates/sinew");
        assert_eq!(place_of("docs/a/b.md"), "docs");
        assert_eq!(place_of("README.md"), "README.md");
    }
}
