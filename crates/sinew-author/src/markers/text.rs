//! Attachments as editable text.

use super::{MarkerAttachment, MarkerAttachments};
use sinew::{
    JointId, Skeleton,
    glam::Vec3,
    naming::{self, unquoted, without_comment},
};
use std::fmt::Write as _;
use thiserror::Error;

/// Why a text is not a list of attachments.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MarkerTextError {
    /// A line is not a label, a joint and a position.
    #[error("line {line}: {text:?} is not `LABEL JOINT x y z`")]
    BadLine {
        /// The line number, counted from 1.
        line: usize,
        /// The content of the line.
        text: String,
    },
    /// A line names a joint that the skeleton does not have.
    #[error("line {line}: there is no joint {name:?}")]
    NoSuchJoint {
        /// The line number, counted from 1.
        line: usize,
        /// The name in the line.
        name: String,
    },
    /// A coordinate is not a finite number.
    #[error("line {line}: a coordinate must be a number of meters, got {text:?}")]
    BadNumber {
        /// The line number, counted from 1.
        line: usize,
        /// The text of the coordinate.
        text: String,
    },
    /// A label is in two lines.
    #[error("line {line}: the marker {label:?} is already attached")]
    LabelTwice {
        /// The number of the second line, counted from 1.
        line: usize,
        /// The label that is duplicate.
        label: String,
    },
}

const HEAD: &str = "\
# One marker per line: LABEL JOINT x y z, the position in joint space in meters.
# Without x y z the marker is at the joint until it is calibrated. A name with a space is in double quotes.
# # begins a comment. A marker without a line is left out.
";

impl MarkerAttachments {
    /// The attachments as lines `LABEL JOINT x y z`.
    ///
    /// Of joints with the same name only the first can be read back.
    #[must_use]
    pub fn to_text(&self, skeleton: &Skeleton) -> String {
        let mut out = HEAD.to_owned();
        for one in self.list() {
            let (label, joint) = (quoted(&one.label), quoted(skeleton.name(one.joint)));
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{label} {joint} {} {} {}", one.offset.x, one.offset.y, one.offset.z);
        }
        out
    }

    /// Reads lines `LABEL JOINT x y z`. Empty lines and comments after `#` are skipped.
    ///
    /// # Errors
    /// If a line is malformed, names an unknown joint, or repeats a label. The error has the line number.
    pub fn parse(text: &str, skeleton: &Skeleton) -> Result<Self, MarkerTextError> {
        let mut list: Vec<MarkerAttachment> = Vec::new();
        for (at, whole) in text.lines().enumerate() {
            let line = at + 1;
            let bad_line = || MarkerTextError::BadLine { line, text: whole.trim().to_owned() };
            let words = words(whole.trim_start_matches('\u{feff}')).ok_or_else(bad_line)?;
            let one = match &words[..] {
                [] => continue,
                [label, joint, offset @ ..] if matches!(offset.len(), 0 | 3) => MarkerAttachment {
                    label: label.clone(),
                    joint: find(skeleton, joint, line)?,
                    offset: position(offset, line)?,
                },
                _ => return Err(bad_line()),
            };
            if list.iter().any(|other| other.label == one.label) {
                return Err(MarkerTextError::LabelTwice { line, label: one.label });
            }
            list.push(one);
        }
        Ok(Self { list })
    }
}

fn find(skeleton: &Skeleton, name: &str, line: usize) -> Result<JointId, MarkerTextError> {
    skeleton.find(name).ok_or_else(|| MarkerTextError::NoSuchJoint { line, name: name.to_owned() })
}

/// Three coordinates, or the origin.
fn position(words: &[String], line: usize) -> Result<Vec3, MarkerTextError> {
    let mut out = Vec3::ZERO;
    for (axis, text) in words.iter().enumerate() {
        let number = text.parse().ok().filter(|n: &f32| n.is_finite());
        out[axis] = number.ok_or_else(|| MarkerTextError::BadNumber { line, text: text.clone() })?;
    }
    Ok(out)
}

/// `name`, in quotes if it would not be read as one word.
fn quoted(name: &str) -> String {
    let odd = |c: char| matches!(c, '#' | '"' | '\\') || c.is_whitespace() || c.is_control();
    if name.is_empty() || name.contains(odd) { naming::quoted(name) } else { name.to_owned() }
}

/// The words of a line up to a comment; `None` if a quote is not closed.
fn words(line: &str) -> Option<Vec<String>> {
    let mut out = Vec::new();
    let mut rest = without_comment(line).trim_start();
    while !rest.is_empty() {
        let (word, after) = if rest.starts_with('"') {
            unquoted(rest)?
        } else {
            let (word, after) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
            (word.to_owned(), after)
        };
        out.push(word);
        rest = after.trim_start();
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Joint, Transform};

    fn skeleton() -> Skeleton {
        let joint = |name: &str| Joint { name: name.into(), parent: None, rest: Transform::IDENTITY };
        Skeleton::new(["hips", "left arm", "a\"b\\c#\nd"].map(joint)).unwrap()
    }

    #[test]
    fn attachments_survive_their_text() {
        let skeleton = skeleton();
        let one = |label: &str, joint, offset| MarkerAttachment {
            label: label.into(),
            joint: JointId(joint),
            offset,
        };
        let list = [
            one("LASI", 0, Vec3::new(0.1, -0.25, 1e-7)),
            one("my marker", 1, Vec3::ZERO),
            one("", 2, Vec3::ONE),
        ];
        let attachments = MarkerAttachments::new(&skeleton, list).unwrap();
        let text = attachments.to_text(&skeleton);
        assert_eq!(MarkerAttachments::parse(&text, &skeleton).unwrap(), attachments);
        let short = MarkerAttachments::parse("a hips # no position\n\n", &skeleton).unwrap();
        assert_eq!(short.list()[0].offset, Vec3::ZERO);
    }

    #[test]
    fn errors_name_the_line_and_the_word() {
        let error = |text| MarkerAttachments::parse(text, &skeleton()).unwrap_err().to_string();
        assert_eq!(error("a hips 1 2"), "line 1: \"a hips 1 2\" is not `LABEL JOINT x y z`");
        assert_eq!(error("\na knee"), "line 2: there is no joint \"knee\"");
        assert_eq!(error("a hips 1 2 x"), "line 1: a coordinate must be a number of meters, got \"x\"");
        assert_eq!(error("a hips 1 2 inf"), "line 1: a coordinate must be a number of meters, got \"inf\"");
        assert_eq!(error("a hips\na hips"), "line 2: the marker \"a\" is already attached");
        assert!(error("\"a hips").contains("LABEL JOINT"));
    }
}
