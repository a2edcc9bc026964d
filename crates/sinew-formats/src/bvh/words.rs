//! A text as words, each with the line it stands in.

/// Walks over a text word by word. Braces and colons are words of their own.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    rest: &'a str,
    line: usize,
}

/// Some files end in a zero or in the end-of-file character of DOS.
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

    /// How many bytes are left.
    pub(super) fn bytes_left(&self) -> usize {
        self.rest.len()
    }

    /// The next word; nothing at the end.
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

    /// The next word without taking it.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// What stands before the end of the line or an opening brace, without space around it.
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
            // A carriage return ends a line by itself; together with a line feed they end one line.
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
    fn words_know_their_lines_whatever_ends_them() {
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
    fn a_name_goes_to_the_end_of_its_line_or_to_a_brace() {
        let mut words = Words::new("ROOT left arm:1 \r\n{ JOINT x{ JOINT\n{");
        assert_eq!((words.next(), words.name()), (Some("ROOT"), "left arm:1"));
        assert_eq!((words.next(), words.next(), words.name()), (Some("{"), Some("JOINT"), "x"));
        assert_eq!((words.next(), words.next(), words.name()), (Some("{"), Some("JOINT"), ""));
    }
}
