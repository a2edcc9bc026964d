//! Splits a text into words with their lines.

/// Iterates over the words of a text. Braces and colons are separate words.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    rest: &'a str,
    line: usize,
}

/// Some files end in a zero byte or in the end-of-file character of DOS.
fn is_space(c: char) -> bool {
    c.is_whitespace() || c == '\0' || c == '\u{1A}'
}

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1 }
    }

    /// The line of the next word.
    pub(super) fn line(&mut self) -> usize {
        self.skip(is_space);
        self.line
    }

    /// The number of bytes left.
    pub(super) fn bytes_left(&self) -> usize {
        self.rest.len()
    }

    /// The next word; `None` at the end.
    pub(super) fn next(&mut self) -> Option<&'a str> {
        self.skip(is_space);
        let stops = |c: char| is_space(c) || matches!(c, '{' | '}' | ':');
        let first = self.rest.chars().next()?;
        let length = match self.rest.find(stops) {
            Some(0) => first.len_utf8(),
            Some(at) => at,
            None => self.rest.len(),
        };
        Some(self.take(length))
    }

    /// The next word without consuming it.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// The text up to the end of the line or an opening brace, trimmed.
    pub(super) fn name(&mut self) -> &'a str {
        let end = self.rest.find(['\n', '\r', '{']).unwrap_or(self.rest.len());
        self.take(end).trim_matches(is_space)
    }

    fn skip(&mut self, what: impl Fn(char) -> bool) {
        let mut before = ' ';
        for (at, c) in self.rest.char_indices() {
            if !what(c) {
                self.rest = &self.rest[at..];
                return;
            }
            // A carriage return ends a line, alone or together with a line feed.
            self.line += usize::from(c == '\r' || (c == '\n' && before != '\r'));
            before = c;
        }
        self.rest = "";
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        word
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn words_have_the_right_line_for_every_kind_of_line_end() {
        let mut words = Words::new("a\tb\r\nc\n\nd\re{Frames:3}\u{1A}\0");
        let mut all = Vec::new();
        loop {
            let line = words.line();
            let Some(word) = words.next() else { break };
            all.push((word, line));
        }
        let want = [
            ("a", 1),
            ("b", 1),
            ("c", 2),
            ("d", 4),
            ("e", 5),
            ("{", 5),
            ("Frames", 5),
            (":", 5),
            ("3", 5),
            ("}", 5),
        ];
        assert_eq!(all, want);
    }

    #[test]
    fn a_name_ends_with_its_line_or_at_a_brace() {
        let mut words = Words::new("ROOT left arm:1 \r\n{ JOINT x{ JOINT\n{");
        assert_eq!((words.next(), words.name()), (Some("ROOT"), "left arm:1"));
        assert_eq!((words.next(), words.next(), words.name()), (Some("{"), Some("JOINT"), "x"));
        assert_eq!((words.next(), words.next(), words.name()), (Some("{"), Some("JOINT"), ""));
    }
}
