//! The view of the scene: camera, picking, painting.

use super::{
    canvas::{Canvas, Complaint},
    grab::{Grab, GrabKind},
    lens::Lens,
    requests::Requests,
    shown::Shown,
};
use crate::{
    command::{BrushShape, Command, How, Stroke},
    document::Document,
};
use egui::{Key, PointerButton, Sense};
use egui_wgpu::wgpu::TextureFormat;
use sinew::glam::{Vec2, Vec3};
use sinew_view::camera::Camera;
use std::sync::Arc;

/// What a click in the view does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tool {
    #[default]
    Pose,
    Vertices,
    Paint,
}

impl Tool {
    pub(super) const ALL: [Self; 3] = [Self::Pose, Self::Vertices, Self::Paint];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Pose => "Pose",
            Self::Vertices => "Vertices",
            Self::Paint => "Paint",
        }
    }

    pub(super) const fn hint(self) -> &'static str {
        match self {
            Self::Pose => "Click a bone; R, G, S turn, move and scale it",
            Self::Vertices => "Click vertices; Shift adds, Shift-drag takes a box",
            Self::Paint => "Drag over the skin to paint the selected joint's weight",
        }
    }
}

/// The brush of the paint tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BrushOptions {
    pub(super) shape: BrushShape,
    pub(super) amount: f32,
    /// Share of the view's height.
    pub(super) radius: f32,
    pub(super) most: usize,
    pub(super) mirrored: bool,
}

impl Default for BrushOptions {
    fn default() -> Self {
        Self { shape: BrushShape::Add, amount: 0.1, radius: 0.05, most: 4, mirrored: false }
    }
}

/// The view's own state; none of it is part of the document.
pub(super) struct Viewport {
    pub(super) camera: Camera,
    pub(super) tool: Tool,
    pub(super) brush: BrushOptions,
    pub(super) grab: Option<Grab>,
    pub(super) complaint: Complaint,
    pub(super) rect: egui::Rect,
    format: TextureFormat,
    /// Where a box was begun, and where the pointer was last.
    drag_box: Option<(egui::Pos2, egui::Pos2)>,
}

/// What a frame of the view needs beside its own state.
pub(super) struct Sight<'a> {
    pub(super) document: &'a Document,
    pub(super) shown: &'a Shown,
    /// The same by another method, for a second view beside the first.
    pub(super) compared: Option<&'a Shown>,
    pub(super) is_playing: bool,
    pub(super) next_gesture: u64,
}

