//! Text that is safe to print: names come from files, and a file may come from a stranger.
//!
//! Control characters can move the cursor, color or clear a terminal; bidirectional controls can make a text read
//! differently than it is. Nothing of that reaches a terminal.

use std::borrow::Cow;

/// Prints a message to standard error without control characters. Only its first line begins at the margin.
macro_rules! tell {
    ($($arguments:tt)*) => {
        eprintln!("{}", $crate::text::message(&format!($($arguments)*)))
    };
}

/// True for characters that change how a terminal shows other characters.
fn is_unsafe(c: char) -> bool {
    let is_bidirectional = matches!(
        c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_hidden = matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}');
    c.is_control() || is_bidirectional || is_hidden
}

/// A text of several lines, with unsafe characters as escapes such as `\u{1b}`. Very long lines lose their middle.
pub(crate) fn inert(text: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| is_unsafe(c) && c != '\n' && c != '\t';
    let escape = |c: char| c.escape_default().to_string();
    if text.split('\n').all(|line| line.len() <= MAX_LINE) {
        return escaped(text, is_escaped, escape);
    }
    let lines: Vec<String> = text.split('\n').map(|line| shortened(line, MAX_LINE, MAX_LINE / 3)).collect();
    escaped(&lines.join("\n"), is_escaped, escape).into_owned().into()
}

/// A message as [`inert`] text. A line break in it may come from a name: what follows is indented, so that it cannot be
/// taken for another message.
pub(crate) fn message(text: &str) -> String {
    inert(text).replace('\n', "\n  ")
}

/// The number of characters up to which a line is printed whole.
const MAX_LINE: usize = 4_000;

/// A text without its middle if it has more than `max` characters: `ends` of them stay at either end.
fn shortened(text: &str, max: usize, ends: usize) -> String {
    let count = text.chars().count();
    if count <= max {
        return text.to_owned();
    }
    let start: String = text.chars().take(ends).collect();
    let end: String = text.chars().skip(count - ends).collect();
    format!("{start}…({} characters)…{end}", count - 2 * ends)
}

/// A JSON document, with characters as escapes that JSON allows but a terminal obeys.
pub(crate) fn inert_json(text: &str) -> Cow<'_, str> {
    let escape = |c: char| c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect();
    // Line breaks stand between values; those in strings are escaped already.
    escaped(text, |c| is_unsafe(c) && c != '\n', escape)
}

/// A name on one line: unsafe characters as escapes, a long middle left out.
pub(crate) fn plain(name: &str) -> String {
    let short = shortened(name, 120, 40);
    escaped(&short, is_unsafe, |c| c.escape_default().to_string()).into_owned()
}

/// Names on one line, with commas between them.
pub(crate) fn list(names: &[String]) -> String {
    names.iter().map(|name| plain(name)).collect::<Vec<_>>().join(", ")
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool, escape: impl Fn(char) -> String) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_escaped(c) { out.push_str(&escape(c)) } else { out.push(c) }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[2Jb\u{9b}31m\r\u{202e}c\u{7f}";

    #[test]
    fn control_characters_and_bidirectional_overrides_become_escapes() {
        assert_eq!(inert(HOSTILE), r"a\u{1b}[2Jb\u{9b}31m\r\u{202e}c\u{7f}");
        assert_eq!(inert("two\nlines\tof Größe 骨 👩‍🦰"), "two\nlines\tof Größe 骨 👩‍🦰");
        assert_eq!(plain("two\nlines"), r"two\nlines");
        assert_eq!(message("there is a\nsinew: done"), "there is a\n  sinew: done");
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let json = serde_json::to_string_pretty(&[HOSTILE, "\u{e0041}"]).unwrap();
        let printed = inert_json(&json);
        assert!(!printed.chars().any(|c| is_unsafe(c) && c != '\n'), "{printed}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&printed).unwrap(), [HOSTILE, "\u{e0041}"]);
    }

    #[test]
    fn a_long_name_loses_its_middle_and_says_how_much() {
        let shown = plain(&"骨".repeat(5_000));
        assert!(shown.contains("(4920 characters)") && shown.chars().count() < 120, "{shown}");
        assert_eq!(plain(&"x".repeat(120)).len(), 120);
    }
}
