//! The viewport: camera, tools, scenes and how they are drawn.

pub(super) mod camera;
mod canvas;
pub(super) mod contributions;
mod follow;
mod frame_pacer;
mod legend;
pub(super) mod look;
mod maps;
mod navigation;
mod overlay;
pub(super) mod scene;
mod update;

pub(super) use navigation::KEYS;

use super::{
    diagnosis::Diagnosis,
    player::Player,
    requests::Requests,
    tool::{ToolContext, Toolbox},
};
use crate::{document::Document, session::Session};
use camera::ViewportCamera;
use canvas::{Canvas, SharedGpuStatus};
use egui::Sense;
use egui_wgpu::wgpu::TextureFormat;
use follow::ViewportFollow;
use frame_pacer::{FrameMotion, FramePacer};
use look::LookOptions;
use scene::ViewportScene;
use sinew::{Character, glam::Vec3};
use sinew_view::{
    camera::{Camera, Orbit},
    theme::Theme,
};
use std::sync::Arc;

/// The maximum number of vertices with findings that are marked.
const MAX_RINGS: usize = 4000;

/// The state of the viewport. None of it is part of the document.
pub(super) struct Viewport {
    pub(super) camera: Camera,
    pub(super) toolbox: Toolbox,
    pub(super) look: LookOptions,
    /// The half of the viewport that the pointer works in, in points of the window.
    pub(super) rect: egui::Rect,
    pub(super) scene: ViewportScene,
    /// A second scene side by side with the first, during a comparison.
    compared: Option<ViewportScene>,
    /// The document's character and a copy with its helpers off, while the two are compared.
    without_helpers: Option<[Arc<Character>; 2]>,
    follow: ViewportFollow,
    pacer: FramePacer,
    gpu_status: SharedGpuStatus,
    /// The time of the last deformation on the GPU.
    pub(super) gpu_ms: f64,
    /// False until the camera frames a newly opened character.
    pub(super) is_framed: bool,
    /// True while a pointer button is down: a click may pick a vertex, so the CPU has to deform.
    is_pointer_down: bool,
    format: TextureFormat,
}

/// What the viewport shows.
#[derive(Clone, Copy)]
pub(super) struct ViewportSources<'a> {
    pub(super) session: &'a Session,
    pub(super) player: &'a Player,
    pub(super) diagnosis: &'a Diagnosis,
}

/// The input of tools in one frame.
pub(super) struct ViewportInput<'a> {
    pub(super) document: &'a Document,
    pub(super) scene: &'a ViewportScene,
    pub(super) is_playing: bool,
}

