//! Commands that make clips and edit the chosen one.

use super::{CommandError, CommandInfo, Touches, play, rig, validate};
use crate::document::{Document, DocumentPiece, Playhead};
use serde::{Deserialize, Serialize};
use sinew::{Clip, TimeRange};
use sinew_author::motion::{MotionError, lasting, retimed, shifted, trimmed, unkeyed, without_clip};
use std::sync::Arc;

pub(super) const NEW: CommandInfo =
    CommandInfo::new("new-clip", "New clip", "Add a clip without keys and choose it", Touches::Motion);
const DURATION: CommandInfo = CommandInfo::new(
    "edit-clip",
    "Set duration",
    "How long the clip lasts; the last keys hold until its end",
    Touches::Motion,
);
const RETIME: CommandInfo = CommandInfo::new(
    "edit-clip",
    "Retime clip",
    "Play the clip faster or slower, so that it lasts this long",
    Touches::Motion,
);
const SHIFT: CommandInfo =
    CommandInfo::new("edit-clip", "Shift keys", "Move every key and event in time", Touches::Motion);
const TRIM: CommandInfo =
    CommandInfo::new("edit-clip", "Trim clip", "Keep only the loop range of the clip", Touches::Motion);
const RENAME: CommandInfo =
    CommandInfo::new("edit-clip", "Rename clip", "Give the clip another name", Touches::Settings);
const REMOVE_KEYS: CommandInfo =
    CommandInfo::new("edit-clip", "Remove keys", "Remove the keys at the current time", Touches::Motion);
const REMOVE: CommandInfo =
    CommandInfo::new("edit-clip", "Remove clip", "Remove the clip from the character", Touches::Motion);

/// One edit of the chosen clip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClipEdit {
    /// Sets how long the clip lasts, in seconds; at least until its last key or event.
    SetDuration(f32),
    /// Plays the clip faster or slower, so that it lasts this many seconds.
    Retime(f32),
    /// Moves every key and event by this many seconds.
    Shift(f32),
    /// Keeps the part from the first to the second time, in seconds.
    Trim([f32; 2]),
    /// Gives the clip another name.
    Rename(String),
    /// Removes the keys at a time.
    RemoveKeys {
        /// The time of the keys, in seconds from the start of the clip.
        time_secs: f32,
        /// The joint whose keys are removed; `None` removes those of every channel.
        joint: Option<u16>,
    },
    /// Removes the clip from the character.
    Remove,
}

impl ClipEdit {
    /// The row of the command table.
    pub const fn info(&self) -> &'static CommandInfo {
        match self {
            Self::SetDuration(_) => &DURATION,
            Self::Retime(_) => &RETIME,
            Self::Shift(_) => &SHIFT,
            Self::Trim(_) => &TRIM,
            Self::Rename(_) => &RENAME,
            Self::RemoveKeys { .. } => &REMOVE_KEYS,
            Self::Remove => &REMOVE,
        }
    }
}

/// Adds an empty clip and chooses it; the pose stays, to be keyed.
pub(super) fn new(
    document: &mut Document,
    name: &str,
    duration_secs: f32,
) -> Result<Vec<DocumentPiece>, CommandError> {
    if document.character().clips().iter().any(|clip| clip.name() == name) {
        return Err(MotionError::NameTaken { name: name.into() }.into());
    }
    let mut clips = document.character().clips().to_vec();
    clips.push(Arc::new(Clip::empty(name, duration_secs)?));
    let place = clips.len() - 1;
    let before = document.swap_clips(clips)?;
    let mut pieces = play::edit(document, |playhead| {
        let Playhead { end, speed, rate, .. } = *playhead;
        *playhead = Playhead { clip: Some(place), end, speed, rate, ..Playhead::default() };
    });
    pieces.push(DocumentPiece::Clips(before));
    Ok(pieces)
}

/// Edits the chosen clip. The playhead stays in it and the pose follows, unless only the name or the duration changed.
pub(super) fn edit(document: &mut Document, edit: &ClipEdit) -> Result<Vec<DocumentPiece>, CommandError> {
    let place = document.playhead().clip.ok_or(CommandError::NoClip)?;
    let clip = Arc::clone(document.clip().ok_or(CommandError::NoClip)?);
    if *edit == ClipEdit::Remove {
        return remove(document, place);
    }
    let edited = edited(document, &clip, edit)?;
    let (before_secs, after_secs) = (clip.duration_secs(), edited.duration_secs());
    let mut clips = document.character().clips().to_vec();
    clips[place] = Arc::new(edited);
    let before = document.swap_clips(clips)?;
    let mut pieces = play::edit(document, |playhead| {
        let time_secs = match edit {
            ClipEdit::Retime(_) if before_secs > 0.0 => playhead.time_secs / before_secs * after_secs,
            ClipEdit::Trim([from, _]) => playhead.time_secs - from,
            ClipEdit::Shift(by) => playhead.time_secs + by,
            _ => playhead.time_secs,
        };
        playhead.time_secs = time_secs.clamp(0.0, after_secs);
        if matches!(edit, ClipEdit::Trim(_) | ClipEdit::Retime(_) | ClipEdit::Shift(_)) {
            playhead.range_secs = None;
        }
    });
    pieces.push(DocumentPiece::Clips(before));
    if !matches!(edit, ClipEdit::Rename(_) | ClipEdit::SetDuration(_)) {
        pieces.extend(play::take_pose(document));
    }
    Ok(pieces)
}

fn edited(document: &Document, clip: &Clip, edit: &ClipEdit) -> Result<Clip, CommandError> {
    Ok(match edit {
        ClipEdit::SetDuration(duration_secs) => lasting(clip, *duration_secs)?,
        ClipEdit::Retime(duration_secs) => retimed(clip, *duration_secs)?,
        ClipEdit::Shift(by_secs) => shifted(clip, *by_secs)?,
        ClipEdit::Trim([from, to]) => {
            let bad = |_| CommandError::BadValue { what: "the end", value: *to, wanted: "after the start" };
            trimmed(clip, TimeRange::new(*from, *to).map_err(bad)?)?
        }
        ClipEdit::Rename(name) => {
            let others = document.character().clips().iter().filter(|other| other.name() != clip.name());
            if others.into_iter().any(|other| other.name() == name) {
                return Err(MotionError::NameTaken { name: name.clone() }.into());
            }
            clip.clone().with_name(name)
        }
        ClipEdit::RemoveKeys { time_secs, joint } => {
            let joint = joint.map(|joint| validate::joint(document, joint)).transpose()?;
            unkeyed(clip, joint.as_ref().map(std::slice::from_ref), *time_secs)?
        }
        ClipEdit::Remove => clip.clone(),
    })
}

fn remove(document: &mut Document, place: usize) -> Result<Vec<DocumentPiece>, CommandError> {
    let character = without_clip(document.character(), place)?;
    let mut pieces = play::edit(document, |playhead| {
        let Playhead { end, speed, rate, .. } = *playhead;
        *playhead = Playhead { end, speed, rate, ..Playhead::default() };
    });
    pieces.extend(rig::replace(document, character));
    Ok(pieces)
}
