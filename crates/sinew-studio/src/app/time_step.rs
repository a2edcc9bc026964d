//! Stepping through a clip by frames and keys.

use crate::document::Document;
use sinew::{Channel, Clip, JointId};

/// A step through the clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeStep {
    /// The next or the previous frame.
    Frame { is_back: bool },
    /// The next or the previous key of the selected joint, or of any joint if none is selected.
    Key { is_back: bool },
    /// The start of the played range.
    Start,
    /// The end of the played range.
    End,
}

/// The length of a frame; clips have no frame rate of their own.
const FRAME_SECS: f32 = 1.0 / 30.0;

/// The time after a step from `now_secs`; `None` if no clip is chosen or there is no such key.
pub(super) fn stepped(document: &Document, step: TimeStep, now_secs: f32) -> Option<f32> {
    let clip = document.clip()?;
    let range = document.playhead().range(clip.duration_secs());
    Some(match step {
        TimeStep::Start => range.start_secs(),
        TimeStep::End => range.end_secs(),
        TimeStep::Frame { is_back } => {
            // To a whole frame, even from between two frames.
            let frame = now_secs / FRAME_SECS;
            let frame = if is_back { (frame - 0.01).ceil() - 1.0 } else { (frame + 0.01).floor() + 1.0 };
            frame * FRAME_SECS
        }
        TimeStep::Key { is_back } => next_key(clip, document.selection().joint, now_secs, is_back)?,
    })
}

fn next_key(clip: &Clip, joint: Option<JointId>, now_secs: f32, is_back: bool) -> Option<f32> {
    let is_wanted = |channel: &&Channel| joint.is_none() || channel.joint() == joint;
    let times = clip.channels().iter().filter(is_wanted).flat_map(Channel::times_secs).copied();
    const HERE_SECS: f32 = 1e-4;
    if is_back {
        times.filter(|t| *t < now_secs - HERE_SECS).max_by(f32::total_cmp)
    } else {
        times.filter(|t| *t > now_secs + HERE_SECS).min_by(f32::total_cmp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{command::Command, document::DocumentSource, session::Session};

    #[test]
    fn steps_go_to_frames_keys_and_ends_of_the_range() {
        let mut session = Session::open(DocumentSource::Builtin("figure".into())).unwrap();
        session.perform(&Command::ChooseClip(Some(0)).into()).unwrap();
        session.perform(&Command::SetRange(Some([0.2, 0.5])).into()).unwrap();
        let to = |step, now| stepped(session.document(), step, now).unwrap();
        assert_eq!((to(TimeStep::Start, 0.3), to(TimeStep::End, 0.3)), (0.2, 0.5));
        let (on, back) =
            (to(TimeStep::Frame { is_back: false }, 0.1), to(TimeStep::Frame { is_back: true }, 0.1));
        assert!((on - 4.0 / 30.0).abs() < 1e-5 && (back - 2.0 / 30.0).abs() < 1e-5, "{on} {back}");
        let keys = session.document().clip().unwrap().channels()[0].times_secs();
        let next = to(TimeStep::Key { is_back: false }, 0.0);
        assert!(next > 0.0 && next <= keys[1]);
        assert!(to(TimeStep::Key { is_back: true }, next) < next);
    }
}
