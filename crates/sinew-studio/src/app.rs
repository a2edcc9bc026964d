//! The window: panels and tools draw the document and request commands, the studio performs them.

mod actions;
mod diagnosis;
mod files;
mod jobs;
#[cfg(target_arch = "wasm32")]
mod page_state;
mod panel;
mod perform;
mod player;
mod requests;
mod saving;
mod time_step;
mod tool;
mod viewport;
mod window_commands;

pub use window_commands::shortcut_table;

#[cfg(target_arch = "wasm32")]
use crate::platform::RecentFiles;
use crate::{
    autosave::{Journal, JournalError, JournalFolder, UnclosedSession},
    command::{Command, PoseData},
    document::{DocumentOpenError, DocumentSource},
    session::Session,
};
use diagnosis::Diagnosis;
use egui_wgpu::wgpu::TextureFormat;
use files::{Files, Preferences};
use jobs::Jobs;
use panel::{PanelContext, Panels};
use player::Player;
use requests::Requests;
use sinew::glam::Vec3;
use viewport::{Viewport, ViewportSources};

/// A line for the user.
#[derive(Clone, Debug, PartialEq)]
enum Message {
    Done(String),
    Failed(String),
}

/// The studio: a session and everything around it.
pub struct Studio {
    session: Session,
    viewport: Viewport,
    player: Player,
    diagnosis: Diagnosis,
    files: Files,
    jobs: Jobs,
    panels: Panels,
    requests: Requests,
    copied_pose: Option<PoseData>,
    message: Option<Message>,
    are_shortcuts_open: bool,
    /// The title of the window.
    title: String,
    /// True once the window may close.
    is_closing: bool,
    /// The revision whose unsaved edits the user discarded.
    discarded_at: Option<u64>,
    #[cfg(target_arch = "wasm32")]
    page_state: page_state::PageState,
}

impl Studio {
    /// A studio with `source` open, for an eframe window.
    ///
    /// # Errors
    /// If the source cannot be opened.
    pub fn new(
        creation: &eframe::CreationContext<'_>,
        source: DocumentSource,
    ) -> Result<Self, DocumentOpenError> {
        Ok(Self::with_session(creation, Session::open(source)?))
    }

    /// A studio that continues `session`.
    pub fn with_session(creation: &eframe::CreationContext<'_>, session: Session) -> Self {
        let state = creation.wgpu_render_state.as_ref();
        let format = state.map_or(TextureFormat::Bgra8Unorm, |state| state.target_format);
        let mut preferences = Preferences::load(creation.storage);
        preferences.note(session.document().source());
        creation.egui_ctx.set_theme(if preferences.is_dark { egui::Theme::Dark } else { egui::Theme::Light });
        Self {
            viewport: Viewport::new(&session, format),
            session,
            player: Player::default(),
            diagnosis: Diagnosis::default(),
            files: Files::new(preferences),
            jobs: Jobs::default(),
            panels: Panels::default(),
            requests: Requests::default(),
            copied_pose: None,
            message: None,
            are_shortcuts_open: false,
            title: String::new(),
            is_closing: false,
            discarded_at: None,
            #[cfg(target_arch = "wasm32")]
            page_state: page_state::PageState::of(creation),
        }
    }

    /// Shows a message at the start.
    #[must_use]
    pub fn with_message(mut self, text: String) -> Self {
        self.message = Some(Message::Done(text));
        self
    }

    /// Always draws at full detail, however slow frames are.
    #[must_use]
    pub fn with_full_detail(mut self) -> Self {
        self.viewport.always_draw_full_detail();
        self
    }

    /// Sets the recent files, the last opened first.
    #[cfg(target_arch = "wasm32")]
    #[must_use]
    pub fn with_recent_files(mut self, files: RecentFiles, names: Vec<std::path::PathBuf>) -> Self {
        self.files.recent = files;
        self.files.preferences_mut().set_recent(names);
        self
    }

    /// Records every edit in a journal in `folder`.
    #[must_use]
    pub fn with_autosave(self, folder: &JournalFolder) -> Self {
        let folder = folder.clone();
        self.with_journals(move |source| folder.begin(source).map(|(_, journal)| journal))
    }

