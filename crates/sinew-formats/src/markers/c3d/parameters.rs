//! The parameter section of a C3D file.

use super::number::NumberFormat;
use crate::ReadError;

/// The parameters of a file, by group and name in capitals.
pub(super) struct Parameters<'a> {
    groups: Vec<(u8, String)>,
    entries: Vec<Parameter<'a>>,
    numbers: NumberFormat,
}

struct Parameter<'a> {
    group: u8,
    name: String,
    kind: ParameterKind,
    dimensions: &'a [u8],
    data: &'a [u8],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ParameterKind {
    Text,
    Byte,
    Word,
    Float,
}

/// Values that are taken of one parameter.
const MAX_VALUES: usize = 1 << 16;

impl<'a> Parameters<'a> {
    /// Reads the section that begins at byte `start`.
    pub(super) fn read(bytes: &'a [u8], start: usize, numbers: NumberFormat) -> Result<Self, ReadError> {
        let mut out = Self { groups: vec![], entries: vec![], numbers };
        let mut at = start + 4;
        while let Some(next) = out.record(bytes, at)? {
            at = next;
        }
        Ok(out)
    }

    /// Reads the group or parameter at byte `at`; returns where the next one is.
    fn record(&mut self, bytes: &'a [u8], at: usize) -> Result<Option<usize>, ReadError> {
        let truncated = || ReadError::Container { offset: at, what: "the parameter is truncated".into() };
        let [length, id] = *bytes.get(at..).and_then(<[u8]>::first_chunk).ok_or_else(truncated)?;
        // A negative length marks a locked parameter; a length of 0 ends the section.
        let length = usize::from(length.cast_signed().unsigned_abs());
        if length == 0 || id == 0 {
            return Ok(None);
        }
        let name = bytes.get(at + 2..at + 2 + length).ok_or_else(truncated)?;
        let name = String::from_utf8_lossy(name).trim().to_ascii_uppercase();
        let pointer = at + 2 + length;
        let offset = usize::from(self.numbers.u16_at(bytes, pointer).ok_or_else(truncated)?);
        let group = id.cast_signed().unsigned_abs();
        if id.cast_signed() < 0 {
            self.groups.push((group, name));
        } else {
            self.entries.push(parameter(bytes, pointer + 2, group, name).ok_or_else(truncated)?);
        }
        match offset {
            0 => Ok(None),
            1 => Err(ReadError::Container {
                offset: pointer,
                what: "the next parameter must begin after this one".into(),
            }),
            _ => Ok(Some(pointer + offset)),
        }
    }

    /// The names of all groups.
    pub(super) fn groups(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().map(|(_, name)| name.as_str())
    }

    fn find(&self, group: &str, name: &str) -> Option<&Parameter<'a>> {
        let (id, _) = self.groups.iter().find(|(_, group_name)| group_name == group)?;
        self.entries.iter().find(|entry| entry.group == *id && entry.name == name)
    }

    /// The first value as a number.
    pub(super) fn number(&self, group: &str, name: &str) -> Option<f64> {
        let entry = self.find(group, name)?;
        match entry.kind {
            ParameterKind::Float => self.numbers.f32_at(entry.data, 0).map(f64::from),
            ParameterKind::Word => self.numbers.u16_at(entry.data, 0).map(|n| f64::from(n.cast_signed())),
            ParameterKind::Byte => entry.data.first().map(|&n| f64::from(n)),
            ParameterKind::Text => None,
        }
    }

    /// The first value as a count: words are unsigned here, since counts exceed their sign.
    pub(super) fn count(&self, group: &str, name: &str) -> Option<usize> {
        match self.find(group, name)?.kind {
            ParameterKind::Word => self.words(group, name)?.first().copied(),
            _ => self.number(group, name).filter(|n| *n >= 0.0).map(|n| n as usize),
        }
    }

    /// All values of a parameter of words, unsigned.
    pub(super) fn words(&self, group: &str, name: &str) -> Option<Vec<usize>> {
        let entry = self.find(group, name).filter(|entry| entry.kind == ParameterKind::Word)?;
        let word = |k| self.numbers.u16_at(entry.data, 2 * k).map(usize::from);
        (0..(entry.data.len() / 2).min(MAX_VALUES)).map(word).collect()
    }

    /// The first text of a parameter.
    pub(super) fn text(&self, group: &str, name: &str) -> Option<String> {
        self.texts(group, name).into_iter().next()
    }

    /// All texts, without space at their ends; empty if there is no such parameter.
    pub(super) fn texts(&self, group: &str, name: &str) -> Vec<String> {
        let Some(entry) = self.find(group, name).filter(|e| e.kind == ParameterKind::Text) else {
            return vec![];
        };
        let width = usize::from(entry.dimensions.first().copied().unwrap_or(1)).max(1);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_matches(['\0', ' ']).to_owned();
        entry.data.chunks_exact(width).take(MAX_VALUES).map(text).collect()
    }
}

/// The parameter whose type is at byte `at`; `None` if the file ends inside it or the type is unknown.
fn parameter(bytes: &[u8], at: usize, group: u8, name: String) -> Option<Parameter<'_>> {
    let [kind, count] = *bytes.get(at..)?.first_chunk()?;
    let (kind, size) = match kind.cast_signed() {
        -1 => (ParameterKind::Text, 1),
        1 => (ParameterKind::Byte, 1),
        2 => (ParameterKind::Word, 2),
        4 => (ParameterKind::Float, 4),
        _ => return None,
    };
    let dimensions = bytes.get(at + 2..at + 2 + usize::from(count))?;
    let values = dimensions.iter().try_fold(1_usize, |n, &d| n.checked_mul(usize::from(d)))?;
    let start = at + 2 + dimensions.len();
    let data = bytes.get(start..start.checked_add(values.checked_mul(size)?)?)?;
    Some(Parameter { group, name, kind, dimensions, data })
}
