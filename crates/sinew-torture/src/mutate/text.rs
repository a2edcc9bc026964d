//! Edits of lines, words and numbers.

use crate::random::Random;

/// What formats and shells give a meaning to.
const WORDS: [&str; 26] = [
    "nan",
    "inf",
    "-inf",
    "1e39",
    "-1e308",
    "1e-320",
    "-0",
    "0",
    "-1",
    "4294967296",
    "99999999999999999999",
    "\"",
    "\\",
    "#",
    "->",
    "{",
    "}",
    "(",
    "[",
    "|",
    ":",
    ",",
    "\u{202e}",
    "\u{1b}[31m",
    "\u{feff}",
    "\r\n",
];

/// `input` with one edit.
pub(super) fn changed(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let text = String::from_utf8_lossy(input);
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let at = random.below(lines.len());
    match random.below(7) {
        0 => drop(lines.remove(at)),
        1 => {
            let to = random.below(lines.len());
            lines.swap(at, to);
        }
        2 => {
            // A file can say one thing very often.
            let times = random.pick(&[1, 2, 10, 100, 2000]).unwrap_or(1);
            let line = lines[at].clone();
            lines.splice(at..at, std::iter::repeat_n(line, times));
        }
        3 => {
            let other = String::from_utf8_lossy(other);
            let from: Vec<&str> = other.split('\n').collect();
            lines.insert(at, random.pick(&from).unwrap_or_default().to_owned());
        }
        _ => lines[at] = changed_line(&lines[at], random),
    }
    lines.join("\n").into_bytes()
}

/// A line with one of its words replaced, removed, doubled or made long.
fn changed_line(line: &str, random: &mut Random) -> String {
    let starts: Vec<usize> = word_starts(line);
    let at = random.pick(&starts).unwrap_or(0);
    let end = starts.iter().copied().find(|&next| next > at).unwrap_or(line.len());
    let (before, word, after) = (&line[..at], &line[at..end], &line[end..]);
    let number = word.parse::<f64>().ok().filter(|_| !random.one_in(3));
    if let Some(number) = number {
        let factors = [0.0, -1.0, 0.5, 2.0, 10.0, 1e-30, 1e6, 1e20, 1e37, 1e300];
        let number = number * random.pick(&factors).unwrap_or(1.0);
        return format!("{before}{number}{after}");
    }
    let new = match random.below(5) {
        0 => String::new(),
        1 => format!("{word} {word}"),
        2 => word.repeat(random.pick(&[2, 16, 500]).unwrap_or(2)),
        _ => random.pick(&WORDS).unwrap_or_default().to_owned(),
    };
    format!("{before}{new}{after}")
}

/// Where words and the marks between them begin.
fn word_starts(line: &str) -> Vec<usize> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
    let mut was_word = false;
    let mut starts = Vec::new();
    for (at, c) in line.char_indices() {
        if !is_word(c) || !was_word {
            starts.push(at);
        }
        was_word = is_word(c);
    }
    starts
}
