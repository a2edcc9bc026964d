//! The records of a journal: one per line, each with its number, length and checksum.

use super::checksum;

/// A record whose checksum fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record<'a> {
    /// 0 for the head, then 1 for the first step.
    pub(super) number: u64,
    pub(super) json: &'a [u8],
}

/// Appends a record and a line break. `json` has no line break.
pub(super) fn push_record(out: &mut Vec<u8>, number: u64, json: &[u8]) {
    out.extend(prefix(number, json).into_bytes());
    out.extend(json);
    out.push(b'\n');
}

/// The text before the JSON. The checksum covers the number too.
fn prefix(number: u64, json: &[u8]) -> String {
    let sum = checksum(json) ^ checksum(&number.to_le_bytes());
    format!("{number} {} {sum:016x} ", json.len())
}

/// A part of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    Record(Record<'a>),
    /// Bytes up to the end of a line, or of the journal, that belong to no whole record.
    Damage(&'a [u8]),
}

/// The parts of a journal in order. After damage, reading continues at the next line.
pub(super) fn parts(journal: &[u8]) -> impl Iterator<Item = Part<'_>> {
    let mut rest = journal;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((record, after)) = first_record(rest) {
            // The length counts, so that a damaged line break harms no record.
            rest = after.get(1..).unwrap_or_default();
            return Some(Part::Record(record));
        }
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |place| place + 1);
        let (damage, after) = rest.split_at(end);
        rest = after;
        Some(Part::Damage(damage))
    })
}

/// The record at the start of `bytes`, and what follows its JSON.
fn first_record(bytes: &[u8]) -> Option<(Record<'_>, &[u8])> {
    // A number, a length and a checksum have at most 58 characters.
    let fields = bytes.get(..bytes.len().min(64))?;
    let mut fields = fields.splitn(4, |byte| *byte == b' ');
    let mut number = || -> Option<u64> { std::str::from_utf8(fields.next()?).ok()?.parse().ok() };
    let (number, length) = (number()?, usize::try_from(number()?).ok()?);
    let start =
        fields.next().map(|sum| number_length(number) + number_length(length as u64) + sum.len() + 3)?;
    let json = bytes.get(start..start.checked_add(length)?)?;
    // The whole prefix is compared, so that a record has one spelling only.
    let is_whole = prefix(number, json).as_bytes() == &bytes[..start];
    is_whole.then(|| (Record { number, json }, &bytes[start + length..]))
}

/// The number of decimal digits.
fn number_length(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |digits| digits as usize + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Vec<u8> {
        let mut out = Vec::new();
        for (number, json) in [(0, &b"{}"[..]), (9, b"\"undo\""), (10, b"[1,2,3]")] {
            push_record(&mut out, number, json);
        }
        out
    }

    fn numbers(journal: &[u8]) -> Vec<u64> {
        let number = |part| match part {
            Part::Record(record) => Some(record.number),
            Part::Damage(_) => None,
        };
        parts(journal).filter_map(number).collect()
    }

    #[test]
    fn records_are_lines_that_read_back() {
        let journal = three();
        assert_eq!(journal.iter().filter(|byte| **byte == b'\n').count(), 3);
        assert_eq!(numbers(&journal), [0, 9, 10]);
        assert_eq!(parts(&journal).count(), 3);
    }

    #[test]
    fn a_changed_byte_harms_at_most_the_record_that_has_it() {
        let whole = three();
        let of = |place: usize| whole[..place].iter().filter(|byte| **byte == b'\n').count();
        for (place, bit) in (0..whole.len()).flat_map(|place| (0..8).map(move |bit| (place, bit))) {
            let mut journal = whole.clone();
            journal[place] ^= 1 << bit;
            let found = numbers(&journal);
            let mut wanted = vec![0, 9, 10];
            if whole[place] != b'\n' {
                wanted.remove(of(place));
            }
            assert_eq!(found, wanted, "byte {place}, bit {bit}");
        }
    }

    #[test]
    fn hostile_lengths_are_damage() {
        for text in [
            "0 18446744073709551615 0000000000000000 {}\n",
            "99999999999999999999 2 0 {}\n",
            "0 2 \n",
            "0\n",
            " \n",
            "-1 2 0 {}\n",
        ] {
            assert!(numbers(text.as_bytes()).is_empty(), "{text}");
        }
    }
}
