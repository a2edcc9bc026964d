//! Actions of the window that do not edit the document. A new action is a variant and its arm here, and a row in
//! [`commands`](super::commands) if it has a menu entry or a shortcut.

use super::{
    Studio,
    jobs::{FilmExport, FilmStep},
    player::Stopped,
    requests::Arrival,
    saving::{Deferred, SaveRequest, UnsavedAnswer},
    time_step::{TimeStep, stepped},
};
use crate::{
    command::{Command, PoseData},
    document::DocumentSource,
    export::{FilmView, export, record_film},
    platform,
    work::{TransferBy, TransferSource, WorkRequest},
};
use sinew::LocalPose;
use sinew_formats::{
    export::ExportFormat,
    pose_text::{self, PoseOffsets},
};
use sinew_view::{
    camera::{Camera, CameraLens, Orbit},
    encode::encode_png,
    film::FilmLimits,
    raster::{RenderOptions, render},
};
use std::path::{Path, PathBuf};

/// A request of a panel, tool, shortcut or dialog that is not an edit of the document.
#[derive(Clone, Debug)]
pub(super) enum Action {
    TogglePlay,
    /// Goes to another time of the clip.
    Step(TimeStep),
    /// Fires a trigger of the graph.
    Fire(String),
    RestartGraph,
    FrameAll,
    FrameSelection,
    View(Orbit),
    CopyPose,
    PastePose,
    /// Opens a character, or a graph for the open one.
    Open(DocumentSource),
    /// Opens a recent file.
    OpenRecent(PathBuf),
    /// Asks for a file to open.
    AskFile,
    /// Asks where to save the character, starting at a path. A browser downloads without asking.
    AskPlace(PathBuf),
    Save(SaveRequest),
    /// Saves to the document's file, or asks for a place.
    SaveCurrent,
    SaveAs,
    CancelSave,
    /// Answers the question about unsaved edits.
    Answer(UnsavedAnswer),
    Picture(PathBuf),
    /// Starts a background job.
    Work(WorkRequest),
    /// Asks for a file whose weights are transferred to instances.
    AskTransferFile {
        instances: Vec<usize>,
        by: TransferBy,
    },
    /// Exports the clip as an animated picture.
    Film(PathBuf),
    CancelFilm,
    Export(ExportFormat, PathBuf),
    /// Continues the session that was not closed.
    Recover,
    /// Deletes the journal of the session that was not closed.
    DiscardRecovery,
    DismissMessage,
    ToggleShortcuts,
    ToggleTheme,
    CloseWindow,
}

/// The margin around a framed selection, as a fraction of its size.
const SELECTION_MARGIN: f32 = 0.4;

