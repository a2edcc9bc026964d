//! What is shown, brought up to the document.

use super::{
    Message, Studio,
    look::{Compared, DeformDevice, LookOptions, ViewportLook},
    shown::{ShowError, ShownScene, WantedView},
    tool::Tool,
};
use crate::export::travel;
use std::sync::{Arc, PoisonError};

impl Studio {
    /// Says what went wrong on the card, and goes on without it where it cannot deform; true where it said anything.
    pub(super) fn read_card_news(&mut self) -> bool {
        let mut news = self.viewport.news.lock().unwrap_or_else(PoisonError::into_inner);
        let is_told = news.complaint.is_some() || news.refusal.is_some();
        if let Some(complaint) = news.complaint.take() {
            self.message = Some(Message::Failed(complaint));
        }
        if let Some(refusal) = news.refusal.take() {
            self.look.worker = DeformDevice::Processor;
            self.message = Some(Message::Failed(format!("{refusal}; the processor goes on")));
        }
        if let Some(deform_ms) = news.deform_ms {
            self.card_ms = deform_ms;
        }
        is_told
    }

    /// What the two views are called.
    pub(super) fn captions(&self) -> Option<[String; 2]> {
        let (compared, other) = (self.look.compared?, self.compared.as_ref()?);
        let method = |shown: &ShownScene| shown.method().name().to_owned();
        Some(match compared {
            Compared::Method(_) => [method(&self.shown), method(other)],
            Compared::OpenedWeights => ["weights as edited".into(), compared.name().into()],
            Compared::WithoutHelpers => ["with helpers".into(), compared.name().into()],
        })
    }

    /// Brings what is shown up to the document.
    pub(super) fn follow(&mut self) {
        if let Err(error) = self.try_follow() {
            self.message = Some(Message::Failed(error.to_string()));
        }
    }

    /// Takes the camera along with a character that a clip carries away.
    pub(super) fn keep_in_sight(&mut self) {
        let document = self.session.document();
        let preview = self.player.preview();
        let is_previewed = preview.is_some();
        let pose = preview.map_or(document.pose(), |preview| preview.pose);
        let travelled = travel(document, pose);
        let time_secs = document.playhead().time_secs;
        let now = (travelled, time_secs, is_previewed);
        let (from, then_secs, was_previewed) = std::mem::replace(&mut self.followed, now);
        // A joint that is dragged must not pull the camera behind it; what played and is put away takes it back.
        if self.look.follow
            && (self.player.is_playing() || then_secs != time_secs || was_previewed != is_previewed)
        {
            self.viewport.camera = self.viewport.camera.moved_by(travelled - from);
        }
    }

    /// The document's character with its helpers off, made once for each character while it is compared.
    fn keep_plain(&mut self) {
        let of = self.session.document().character();
        if self.look.compared != Some(Compared::WithoutHelpers) {
            self.plain = None;
        } else if !self.plain.as_ref().is_some_and(|(made_of, _)| Arc::ptr_eq(made_of, of)) {
            self.plain = Some((Arc::clone(of), Arc::new(of.with_helpers_off())));
        }
    }

    fn try_follow(&mut self) -> Result<(), ShowError> {
        self.keep_plain();
        let on_card = self.look.worker == DeformDevice::Card && !self.needs_vertices();
        let is_brief = self.pace.is_brief();
        let Self { session, player, look, viewport, .. } = self;
        let document = session.document();
        let wanted = |method, character| WantedView {
            session,
            character,
            method,
            preview: player.preview(),
            camera: viewport.camera,
            options: *look,
            on_card,
            is_brief,
        };
        let first = wanted(document.method(), None);
        self.shown.pose(&first)?;
        let Some(compared) = look.compared else {
            self.compared = None;
            return self.shown.paint(&first, None);
        };
        let second = match compared {
            Compared::Method(method) => wanted(method, None),
            Compared::OpenedWeights => wanted(document.method(), Some(document.opened_character())),
            Compared::WithoutHelpers => {
                wanted(document.method(), self.plain.as_ref().map(|(_, plain)| plain))
            }
        };
        let other = self.compared.get_or_insert_with(|| ShownScene::new(session));
        other.pose(&second)?;
        self.shown.paint(&first, Some(other))?;
        other.paint(&second, Some(&self.shown))
    }

    /// True where something reads where vertices are: then the processor has to know too.
    fn needs_vertices(&self) -> bool {
        let LookOptions { look, wire, normals, bounds, compared, .. } = self.look;
        look.follows_pose()
            || look == ViewportLook::Influences
            || wire
            || normals
            || bounds
            || compared.is_some()
            || self.viewport.tools.chosen != Tool::Pose
            || self.is_pointer_down
            || self.session.document().selection().vertex_count() > 0
            || self.doctor.marked(self.session.document()).next().is_some()
    }
}