    /// Records every edit in a journal that `begin` creates.
    #[must_use]
    pub fn with_journals(
        mut self,
        begin: impl Fn(&DocumentSource) -> Result<Journal, JournalError> + 'static,
    ) -> Self {
        self.files.set_journals(begin);
        if let Err(error) = self.files.begin_journal(self.session.document().source()) {
            self.fail(error.to_string());
        }
        self
    }

    /// Offers to continue a session that was not closed.
    #[must_use]
    pub fn with_unclosed_session(mut self, unclosed: Option<UnclosedSession>) -> Self {
        self.files.set_unclosed_session(unclosed);
        self
    }

    /// Continues the offered session at once.
    #[must_use]
    pub fn recovered(mut self) -> Self {
        self.recover();
        self
    }

    /// The document and its history.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// True while a clip or a blend graph plays.
    pub fn is_playing(&self) -> bool {
        self.player.is_playing()
    }

    /// True while a background job runs.
    pub fn is_working(&self) -> bool {
        self.jobs.is_working()
    }

    /// True if edits are recorded in a journal.
    pub fn has_journal(&self) -> bool {
        self.files.has_journal()
    }

    /// A point of model space in points of the window; `None` behind the camera.
    pub fn project(&self, point: Vec3) -> Option<egui::Pos2> {
        self.viewport.view().project(point)
    }

    /// Requests a command as a panel does; it is performed with the next frame.
    pub fn request(&mut self, command: Command) {
        self.requests.command(command);
    }

    /// The findings of the last check, if there was one.
    pub fn findings(&self) -> Option<&[sinew_author::check::Finding]> {
        self.diagnosis.findings()
    }

    /// The text of the message line.
    pub fn message(&self) -> Option<&str> {
        self.message.as_ref().map(|(Message::Done(text) | Message::Failed(text))| &text[..])
    }

    /// Commands while a pointer button is down belong to one gesture, so that they form one step of the history.
    fn note_pointer(&mut self, ctx: &egui::Context) {
        let (is_pressed, is_held) =
            ctx.input(|i| (i.pointer.any_pressed(), i.pointer.any_down() || i.pointer.any_released()));
        if is_pressed {
            self.requests.begin_pointer_gesture();
        } else if !is_held {
            self.requests.end_pointer_gesture();
        }
        self.viewport.note_frame(ctx, is_held, self.player.is_playing());
    }

    fn show(&mut self, ui: &mut egui::Ui) {
        let Self { session, viewport, player, diagnosis, files, jobs, panels, requests, .. } = self;
        let mut context = PanelContext {
            session,
            player,
            files,
            jobs,
            message: self.message.as_ref(),
            viewport,
            diagnosis,
            are_shortcuts_open: &mut self.are_shortcuts_open,
            requests,
        };
        panels.show(ui, &mut context);
        let sources = ViewportSources { session, player, diagnosis: context.diagnosis };
        let show_viewport = |ui: &mut egui::Ui| context.viewport.show(ui, sources, context.requests);
        let failures = egui::CentralPanel::no_frame().show(ui, show_viewport).inner;
        panels.show_floating(ui, &mut context);
        failures.into_iter().for_each(|failure| self.fail(failure));
    }
}

impl eframe::App for Studio {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.note_pointer(&ctx);
        self.take_close_request(&ctx);
        self.take_arrivals(&ctx);
        if !self.viewport.toolbox.is_modal() && self.files.question().is_none() {
            window_commands::listen(&ctx, &mut self.requests);
        }
        let is_playing = self.player.advance(self.session.document(), ctx.input(|i| i.stable_dt));
        if self.continue_film() || is_playing {
            ctx.request_repaint();
        }
        self.show(ui);
        self.perform(&ctx);
        self.update_title(&ctx);
        if self.viewport.is_reduced() {
            // Full detail returns once nothing moves, which may not cause a frame by itself.
            ctx.request_repaint_after(std::time::Duration::from_millis(200));
        }
        #[cfg(target_arch = "wasm32")]
        self.publish_state();
        if self.session.revision() != 0 && !self.viewport.is_framed {
            ctx.request_repaint();
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        self.files.preferences().save(storage);
    }

    fn on_exit(&mut self) {
        if self.has_unsaved_edits() {
            self.files.leave_journal();
        } else {
            self.files.end_journal();
        }
    }
}
