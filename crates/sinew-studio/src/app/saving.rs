//! Saving, and the question before unsaved edits would be lost.

use super::{Studio, actions::Action, requests::Arrival};
use crate::{
    command::Command,
    document::DocumentSource,
    platform::{self, SaveLosses, SaveOutcome},
    session::{JournalEntry, Session},
};
use std::path::{Path, PathBuf};

/// An action that replaces or closes the open document, and waits until its edits are saved or discarded.
#[derive(Clone, Debug)]
pub(super) enum Deferred {
    Open(DocumentSource),
    /// Continues the session that was not closed.
    Recover,
    Close,
}

impl Deferred {
    /// The verb on the button of the question.
    pub(super) const fn verb(&self) -> &'static str {
        match self {
            Self::Open(_) => "open",
            Self::Recover => "recover",
            Self::Close => "close",
        }
    }
}

/// The answer to the question what happens to unsaved edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnsavedAnswer {
    Save,
    /// Keys the pose into the chosen clip, or a new one, and saves.
    KeyAndSave,
    Discard,
    Cancel,
}

/// A save with what follows it.
#[derive(Clone, Debug)]
pub(super) struct SaveRequest {
    pub(super) path: PathBuf,
    /// True if the user accepts that the file lacks something of the opened one.
    pub(super) is_confirmed: bool,
    /// What happens once the file is written.
    pub(super) then: Option<Deferred>,
}

impl SaveRequest {
    pub(super) fn to(path: PathBuf) -> Self {
        Self { path, is_confirmed: false, then: None }
    }
}

/// A save that waits for the user, because the file would lack something.
#[derive(Debug)]
pub(super) struct UnconfirmedSave {
    pub(super) losses: SaveLosses,
    pub(super) request: SaveRequest,
}

impl Studio {
    /// Saves to the document's file, or asks for a place if there is none that can be written.
    pub(super) fn save_current(&mut self, ctx: &egui::Context, then: Option<Deferred>) {
        match self.session.file().map(Path::to_path_buf) {
            Some(path) => self.save(ctx, SaveRequest { then, ..SaveRequest::to(path) }),
            None => self.save_as(ctx, then),
        }
    }

    /// Asks where to save. A browser downloads without asking.
    pub(super) fn save_as(&self, ctx: &egui::Context, then: Option<Deferred>) {
        let proposed = self.session.file().map(Path::to_path_buf);
        let proposed = proposed.unwrap_or_else(|| self.session.document().source().save_path());
        self.ask_place(ctx, &proposed, then);
    }

    /// Asks where to save, starting at `proposed`.
    pub(super) fn ask_place(&self, ctx: &egui::Context, proposed: &Path, then: Option<Deferred>) {
        let save = move |path| Arrival::Act(Action::Save(SaveRequest { then, ..SaveRequest::to(path) }));
        platform::ask_place(ctx, &self.files.inbox, proposed, save);
    }

    /// Saves the character. If the file would lack something of the opened one, the user is asked first.
    pub(super) fn save(&mut self, ctx: &egui::Context, request: SaveRequest) {
        self.files.set_unconfirmed_save(None);
        let path = std::path::absolute(&request.path).unwrap_or_else(|_| request.path.clone());
        // Without a copy the journal may not replay any more, but saving matters more.
        let kept = self.files.keep_replaced(&path);
        let character = self.session.document().to_saved().map_err(|e| e.to_string());
        let saved = character.and_then(|made| platform::save_character(&path, &made, request.is_confirmed));
        match saved {
            Ok(SaveOutcome::Saved(message)) => {
                let has_pose = self.session.unsaved().pose;
                self.perform_entry(&JournalEntry::Saved { path });
                let hint =
                    if has_pose { ". The pose is not part of the file; key it to keep it." } else { "" };
                let warning = kept.err().map_or_else(String::new, |error| format!(" ({error})"));
                self.tell(Ok(format!("{message}{hint}{warning}")));
                if let Some(then) = request.then {
                    self.go_on(ctx, then);
                }
            }
            Ok(SaveOutcome::Loses(losses)) => {
                self.files.set_unconfirmed_save(Some(UnconfirmedSave { losses, request }));
            }
            Err(reason) => self.fail(reason),
        }
    }

    /// Does `deferred` at once if no edit would be lost; otherwise asks.
    pub(super) fn ask_or_go_on(&mut self, ctx: &egui::Context, deferred: Deferred) {
        if self.has_unsaved_edits() {
            self.files.set_question(Some(deferred));
            ctx.request_repaint();
        } else {
            self.go_on(ctx, deferred);
        }
    }

    pub(super) fn answer(&mut self, ctx: &egui::Context, answer: UnsavedAnswer) {
        let Some(deferred) = self.files.take_question() else { return };
        match answer {
            UnsavedAnswer::Save => self.save_current(ctx, Some(deferred)),
            UnsavedAnswer::KeyAndSave => {
                self.perform_entry(&Command::KeyPose.into());
                // If the pose cannot be keyed, a message says so.
                if !self.session.unsaved().pose {
                    self.save_current(ctx, Some(deferred));
                }
            }
            UnsavedAnswer::Discard => {
                // Another file may fail to open; the edits are still there then.
                if matches!(deferred, Deferred::Close) {
                    self.discarded_at = Some(self.session.revision());
                }
                self.go_on(ctx, deferred);
            }
            UnsavedAnswer::Cancel => {}
        }
    }

    fn go_on(&mut self, ctx: &egui::Context, deferred: Deferred) {
        match deferred {
            Deferred::Open(source) => self.open(source),
            Deferred::Recover => self.recover(),
            Deferred::Close => {
                self.is_closing = true;
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
            }
        }
    }

    /// True if the document has edits that are neither saved nor discarded.
    pub(super) fn has_unsaved_edits(&self) -> bool {
        self.session.unsaved().any() && self.discarded_at != Some(self.session.revision())
    }

    /// Stops the window from closing while edits would be lost, and asks.
    pub(super) fn take_close_request(&mut self, ctx: &egui::Context) {
        let is_requested = ctx.input(|i| i.viewport().close_requested());
        if is_requested && !self.is_closing && self.has_unsaved_edits() {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            self.files.set_question(Some(Deferred::Close));
        }
    }

    /// Shows the name of the file in the title of the window, with a mark if there are unsaved edits.
    pub(super) fn update_title(&mut self, ctx: &egui::Context) {
        let title = format!("{} - Sinew Studio", marked_name(&self.session));
        if title != self.title {
            platform::set_title(ctx, &title);
            self.title = title;
        }
    }

    /// The title of the window: the name of the file, after a dot if it has unsaved edits.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// True once the window may close: nothing would be lost, or the user discarded it.
    pub fn is_closing(&self) -> bool {
        self.is_closing
    }
}

/// The name of a session's file, after a dot if it has unsaved edits.
pub(super) fn marked_name(session: &Session) -> String {
    format!("{}{}", if session.unsaved().any() { "\u{2022} " } else { "" }, session.name())
}
