//! What is asked for beside changes of the document.

use super::{
    Message, Studio,
    player::Stopped,
    requests::{Action, Arrival},
};
use crate::{
    command::{Command, PoseData},
    document::DocumentSource,
    export::export,
    platform,
    work::{TransferSource, WorkRequest},
};
use sinew_view::{
    camera::{Camera, Orbit},
    encode::encode_png,
    raster::{RenderOptions, render},
};
use std::path::Path;

impl Studio {
    pub(super) fn act(&mut self, ctx: &egui::Context, action: Action) {
        match action {
            Action::TogglePlay => {
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
            Action::Step(step) => self.step(step),
            Action::Fire(trigger) => self.player.fire(self.session.document(), &trigger),
            Action::RestartGraph => self.player.restart_graph(),
            Action::FrameAll => {
                let orbit = orbit_of(&self.viewport.camera);
                self.viewport.camera = self.shown.framing(orbit, self.viewport.lens().aspect());
            }
            Action::FrameSelection => self.frame_selection(),
            Action::View(orbit) => {
                self.viewport.camera = self.shown.framing(orbit, self.viewport.lens().aspect());
            }
            Action::CopyPose => {
                self.copied_pose = Some(PoseData::from(self.session.document().pose()));
                self.message = Some(Message::Done("The pose is copied.".into()));
            }
            Action::PastePose => {
                if let Some(pose) = self.copied_pose.clone() {
                    self.perform_entry(&Command::PastePose(pose).into());
                }
            }
            Action::Open(source) => self.open(source),
            Action::OpenRecent(path) => self.recent_files.open(ctx, &self.inbox, &path, Arrival::File),
            Action::AskFile => platform::ask_file(ctx, &self.inbox, Arrival::File),
            Action::AskPlace { proposed, then } => {
                platform::ask_place(ctx, &self.inbox, &proposed, move |path| Arrival::Act(then(path)));
            }
            Action::Save(path) => {
                let saved = self.session.document().to_saved().map_err(|e| e.to_string());
                self.tell(saved.and_then(|character| platform::keep_character(&path, &character)));
            }
            Action::Picture(path) => self.save_picture(ctx, &path),
            Action::Work(work) => self.begin_work(ctx, work),
            Action::AskGiver { instance, by } => {
                platform::ask_file(ctx, &self.inbox, move |found| match found {
                    Ok(source) => {
                        let from = TransferSource::Source(source);
                        Arrival::Act(Action::Work(WorkRequest::Transfer { instance, from, by }))
                    }
                    Err(reason) => Arrival::File(Err(reason)),
                });
            }
            Action::Film(path) => self.begin_film(path),
            Action::Export(format, path) => {
                let bytes = export(self.session.document(), format).map_err(|e| e.to_string());
                self.tell(bytes.and_then(|bytes| platform::keep(&path, &bytes)));
            }
            Action::Recover => self.recover(),
            Action::Forget => self.recovering.forget(),
            Action::ToggleHelp => self.is_help_open = !self.is_help_open,
            Action::ToggleTheme => {
                let is_dark = ctx.theme() == egui::Theme::Dark;
                self.remembered.is_dark = !is_dark;
                ctx.set_theme(if is_dark { egui::Theme::Light } else { egui::Theme::Dark });
            }
        }
    }

    fn frame_selection(&mut self) {
        let selection = self.session.document().selection();
        let frame = self.shown.evaluation().frame();
        let vertices = selection.vertices.iter().flat_map(|(instance, vertices)| {
            let positions = frame.deformed().get(*instance).map_or(&[][..], |s| &s.positions[..]);
            vertices.iter().filter_map(|vertex| positions.get(*vertex as usize).copied())
        });
        let mut points: Vec<_> = vertices.collect();
        if let (true, Some(joint)) = (points.is_empty(), selection.joint) {
            let skeleton = self.session.document().character().skeleton();
            let near =
                [Some(joint), skeleton.parent(joint)].into_iter().flatten().chain(skeleton.children(joint));
            points.extend(near.map(|joint| sinew::glam::Vec3::from(frame.model().joint(joint).translation)));
        }
        let orbit = orbit_of(&self.viewport.camera);
        let aspect = self.viewport.lens().aspect();
        self.viewport.camera = if points.is_empty() {
            self.shown.framing(orbit, aspect)
        } else {
            let lens = sinew_view::camera::CameraLens {
                aspect,
                margin: 0.4,
                ..sinew_view::camera::CameraLens::default()
            };
            Camera::framing(points, orbit, lens)
        };
    }

    /// Shows what became of something that was asked for.
    pub(super) fn tell(&mut self, outcome: Result<String, String>) {
        self.message = Some(match outcome {
            Ok(text) => Message::Done(text),
            Err(text) => Message::Failed(text),
        });
    }

    /// Takes what dialogs and the browser brought since the last frame.
    pub(super) fn take_arrivals(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.clone());
        if !dropped.is_empty() {
            platform::take_dropped(ctx, &self.inbox, &dropped, Arrival::File);
        }
        for arrival in self.inbox.take() {
            match arrival {
                Arrival::File(Ok(source)) => self.open(source),
                Arrival::File(Err(reason)) => self.tell(Err(reason)),
                Arrival::Act(action) => self.requests.act(action),
            }
        }
    }

    /// Opens a character, or a graph for the one that is open.
    fn open(&mut self, source: DocumentSource) {
        if !source.is_graph() {
            self.perform_entry(&Command::Open(source).into());
            return;
        }
        match platform::text_of(&source) {
            Ok(text) => {
                let name = source.to_string();
                self.perform_entry(&Command::OpenGraph { name, text }.into());
            }
            Err(reason) => self.tell(Err(reason)),
        }
    }

    /// By the software rasteriser, so that the same view gives the same bits on every machine.
    fn save_picture(&mut self, ctx: &egui::Context, path: &Path) {
        let size = self.viewport.rect.size() * ctx.pixels_per_point();
        let options = RenderOptions::new(size.x.max(1.0) as u32, size.y.max(1.0) as u32);
        let bytes = render(self.shown.scene(), &options).map_err(|e| e.to_string());
        let bytes = bytes.and_then(|picture| encode_png(&picture).map_err(|e| e.to_string()));
        self.tell(bytes.and_then(|bytes| platform::keep(path, &bytes)));
    }
}

/// The direction that a camera looks from.
fn orbit_of(camera: &Camera) -> Orbit {
    let offset = (camera.eye - camera.target).normalize_or(sinew::glam::Vec3::Z);
    Orbit { yaw_radians: offset.x.atan2(offset.z), pitch_radians: offset.y.clamp(-1.0, 1.0).asin() }
}
