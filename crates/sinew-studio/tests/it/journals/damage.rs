//! Journals that were cut off, or whose bytes changed.

use super::{OLD_HEAD, after, entries, journal_of};
use sinew_studio::{
    autosave::{RecoverError, recover},
    command::Command,
};

/// The place of every line break.
fn line_ends(journal: &[u8]) -> Vec<usize> {
    (0..journal.len()).filter(|place| journal[*place] == b'\n').collect()
}

#[test]
fn a_journal_truncated_at_any_byte_replays_every_complete_entry() {
    let entries = entries();
    let whole = journal_of(&entries);
    let wanted: Vec<_> = (0..=entries.len()).map(|count| after(&entries, count).document().clone()).collect();
    let ends = line_ends(&whole);
    let heads = ends.len() - entries.len();
    let mut checked = None;
    for cut in 0..=whole.len() {
        // A record is complete without its line break too.
        let complete = ends.iter().filter(|end| **end <= cut).count();
        let recovered = match recover(&whole[..cut]) {
            Err(error) => {
                assert!(complete == 0 && matches!(error, RecoverError::NoHead), "cut {cut}: {error}");
                continue;
            }
            Ok(recovered) => recovered,
        };
        let steps = complete.saturating_sub(heads);
        assert_eq!(recovered.entries, entries[..steps], "cut {cut}");
        assert!(recovered.is_complete() && !recovered.is_source_changed, "cut {cut}");
        // The document is compared once an entry: between two line breaks nothing changes.
        if checked != Some(steps) {
            assert_eq!(*recovered.session.document(), wanted[steps], "cut {cut}");
            checked = Some(steps);
        }
    }
    assert_eq!(checked, Some(entries.len()));
}

#[test]
fn a_changed_byte_never_costs_a_step_before_it_and_is_reported() {
    let entries = entries();
    let whole = journal_of(&entries);
    let ends = line_ends(&whole);
    let heads = ends.len() - entries.len();
    for place in 0..whole.len() {
        let mut journal = whole.clone();
        journal[place] ^= 1 << (place % 8);
        let record = ends.iter().filter(|end| **end < place).count();
        let recovered = recover(&journal).unwrap_or_else(|error| panic!("byte {place}: {error}"));
        if record < heads || ends.contains(&place) {
            // The other copy of the head is whole, and so is a record with a damaged line break.
            assert_eq!(recovered.entries, entries, "byte {place}");
            assert!(recovered.is_complete(), "byte {place}");
            continue;
        }
        let step = record - heads + 1;
        assert_eq!(recovered.entries, entries[..step - 1], "byte {place}");
        let after = entries.len() - step;
        match recovered.stopped_by {
            Some(RecoverError::Damaged { first, last, after: unread }) => {
                assert_eq!((first, last, unread), (step as u64, step as u64, after), "byte {place}");
            }
            Some(RecoverError::DamagedEnd { step: last }) => {
                assert_eq!((last as usize, after), (step - 1, 0));
            }
            other => panic!("byte {place}: {other:?}"),
        }
    }
}

#[test]
fn the_summary_names_the_damaged_steps_and_says_that_the_journal_is_kept() {
    let entries = entries();
    let mut journal = journal_of(&entries);
    let ends = line_ends(&journal);
    let third = ends[ends.len() - entries.len() + 1] + 30;
    journal[third] ^= 1;
    let recovered = recover(&journal).unwrap();
    assert_eq!(
        recovered.summary(),
        "Recovered 2 steps of the last session. Replay stopped: step 3 is damaged, and 8 steps after that are not \
         replayed, because they may not fit. The journal is kept until you discard it."
    );
}

#[test]
fn damaged_bytes_between_records_cost_no_step() {
    let entries = entries();
    let whole = journal_of(&entries);
    for end in line_ends(&whole) {
        let mut journal = whole[..=end].to_vec();
        journal.extend(b"7 99 half a reco\n\0\0\0\n");
        journal.extend(&whole[end + 1..]);
        let recovered = recover(&journal).unwrap();
        assert_eq!(recovered.entries, entries);
        assert_eq!(recovered.skipped_bytes, 21);
        // At the end of a journal, nothing tells that no step is missing.
        assert_eq!(recovered.is_complete(), end + 1 < whole.len());
    }
}

#[test]
fn a_journal_whose_both_heads_are_damaged_is_an_error() {
    let mut journal = journal_of(&entries());
    let second = line_ends(&journal)[0] + 3;
    journal[3] ^= 1;
    journal[second] ^= 1;
    assert!(matches!(recover(&journal), Err(RecoverError::NoHead)));
}

#[test]
fn a_malformed_line_of_version_1_stops_replay_and_keeps_the_entries_before() {
    let lines = [OLD_HEAD, r#"{"do":{"command":"reset-pose"}}"#, r#"{"do":nonsense}"#, r#""undo""#];
    let journal = lines.map(|line| format!("{line}\n")).concat();
    let recovered = recover(journal.as_bytes()).unwrap();
    assert_eq!(recovered.entries, [Command::ResetPose.into()]);
    assert!(matches!(recovered.stopped_by, Some(RecoverError::Malformed { step: 2, after: 1, .. })));
}

#[test]
fn an_unsupported_version_is_an_error() {
    let journal = format!("{}\n", OLD_HEAD.replace("\"version\":1", "\"version\":9"));
    assert!(matches!(recover(journal.as_bytes()), Err(RecoverError::OtherVersion { version: 9 })));
}
