//! Finds the head and the steps in the bytes of a journal, whatever is damaged.

use super::{
    kept_file::KeptRecord,
    record::{Part, Record, parts},
};

/// The records of a journal that can be replayed.
#[derive(Debug, Default)]
pub(super) struct JournalReading<'a> {
    pub(super) head: Option<&'a [u8]>,
    /// The steps from the first on, without a gap.
    pub(super) steps: Vec<&'a [u8]>,
    /// Undamaged steps after a gap.
    pub(super) unread: usize,
    pub(super) damage: Option<StepDamage>,
    /// Damaged bytes between or after records that cost no step.
    pub(super) skipped_bytes: usize,
}

/// Steps that are damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepDamage {
    /// Steps between undamaged ones, by their numbers from 1.
    Between { first: u64, last: u64 },
    /// At least one step after this one.
    After { last: u64 },
}

impl<'a> JournalReading<'a> {
    pub(super) fn of(journal: &'a [u8]) -> Self {
        let records = Self::of_records(journal);
        let is_version_1 = records.head.is_none() && journal.first() == Some(&b'{');
        if is_version_1 { Self::of_version_1(journal) } else { records }
    }

    /// The number of undamaged steps after `step`.
    pub(super) fn after(&self, step: usize) -> usize {
        self.steps.len() + self.unread - step
    }

    /// The number of undamaged steps since the last save.
    pub(super) fn unsaved_steps(&self) -> usize {
        let after_save = self.steps.iter().rev().take_while(|json| !json.starts_with(b"{\"saved\":"));
        after_save.filter(|json| !KeptRecord::is_kept(json)).count() + self.unread
    }

    /// True if every step is in a saved file, and no step is damaged.
    pub(super) fn is_saved(&self) -> bool {
        self.unsaved_steps() == 0 && self.damage.is_none()
    }

    /// Lines of JSON; a line without a line break was cut off by a crash.
    fn of_version_1(journal: &'a [u8]) -> Self {
        let end = journal.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let mut lines = journal[..end].split_inclusive(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
        let head = lines.next();
        Self { head, steps: lines.collect(), skipped_bytes: journal.len() - end, ..Self::default() }
    }

    fn of_records(journal: &'a [u8]) -> Self {
        let mut out = Self::default();
        // Damage since the last record: lines, and bytes in all.
        let (mut lines, mut bytes) = (0_usize, 0_usize);
        for part in parts(journal) {
            match part {
                Part::Damage(damage) => {
                    bytes += damage.len();
                    lines += usize::from(damage.ends_with(b"\n"));
                }
                Part::Record(record) => {
                    out.take(record);
                    out.skipped_bytes += std::mem::take(&mut bytes);
                    lines = 0;
                }
            }
        }
        // A write that was cut off has no line break; a whole line was a record once.
        if lines > 0 && out.damage.is_none() {
            out.damage = Some(StepDamage::After { last: out.steps.len() as u64 });
        }
        out.skipped_bytes += bytes;
        out
    }

    fn take(&mut self, record: Record<'a>) {
        let next = self.steps.len() as u64 + 1;
        match record.number {
            0 => self.head = self.head.or(Some(record.json)),
            _ if self.damage.is_some() => self.unread += 1,
            number if number == next => self.steps.push(record.json),
            number if number > next => {
                self.damage = Some(StepDamage::Between { first: next, last: number - 1 });
                self.unread += 1;
            }
            // A step that was read already.
            _ => {}
        }
    }
}
