//! The journal of this session, and what becomes of one that was not closed.

use super::{
    Studio,
    player::Player,
    requests::{Action, Requests},
    shown::ShownScene,
};
use crate::{
    autosave::{Journal, JournalError, JournalFolder, LeftBehind, Recovered},
    document::DocumentSource,
    session::JournalEntry,
};

/// Begins a journal of what is done to a character.
type Begin = Box<dyn Fn(&DocumentSource) -> Result<Journal, JournalError>>;

/// What is left of an earlier session, and how journals begin.
#[derive(Default)]
pub(super) struct Recovering {
    left: Option<LeftBehind>,
    begin: Option<Begin>,
}

impl Recovering {
    /// True until somebody has said what becomes of the earlier session.
    pub(super) fn is_asking(&self) -> bool {
        self.left.is_some()
    }

    pub(super) fn show(&self, ui: &mut egui::Ui, requests: &mut Requests) {
        let Some(left) = &self.left else { return };
        let steps = if left.steps() == 1 { "one step".into() } else { format!("{} steps", left.steps()) };
        ui.horizontal(|ui| {
            ui.label(format!("The last session was not closed: {steps} can be done again."));
            let recover = ui.button("Recover").on_hover_text("Goes on where that session stopped");
            if recover.clicked() {
                requests.act(Action::Recover);
            }
            if ui.button("Forget").on_hover_text("Throws that session away").clicked() {
                requests.act(Action::Forget);
            }
        });
    }

    pub(super) fn forget(&mut self) {
        if let Some(left) = self.left.take() {
            left.forget();
        }
    }
}

impl Studio {
    /// The same with a journal in `folder` of everything that is done from here on.
    #[must_use]
    pub fn with_autosave(self, folder: &JournalFolder) -> Self {
        let folder = folder.clone();
        self.with_journals(move |source| folder.begin(source).map(|(_, journal)| journal))
    }

    /// The same with a journal that `begin` begins.
    #[must_use]
    pub fn with_journals(
        mut self,
        begin: impl Fn(&DocumentSource) -> Result<Journal, JournalError> + 'static,
    ) -> Self {
        self.recovering.begin = Some(Box::new(begin));
        let source = self.session.document().source().clone();
        if let Err(error) = self.begin_journal(&source, &[]) {
            self.tell(Err(error.to_string()));
        }
        self
    }

    /// The same with an offer to go on with a session that was not closed.
    #[must_use]
    pub fn with_left_behind(mut self, left: Option<LeftBehind>) -> Self {
        self.recovering.left = left;
        self
    }

    /// The same where the offer was taken.
    #[must_use]
    pub fn recovered(mut self) -> Self {
        self.recover();
        self
    }

    /// True where edits are written down as they are made.
    pub fn has_journal(&self) -> bool {
        self.journal.is_some()
    }

    /// Begins a journal of a session that began with `source` and in which everything in `done` was done, in place of the
    /// journal there was.
    fn begin_journal(&mut self, source: &DocumentSource, done: &[JournalEntry]) -> Result<(), JournalError> {
        let Some(begin) = &self.recovering.begin else { return Ok(()) };
        let mut journal = begin(source)?;
        done.iter().try_for_each(|entry| journal.note(entry))?;
        journal.flush()?;
        if let Some(before) = self.journal.replace(journal) {
            before.end();
        }
        Ok(())
    }

    /// Goes on with the session that was not closed.
    pub(super) fn recover(&mut self) {
        let Some(left) = self.recovering.left.take() else { return };
        match left.recover() {
            Ok(recovered) => match self.go_on_with(recovered) {
                // What was recovered is in the journal of this session now.
                Ok(()) => left.forget(),
                Err(error) => self.tell(Err(error.to_string())),
            },
            Err(error) => {
                self.tell(Err(error.to_string()));
                self.recovering.left = Some(left);
            }
        }
    }

    fn go_on_with(&mut self, recovered: Recovered) -> Result<(), JournalError> {
        self.tell(Ok(recovered.summary()));
        self.session = recovered.session;
        self.shown = ShownScene::new(&self.session);
        self.compared = None;
        self.player = Player::default();
        self.viewport.tools.pose.grab = None;
        self.is_framed = false;
        self.begin_journal(&recovered.source, &recovered.entries)
    }
}
