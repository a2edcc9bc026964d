//! The window: panels draw from the document and ask for commands, the app performs them.

mod actions;
mod canvas;
mod doctor_panel;
mod filming;
mod following;
mod grab;
mod graph_panel;
mod handles;
mod helper_panel;
mod joint_panel;
mod keyboard;
mod legend;
mod lens;
mod limits_panel;
mod look;
mod look_panel;
mod maps;
#[cfg(target_arch = "wasm32")]
mod marks;
mod pace;
mod player;
mod recovering;
mod remembered;
mod report_panel;
mod requests;
mod shown;
mod steps;
mod timeline;
mod tool;
mod top_bar;
mod tree;
mod vertex_story;
mod viewport;
mod weights_panel;
mod worker;
mod working;

use crate::{
    autosave::Journal,
    command::{Command, PoseData},
    document::{DocumentOpenError, DocumentSource},
    platform::{DesktopRecentFiles, Inbox},
    session::{JournalEntry, Session},
};
use doctor_panel::DoctorPanel;
use egui_wgpu::wgpu::TextureFormat;
use filming::Filming;
use graph_panel::GraphPanel;
use joint_panel::JointPanel;
use look::LookOptions;
use pace::{FrameMotion, FramePacer};
use player::Player;
use recovering::Recovering;
use remembered::Remembered;
use requests::{Arrival, Requests};
use shown::ShownScene;
use sinew::{Character, glam::Vec3};
use sinew_view::{camera::Orbit, theme::Theme};
use std::sync::Arc;
use timeline::{Playing, TimelinePanel};
use tool::Tool;
use top_bar::TopBar;
use tree::TreePanel;
use viewport::{Viewport, ViewportInput};
use weights_panel::WeightsPanel;
use working::Working;

/// A line for the person at the window.
#[derive(Clone, Debug, PartialEq)]
enum Message {
    Done(String),
    Failed(String),
}

/// The studio.
pub struct Studio {
    session: Session,
    shown: ShownScene,
    /// A second view by another method, while it is asked for.
    compared: Option<ShownScene>,
    /// The character and the same with its helpers off, while that is compared.
    plain: Option<(Arc<Character>, Arc<Character>)>,
    viewport: Viewport,
    look: LookOptions,
    player: Player,
    requests: Requests,
    tree: TreePanel,
    joint: JointPanel,
    weights: WeightsPanel,
    doctor: DoctorPanel,
    working: Working,
    graph: GraphPanel,
    timeline: TimelinePanel,
    top_bar: TopBar,
    copied_pose: Option<PoseData>,
    message: Option<Message>,
    filming: Option<Filming>,
    is_help_open: bool,
    presses: u64,
    is_framed: bool,
    /// A click that begins may pick what is under it.
    is_pointer_down: bool,
    pace: FramePacer,
    /// What the card last took to deform.
    card_ms: f64,
    /// How far the character had travelled in the last frame, the clip's moment then, and whether something played.
    followed: (Vec3, f32, bool),
    journal: Option<Journal>,
    recovering: Recovering,
    inbox: Inbox<Arrival>,
    remembered: Remembered,
    recent_files: DesktopRecentFiles,
    #[cfg(target_arch = "wasm32")]
    marks: marks::Marks,
}

impl Studio {
    /// A studio in which `source` is open, for a window of eframe.
    ///
    /// # Errors
    /// Where the source cannot be opened.
    pub fn new(
        creation: &eframe::CreationContext<'_>,
        source: DocumentSource,
    ) -> Result<Self, DocumentOpenError> {
        Ok(Self::with_session(creation, Session::open(source)?))
    }

