//! Names in text formats: quoted where they need it, numbered where they are not unique, found with a hint.

use std::collections::HashMap;

/// How many names an error lists.
const LISTED: usize = 8;

/// The label of each name: the name itself, or `name#index` if it is empty, not unique or contains a `#`.
#[derive(Clone, Debug)]
pub struct Labels<'a> {
    names: Vec<&'a str>,
    labels: Vec<String>,
    by_label: HashMap<String, usize>,
}

impl<'a> Labels<'a> {
    /// The labels of `names`, in order.
    pub fn new(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names: Vec<&str> = names.into_iter().collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        names.iter().for_each(|name| *counts.entry(name).or_default() += 1);
        let is_alone = |name: &str| counts.get(name) == Some(&1) && !name.is_empty() && !name.contains('#');
        let label = |(index, name): (usize, &&str)| {
            if is_alone(name) { (*name).to_owned() } else { format!("{name}#{index}") }
        };
        let labels: Vec<String> = names.iter().enumerate().map(label).collect();
        let by_label = labels.iter().enumerate().map(|(index, label)| (label.clone(), index)).collect();
        Self { names, labels, by_label }
    }

    /// The label of the entry at `index`; empty beyond the last.
    pub fn label(&self, index: usize) -> &str {
        self.labels.get(index).map_or("", String::as_str)
    }

    /// The entries that `text` names: the one with this label, else all with this name, else the one with this index.
    pub fn find(&self, text: &str) -> Vec<usize> {
        if let Some(&index) = self.by_label.get(text) {
            return vec![index];
        }
        let named: Vec<usize> = (0..self.names.len()).filter(|&i| self.names[i] == text).collect();
        if !named.is_empty() {
            return named;
        }
        text.parse().ok().filter(|&index| index < self.names.len()).into_iter().collect()
    }

    /// What exists, for an error about `wanted`: names that are like it, or the first of all.
    pub fn hint(&self, wanted: &str) -> String {
        if self.labels.is_empty() {
            return "there are none".to_owned();
        }
        let plain = |text: &str| -> String {
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let bare = plain(wanted);
        let is_like = |label: &&String| {
            let label = plain(label);
            !bare.is_empty() && !label.is_empty() && (label.contains(&bare) || bare.contains(&label))
        };
        let similar: Vec<&str> =
            self.labels.iter().filter(is_like).take(LISTED).map(String::as_str).collect();
        if !similar.is_empty() {
            return format!("did you mean {}?", similar.join(", "));
        }
        let listed: Vec<&str> = self.labels.iter().take(LISTED).map(String::as_str).collect();
        match self.labels.len().saturating_sub(LISTED) {
            0 => format!("there are {}", listed.join(", ")),
            more => format!("there are {} and {more} more", listed.join(", ")),
        }
    }
}

/// `name` in double quotes, with escapes.
pub fn quoted(name: &str) -> String {
    let mut out = String::from("\"");
    for letter in name.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            _ => out.push(letter),
        }
    }
    out.push('"');
    out
}

/// The quoted name at the start of `text`, and the rest of the text; `None` if there is none or it does not close.
pub fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut letters = text.strip_prefix('"')?.char_indices();
    let mut out = String::new();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((out, &text[at + 2..])),
            '\\' => out.push(match letters.next()?.1 {
                'n' => '\n',
                'r' => '\r',
                other => other,
            }),
            _ => out.push(letter),
        }
    }
    None
}

/// The characters of `line` outside double quotes, with their positions.
pub fn outside_quotes(line: &str) -> impl DoubleEndedIterator<Item = (usize, char)> {
    let (mut inside, mut after_slash) = (false, false);
    let outside = line.char_indices().filter(move |&(_, letter)| {
        let was_inside = inside;
        if after_slash {
            after_slash = false;
        } else if inside && letter == '\\' {
            after_slash = true;
        } else if letter == '"' {
            inside = !inside;
        }
        !was_inside && !inside
    });
    outside.collect::<Vec<_>>().into_iter()
}

/// `line` up to a `#` that is not in quotes.
pub fn without_comment(line: &str) -> &str {
    outside_quotes(line).find(|&(_, c)| c == '#').map_or(line, |(at, _)| &line[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_not_unique_are_numbered() {
        let labels = Labels::new(["hip", "arm", "arm", "", "a#1", "7"]);
        let all: Vec<&str> = (0..6).map(|index| labels.label(index)).collect();
        assert_eq!(all, ["hip", "arm#1", "arm#2", "#3", "a#1#4", "7"]);
        assert_eq!(labels.find("arm"), [1, 2]);
        assert_eq!(labels.find("arm#2"), [2]);
        assert_eq!(labels.find("7"), [5], "a name goes before a number");
        assert_eq!(labels.find("3"), [3]);
        assert!(labels.find("leg").is_empty() && labels.find("6").is_empty());
    }

    #[test]
    fn hints_prefer_similar_names() {
        let labels = Labels::new(["Upper_Arm.L", "hip"]);
        assert_eq!(labels.hint("upperarm"), "did you mean Upper_Arm.L?");
        assert_eq!(labels.hint("tail"), "there are Upper_Arm.L, hip");
        assert_eq!(Labels::new([]).hint("tail"), "there are none");
    }

    #[test]
    fn quoted_names_read_back() {
        for name in ["", "a", "a \"b\" \\c", "two\nlines\r", "# , = :"] {
            let text = format!("{} rest", quoted(name));
            assert_eq!(unquoted(&text), Some((name.to_owned(), " rest")));
            assert_eq!(without_comment(&format!("{}# note", quoted(name))), quoted(name));
        }
        assert_eq!(unquoted("\"open"), None);
        assert_eq!(unquoted("\"open\\"), None);
    }
}
