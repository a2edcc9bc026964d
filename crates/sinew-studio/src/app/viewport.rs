//! The view of the scene: camera, halves, what is selected.

use super::{
    canvas::{Canvas, SharedNews},
    legend,
    lens::ViewportCamera,
    requests::Requests,
    shown::ShownScene,
    tool::{ToolContext, Tools},
};
use crate::document::Document;
use egui::{PointerButton, Sense};
use egui_wgpu::wgpu::TextureFormat;
use sinew::glam::Vec2;
use sinew_view::camera::Camera;
use std::sync::Arc;

/// The view's own state; none of it is part of the document.
pub(super) struct Viewport {
    pub(super) camera: Camera,
    pub(super) tools: Tools,
    pub(super) news: SharedNews,
    pub(super) rect: egui::Rect,
    format: TextureFormat,
}

/// What a frame of the view needs beside its own state.
pub(super) struct ViewportInput<'a> {
    pub(super) document: &'a Document,
    pub(super) shown: &'a ShownScene,
    /// The same by another method, for a second view beside the first.
    pub(super) compared: Option<&'a ShownScene>,
    /// Vertices of instances that something is wrong with.
    pub(super) faulty: &'a [(usize, u32)],
    /// What the two views are called while there are two.
    pub(super) captions: Option<[String; 2]>,
    pub(super) is_playing: bool,
    /// True where half the pixels each way must do.
    pub(super) is_brief: bool,
    pub(super) next_gesture: u64,
}

impl Viewport {
    pub(super) fn new(format: TextureFormat) -> Self {
        Self {
            camera: Camera::default(),
            tools: Tools::default(),
            news: SharedNews::default(),
            rect: egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(800.0, 600.0)),
            format,
        }
    }

    pub(super) fn lens(&self) -> ViewportCamera {
        ViewportCamera { camera: self.camera, rect: self.rect }
    }

    /// Draws the view into all that is left of `ui` and turns what the pointer does into requests.
    pub(super) fn show(&mut self, ui: &mut egui::Ui, sight: &ViewportInput<'_>, requests: &mut Requests) {
        let (rect, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, "View of the character"));
        self.choose_half(ui, rect, &response, sight.compared.is_some());
        for (place, shown) in [Some(sight.shown), sight.compared].into_iter().flatten().enumerate() {
            self.draw_scene(ui, half(rect, place, sight.compared.is_some()), place, shown, sight);
        }
        self.tools.hover(&ToolContext { ui, response: &response, lens: self.lens(), sight });
        self.look_around(ui, &response);
        let hand = ToolContext { ui, response: &response, lens: self.lens(), sight };
        self.tools.use_on(&hand, requests);
        self.tools.draw(&hand);
    }

    /// The view under the pointer is the one that clicks and drags are meant for, until the button is let go.
    fn choose_half(&mut self, ui: &egui::Ui, rect: egui::Rect, response: &egui::Response, is_split: bool) {
        let is_busy = self.tools.is_busy() || ui.input(|i| i.pointer.any_down() || i.pointer.any_released());
        let halves = [half(rect, 0, is_split), half(rect, 1, is_split)];
        let is_here = |one: &egui::Rect| response.hover_pos().is_some_and(|at| one.contains(at));
        let has_moved = !halves.contains(&self.rect);
        if has_moved || !is_busy {
            self.rect = halves.into_iter().find(is_here).unwrap_or(halves[0]);
        }
    }

    fn draw_scene(
        &self,
        ui: &egui::Ui,
        rect: egui::Rect,
        place: usize,
        shown: &ShownScene,
        sight: &ViewportInput<'_>,
    ) {
        let pixels = rect.size() * ui.pixels_per_point() * if sight.is_brief { 0.5 } else { 1.0 };
        let size = (pixels.x.round().max(1.0) as u32, pixels.y.round().max(1.0) as u32);
        let (scene, news) = (Arc::clone(shown.scene()), Arc::clone(&self.news));
        let canvas = Canvas { scene, size, place, format: self.format, card: shown.card().cloned(), news };
        ui.painter().add(egui_wgpu::Callback::new_paint_callback(rect, canvas));
        let lens = ViewportCamera { camera: self.camera, rect };
        draw_faulty(ui, &lens, sight.faulty, shown);
        draw_selection(ui, &lens, sight.document, shown);
        if let Some(legend) = shown.legend(sight.document) {
            legend::draw(ui, rect, &legend);
        }
        let Some(captions) = &sight.captions else { return };
        let text = match (place, &captions[place]) {
            (0, caption) => caption.clone(),
            (_, caption) => {
                let apart_mm = shown.distance_from(sight.shown) * 1e3;
                format!("{caption}: up to {apart_mm:.2} mm from {}", captions[0])
            }
        };
        let font = egui::FontId::proportional(13.0);
        let at = rect.left_top() + egui::vec2(10.0, 8.0);
        ui.painter().text(at, egui::Align2::LEFT_TOP, text, font, ui.visuals().strong_text_color());
        let line = ui.visuals().widgets.noninteractive.bg_stroke;
        ui.painter().vline(rect.right(), rect.y_range(), line);
    }

    fn look_around(&mut self, ui: &egui::Ui, response: &egui::Response) {
        let modifiers = ui.input(|i| i.modifiers);
        let (shift, is_free) = (modifiers.shift, !self.tools.takes_drags(modifiers));
        let orbits = (response.dragged_by(PointerButton::Primary) && is_free)
            || (response.dragged_by(PointerButton::Middle) && !shift);
        let pans = response.dragged_by(PointerButton::Secondary)
            || (response.dragged_by(PointerButton::Middle) && shift);
        let drag = response.drag_delta();
        if orbits {
            self.camera.orbit(-drag.x * 0.008, drag.y * 0.008);
        } else if pans {
            let height = response.rect.height().max(1.0);
            self.camera.pan(Vec2::new(-drag.x, drag.y) / height);
        }
        if response.hovered() {
            let (scroll, pinch) = ui.input(|i| (i.smooth_scroll_delta().y, i.zoom_delta()));
            if scroll != 0.0 || pinch != 1.0 {
                self.camera.zoom((-scroll * 0.002).exp() / pinch);
            }
        }
    }
}