impl Studio {
    /// Performs `action`, which panels, tools, shortcuts or dialogs requested.
    pub(super) fn act(&mut self, ctx: &egui::Context, action: Action) {
        match action {
            Action::TogglePlay => self.toggle_play(),
            Action::Step(step) => {
                let document = self.session.document();
                let now_secs = self.player.time_secs().unwrap_or(document.playhead().time_secs);
                if let Some(time_secs) = stepped(document, step, now_secs) {
                    self.perform_entry(&Command::Scrub { time_secs }.into());
                }
            }
            Action::Fire(trigger) => self.player.fire(self.session.document(), &trigger),
            Action::RestartGraph => self.player.restart_graph(),
            Action::FrameAll => self.frame_all(orbit_of(&self.viewport.camera)),
            Action::FrameSelection => self.frame_selection(),
            Action::View(orbit) => self.frame_all(orbit),
            Action::CopyPose => {
                let document = self.session.document();
                self.copied_pose = Some(PoseData::from(document.pose()));
                let text = pose_text::to_text(document.pose(), document.character());
                if !text.is_empty() {
                    ctx.copy_text(text);
                }
                self.tell(Ok("The pose is copied, also as text.".into()));
            }
            Action::PastePose => self.paste_pose(ctx),
            Action::Open(source) => self.ask_or_open(ctx, source),
            Action::OpenRecent(path) => {
                self.files.recent.open(ctx, &self.files.inbox, &path, Arrival::File);
            }
            Action::AskFile => platform::ask_file(ctx, &self.files.inbox, Arrival::File),
            Action::AskPlace(proposed) => self.ask_place(ctx, &proposed, None),
            Action::Save(request) => self.save(ctx, request),
            Action::SaveCurrent => self.save_current(ctx, None),
            Action::SaveAs => self.save_as(ctx, None),
            Action::Answer(answer) => self.answer(ctx, answer),
            Action::CancelSave => self.files.set_unconfirmed_save(None),
            Action::Picture(path) => self.save_picture(ctx, &path),
            Action::Work(work) => {
                if let Err(reason) = self.jobs.begin(work, self.session.document(), ctx) {
                    self.fail(reason);
                }
            }
            Action::AskTransferFile { instances, by } => {
                platform::ask_file(ctx, &self.files.inbox, move |found| match found {
                    Ok(source) => {
                        let from = TransferSource::Source(source);
                        Arrival::Act(Action::Work(WorkRequest::Transfer { instances, from, by }))
                    }
                    Err(reason) => Arrival::File(Err(reason)),
                });
            }
            Action::Film(path) => self.begin_film(path),
            Action::CancelFilm => self.jobs.film = None,
            Action::Export(format, path) => {
                let bytes = export(self.session.document(), format).map_err(|e| e.to_string());
                self.tell(bytes.and_then(|bytes| platform::save(&path, &bytes)));
            }
            Action::Recover => self.ask_or_go_on(ctx, Deferred::Recover),
            Action::DiscardRecovery => {
                if let Some(unclosed) = self.files.take_unclosed_session() {
                    unclosed.discard();
                }
            }
            Action::DismissMessage => self.message = None,
            Action::ToggleShortcuts => self.are_shortcuts_open = !self.are_shortcuts_open,
            Action::ToggleTheme => {
                let is_dark = ctx.theme() == egui::Theme::Dark;
                self.files.preferences_mut().is_dark = !is_dark;
                ctx.set_theme(if is_dark { egui::Theme::Light } else { egui::Theme::Dark });
            }
            Action::CloseWindow => self.ask_or_go_on(ctx, Deferred::Close),
        }
    }

    /// Applies the pose that the clipboard holds as text, or else the copied one.
    fn paste_pose(&mut self, ctx: &egui::Context) {
        let pasted = ctx.input(|input| {
            input.events.iter().find_map(|event| match event {
                egui::Event::Paste(text) if text.contains('=') => Some(text.clone()),
                _ => None,
            })
        });
        let character = self.session.document().character();
        // The clipboard has the copied pose as text too; its own bits are exact.
        let copied = self.copied_pose.as_ref().filter(|pose| {
            let same = |text: &String| *text == pose_text::to_text(&LocalPose::from(*pose), character);
            pasted.as_ref().is_none_or(same)
        });
        let pose = match (copied, pasted) {
            (Some(pose), _) => pose.clone(),
            (None, Some(text)) => match PoseOffsets::parse(&text, character) {
                Ok(offsets) => {
                    let mut pose = character.rest_pose();
                    offsets.apply(&mut pose);
                    PoseData::from(&pose)
                }
                Err(error) => return self.fail(format!("the clipboard holds no pose: {error}")),
            },
            (None, None) => return,
        };
        self.perform_entry(&Command::PastePose(pose).into());
    }

    fn toggle_play(&mut self) {
        let document = self.session.document();
        let has_none = document.clip().is_none() && document.graph().is_none();
        if has_none && !document.character().clips().is_empty() {
            self.perform_entry(&Command::ChooseClip(Some(0)).into());
        }
        match self.player.toggle(self.session.document()) {
            Some(Stopped::AtTime(time_secs)) => {
                self.perform_entry(&Command::Scrub { time_secs }.into());
            }
            Some(Stopped::InPose(pose)) => {
                self.perform_entry(&Command::PastePose(PoseData::from(&pose)).into());
            }
            None => {}
        }
    }

    fn frame_all(&mut self, orbit: Orbit) {
        self.viewport.camera = self.viewport.scene.framing(orbit, self.viewport.view().aspect());
    }

