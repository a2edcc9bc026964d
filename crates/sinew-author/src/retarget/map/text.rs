//! A joint map as editable text.

use super::{JointMap, JointPair};
use sinew::{
    JointId, Skeleton,
    naming::{self, outside_quotes, unquoted, without_comment},
};
use std::fmt::Write as _;
use thiserror::Error;

/// Why a text is not a joint map.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum JointMapError {
    /// A line has no arrow.
    #[error("line {line}: {text:?} is not `source -> target`")]
    NoArrow {
        /// The line number, counted from 1.
        line: usize,
        /// The content of the line.
        text: String,
    },
    /// One side of the arrow is empty; `-` stands for no joint.
    #[error("line {line}: the {which} has no name; write - for no joint")]
    NoName {
        /// The line number, counted from 1.
        line: usize,
        /// The skeleton: `source` or `target`.
        which: &'static str,
    },
    /// A quotation mark is not closed, or text follows the closing one.
    #[error("line {line}: the quotes of {text} do not close at its end")]
    BadQuotes {
        /// The line number, counted from 1.
        line: usize,
        /// The content of the line.
        text: String,
    },
    /// The skeleton has no such joint.
    #[error("line {line}: the {which} has no joint {name:?}{}", like.as_ref().map(|l| format!("; is it {l:?}?")).unwrap_or_default())]
    NoSuchJoint {
        /// The line number, counted from 1.
        line: usize,
        /// The skeleton: `source` or `target`.
        which: &'static str,
        /// The name in the line.
        name: String,
        /// A joint with the same name up to case and separators.
        like: Option<String>,
    },
    /// Two lines have the same target.
    #[error("line {line}: {name:?} is already driven by line {first}")]
    TargetTwice {
        /// The number of the second line, counted from 1.
        line: usize,
        /// The name of the joint.
        name: String,
        /// The number of the first line.
        first: usize,
    },
}

const HEAD: &str = "\
# One pair of joints per line: source -> target.
# A source may drive several targets; a target has one source. - stands for no joint. # begins a comment.
# Joints without a pair are listed below, as lines to complete.
";

impl JointMap {
    /// The map as lines `source -> target`, with joints without a pair as `source -> -` and `- -> target`.
    ///
    /// Of joints with the same name only the first can be read back.
    #[must_use]
    pub fn to_text(&self, source: &Skeleton, target: &Skeleton) -> String {
        let mut out = HEAD.to_owned();
        let mut line = |from: &str, to: &str| {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{from} -> {to}");
        };
        for pair in self.pairs() {
            line(&quoted(source.name(pair.source)), &quoted(target.name(pair.target)));
        }
        for joint in source.joints().filter(|&j| !self.moves(j)) {
            line(&quoted(source.name(joint)), "-");
        }
        for joint in target.joints().filter(|&j| self.source_of(j).is_none()) {
            line("-", &quoted(target.name(joint)));
        }
        out
    }

    /// Reads lines `source -> target`. Empty lines and comments after `#` are skipped. Names with special characters must be in
    /// double quotes.
    ///
    /// # Errors
    /// If a line is malformed, names an unknown joint, or repeats a target. The error has the line number.
    pub fn parse(text: &str, source: &Skeleton, target: &Skeleton) -> Result<Self, JointMapError> {
        let mut pairs: Vec<(usize, JointPair)> = Vec::new();
        for (at, whole) in text.lines().enumerate() {
            let line = at + 1;
            let content = without_comment(whole.trim_start_matches('\u{feff}')).trim();
            if content.is_empty() {
                continue;
            }
            let (from, to) =
                split(content).ok_or_else(|| JointMapError::NoArrow { line, text: content.to_owned() })?;
            let source = joint(source, from, "source", line)?;
            let target_joint = joint(target, to, "target", line)?;
            let (Some(source), Some(target_joint)) = (source, target_joint) else { continue };
            if let Some((first, _)) = pairs.iter().find(|(_, p)| p.target == target_joint) {
                let name = target.name(target_joint).to_owned();
                return Err(JointMapError::TargetTwice { line, name, first: *first });
            }
            pairs.push((line, JointPair { source, target: target_joint }));
        }
        let mut pairs: Vec<JointPair> = pairs.into_iter().map(|(_, pair)| pair).collect();
        pairs.sort_by_key(|p| p.target);
        Ok(Self { pairs })
    }
}

/// `name`, in quotes if it would be ambiguous without them.
fn quoted(name: &str) -> String {
    let odd = |c: char| matches!(c, '#' | '"' | '>' | '\\') || c.is_control();
    if name.is_empty() || name == "-" || name.trim() != name || name.contains(odd) {
        naming::quoted(name)
    } else {
        name.to_owned()
    }
}

fn split(line: &str) -> Option<(&str, &str)> {
    let (at, _) = outside_quotes(line).find(|&(at, _)| line[at..].starts_with("->"))?;
    Some((line[..at].trim(), line[at + 2..].trim()))
}

/// The joint that `text` names; `None` for `-`.
fn joint(
    skeleton: &Skeleton,
    text: &str,
    which: &'static str,
    line: usize,
) -> Result<Option<JointId>, JointMapError> {
    let name = match text {
        "" => return Err(JointMapError::NoName { line, which }),
        "-" => return Ok(None),
        quoted if quoted.starts_with('"') => {
            whole(quoted).ok_or_else(|| JointMapError::BadQuotes { line, text: quoted.to_owned() })?
        }
        plain => plain.to_owned(),
    };
    if let Some(joint) = skeleton.find(&name) {
        return Ok(Some(joint));
    }
    let bare = |name: &str| -> String {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let like = skeleton.joints().map(|j| skeleton.name(j)).find(|n| bare(n) == bare(&name));
    Err(JointMapError::NoSuchJoint { line, which, name, like: like.map(str::to_owned) })
}

/// The content of the quotes of `text`, if they open at its start and close at its end.
fn whole(text: &str) -> Option<String> {
    unquoted(text).filter(|(_, rest)| rest.is_empty()).map(|(name, _)| name)
}
