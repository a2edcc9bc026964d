//! A mirror map of joints as editable text.

use super::MirrorJointMap;
use sinew::{
    Skeleton,
    naming::{self, outside_quotes, unquoted, without_comment},
};
use std::{collections::HashMap, fmt::Write as _};
use thiserror::Error;

/// Why a text is not a mirror map of joints.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum MirrorMapError {
    /// A line has no double arrow, or a name beside it is missing.
    #[error("line {line}: {text:?} is not `joint <-> joint`; write - for no partner")]
    NotAPair {
        /// The line number, counted from 1.
        line: usize,
        /// The content of the line.
        text: String,
    },
    /// The skeleton has no such joint.
    #[error("line {line}: there is no joint {name:?}; {hint}")]
    NoSuchJoint {
        /// The line number, counted from 1.
        line: usize,
        /// The name in the line.
        name: String,
        /// Similar names, in words.
        hint: String,
    },
    /// A joint has two partners.
    #[error("line {line}: {name:?} already has a partner in line {first}")]
    JointTwice {
        /// The number of the second line, counted from 1.
        line: usize,
        /// The name of the joint.
        name: String,
        /// The number of the first line.
        first: usize,
    },
}

const HEAD: &str = "\
# Joints that mirror each other: one <-> other. A joint in the plane is its own partner: spine <-> spine.
# - stands for no partner: such a joint must not have weight on the copied side. # begins a comment.
";

impl MirrorJointMap {
    /// The map as lines `one <-> other`, each pair once: first the pairs, then the joints in the plane, then those without a
    /// partner.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = HEAD.to_owned();
        let slots = || 0..self.slot_count() as u16;
        let name = |slot: u16| written(self.name(slot));
        // Writing to a string cannot fail.
        for (one, other) in slots().filter_map(|s| Some((s, self.partner(s).filter(|p| *p > s)?))) {
            let _ = writeln!(out, "{} <-> {}", name(one), name(other));
        }
        for slot in slots().filter(|&s| self.partner(s) == Some(s)) {
            let _ = writeln!(out, "{} <-> {}", name(slot), name(slot));
        }
        for slot in self.unpaired() {
            let _ = writeln!(out, "{} <-> -", name(slot));
        }
        out
    }

    /// The map with the pairs of `text` in place of its own for the joints that the text names. Joints of `skeleton` that are not
    /// in this skin are skipped.
    ///
    /// # Errors
    /// If a line is malformed, names an unknown joint, or repeats one. The error has the line number.
    pub fn edited(&self, text: &str, skeleton: &Skeleton) -> Result<Self, MirrorMapError> {
        let mut out = self.clone();
        let mut lines: HashMap<u16, usize> = HashMap::new();
        for (at, whole) in text.lines().enumerate() {
            let content = without_comment(whole.trim_start_matches('\u{feff}')).trim();
            if content.is_empty() {
                continue;
            }
            let line = at + 1;
            let odd = || MirrorMapError::NotAPair { line, text: content.to_owned() };
            let (one, other) = split(content).ok_or_else(odd)?;
            let [one, other] = [one, other].map(|text| self.slot(text, line, skeleton).transpose());
            let slots = [one.ok_or_else(odd)??, other.ok_or_else(odd)??];
            for slot in named(slots) {
                if let Some(first) = lines.insert(slot, line) {
                    return Err(MirrorMapError::JointTwice { line, name: self.name(slot).to_owned(), first });
                }
            }
            match slots {
                [Side::Joint(one), Side::Joint(other)] => out.pair(one, other),
                [Side::Joint(slot), Side::None] | [Side::None, Side::Joint(slot)] => out.unpair(slot),
                _ => {}
            }
        }
        Ok(out)
    }

    /// The side of a line that `text` is; `None` if it is empty or its quotes do not close.
    fn slot(&self, text: &str, line: usize, skeleton: &Skeleton) -> Result<Option<Side>, MirrorMapError> {
        let name = match text {
            "" => return Ok(None),
            "-" => return Ok(Some(Side::None)),
            quoted if quoted.starts_with('"') => match unquoted(quoted).filter(|(_, rest)| rest.is_empty()) {
                Some((name, _)) => name,
                None => return Ok(None),
            },
            plain => plain.to_owned(),
        };
        let slots = 0..self.slot_count() as u16;
        if let Some(slot) = slots.clone().find(|&slot| self.name(slot) == name) {
            return Ok(Some(Side::Joint(slot)));
        }
        if skeleton.find(&name).is_some() {
            return Ok(Some(Side::Elsewhere));
        }
        let hint = naming::Labels::new(slots.map(|slot| self.name(slot))).hint(&name);
        Err(MirrorMapError::NoSuchJoint { line, name, hint })
    }
}

/// One side of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// A joint of the skin.
    Joint(u16),
    /// The text names no joint.
    None,
    /// A joint that is not in the skin.
    Elsewhere,
}

/// The joints of a line, each once.
fn named([one, other]: [Side; 2]) -> Vec<u16> {
    let slot = |side: Side| if let Side::Joint(slot) = side { Some(slot) } else { None };
    let second = if one == other { None } else { slot(other) };
    slot(one).into_iter().chain(second).collect()
}

fn split(line: &str) -> Option<(&str, &str)> {
    let (at, _) = outside_quotes(line).find(|&(at, _)| line[at..].starts_with("<->"))?;
    Some((line[..at].trim(), line[at + 3..].trim()))
}

/// `name`, in quotes if it would be ambiguous without them.
fn written(name: &str) -> String {
    let odd = |c: char| matches!(c, '#' | '"' | '<' | '>' | '\\') || c.is_control();
    if name.is_empty() || name == "-" || name.trim() != name || name.contains(odd) {
        naming::quoted(name)
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::ops::MirrorOptions;

    fn map() -> (MirrorJointMap, sinew::Character) {
        let figure = sinew_samples::figure();
        (MirrorJointMap::new(figure.skeleton(), &figure.skins()[0], &MirrorOptions::default()), figure)
    }

    #[test]
    fn a_map_that_is_written_and_read_is_the_same() {
        let (map, figure) = map();
        let text = map.to_text();
        assert!(text.contains("hand.L <-> hand.R\n") && text.contains("head <-> head\n"), "{text}");
        assert_eq!(map.edited(&text, figure.skeleton()), Ok(map));
    }

    #[test]
    fn lines_replace_the_partners_of_the_joints_that_they_name() {
        let (map, figure) = map();
        let slot = |name: &str| figure.skins()[0].slot_of(figure.skeleton().find(name).unwrap()).unwrap();
        let edited = map.edited("hand.L <-> - # alone\n\n\"head\" <-> neck", figure.skeleton()).unwrap();
        assert_eq!(edited.partner(slot("hand.L")), None);
        assert_eq!(edited.partner(slot("hand.R")), None);
        assert_eq!(edited.partner(slot("head")), Some(slot("neck")));
        assert_eq!(edited.partner(slot("foot.R")), Some(slot("foot.L")));
    }

    #[test]
    fn malformed_lines_are_refused_with_their_number() {
        let (map, figure) = map();
        let error = |text: &str| map.edited(text, figure.skeleton()).unwrap_err().to_string();
        assert!(error("hand.L hand.R").starts_with("line 1: \"hand.L hand.R\" is not"));
        assert!(error("\nhand.L <->").starts_with("line 2"));
        assert!(error("hand.L <-> hnad.R").contains("no joint \"hnad.R\""));
        assert!(error("hand.L <-> hand.R\nhand.R <-> -").contains("line 2: \"hand.R\" already has"));
    }
}