    /// A studio that goes on with `session`.
    pub fn with_session(creation: &eframe::CreationContext<'_>, session: Session) -> Self {
        let state = creation.wgpu_render_state.as_ref();
        let format = state.map_or(TextureFormat::Bgra8Unorm, |state| state.target_format);
        let mut remembered = Remembered::load(creation.storage);
        remembered.note(session.document().source());
        creation.egui_ctx.set_theme(if remembered.is_dark { egui::Theme::Dark } else { egui::Theme::Light });
        Self {
            shown: ShownScene::new(&session),
            compared: None,
            plain: None,
            session,
            viewport: Viewport::new(format),
            look: LookOptions::default(),
            player: Player::default(),
            requests: Requests::default(),
            tree: TreePanel::default(),
            joint: JointPanel::default(),
            weights: WeightsPanel::default(),
            doctor: DoctorPanel::default(),
            working: Working::default(),
            graph: GraphPanel::default(),
            timeline: TimelinePanel::default(),
            top_bar: TopBar::default(),
            copied_pose: None,
            message: None,
            filming: None,
            is_help_open: false,
            presses: 0,
            is_framed: false,
            is_pointer_down: false,
            pace: FramePacer::default(),
            card_ms: 0.0,
            followed: (Vec3::ZERO, 0.0, false),
            journal: None,
            recovering: Recovering::default(),
            inbox: Inbox::default(),
            remembered,
            recent_files: DesktopRecentFiles::default(),
            #[cfg(target_arch = "wasm32")]
            marks: marks::Marks::of(creation),
        }
    }

    /// The same with a line for the person at the window.
    #[must_use]
    pub fn with_message(mut self, text: String) -> Self {
        self.message = Some(Message::Done(text));
        self
    }

    /// The same that draws everything while things move, however long it takes.
    #[must_use]
    pub fn with_patience(mut self) -> Self {
        self.pace = FramePacer::patient();
        self
    }

    /// The same with files that were opened before, the last one first.
    #[cfg(target_arch = "wasm32")]
    #[must_use]
    pub fn with_recent_files(mut self, files: DesktopRecentFiles, names: Vec<std::path::PathBuf>) -> Self {
        self.recent_files = files;
        self.remembered.set_recent(names);
        self
    }

    /// The document and its history.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// True while a clip plays.
    pub fn is_playing(&self) -> bool {
        self.player.is_playing()
    }

    /// Where a point of the character is seen in the window; `None` behind the camera.
    pub fn place_in_view(&self, point: Vec3) -> Option<egui::Pos2> {
        self.viewport.lens().place(point)
    }

    /// Asks for a command as a panel does; it is done with the next frame.
    pub fn request(&mut self, command: Command) {
        self.requests.command(command);
    }

    /// What the doctor found, where it was asked.
    pub fn findings(&self) -> Option<&[sinew_author::check::Finding]> {
        self.doctor.findings()
    }

    /// What the message line says, if anything.
    pub fn message(&self) -> Option<&str> {
        self.message.as_ref().map(|(Message::Done(text) | Message::Failed(text))| &text[..])
    }

    fn panels(&mut self, ui: &mut egui::Ui) {
        let Self { session, requests, .. } = self;
        egui::Panel::top("top").show(ui, |ui| self.top_bar.show(ui, session, &self.remembered, requests));
        if let Some(message) = self.message.clone() {
            egui::Panel::top("message").show(ui, |ui| self.message_line(ui, &message));
        }
        if self.recovering.is_asking() {
            egui::Panel::top("recovery").show(ui, |ui| self.recovering.show(ui, &mut self.requests));
        }
        if self.working.is_busy() {
            egui::Panel::top("work").show(ui, |ui| self.working.show(ui));
        }
        if self.filming.is_some() {
            egui::Panel::top("film").show(ui, |ui| self.film_bar(ui));
        }
        let Self { session, requests, .. } = self;
        let document = session.document();
        egui::Panel::bottom("time").show(ui, |ui| {
            let playing =
                Playing { is_playing: self.player.is_playing(), time_secs: self.player.time_secs() };
            self.timeline.show(ui, document, playing, requests);
            ui.add_space(4.0);
        });
        egui::Panel::left("tree").default_size(220.0).show(ui, |ui| self.tree.show(ui, document, requests));
        egui::Panel::right("properties").default_size(300.0).show(ui, |ui| self.properties(ui));
        egui::CentralPanel::no_frame().show(ui, |ui| self.view(ui));
    }

