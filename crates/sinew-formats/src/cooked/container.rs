//! Header, table and sections of a cooked file.

use super::checksum::checksum;
use crate::ReadError;
use sinew::bytes::{ByteReader, ByteWriter, BytesError};
use std::fmt::Display;

/// The version of cooked files that is written. Files of this and of every older version are read.
pub const VERSION: u32 = 1;

/// No text begins like this, and a transfer that converts line ends destroys it.
const MAGIC: [u8; 8] = *b"\x89SNW\r\n\x1a\n";
const HEADER_BYTES: usize = 32;
const ENTRY_BYTES: usize = 32;
/// The alignment of sections, in bytes from the start of the file.
const ALIGNMENT: usize = 64;

/// What a section holds. Sections of one kind are in the order of their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SectionKind {
    Manifest,
    Skeleton,
    Skin,
    Weights,
    Mesh,
    Precomputed,
    Packed,
    Image,
    Clip,
    Graph,
}

impl SectionKind {
    const ALL: [Self; 10] = [
        Self::Manifest,
        Self::Skeleton,
        Self::Skin,
        Self::Weights,
        Self::Mesh,
        Self::Precomputed,
        Self::Packed,
        Self::Image,
        Self::Clip,
        Self::Graph,
    ];

    /// The four letters of the kind in the table.
    const fn letters(self) -> [u8; 4] {
        *match self {
            Self::Manifest => b"META",
            Self::Skeleton => b"SKEL",
            Self::Skin => b"SKIN",
            Self::Weights => b"WGHT",
            Self::Mesh => b"MESH",
            Self::Precomputed => b"PREC",
            Self::Packed => b"PACK",
            Self::Image => b"IMAG",
            Self::Clip => b"CLIP",
            Self::Graph => b"GRPH",
        }
    }

    /// The list that its sections form, for errors.
    const fn list(self) -> &'static str {
        match self {
            Self::Manifest => "manifest",
            Self::Skeleton => "skeleton",
            Self::Skin => "skins",
            Self::Weights => "weights",
            Self::Mesh => "meshes",
            Self::Precomputed => "precomputed",
            Self::Packed => "packed skins",
            Self::Image => "images",
            Self::Clip => "clips",
            Self::Graph => "graphs",
        }
    }
}

/// True if the bytes begin like a cooked file.
pub(crate) fn is_cooked(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// The sections of a file that is being written.
#[derive(Debug, Default)]
pub(super) struct SectionWriter {
    sections: Vec<(SectionKind, Vec<u8>)>,
}

impl SectionWriter {
    pub(super) fn section(&mut self, kind: SectionKind, bytes: Vec<u8>) {
        self.sections.push((kind, bytes));
    }

    pub(super) fn write(&mut self, kind: SectionKind, write: impl FnOnce(&mut ByteWriter)) {
        let mut out = ByteWriter::new();
        write(&mut out);
        self.section(kind, out.into_bytes());
    }

    pub(super) fn into_file(self) -> Vec<u8> {
        let mut at = (HEADER_BYTES + self.sections.len() * ENTRY_BYTES).next_multiple_of(ALIGNMENT);
        let mut table = ByteWriter::new();
        for (kind, bytes) in &self.sections {
            table.raw(&kind.letters());
            table.u32(0);
            table.count(at);
            table.count(bytes.len());
            table.u64(checksum(bytes));
            at = (at + bytes.len()).next_multiple_of(ALIGNMENT);
        }
        let table = table.into_bytes();
        let mut out = ByteWriter::new();
        out.raw(&MAGIC);
        out.u32(VERSION);
        out.u32(self.sections.len() as u32);
        out.count(at);
        out.u64(checksum(&[&head(VERSION, self.sections.len() as u32, at), &table[..]].concat()));
        out.raw(&table);
        out.align(ALIGNMENT);
        for (_, bytes) in self.sections {
            out.raw(&bytes);
            out.align(ALIGNMENT);
        }
        out.into_bytes()
    }
}

/// Writes the checksums that the bytes of a file have, so that a file whose bytes were edited is read as far as its content
/// allows. A file whose table does not fit is left as it is.
pub fn update_checksums(file: &mut [u8]) {
    let Some(count) = file.get(12..16).and_then(|bytes| bytes.first_chunk()) else { return };
    let table_end =
        (u32::from_le_bytes(*count) as usize).saturating_mul(ENTRY_BYTES).saturating_add(HEADER_BYTES);
    if table_end > file.len() {
        return;
    }
    for place in (HEADER_BYTES..table_end).step_by(ENTRY_BYTES) {
        let number =
            |at: usize| file[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes) as usize);
        let (start, length) = (number(place + 8), number(place + 16));
        let Some(section) = start.checked_add(length).and_then(|end| file.get(start..end)) else { continue };
        let sum = checksum(section).to_le_bytes();
        file[place + 24..place + 32].copy_from_slice(&sum);
    }
    let sum = checksum(&[&file[8..24], &file[HEADER_BYTES..table_end]].concat()).to_le_bytes();
    file[24..HEADER_BYTES].copy_from_slice(&sum);
}

/// The header as far as its checksum covers it.
fn head(version: u32, sections: u32, length: usize) -> [u8; 16] {
    let mut out = [0; 16];
    out[..4].copy_from_slice(&version.to_le_bytes());
    out[4..8].copy_from_slice(&sections.to_le_bytes());
    out[8..].copy_from_slice(&(length as u64).to_le_bytes());
    out
}

/// The sections of a file, whose checksums are right.
#[derive(Debug)]
pub(super) struct Sections<'a> {
    sections: Vec<(SectionKind, &'a [u8])>,
}

