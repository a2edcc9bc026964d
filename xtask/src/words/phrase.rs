//! Phrases and the text they are looked for in: words without case, split at every border inside an identifier.

/// One word of a text, in lower case.
#[derive(Debug, PartialEq)]
pub(crate) struct Word {
    text: String,
    /// Line of the word, counted from 1.
    pub(crate) line: usize,
    link: Link,
}

/// What stands between a word and the one before it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Link {
    /// Punctuation or nothing at all: a phrase ends here.
    Broken,
    /// Spaces, a line break or the marks of a comment.
    Spaced,
    /// `_`, `-` or the border inside `CamelCase`.
    Joined,
}

/// Splits a text into its words. `worked_out`, `WorkedOut` and "worked / out" on two comment lines are the same two words.
pub(crate) fn words_of(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let (mut line, mut link, mut before) = (1, Link::Broken, ' ');
    for letter in text.chars() {
        if letter.is_ascii_alphabetic() {
            let starts =
                !before.is_ascii_alphabetic() || letter.is_ascii_uppercase() && before.is_ascii_lowercase();
            if starts {
                let link = if before.is_ascii_alphabetic() { Link::Joined } else { link };
                words.push(Word { text: String::new(), line, link });
            }
            if let Some(word) = words.last_mut() {
                word.text.push(letter.to_ascii_lowercase());
            }
            link = Link::Spaced;
        } else {
            link = match letter {
                _ if link == Link::Broken => Link::Broken,
                '_' | '-' => Link::Joined,
                '/' | '!' | ' ' | '\n' | '\t' | '\r' => link,
                _ => Link::Broken,
            };
            line += usize::from(letter == '\n');
        }
        before = letter;
    }
    words
}

/// A phrase to look for, as written in the table: words between spaces, `a|b` for either, `*` at the end of a word for
/// any ending, `!a|b` for any word or none but these, `_` where the next word must belong to the same identifier and `/`
/// where it must not.
pub(crate) struct Phrase {
    parts: Vec<Part>,
}

enum Part {
    OneOf(Vec<Stem>),
    NoneOf(Vec<Stem>),
    Linked(Link, Vec<Stem>),
}

struct Stem {
    text: &'static str,
    is_prefix: bool,
}

impl Phrase {
    pub(crate) fn new(pattern: &'static str) -> Self {
        let mut parts = Vec::new();
        let mut link = None;
        for word in pattern.split(' ') {
            match (word, word.strip_prefix('!')) {
                ("_", _) => link = Some(Link::Joined),
                ("/", _) => link = Some(Link::Spaced),
                (_, Some(rest)) => parts.push(Part::NoneOf(stems(rest))),
                (_, None) => parts.push(match link.take() {
                    Some(link) => Part::Linked(link, stems(word)),
                    None => Part::OneOf(stems(word)),
                }),
            }
        }
        Self { parts }
    }

    /// True where a word with this first letter can begin the phrase.
    pub(crate) fn may_begin_with(&self, letter: u8) -> bool {
        match self.parts.first() {
            Some(Part::OneOf(stems)) => {
                stems.iter().any(|stem| stem.text.as_bytes().first() == Some(&letter))
            }
            Some(Part::NoneOf(_) | Part::Linked(..)) | None => true,
        }
    }

    /// The words of a text that the phrase covers when it begins at word `at`.
    pub(crate) fn shown(&self, words: &[Word], at: usize) -> String {
        let covered = words[at..].iter().take(self.parts.len()).map(|w| w.text.as_str());
        covered.collect::<Vec<_>>().join(" ")
    }

    /// True where the phrase begins at word `at`.
    pub(crate) fn is_at(&self, words: &[Word], at: usize) -> bool {
        self.parts.iter().enumerate().all(|(nth, part)| {
            let word = words.get(at + nth).filter(|w| nth == 0 || w.link != Link::Broken);
            match (part, word) {
                (Part::OneOf(stems), Some(word)) => word.is_any(stems),
                (Part::Linked(link, stems), Some(word)) => word.link == *link && word.is_any(stems),
                (Part::NoneOf(stems), word) => word.is_none_or(|w| !w.is_any(stems)),
                (Part::OneOf(_) | Part::Linked(..), None) => false,
            }
        })
    }
}

fn stems(words: &'static str) -> Vec<Stem> {
    let stem = |word: &'static str| match word.strip_suffix('*') {
        Some(text) => Stem { text, is_prefix: true },
        None => Stem { text: word, is_prefix: false },
    };
    words.split('|').map(stem).collect()
}

impl Word {
    fn is_any(&self, stems: &[Stem]) -> bool {
        stems.iter().any(|stem| {
            if stem.is_prefix { self.text.starts_with(stem.text) } else { self.text == stem.text }
        })
    }

    /// The first letter, in lower case.
    pub(crate) fn first_letter(&self) -> u8 {
        self.text.as_bytes().first().copied().unwrap_or_default()
    }

    /// True where the phrase's neighbor before it is one of `names`.
    pub(crate) fn precedes(&self, next: &Self, names: &[&str]) -> bool {
        next.link != Link::Broken && names.contains(&self.text.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(pattern: &'static str, text: &str) -> bool {
        let (phrase, words) = (Phrase::new(pattern), words_of(text));
        (0..words.len()).any(|at| phrase.is_at(&words, at))
    }

    #[test]
    fn a_phrase_is_found_in_prose_identifiers_and_across_comment_lines() {
        for text in
            ["It is worked out.", "fn worked_out()", "WorkedOut", "/// is worked\n    /// out", "WORKED_OUT"]
        {
            assert!(finds("work|worked out", text), "{text}");
        }
    }

    #[test]
    fn punctuation_ends_a_phrase() {
        for text in ["It worked. Out it goes", "worked, out", "worked(out)"] {
            assert!(!finds("worked out", text), "{text}");
        }
    }

    #[test]
    fn words_are_compared_whole_unless_a_star_says_otherwise() {
        assert!(!finds("dress", "the address dresses"));
        assert!(finds("dress*", "the address dresses"));
    }

    #[test]
    fn an_excluded_word_stops_the_phrase_and_a_missing_one_does_not() {
        assert!(!finds("linear blend !skinning", "linear blend skinning"));
        assert!(finds("linear blend !skinning", "linear blend."));
        assert!(finds("linear blend !skinning", "linear blend pose"));
    }

    #[test]
    fn an_underscore_asks_for_one_identifier() {
        assert!(finds("most _ *", "MOST_BYTES"));
        assert!(!finds("most _ *", "most bytes"));
    }

    #[test]
    fn a_slash_asks_for_prose() {
        assert!(finds("linear / blend", "linear blend"));
        assert!(!finds("linear / blend", "linear_blend LinearBlend"));
    }

    #[test]
    fn lines_are_counted_from_one() {
        let lines: Vec<usize> = words_of("a\n\nb c").iter().map(|w| w.line).collect();
        assert_eq!(lines, [1, 3, 3]);
    }
}