impl Viewport {
    pub(super) fn new(session: &Session, format: TextureFormat) -> Self {
        Self {
            camera: Camera::default(),
            toolbox: Toolbox::default(),
            look: LookOptions::default(),
            rect: egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(800.0, 600.0)),
            scene: ViewportScene::new(session),
            compared: None,
            without_helpers: None,
            follow: ViewportFollow::default(),
            pacer: FramePacer::default(),
            gpu_status: SharedGpuStatus::default(),
            gpu_ms: 0.0,
            is_framed: false,
            is_pointer_down: false,
            format,
        }
    }

    /// Always draws at full detail, however slow frames are.
    pub(super) fn always_draw_full_detail(&mut self) {
        self.pacer = FramePacer::full_detail();
    }

    /// Starts again with another session.
    pub(super) fn reset(&mut self, session: &Session) {
        self.scene = ViewportScene::new(session);
        self.compared = None;
        self.reset_document();
    }

    /// Another character is open: frames it, and ends what the user did to the one before.
    pub(super) fn reset_document(&mut self) {
        self.toolbox.drop_modal();
        self.is_framed = false;
    }

    /// The camera and the half of the viewport that the pointer works in.
    pub(super) fn view(&self) -> ViewportCamera {
        ViewportCamera { camera: self.camera, rect: self.rect }
    }

    /// The distance that the camera follows, in meters; `None` if it does not follow.
    pub(super) fn followed_travel(&self) -> Option<Vec3> {
        self.look.follow.then(|| self.follow.traveled())
    }

    /// True while less is drawn because frames come late.
    pub(super) fn is_reduced(&self) -> bool {
        self.pacer.is_reduced()
    }

    /// Takes note of the pointer and of the time since the last frame.
    pub(super) fn note_frame(&mut self, ctx: &egui::Context, is_pointer_down: bool, is_playing: bool) {
        self.is_pointer_down = is_pointer_down;
        let is_dragging = is_pointer_down && ctx.input(|i| i.pointer.delta() != egui::Vec2::ZERO);
        let motion = match (is_playing || is_dragging, is_pointer_down) {
            (true, _) => FrameMotion::Moving,
            (false, true) => FrameMotion::Held,
            (false, false) => FrameMotion::Still,
        };
        self.pacer.note(ctx.input(|i| i.unstable_dt), motion);
    }

    /// Draws the viewport into the rest of `ui` and turns the pointer's input into requests. Returns what failed.
    pub(super) fn show(
        &mut self,
        ui: &mut egui::Ui,
        sources: ViewportSources<'_>,
        requests: &mut Requests,
    ) -> Vec<String> {
        let mut failures = Vec::new();
        if !self.is_framed {
            self.is_framed = true;
            let size = ui.available_size();
            failures.extend(self.update(sources).err());
            self.camera = self.scene.framing(Orbit::THREE_QUARTER, size.x / size.y.max(1.0));
        }
        self.look.theme = if ui.visuals().dark_mode { Theme::Dark } else { Theme::Light };
        failures.extend(self.update(sources).err());
        self.draw_and_use(ui, sources, requests);
        let reported = self.read_gpu_status();
        if !reported.is_empty() {
            // The message line is above the viewport, so this frame has drawn it already.
            ui.ctx().request_repaint();
        }
        failures.extend(reported);
        failures
    }

    fn draw_and_use(&mut self, ui: &mut egui::Ui, sources: ViewportSources<'_>, requests: &mut Requests) {
        let (rect, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, "Viewport"));
        self.choose_half(ui, rect, &response);
        self.draw_scenes(ui, rect, sources);
        let document = sources.session.document();
        let input = ViewportInput { document, scene: &self.scene, is_playing: sources.player.is_playing() };
        let view = self.view();
        self.toolbox.hover(&ToolContext { ui, response: &response, view, input: &input });
        navigation::navigate(&mut self.camera, &self.toolbox, ui, &response);
        let view = ViewportCamera { camera: self.camera, rect: self.rect };
        let context = ToolContext { ui, response: &response, view, input: &input };
        self.toolbox.use_on(&context, requests);
        self.toolbox.draw(&context);
    }

    /// The half under the pointer receives clicks and drags, until the button is released.
    fn choose_half(&mut self, ui: &egui::Ui, rect: egui::Rect, response: &egui::Response) {
        let is_split = self.compared.is_some();
        let is_busy =
            self.toolbox.is_modal() || ui.input(|i| i.pointer.any_down() || i.pointer.any_released());
        let halves = [half(rect, 0, is_split), half(rect, 1, is_split)];
        let is_here = |one: &egui::Rect| response.hover_pos().is_some_and(|at| one.contains(at));
        let has_moved = !halves.contains(&self.rect);
        if has_moved || !is_busy {
            self.rect = halves.into_iter().find(is_here).unwrap_or(halves[0]);
        }
    }

    fn draw_scenes(&self, ui: &egui::Ui, rect: egui::Rect, sources: ViewportSources<'_>) {
        let document = sources.session.document();
        let marked: Vec<_> = sources.diagnosis.marked(document).take(MAX_RINGS).collect();
        let captions = self.captions();
        for (index, scene) in [Some(&self.scene), self.compared.as_ref()].into_iter().flatten().enumerate() {
            let rect = half(rect, index, self.compared.is_some());
            self.draw_canvas(ui, rect, index, scene);
            let view = ViewportCamera { camera: self.camera, rect };
            overlay::draw_marked(ui, &view, &marked, scene);
            overlay::draw_selection(ui, &view, document, scene);
            if let Some(legend) = scene.legend(document) {
                legend::draw(ui, rect, &legend);
            }
            if let Some(captions) = &captions {
                overlay::draw_caption(ui, rect, &captions[index]);
            }
        }
    }

    fn draw_canvas(&self, ui: &egui::Ui, rect: egui::Rect, index: usize, scene: &ViewportScene) {
        let pixels = rect.size() * ui.pixels_per_point() * if self.is_reduced() { 0.5 } else { 1.0 };
        let canvas = Canvas {
            scene: Arc::clone(scene.scene()),
            size: (pixels.x.round().max(1.0) as u32, pixels.y.round().max(1.0) as u32),
            index,
            format: self.format,
            deformation: scene.gpu_deformation().cloned(),
            status: Arc::clone(&self.gpu_status),
        };
        ui.painter().add(egui_wgpu::Callback::new_paint_callback(rect, canvas));
    }
}

/// The left or right half of a split viewport, or the whole viewport.
fn half(rect: egui::Rect, index: usize, is_split: bool) -> egui::Rect {
    if !is_split {
        return rect;
    }
    let (left, right) = rect.split_left_right_at_fraction(0.5);
    if index == 0 { left } else { right }
}
