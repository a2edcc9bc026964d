//! Orbit, pan and zoom.

use crate::app::{tool::Toolbox, window_commands::KeyHelp};
use egui::PointerButton;
use sinew::glam::Vec2;
use sinew_view::camera::Camera;

/// The mouse gestures of the camera.
pub(in crate::app) const KEYS: [KeyHelp; 3] = [
    KeyHelp { keys: "Drag, or middle drag with every tool", action: "orbit" },
    KeyHelp { keys: "Right drag, or Shift + middle drag", action: "pan" },
    KeyHelp { keys: "Wheel or pinch", action: "zoom" },
];

/// Moves the camera with the pointer, unless the drag belongs to a tool.
pub(super) fn navigate(camera: &mut Camera, toolbox: &Toolbox, ui: &egui::Ui, response: &egui::Response) {
    let modifiers = ui.input(|i| i.modifiers);
    let is_free = !toolbox.takes_drags(modifiers);
    let is_middle = response.dragged_by(PointerButton::Middle);
    let orbits = (response.dragged_by(PointerButton::Primary) && is_free) || (is_middle && !modifiers.shift);
    let pans = response.dragged_by(PointerButton::Secondary) || (is_middle && modifiers.shift);
    let drag = response.drag_delta();
    if orbits {
        camera.orbit(-drag.x * 0.008, drag.y * 0.008);
    } else if pans {
        let height = response.rect.height().max(1.0);
        camera.pan(Vec2::new(-drag.x, drag.y) / height);
    }
    if response.hovered() {
        let (scroll, pinch) = ui.input(|i| (i.smooth_scroll_delta().y, i.zoom_delta()));
        if scroll != 0.0 || pinch != 1.0 {
            camera.zoom((-scroll * 0.002).exp() / pinch);
        }
    }
}