    fn properties(&mut self, ui: &mut egui::Ui) {
        let Self { session, requests, .. } = self;
        let document = session.document();
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            ui.add_space(4.0);
            look_panel::tools(ui, &mut self.viewport.tools);
            let is_busy = self.working.is_busy();
            // Above what grows and shrinks with the selection: its list stays under the pointer.
            egui::CollapsingHeader::new("Doctor")
                .show(ui, |ui| self.doctor.show(ui, document, is_busy, requests));
            let section = |name| egui::CollapsingHeader::new(name).default_open(true);
            let mut weights = |ui: &mut egui::Ui, requests: &mut Requests| {
                section("Weights").show(ui, |ui| self.weights.show(ui, document, &self.shown, requests));
            };
            // What the tool in hand works on stands first.
            let is_posing = self.viewport.tools.chosen == Tool::Pose;
            if !is_posing {
                weights(ui, requests);
            }
            section("Pose").show(ui, |ui| self.joint.show(ui, document, is_posing, requests));
            self.graph.show(ui, document, &self.player, requests);
            section("Look").show(ui, |ui| {
                look_panel::show(ui, document, (&self.shown, self.card_ms), &mut self.look, requests);
            });
            if is_posing {
                weights(ui, requests);
            }
            report_panel::show(ui, document.report());
        });
    }

    fn view(&mut self, ui: &mut egui::Ui) {
        if !self.is_framed {
            self.is_framed = true;
            let size = ui.available_size();
            self.keep_in_sight();
            self.follow();
            self.viewport.camera = self.shown.framing(Orbit::THREE_QUARTER, size.x / size.y.max(1.0));
        }
        self.look.theme = if ui.visuals().dark_mode { Theme::Dark } else { Theme::Light };
        self.keep_in_sight();
        self.follow();
        const MOST_RINGS: usize = 4000;
        let faulty: Vec<_> = self.doctor.marked(self.session.document()).take(MOST_RINGS).collect();
        let sight = ViewportInput {
            is_brief: self.pace.is_brief(),
            document: self.session.document(),
            shown: &self.shown,
            compared: self.compared.as_ref(),
            faulty: &faulty,
            captions: self.captions(),
            is_playing: self.player.is_playing(),
            next_gesture: self.presses + 1,
        };
        let was_grabbing = self.viewport.tools.is_busy();
        self.viewport.show(ui, &sight, &mut self.requests);
        // The next grab gets another number, even if no button was pressed in between.
        self.presses += 2 * u64::from(!was_grabbing && self.viewport.tools.is_busy());
        if self.read_card_news() {
            // What it said stands above what is drawn already.
            ui.ctx().request_repaint();
        }
    }

    fn message_line(&mut self, ui: &mut egui::Ui, message: &Message) {
        ui.horizontal(|ui| {
            match message {
                Message::Done(text) => ui.label(text),
                Message::Failed(text) => ui.colored_label(ui.visuals().error_fg_color, text),
            };
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if ui.small_button("Dismiss").clicked() {
                    self.message = None;
                }
            });
        });
    }

    /// Does everything that was asked for.
    fn perform(&mut self, ctx: &egui::Context) {
        let (entries, actions) = self.requests.take();
        for entry in entries {
            self.perform_entry(&entry);
        }
        for action in actions {
            self.act(ctx, action);
        }
        self.follow_work(ctx);
        let now_secs = ctx.input(|i| i.time);
        if let Some(journal) = &mut self.journal {
            if let Err(error) = journal.tick(now_secs) {
                self.message = Some(Message::Failed(error.to_string()));
            } else if journal.is_pending() {
                ctx.request_repaint_after(std::time::Duration::from_secs_f64(Journal::PERIOD_SECS));
            }
        }
    }

    fn perform_entry(&mut self, entry: &JournalEntry) {
        if moves_joints(entry) {
            self.player.stop();
        }
        let source = self.session.document().source().clone();
        let before = Arc::clone(self.session.document().character());
        match self.session.perform(entry) {
            Ok(true) => {
                self.note_for_measuring(entry, before);
                let noted = self.journal.as_mut().map(|journal| journal.note(entry));
                if let Some(Err(error)) = noted {
                    self.message = Some(Message::Failed(error.to_string()));
                }
            }
            Ok(false) => {}
            Err(error) => self.message = Some(Message::Failed(error.to_string())),
        }
        if *self.session.document().source() != source {
            self.is_framed = false;
            self.viewport.tools.pose.grab = None;
            let findings = self.session.document().report().findings().len();
            let source = self.session.document().source();
            self.remembered.note(source);
            self.recent_files.keep(source);
            self.message = (findings > 0)
                .then(|| Message::Done(format!("{source}: {findings} findings, see the import report")));
        }
    }

    /// Commands of one press of the pointer are one step of the history.
    fn number_gesture(&mut self, ctx: &egui::Context) {
        let (pressed, held) =
            ctx.input(|i| (i.pointer.any_pressed(), i.pointer.any_down() || i.pointer.any_released()));
        // Two numbers a press: a grab that begins meanwhile takes the odd one.
        self.presses += 2 * u64::from(pressed);
        self.is_pointer_down = held;
        let is_moving =
            self.player.is_playing() || held && ctx.input(|i| i.pointer.delta() != egui::Vec2::ZERO);
        let motion = match (is_moving, held) {
            (true, _) => FrameMotion::Moving,
            (false, true) => FrameMotion::Held,
            (false, false) => FrameMotion::Still,
        };
        self.pace.note(ctx.input(|i| i.unstable_dt), motion);
        self.requests.begin(held.then_some(self.presses));
    }
}

