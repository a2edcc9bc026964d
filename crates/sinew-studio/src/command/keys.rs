//! The command that keys the pose into a clip.

use super::{CommandError, CommandInfo, Touches};
use crate::document::{Document, DocumentPiece};
use sinew::Clip;
use sinew_author::motion::keyed;
use std::sync::Arc;

pub(super) const KEY_POSE: CommandInfo = CommandInfo::new(
    "key-pose",
    "Key pose",
    "Insert the pose as keys into the clip at the current time",
    Touches::Motion,
);

/// The name of a clip that keying creates.
const NEW_CLIP: &str = "keyed";
/// Its length in seconds.
const NEW_CLIP_SECS: f32 = 2.0;

pub(super) fn key_pose(document: &mut Document) -> Result<Vec<DocumentPiece>, CommandError> {
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
    let (skeleton, time_secs) = (document.character().skeleton(), document.playhead().time_secs);
    let edited = Arc::new(keyed(&clip, skeleton, document.pose(), time_secs)?);
    match clips.get_mut(place) {
        Some(clip) => *clip = edited,
        None => clips.push(edited),
    }
    let before = document.swap_clips(clips)?;
    document.playhead_mut().clip = Some(place);
    Ok(vec![playhead, DocumentPiece::Clips(before)])
}
