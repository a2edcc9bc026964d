//! Going through a clip by frames and keys.

use super::{Studio, requests::PendingAction};
use crate::{command::Command, document::Document};
use sinew::{Channel, Clip, JointId};

/// A frame's length where nothing says another.
const FRAME_SECS: f32 = 1.0 / 30.0;

impl Studio {
    /// Goes to another moment of the clip; what plays stops there.
    pub(super) fn step(&mut self, step: PendingAction) {
        let document = self.session.document();
        let now_secs = self.player.time_secs().unwrap_or(document.playhead().time_secs);
        if let Some(time_secs) = stepped(document, step, now_secs) {
            self.perform_entry(&Command::Scrub { time_secs }.into());
        }
    }
}

fn stepped(document: &Document, step: PendingAction, now_secs: f32) -> Option<f32> {
    let clip = document.clip()?;
    let range = document.playhead().range(clip.duration_secs());
    Some(match step {
        PendingAction::Start => range.start_secs(),
        PendingAction::End => range.end_secs(),
        PendingAction::Frame { is_back } => {
            // On frames, wherever time was between two of them.
            let frame = now_secs / FRAME_SECS;
            let frame = if is_back { (frame - 0.01).ceil() - 1.0 } else { (frame + 0.01).floor() + 1.0 };
            frame * FRAME_SECS
        }
        PendingAction::Key { is_back } => next_key(clip, document.selection().joint, now_secs, is_back)?,
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
    use crate::{document::DocumentSource, session::Session};

    #[test]
    fn steps_go_by_frames_and_keys_and_to_the_ends() {
        let mut session = Session::open(DocumentSource::Builtin("figure".into())).unwrap();
        session.perform(&Command::ChooseClip(Some(0)).into()).unwrap();
        session.perform(&Command::SetRange(Some([0.2, 0.5])).into()).unwrap();
        let to = |step, now| stepped(session.document(), step, now).unwrap();
        assert_eq!((to(PendingAction::Start, 0.3), to(PendingAction::End, 0.3)), (0.2, 0.5));
        let (on, back) = (
            to(PendingAction::Frame { is_back: false }, 0.1),
            to(PendingAction::Frame { is_back: true }, 0.1),
        );
        assert!((on - 4.0 / 30.0).abs() < 1e-5 && (back - 2.0 / 30.0).abs() < 1e-5, "{on} {back}");
        let keys = session.document().clip().unwrap().channels()[0].times_secs();
        let next = to(PendingAction::Key { is_back: false }, 0.0);
        assert!(next > 0.0 && next <= keys[1]);
        assert!(to(PendingAction::Key { is_back: true }, next) < next);
    }
}
