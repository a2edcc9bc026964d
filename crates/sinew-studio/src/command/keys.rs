//! The commands that key the pose, or a part of it, into a clip.

use super::{CommandError, CommandInfo, Touches, meta_joint};
use crate::document::{Document, DocumentPiece};
use sinew::Clip;
use sinew_author::motion::{KeyedProperty, MotionError, keyed_character, keyed_properties};
use std::sync::Arc;

pub(super) const KEY_POSE: CommandInfo = CommandInfo::new(
    "key-pose",
    "Key pose",
    "Insert the pose as keys into the clip at the current time",
    Touches::Motion,
);
pub(super) const KEY_META_JOINT: CommandInfo = CommandInfo::new(
    "key-meta-joint",
    "Key meta-joint",
    "Insert the rotations of its joints as keys into the clip at the current time; other joints get no keys",
    Touches::Motion,
);

/// The name of a clip that keying creates.
const NEW_CLIP: &str = "keyed";
/// Its length in seconds.
const NEW_CLIP_SECS: f32 = 2.0;

pub(super) fn key_pose(document: &mut Document) -> Result<Vec<DocumentPiece>, CommandError> {
    edit_clip(document, |document, clip| {
        keyed_character(clip, document.character(), document.pose(), document.playhead().time_secs)
    })
}

/// Keys the rotation of every joint of the meta-joint called `name`.
pub(super) fn key_meta_joint(
    document: &mut Document,
    name: &str,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let parts = meta_joint::find(document, name)?.parts();
    let properties: Vec<_> = parts.iter().map(|part| KeyedProperty::Rotation(part.joint)).collect();
    edit_clip(document, |document, clip| {
        let (skeleton, time_secs) = (document.character().skeleton(), document.playhead().time_secs);
        keyed_properties(clip, skeleton, document.pose(), &properties, time_secs)
    })
}

/// Replaces the chosen clip by the edited one; if no clip is chosen, edits and chooses a new one.
fn edit_clip(
    document: &mut Document,
    edit: impl FnOnce(&Document, &Clip) -> Result<Clip, MotionError>,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let playhead = DocumentPiece::Playhead(*document.playhead());
    let mut clips = document.character().clips().to_vec();
    let (place, clip) = match (document.playhead().clip, document.clip()) {
        (Some(place), Some(clip)) => (place, Arc::clone(clip)),
        _ => {
            let names = std::iter::once(NEW_CLIP.to_owned());
            let mut names = names.chain((2..).map(|number| format!("{NEW_CLIP} {number}")));
            let free = names.find(|name| clips.iter().all(|clip| clip.name() != name));
            (clips.len(), Arc::new(Clip::empty(free.unwrap_or_default(), NEW_CLIP_SECS)?))
        }
    };
    let edited = Arc::new(edit(document, &clip)?);
    match clips.get_mut(place) {
        Some(clip) => *clip = edited,
        None => clips.push(edited),
    }
    let before = document.swap_clips(clips)?;
    document.playhead_mut().clip = Some(place);
    Ok(vec![playhead, DocumentPiece::Clips(before)])
}