impl eframe::App for Studio {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.number_gesture(&ctx);
        self.take_arrivals(&ctx);
        keyboard::listen(&ctx, self.viewport.tools.is_busy(), &mut self.requests);
        if self.player.advance(self.session.document(), ctx.input(|i| i.stable_dt)) {
            ctx.request_repaint();
        }
        if self.go_on_filming() {
            ctx.request_repaint();
        }
        self.panels(ui);
        keyboard::help(&ctx, &mut self.is_help_open);
        self.perform(&ctx);
        if self.pace.is_brief() {
            // What was left out is drawn as soon as nothing moves any more, which may not be news for anybody else.
            ctx.request_repaint_after(std::time::Duration::from_millis(200));
        }
        #[cfg(target_arch = "wasm32")]
        self.publish_state();
        if self.session.revision() != 0 && !self.is_framed {
            ctx.request_repaint();
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        self.remembered.save(storage);
    }

    fn on_exit(&mut self) {
        // A session that was closed has nothing to recover.
        if let Some(journal) = self.journal.take() {
            journal.end();
        }
    }
}

/// True for what a clip that plays would hide.
fn moves_joints(entry: &JournalEntry) -> bool {
    let JournalEntry::Do { command, .. } = entry else { return true };
    !matches!(
        command,
        Command::SelectJoint(_)
            | Command::SelectVertices { .. }
            | Command::SelectBy { .. }
            | Command::ClearVertices
            | Command::Lock { .. }
            | Command::SetMethod(_)
            | Command::Prepare(_)
            | Command::ChooseClip(Some(_))
            | Command::SetEnd(_)
            | Command::SetSpeed(_)
            | Command::SetRange(_)
            | Command::SetParameter { .. }
            | Command::SetRate(_)
            | Command::SetMix(_)
            | Command::KeepLimits(_)
            | Command::EditHelper { .. }
            | Command::Weights { .. }
            | Command::SetWeight { .. }
            | Command::PasteWeights { .. }
            | Command::TakeWeights { .. }
    )
}
