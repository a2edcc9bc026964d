//! Reads the entries of a pose text.

use super::{MAX_BYTES, PoseStep, PoseTextError, PoseTextFault, morph_names};
use sinew::naming::{Labels, outside_quotes, unquoted, without_comment};
use sinew::{Character, JointId, glam::Vec3};
use std::collections::HashSet;

/// The maximum of an angle, offset, factor or weight: poses stay finite.
const MAX_VALUE: f32 = 1e6;

/// The property that an entry changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PoseChannel {
    Rotate(usize),
    Translate(usize),
    Scale(usize),
    ScaleAll,
    Morph,
}

impl PoseChannel {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "rx" => Self::Rotate(0),
            "ry" => Self::Rotate(1),
            "rz" => Self::Rotate(2),
            "tx" => Self::Translate(0),
            "ty" => Self::Translate(1),
            "tz" => Self::Translate(2),
            "sx" => Self::Scale(0),
            "sy" => Self::Scale(1),
            "sz" => Self::Scale(2),
            "s" => Self::ScaleAll,
            "w" => Self::Morph,
            _ => return None,
        })
    }
}

/// The names that entries refer to, and what was given so far.
struct PoseReader<'a> {
    joints: Labels<'a>,
    morphs: Labels<'a>,
    given: HashSet<(usize, String)>,
    steps: Vec<PoseStep>,
}

pub(super) fn steps(text: &str, character: &Character) -> Result<Vec<PoseStep>, PoseTextError> {
    if text.len() > MAX_BYTES {
        return Err(PoseTextError { line: None, fault: PoseTextFault::TooLong { bytes: text.len() } });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let skeleton = character.skeleton();
    let mut reader = PoseReader {
        joints: Labels::new(skeleton.joints().map(|joint| skeleton.name(joint))),
        morphs: Labels::new(morph_names(character)),
        given: HashSet::new(),
        steps: Vec::new(),
    };
    let has_lines = text.trim_end().contains('\n');
    for (at, line) in text.lines().enumerate() {
        let line_number = has_lines.then_some(at + 1);
        reader.line(without_comment(line)).map_err(|fault| PoseTextError { line: line_number, fault })?;
    }
    Ok(reader.steps)
}

impl PoseReader<'_> {
    fn line(&mut self, line: &str) -> Result<(), PoseTextFault> {
        let commas = outside_quotes(line).filter(|&(_, c)| c == ',').map(|(at, _)| at);
        let (mut start, mut joint) = (0, None);
        for end in commas.chain([line.len()]) {
            let entry = line[start..end].trim();
            if !entry.is_empty() {
                self.entry(entry, &mut joint)?;
            }
            start = end + 1;
        }
        Ok(())
    }

    /// Reads one entry; `joint` is the name of the entry before it in the line, and becomes that of this one.
    fn entry(&mut self, entry: &str, joint: &mut Option<String>) -> Result<(), PoseTextFault> {
        let bad = || PoseTextFault::BadEntry { entry: entry.to_owned() };
        let last = |text: &str, mark: char| outside_quotes(text).rfind(|&(_, c)| c == mark).map(|(at, _)| at);
        let equals = last(entry, '=').ok_or_else(bad)?;
        let (place, value) = (entry[..equals].trim(), entry[equals + 1..].trim());
        let channel = match last(place, ':') {
            Some(colon) => {
                *joint = Some(name(place[..colon].trim()).ok_or_else(bad)?);
                place[colon + 1..].trim()
            }
            None => place,
        };
        let no_joint = || PoseTextFault::NoJoint { entry: entry.to_owned() };
        let joint = joint.as_deref().ok_or_else(no_joint)?;
        let Some(kind) = PoseChannel::of(channel) else {
            let (joint, channel) = (joint.to_owned(), channel.to_owned());
            return Err(PoseTextFault::UnknownChannel { joint, channel });
        };
        let number = value.parse().ok().filter(|v: &f32| v.abs() <= MAX_VALUE);
        let value = number.ok_or_else(|| {
            let (joint, channel, value) = (joint.to_owned(), channel.to_owned(), value.to_owned());
            PoseTextFault::BadValue { joint, channel, value }
        })?;
        self.step(joint, channel, kind, value)
    }

    fn step(
        &mut self,
        name: &str,
        channel: &str,
        kind: PoseChannel,
        value: f32,
    ) -> Result<(), PoseTextFault> {
        if kind == PoseChannel::Morph {
            return self.morph(name, value);
        }
        let Some(index) = self.joints.find(name).first().copied() else {
            let hint = self.joints.hint(name);
            return Err(PoseTextFault::UnknownJoint { joint: name.to_owned(), hint });
        };
        // The index is below the number of joints, which is a u16.
        let joint = JointId(index as u16);
        let along = |axis: usize, other: f32| {
            let mut all = Vec3::splat(other);
            all[axis] = value;
            all
        };
        let step = match kind {
            PoseChannel::Rotate(axis) => PoseStep::Rotate { joint, axis: Vec3::AXES[axis], degrees: value },
            PoseChannel::Translate(axis) => PoseStep::Translate { joint, offset: along(axis, 0.0) },
            PoseChannel::Scale(axis) => PoseStep::Scale { joint, factor: along(axis, 1.0) },
            PoseChannel::ScaleAll | PoseChannel::Morph => {
                PoseStep::Scale { joint, factor: Vec3::splat(value) }
            }
        };
        let may_repeat = matches!(kind, PoseChannel::Rotate(_));
        if !may_repeat && !self.given.insert((index, channel.to_owned())) {
            let (joint, channel) = (name.to_owned(), channel.to_owned());
            return Err(PoseTextFault::Repeated { joint, channel });
        }
        self.steps.push(step);
        Ok(())
    }

    fn morph(&mut self, name: &str, weight: f32) -> Result<(), PoseTextFault> {
        let slots = self.morphs.find(name);
        if slots.is_empty() {
            let hint = self.morphs.hint(name);
            return Err(PoseTextFault::UnknownMorph { target: name.to_owned(), hint });
        }
        for slot in slots {
            if !self.given.insert((slot, "w".to_owned())) {
                return Err(PoseTextFault::Repeated { joint: name.to_owned(), channel: "w".to_owned() });
            }
            self.steps.push(PoseStep::Morph { slot, weight });
        }
        Ok(())
    }
}

/// A plain name, or the content of its quotes; `None` if the quotes do not close at its end.
fn name(text: &str) -> Option<String> {
    if !text.starts_with('"') {
        return (!text.is_empty()).then(|| text.to_owned());
    }
    unquoted(text).filter(|(_, rest)| rest.is_empty()).map(|(name, _)| name)
}