/// The left or right half of a view that is split, or all of one that is not.
fn half(rect: egui::Rect, place: usize, is_split: bool) -> egui::Rect {
    if !is_split {
        return rect;
    }
    let (left, right) = rect.split_left_right_at_fraction(0.5);
    if place == 0 { left } else { right }
}

/// Dots on the selected vertices.
fn draw_selection(ui: &egui::Ui, lens: &ViewportCamera, document: &Document, shown: &ShownScene) {
    const MOST_MARKS: usize = 4000;
    let painter = ui.painter().with_clip_rect(lens.rect);
    let accent = ui.visuals().selection.stroke.color;
    let radius = if document.selection().vertex_count() > 300 { 1.5 } else { 3.0 };
    for (instance, vertices) in &document.selection().vertices {
        let Some(streams) = shown.evaluation().frame().deformed().get(*instance) else { continue };
        for vertex in vertices.iter().take(MOST_MARKS) {
            let point = streams.positions.get(*vertex as usize);
            if let Some(at) = point.and_then(|point| lens.place(*point)) {
                painter.circle(at, radius, accent, (radius * 0.3, egui::Color32::BLACK));
            }
        }
    }
}

/// Rings around the vertices that something is wrong with.
fn draw_faulty(ui: &egui::Ui, lens: &ViewportCamera, faulty: &[(usize, u32)], shown: &ShownScene) {
    let painter = ui.painter().with_clip_rect(lens.rect);
    let color = ui.visuals().error_fg_color;
    let deformed = shown.evaluation().frame().deformed();
    for (instance, vertex) in faulty {
        let point = deformed.get(*instance).and_then(|streams| streams.positions.get(*vertex as usize));
        if let Some(at) = point.and_then(|point| lens.place(*point)) {
            painter.circle_stroke(at, 4.5, (1.5, color));
        }
    }
}
