//! Keys that animators know, and the page that lists them.

use super::requests::{Action, PendingAction, Requests};
use crate::command::Command;
use egui::{Key, Modifiers};
use sinew_view::camera::Orbit;

/// Keys and what they do, as the help shows them.
const KEYS: [(&str, &str); 18] = [
    ("Drag a ring or arrow", "turn, move or scale the selected joint; Ctrl snaps turns to 15°"),
    ("I", "reach: drag a joint, those above it turn (IK)"),
    ("G, R, S", "move, rotate, scale the selected joint; then X, Y, Z bind it to an axis"),
    ("Click or Enter / Esc", "keep / give up what G, R, S did"),
    ("K", "key the pose into the clip"),
    ("Space", "play or pause"),
    (", / .", "one frame back or on; with Shift to the key before or after"),
    ("Home / End", "the start / end of the clip or of the part that is played"),
    ("F / Shift+F", "frame the selection / all"),
    ("1, 3, 7, 0", "front, side, top, three-quarter view"),
    ("Drag", "turn the view (middle button with every tool)"),
    ("Right drag", "slide the view"),
    ("Wheel", "nearer or further"),
    ("Ctrl+Z / Ctrl+Y", "undo / redo"),
    ("Ctrl+C / Ctrl+V", "copy / paste the pose"),
    ("Shift / Ctrl", "click or drag a box or lasso: add / take away vertices"),
    ("Ctrl+Q", "close the window"),
    ("?", "this page"),
];

/// Turns keys into requests, unless a text field wants them.
pub(super) fn listen(ctx: &egui::Context, is_grabbing: bool, requests: &mut Requests) {
    if ctx.egui_wants_keyboard_input() {
        return;
    }
    let taken = |modifiers, key| ctx.input_mut(|i| i.consume_key(modifiers, key));
    if is_grabbing {
        return;
    }
    if taken(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z) || taken(Modifiers::COMMAND, Key::Y) {
        requests.redo();
    }
    if taken(Modifiers::COMMAND, Key::Z) {
        requests.undo();
    }
    if taken(Modifiers::COMMAND, Key::Q) {
        ctx.send_viewport_cmd(egui::ViewportCommand::Close);
    }
    // Window toolkits turn these two into events of their own.
    let (copies, pastes) = ctx.input(|i| {
        let has = |wanted: fn(&egui::Event) -> bool| i.events.iter().any(wanted);
        (has(|e| matches!(e, egui::Event::Copy)), has(|e| matches!(e, egui::Event::Paste(_))))
    });
    let actions = [
        (copies, Action::CopyPose),
        (pastes, Action::PastePose),
        (taken(Modifiers::NONE, Key::Space), Action::TogglePlay),
        (taken(Modifiers::SHIFT, Key::F), Action::FrameAll),
        (taken(Modifiers::NONE, Key::F), Action::FrameSelection),
        (taken(Modifiers::NONE, Key::Num1), Action::View(Orbit::FRONT)),
        (taken(Modifiers::NONE, Key::Num3), Action::View(Orbit::SIDE)),
        (taken(Modifiers::NONE, Key::Num7), Action::View(Orbit::degrees(0.0, 90.0))),
        (taken(Modifiers::NONE, Key::Num0), Action::View(Orbit::THREE_QUARTER)),
        (
            taken(Modifiers::NONE, Key::Questionmark) || taken(Modifiers::SHIFT, Key::Questionmark),
            Action::ToggleHelp,
        ),
    ];
    actions.into_iter().filter(|(is_pressed, _)| *is_pressed).for_each(|(_, action)| requests.act(action));
    let shifted = |key| taken(Modifiers::SHIFT, key);
    // With Shift some keyboards give another character for the same key.
    let steps = [
        (shifted(Key::Comma), PendingAction::Key { is_back: true }),
        (shifted(Key::Period), PendingAction::Key { is_back: false }),
        (taken(Modifiers::NONE, Key::Comma), PendingAction::Frame { is_back: true }),
        (taken(Modifiers::NONE, Key::Period), PendingAction::Frame { is_back: false }),
        (taken(Modifiers::NONE, Key::Home), PendingAction::Start),
        (taken(Modifiers::NONE, Key::End), PendingAction::End),
    ];
    steps
        .into_iter()
        .filter(|(is_pressed, _)| *is_pressed)
        .for_each(|(_, step)| requests.act(Action::Step(step)));
    if taken(Modifiers::NONE, Key::K) {
        requests.command(Command::KeyPose);
    }
}

/// The page of keys, while `is_open`.
pub(super) fn help(ctx: &egui::Context, is_open: &mut bool) {
    let window = egui::Window::new("Keys").open(is_open).collapsible(false).resizable(false);
    window.anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0]).show(ctx, |ui| {
        egui::Grid::new("keys").num_columns(2).spacing([24.0, 6.0]).show(ui, |ui| {
            for (keys, meaning) in KEYS {
                ui.strong(keys);
                ui.label(meaning);
                ui.end_row();
            }
        });
    });
}
