//! Markdown pages of the project, and what is read from them.

use crate::shell::{command, output, root};
use std::fs;

/// A page of Markdown.
pub(crate) struct Page {
    /// Path below the project's root, with `/`.
    pub(crate) path: String,
    text: String,
}

/// A link, without the text that it is behind.
pub(crate) struct Link {
    /// Line in the page, counted from 1.
    pub(crate) line: usize,
    pub(crate) target: String,
}

/// All Markdown pages of the project.
pub(crate) fn pages() -> Result<Vec<Page>, String> {
    let list = output(&mut command("git ls-files --cached --others --exclude-standard -- *.md"))?;
    let read =
        |path: &str| Some(Page { text: fs::read_to_string(root().join(path)).ok()?, path: path.into() });
    // A page that is deleted and not yet committed is still listed.
    Ok(list.lines().filter_map(read).collect())
}

impl Page {
    /// Every link and picture outside blocks of code.
    pub(crate) fn links(&self) -> impl Iterator<Item = Link> + '_ {
        self.prose().flat_map(|(line, text)| {
            let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
            targets.map(move |target| Link { line, target: target.into() })
        })
    }

    /// The file that a link leads to, from the project's root; `None` for addresses on the network.
    pub(crate) fn target_of(&self, link: &str) -> Option<String> {
        if link.contains("://") || link.starts_with("mailto:") {
            return None;
        }
        let path = link.split('#').next().unwrap_or_default();
        if path.is_empty() {
            return Some(self.path.clone());
        }
        let mut parts: Vec<&str> = self.path.split('/').collect();
        parts.pop();
        for part in path.split('/') {
            match part {
                "." | "" => {}
                ".." => _ = parts.pop(),
                name => parts.push(name),
            }
        }
        Some(parts.join("/"))
    }

    /// The names under which headings can be linked to.
    pub(crate) fn anchors(&self) -> impl Iterator<Item = String> + '_ {
        let headings = self.prose().filter_map(|(_, line)| line.strip_prefix('#'));
        headings.map(|heading| anchor_of(heading.trim_start_matches('#')))
    }

    /// Lines on which a block of code opens without a language.
    pub(crate) fn bare_fences(&self) -> impl Iterator<Item = usize> + '_ {
        let fences = self.text.lines().enumerate().filter(|(_, line)| is_fence(line));
        fences.step_by(2).filter(|(_, line)| line.trim() == "```").map(|(at, _)| at + 1)
    }

    /// Lines outside blocks of code, counted from 1.
    fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut in_code = false;
        self.text.lines().enumerate().filter_map(move |(at, line)| {
            in_code ^= is_fence(line);
            (!in_code && !is_fence(line)).then_some((at + 1, line))
        })
    }
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

/// `What it reads` becomes `what-it-reads`, as mdBook and forges make it.
fn anchor_of(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        Page { path: "docs/methods/linear.md".into(), text: text.into() }
    }

    #[test]
    fn links_and_pictures_are_found_outside_code() {
        let page = page("See [a](../a.md).\n```text\n[b](b.md)\n```\n| ![c](../images/c.png \"title\") |\n");
        let found: Vec<_> = page.links().map(|link| (link.line, link.target)).collect();
        assert_eq!(found, [(1, "../a.md".to_owned()), (5, "../images/c.png".to_owned())]);
    }

    #[test]
    fn targets_are_relative_to_the_page() {
        let page = page("");
        assert_eq!(page.target_of("../a.md#b").as_deref(), Some("docs/a.md"));
        assert_eq!(page.target_of("./rigid.md").as_deref(), Some("docs/methods/rigid.md"));
        assert_eq!(page.target_of("#b").as_deref(), Some("docs/methods/linear.md"));
        assert_eq!(page.target_of("https://docs.rs"), None);
    }

    #[test]
    fn headings_are_linked_to_by_their_words() {
        let page = page("# Linear blend skinning\n## What's `new`?\n```sh\n# no heading\n```\n");
        assert_eq!(page.anchors().collect::<Vec<_>>(), ["linear-blend-skinning", "whats-new"]);
    }

    #[test]
    fn a_block_without_a_language_is_found_where_it_opens() {
        let page = page("```\na\n```\n```rust\nb\n```\n");
        assert_eq!(page.bare_fences().collect::<Vec<_>>(), [1]);
    }
}