    /// Frames the selected vertices, or the selected joint with its neighbors, or everything.
    fn frame_selection(&mut self) {
        let selection = self.session.document().selection();
        let frame = self.viewport.scene.evaluation().frame();
        let vertices = selection.vertices.iter().flat_map(|(instance, vertices)| {
            let positions = frame.deformed().get(*instance).map_or(&[][..], |s| &s.positions[..]);
            vertices.iter().filter_map(|vertex| positions.get(*vertex as usize).copied())
        });
        let mut points: Vec<_> = vertices.collect();
        if let (true, Some(joint)) = (points.is_empty(), selection.joint) {
            let skeleton = self.session.document().character().skeleton();
            let above = [Some(joint), skeleton.parent(joint)].into_iter().flatten();
            let near = above.chain(skeleton.children(joint));
            points.extend(near.map(|joint| sinew::glam::Vec3::from(frame.model().joint(joint).translation)));
        }
        let orbit = orbit_of(&self.viewport.camera);
        if points.is_empty() {
            return self.frame_all(orbit);
        }
        let aspect = self.viewport.view().aspect();
        let lens = CameraLens { aspect, margin: SELECTION_MARGIN, ..CameraLens::default() };
        self.viewport.camera = Camera::framing(points, orbit, lens);
    }

    /// Opens a character once the edits of the open one are saved or discarded, or a graph for the open one.
    pub(super) fn ask_or_open(&mut self, ctx: &egui::Context, source: DocumentSource) {
        if source.is_graph() {
            self.open(source);
        } else {
            self.ask_or_go_on(ctx, Deferred::Open(source));
        }
    }

    /// Opens a character, or a graph for the open one.
    pub(super) fn open(&mut self, source: DocumentSource) {
        if !source.is_graph() {
            self.perform_entry(&Command::Open(source).into());
            return;
        }
        match platform::text_of(&source) {
            Ok(text) => {
                let name = source.to_string();
                self.perform_entry(&Command::OpenGraph { name, text }.into());
            }
            Err(reason) => self.fail(reason),
        }
    }

    /// Renders by the software rasterizer, so that the same view gives the same bits on every machine.
    fn save_picture(&mut self, ctx: &egui::Context, path: &Path) {
        let size = self.viewport.rect.size() * ctx.pixels_per_point();
        let options = RenderOptions::new(size.x.max(1.0) as u32, size.y.max(1.0) as u32);
        let bytes = render(self.viewport.scene.scene(), &options).map_err(|e| e.to_string());
        let bytes = bytes.and_then(|picture| encode_png(&picture).map_err(|e| e.to_string()));
        self.tell(bytes.and_then(|bytes| platform::save(path, &bytes)));
    }

    /// Starts the export of the clip as an animated picture, seen by the current camera.
    fn begin_film(&mut self, path: PathBuf) {
        let size = self.viewport.rect.size();
        let view = FilmView {
            stage: self.viewport.scene.stage().clone(),
            camera: self.viewport.camera,
            width: size.x.max(1.0) as u32,
            height: size.y.max(1.0) as u32,
            followed_travel: self.viewport.followed_travel(),
        };
        match record_film(self.session.document(), view, FilmLimits::default()) {
            Ok(film) => self.jobs.film = Some(FilmExport::new(film, path)),
            Err(error) => self.fail(error.to_string()),
        }
    }

    /// Renders one frame of a film export; true while there is more to do.
    pub(super) fn continue_film(&mut self) -> bool {
        let Some(film) = self.jobs.film.take() else { return false };
        match film.step() {
            Ok(FilmStep::Working(film)) => {
                self.jobs.film = Some(*film);
                return true;
            }
            Ok(FilmStep::Done(film)) => self.tell(platform::save(&film.path, &film.bytes)),
            Err(error) => self.fail(error.to_string()),
        }
        false
    }
}

/// The direction from which a camera looks at its target.
fn orbit_of(camera: &Camera) -> Orbit {
    let offset = (camera.eye - camera.target).normalize_or(sinew::glam::Vec3::Z);
    Orbit { yaw_radians: offset.x.atan2(offset.z), pitch_radians: offset.y.clamp(-1.0, 1.0).asin() }
}