impl<'a> Sections<'a> {
    /// Checks header, table, checksums and padding of a file.
    pub(super) fn of(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let malformed =
            |offset: usize, what: &dyn Display| ReadError::Container { offset, what: what.to_string() };
        let short = |error: BytesError| malformed(bytes.len(), &error);
        let mut from = ByteReader::new(bytes);
        if from.raw(MAGIC.len()).map_err(short)? != MAGIC {
            return Err(malformed(0, &"not a .sinew file"));
        }
        let version = from.u32().map_err(short)?;
        if version == 0 || version > VERSION {
            return Err(ReadError::NewerVersion { found: version, supported: VERSION });
        }
        let count = from.u32().map_err(short)?;
        let length = from.count().map_err(short)?;
        let sum = from.u64().map_err(short)?;
        if length != bytes.len() {
            let what = format!("the file must have {length} bytes, got {}", bytes.len());
            return Err(malformed(16, &what));
        }
        let table = from.raw((count as usize).saturating_mul(ENTRY_BYTES)).map_err(short)?;
        if checksum(&[&head(version, count, length), table].concat()) != sum {
            return Err(malformed(24, &"the checksum of the table is wrong"));
        }
        Self::of_table(bytes, table, from.at())
    }

    /// The sections of a table, which follow each other from byte `at` on.
    fn of_table(bytes: &'a [u8], table: &[u8], mut at: usize) -> Result<Self, ReadError> {
        let malformed = |offset: usize, what: String| ReadError::Container { offset, what };
        let mut sections = Vec::new();
        let (entries, _) = table.as_chunks::<ENTRY_BYTES>();
        for (index, entry) in entries.iter().enumerate() {
            let place = HEADER_BYTES + index * ENTRY_BYTES;
            let mut from = ByteReader::new(entry);
            let mut fields = || {
                Ok::<_, BytesError>((from.raw(4)?, from.u32()?, from.count()?, from.count()?, from.u64()?))
            };
            let (letters, reserved, start, length, sum) =
                fields().map_err(|e| malformed(place, e.to_string()))?;
            let kind = SectionKind::ALL.into_iter().find(|kind| kind.letters() == letters);
            let kind = kind.filter(|_| reserved == 0).ok_or_else(|| {
                malformed(
                    place,
                    format!("section {index} is of no known kind: {:?}", String::from_utf8_lossy(letters)),
                )
            })?;
            let end = start.checked_add(length).filter(|end| *end <= bytes.len());
            let end = end.filter(|_| start == at.next_multiple_of(ALIGNMENT));
            let end = end.ok_or_else(|| {
                malformed(place, format!("section {index} is not where the one before it ends"))
            })?;
            check_padding(bytes, at, start)?;
            if checksum(&bytes[start..end]) != sum {
                return Err(malformed(
                    start,
                    format!("the checksum of section {index} ({}) is wrong", kind.list()),
                ));
            }
            sections.push((kind, &bytes[start..end]));
            at = end;
        }
        if at.next_multiple_of(ALIGNMENT) != bytes.len() {
            return Err(malformed(at, "bytes are left over after the last section".into()));
        }
        check_padding(bytes, at, bytes.len())?;
        Ok(Self { sections })
    }

    /// The sections of a kind, in order.
    pub(super) fn all(&self, kind: SectionKind) -> impl Iterator<Item = &'a [u8]> {
        self.sections.iter().filter(move |section| section.0 == kind).map(|section| section.1)
    }

    /// The only section of a kind.
    pub(super) fn one(&self, kind: SectionKind) -> Result<&'a [u8], ReadError> {
        let mut all = self.all(kind);
        match (all.next(), all.next()) {
            (Some(bytes), None) => Ok(bytes),
            (None, _) => Err(ReadError::invalid(kind.list(), "the section is missing")),
            (Some(_), Some(_)) => Err(ReadError::invalid(kind.list(), "there is more than one section")),
        }
    }

    /// Reads the only section of a kind.
    pub(super) fn read_one<T, E: Display>(
        &self,
        kind: SectionKind,
        read: impl FnOnce(&mut ByteReader<'a>) -> Result<T, E>,
    ) -> Result<T, ReadError> {
        read_whole(self.one(kind)?, read).map_err(|what| ReadError::invalid(kind.list(), what))
    }

    /// Reads every section of a kind.
    pub(super) fn read_all<T, E: Display>(
        &self,
        kind: SectionKind,
        read: impl Fn(&mut ByteReader<'a>) -> Result<T, E>,
    ) -> Result<Vec<T>, ReadError> {
        let one = |(at, bytes)| {
            read_whole(bytes, &read)
                .map_err(|what| ReadError::invalid(format!("{}[{at}]", kind.list()), what))
        };
        self.all(kind).enumerate().map(one).collect()
    }
}

/// Reads a section to its end.
fn read_whole<'a, T, E: Display>(
    bytes: &'a [u8],
    read: impl FnOnce(&mut ByteReader<'a>) -> Result<T, E>,
) -> Result<T, String> {
    let mut from = ByteReader::new(bytes);
    let out = read(&mut from).map_err(|e| e.to_string())?;
    from.end().map_err(|e| e.to_string())?;
    Ok(out)
}

fn check_padding(bytes: &[u8], from: usize, to: usize) -> Result<(), ReadError> {
    match bytes[from..to].iter().position(|byte| *byte != 0) {
        Some(at) => Err(ReadError::Container { offset: from + at, what: "padding must be zero".into() }),
        None => Ok(()),
    }
}
