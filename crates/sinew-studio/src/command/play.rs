//! Clips, the playhead and playback settings.

use super::{CommandError, CommandInfo, Touches, pose::replace, validate};
use crate::document::{Document, DocumentPiece, Mix, PlaybackRate, Playhead};
use sinew_author::motion::blended;
use std::sync::Arc;

pub(super) const CHOOSE_CLIP: CommandInfo =
    CommandInfo::new("choose-clip", "Choose clip", "Choose the clip to play", Touches::Settings);
pub(super) const NO_CLIP: CommandInfo =
    CommandInfo::new("choose-clip", "Choose clip", "Choose no clip", Touches::Motion);
pub(super) const SCRUB: CommandInfo =
    CommandInfo::new("scrub", "Go to time", "Go to a time of the clip", Touches::Motion);
pub(super) const SET_END: CommandInfo =
    CommandInfo::new("set-end", "Set end of clip", "What happens at the end of the clip", Touches::Settings);
pub(super) const SET_SPEED: CommandInfo = CommandInfo::new(
    "set-speed",
    "Set speed",
    "Playback speed; negative values play backward",
    Touches::Settings,
);
pub(super) const SET_RANGE: CommandInfo =
    CommandInfo::new("set-range", "Set loop range", "Play a part of the clip", Touches::Settings);
pub(super) const SET_RATE: CommandInfo = CommandInfo::new(
    "set-rate",
    "Set update rate",
    "How often poses are evaluated during playback",
    Touches::Settings,
);
pub(super) const SET_MIX: CommandInfo =
    CommandInfo::new("set-mix", "Blend clips", "Blend another clip into this one", Touches::Settings);
pub(super) const BAKE_MIX: CommandInfo =
    CommandInfo::new("bake-mix", "Bake blend", "Bake the blend to a new clip", Touches::Motion);

pub(super) fn choose_clip(
    document: &mut Document,
    clip: Option<usize>,
) -> Result<Vec<DocumentPiece>, CommandError> {
    if let Some(clip) = clip {
        validate::within("clip", clip, document.character().clips().len())?;
    }
    let mut pieces = edit(document, |playhead| {
        let Playhead { end, speed, rate, .. } = *playhead;
        *playhead = Playhead { clip, end, speed, rate, ..Playhead::default() };
    });
    if clip.is_some() {
        pieces.extend(take_pose(document));
    }
    Ok(pieces)
}

pub(super) fn scrub(document: &mut Document, time_secs: f32) -> Result<Vec<DocumentPiece>, CommandError> {
    validate::finite("a time", &[time_secs])?;
    let duration_secs = document.clip().ok_or(CommandError::NoClip)?.duration_secs();
    let time_secs = time_secs.clamp(0.0, duration_secs);
    let mut pieces = edit(document, |playhead| playhead.time_secs = time_secs);
    pieces.extend(take_pose(document));
    Ok(pieces)
}

pub(super) fn set_speed(document: &mut Document, speed: f32) -> Result<Vec<DocumentPiece>, CommandError> {
    if !(-10.0..=10.0).contains(&speed) {
        return Err(CommandError::BadValue { what: "the speed", value: speed, wanted: "from -10 to 10" });
    }
    Ok(edit(document, |playhead| playhead.speed = speed))
}

/// Sets the played range, clamped to the clip; the ends may come in either order.
pub(super) fn set_range(
    document: &mut Document,
    range_secs: Option<[f32; 2]>,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let duration_secs = document.clip().ok_or(CommandError::NoClip)?.duration_secs();
    let range_secs = match range_secs {
        Some([one, other]) => {
            validate::finite("a time", &[one, other])?;
            let [one, other] = [one, other].map(|end| end.clamp(0.0, duration_secs));
            let range = [one.min(other), one.max(other)];
            // The whole clip is stored as no range.
            (range != [0.0, duration_secs]).then_some(range)
        }
        None => None,
    };
    Ok(edit(document, |playhead| playhead.range_secs = range_secs))
}

pub(super) fn set_rate(
    document: &mut Document,
    rate: PlaybackRate,
) -> Result<Vec<DocumentPiece>, CommandError> {
    match rate.hz {
        Some(value) if !(1.0..=1000.0).contains(&value) => {
            Err(CommandError::BadValue { what: "the rate", value, wanted: "from 1 to 1000" })
        }
        _ => Ok(edit(document, |playhead| playhead.rate = rate)),
    }
}

/// Sets or removes the blended clip, and takes the pose of the blend.
pub(super) fn set_mix(document: &mut Document, mix: Option<Mix>) -> Result<Vec<DocumentPiece>, CommandError> {
    document.clip().ok_or(CommandError::NoClip)?;
    if let Some(mix) = mix {
        validate::within("clip", mix.clip, document.character().clips().len())?;
        if !(0.0..=1.0).contains(&mix.weight) {
            let (what, value) = ("the blend weight", mix.weight);
            return Err(CommandError::BadValue { what, value, wanted: "from 0 to 1" });
        }
    }
    let mut pieces = edit(document, |playhead| playhead.mix = mix);
    pieces.extend(take_pose(document));
    Ok(pieces)
}

/// Bakes the blend to a new clip and chooses it.
pub(super) fn bake_mix(document: &mut Document, fps: f32) -> Result<Vec<DocumentPiece>, CommandError> {
    let (Some(pair), Some(mix)) = (document.pair(), document.playhead().mix) else {
        return Err(CommandError::NoMix);
    };
    let [first, second] = pair.clips();
    let name = format!("{} + {}", first.name(), second.name());
    let clip = blended(&name, document.character(), &pair, mix.weight, fps)?;
    let mut clips = document.character().clips().to_vec();
    clips.push(Arc::new(clip));
    let place = clips.len() - 1;
    let mut pieces = vec![DocumentPiece::Clips(document.swap_clips(clips)?)];
    pieces.extend(choose_clip(document, Some(place))?);
    Ok(pieces)
}

pub(super) fn edit(document: &mut Document, edit: impl FnOnce(&mut Playhead)) -> Vec<DocumentPiece> {
    let before = DocumentPiece::Playhead(*document.playhead());
    edit(document.playhead_mut());
    vec![before]
}

pub(super) fn take_pose(document: &mut Document) -> Vec<DocumentPiece> {
    let pose = document.pose_at(document.playhead().time_secs);
    replace(document, pose)
}