impl Viewport {
    pub(super) fn new(format: TextureFormat) -> Self {
        Self {
            camera: Camera::default(),
            tool: Tool::Pose,
            brush: BrushOptions::default(),
            grab: None,
            complaint: Complaint::default(),
            rect: egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(800.0, 600.0)),
            format,
            drag_box: None,
        }
    }

    pub(super) fn lens(&self) -> Lens {
        Lens { camera: self.camera, rect: self.rect }
    }

    /// Draws the view into all that is left of `ui` and turns what the pointer does into requests.
    pub(super) fn show(&mut self, ui: &mut egui::Ui, sight: &Sight<'_>, requests: &mut Requests) {
        let (rect, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, "View of the character"));
        self.choose_half(ui, rect, &response, sight.compared.is_some());
        for (place, shown) in [Some(sight.shown), sight.compared].into_iter().flatten().enumerate() {
            self.draw_scene(ui, half(rect, place, sight.compared.is_some()), place, shown, sight);
        }
        self.look_around(ui, &response);
        if self.grab.is_some() {
            self.follow_grab(ui, &response, requests);
        } else if !sight.is_playing {
            self.begin_grab(ui, &response, sight);
            self.use_tool(ui, &response, sight, requests);
        }
        self.draw_marks(ui, &response);
    }

    /// The view under the pointer is the one that clicks and drags are meant for, until the button is let go.
    fn choose_half(&mut self, ui: &egui::Ui, rect: egui::Rect, response: &egui::Response, is_split: bool) {
        let is_busy = self.grab.is_some() || ui.input(|i| i.pointer.any_down() || i.pointer.any_released());
        let halves = [half(rect, 0, is_split), half(rect, 1, is_split)];
        let is_here = |one: &egui::Rect| response.hover_pos().is_some_and(|at| one.contains(at));
        let has_moved = !halves.contains(&self.rect);
        if has_moved || !is_busy {
            self.rect = halves.into_iter().find(is_here).unwrap_or(halves[0]);
        }
    }

    fn draw_scene(&self, ui: &egui::Ui, rect: egui::Rect, place: usize, shown: &Shown, sight: &Sight<'_>) {
        let pixels = rect.size() * ui.pixels_per_point();
        let size = (pixels.x.round().max(1.0) as u32, pixels.y.round().max(1.0) as u32);
        let (scene, complaint) = (Arc::clone(shown.scene()), Arc::clone(&self.complaint));
        let canvas = Canvas { scene, size, place, format: self.format, complaint };
        ui.painter().add(egui_wgpu::Callback::new_paint_callback(rect, canvas));
        draw_selection(ui, &Lens { camera: self.camera, rect }, sight.document, shown);
        if sight.compared.is_none() {
            return;
        }
        let apart = if place == 0 {
            String::new()
        } else {
            format!(": up to {:.2} mm from {}", shown.distance_from(sight.shown) * 1e3, sight.shown.method())
        };
        let font = egui::FontId::proportional(13.0);
        let at = rect.left_top() + egui::vec2(10.0, 8.0);
        let text = format!("{}{apart}", shown.method());
        ui.painter().text(at, egui::Align2::LEFT_TOP, text, font, ui.visuals().strong_text_color());
        let line = ui.visuals().widgets.noninteractive.bg_stroke;
        ui.painter().vline(rect.right(), rect.y_range(), line);
    }

    fn look_around(&mut self, ui: &egui::Ui, response: &egui::Response) {
        let shift = ui.input(|i| i.modifiers.shift);
        let is_free = self.grab.is_none() && self.tool != Tool::Paint && !shift;
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

    fn begin_grab(&mut self, ui: &egui::Ui, response: &egui::Response, sight: &Sight<'_>) {
        let Some(joint) = sight.document.selection().joint else { return };
        let (Some(at), true) = (response.hover_pos(), !ui.ctx().egui_wants_keyboard_input()) else { return };
        let kinds = [(Key::G, GrabKind::Move), (Key::R, GrabKind::Rotate), (Key::S, GrabKind::Scale)];
        let pressed = |key| ui.input(|i| i.key_pressed(key) && i.modifiers.is_none());
        if let Some((_, kind)) = kinds.into_iter().find(|(key, _)| pressed(*key)) {
            let skeleton = sight.document.character().skeleton();
            let model = sight.shown.evaluation().frame().model();
            let Some(&start) = sight.document.pose().joints.get(joint.index()) else { return };
            self.grab = Some(Grab::new(kind, sight.next_gesture, joint, (skeleton, model, start), at));
        }
    }

    fn follow_grab(&mut self, ui: &egui::Ui, response: &egui::Response, requests: &mut Requests) {
        let lens = self.lens();
        let Some(grab) = &mut self.grab else { return };
        let axes = [(Key::X, Vec3::X), (Key::Y, Vec3::Y), (Key::Z, Vec3::Z)];
        let chosen = axes.into_iter().find(|(key, _)| ui.input(|i| i.key_pressed(*key)));
        if let Some((_, axis)) = chosen {
            grab.axis = if grab.axis == Some(axis) { None } else { Some(axis) };
        }
        let (moved, done, given_up) = ui.input(|i| {
            (
                i.pointer.delta() != egui::Vec2::ZERO,
                i.pointer.primary_clicked() || i.key_pressed(Key::Enter),
                i.key_pressed(Key::Escape) || i.pointer.secondary_clicked(),
            )
        });
        if given_up {
            if grab.has_moved {
                requests.undo();
            }
            self.grab = None;
            return;
        }
        if let (true, Some(at)) = (moved || chosen.is_some(), response.hover_pos())
            && let Some(command) = grab.command(&lens, at)
        {
            requests.command_in(grab.gesture, command);
            grab.has_moved = true;
        }
        if done {
            self.grab = None;
        }
    }

    fn use_tool(
        &mut self,
        ui: &egui::Ui,
        response: &egui::Response,
        sight: &Sight<'_>,
        requests: &mut Requests,
    ) {
        let (scene, stage) = (sight.shown.scene(), sight.shown.stage());
        let clicked = response.clicked().then(|| response.interact_pointer_pos()).flatten();
        let shift = ui.input(|i| i.modifiers.shift);
        match (self.tool, clicked) {
            (Tool::Pose, Some(at)) => {
                let joint = self.lens().joint_at(scene, stage, at);
                if joint != sight.document.selection().joint {
                    requests.command(Command::SelectJoint(joint.map(|j| j.0)));
                }
            }
            (Tool::Vertices, Some(at)) => match self.lens().vertex_at(scene, stage, at) {
                Some(hit) => {
                    let how = if shift { How::Add } else { How::Replace };
                    let (instance, vertices) = (hit.instance, vec![hit.vertex]);
                    requests.command(Command::SelectVertices { instance, vertices, how });
                }
                None if !shift && sight.document.selection().vertex_count() > 0 => {
                    requests.command(Command::ClearVertices);
                }
                None => {}
            },
            (Tool::Vertices, None) => self.take_box(response, sight, shift, requests),
            (Tool::Paint, _) => self.paint(response, sight, requests),
            (Tool::Pose, None) => {}
        }
    }

    /// Shift and drag: every vertex in the rectangle, in front and behind.
    fn take_box(
        &mut self,
        response: &egui::Response,
        sight: &Sight<'_>,
        shift: bool,
        requests: &mut Requests,
    ) {
        if response.drag_started_by(PointerButton::Primary) && shift {
            // A drag is known as one some points after the press.
            let from = response.ctx.input(|i| i.pointer.press_origin());
            self.drag_box = from.map(|at| (at, at));
        }
        if let (Some((_, to)), Some(at)) = (&mut self.drag_box, response.interact_pointer_pos()) {
            *to = at;
        }
        if !response.drag_stopped() {
            return;
        }
        let Some((from, to)) = self.drag_box.take() else { return };
        let (area, lens) = (egui::Rect::from_two_pos(from, to), self.lens());
        for (instance, streams) in sight.shown.evaluation().frame().deformed().iter().enumerate() {
            let inside = |point: &Vec3| lens.place(*point).is_some_and(|at| area.contains(at));
            let found = streams.positions.iter().enumerate().filter(|(_, point)| inside(point));
            let vertices: Vec<u32> = found.map(|(vertex, _)| vertex as u32).collect();
            if !vertices.is_empty() {
                requests.command(Command::SelectVertices { instance, vertices, how: How::Add });
            }
        }
    }

    fn paint(&self, response: &egui::Response, sight: &Sight<'_>, requests: &mut Requests) {
        let is_down = response.is_pointer_button_down_on() && !response.dragged_by(PointerButton::Secondary);
        let moved =
            response.drag_delta() != egui::Vec2::ZERO || response.drag_started() || response.clicked();
        let (Some(at), Some(joint)) = (response.interact_pointer_pos(), sight.document.selection().joint)
        else {
            return;
        };
        if !(is_down || response.clicked()) || !moved || response.dragged_by(PointerButton::Middle) {
            return;
        }
        let Some(hit) = self.lens().vertex_at(sight.shown.scene(), sight.shown.stage(), at) else { return };
        let positions = &sight.shown.evaluation().frame().deformed()[hit.instance].positions;
        let radius = self.brush_radius_metres(hit.position);
        let falloff = |point: &Vec3| (1.0 - (point.distance(hit.position) / radius).powi(2)).max(0.0);
        let under = positions.iter().enumerate().map(|(vertex, point)| (vertex as u32, falloff(point)));
        let dabs = vec![under.filter(|dab| dab.1 > 0.0).collect()];
        let BrushOptions { shape, amount, most, mirrored, .. } = self.brush;
        let (instance, joint) = (hit.instance, joint.0);
        requests.command(Command::Paint(Stroke {
            instance,
            joint,
            brush: shape,
            amount,
            most,
            mirrored,
            dabs,
        }));
    }

    fn brush_radius_metres(&self, at: Vec3) -> f32 {
        let edge = |x: f32| self.camera.ray(Vec2::new(0.0, x), 1.0).direction;
        let spread = (edge(1.0) - edge(-1.0)).length();
        (at.distance(self.camera.eye) * spread * self.brush.radius).max(1e-6)
    }

    fn draw_marks(&self, ui: &egui::Ui, response: &egui::Response) {
        let painter = ui.painter().with_clip_rect(self.rect);
        let accent = ui.visuals().selection.stroke.color;
        if let Some((from, to)) = self.drag_box {
            let area = egui::Rect::from_two_pos(from, to);
            painter.rect_stroke(area, 0.0, (1.0, accent), egui::StrokeKind::Inside);
        }
        if let (Tool::Paint, Some(at)) = (self.tool, response.hover_pos()) {
            painter.circle_stroke(at, self.brush.radius * self.rect.height(), (1.5, accent));
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
fn draw_selection(ui: &egui::Ui, lens: &Lens, document: &Document, shown: &Shown) {
    const MOST_MARKS: usize = 4000;
    let painter = ui.painter().with_clip_rect(lens.rect);
    let accent = ui.visuals().selection.stroke.color;
    for (instance, vertices) in &document.selection().vertices {
        let Some(streams) = shown.evaluation().frame().deformed().get(*instance) else { continue };
        for vertex in vertices.iter().take(MOST_MARKS) {
            let point = streams.positions.get(*vertex as usize);
            if let Some(at) = point.and_then(|point| lens.place(*point)) {
                painter.circle(at, 3.0, accent, (1.0, egui::Color32::BLACK));
            }
        }
    }
}
