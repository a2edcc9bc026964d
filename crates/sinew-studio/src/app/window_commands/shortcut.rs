//! Keyboard shortcuts of the command table.

use super::{ALL, WindowCommand};
use crate::app::requests::Requests;
use egui::{Event, Key, Modifiers};
use std::path::Path;

/// A key combination that runs a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shortcut {
    Key(Modifiers, Key),
    /// Ctrl+C, which window toolkits deliver as an event of its own.
    Copy,
    /// Ctrl+V, which window toolkits deliver as an event of its own.
    Paste,
}

impl Shortcut {
    pub(super) const fn new(modifiers: Modifiers, key: Key) -> Self {
        Self::Key(modifiers, key)
    }

    pub(super) const fn plain(key: Key) -> Self {
        Self::Key(Modifiers::NONE, key)
    }

    /// The combination as text, such as `Ctrl+Shift+Z`.
    pub(super) fn label(&self) -> String {
        let (modifiers, key) = match *self {
            Self::Key(modifiers, key) => (modifiers, key_label(key)),
            Self::Copy => (Modifiers::COMMAND, "C"),
            Self::Paste => (Modifiers::COMMAND, "V"),
        };
        let names = [(modifiers.command, "Ctrl"), (modifiers.shift, "Shift")];
        let held = names.into_iter().filter(|(is_held, _)| *is_held).map(|(_, name)| name);
        held.chain([key]).collect::<Vec<_>>().join("+")
    }

    /// The number of modifier keys: combinations with more of them are tried first, because egui ignores a held Shift.
    fn specificity(&self) -> u8 {
        match self {
            Self::Key(modifiers, _) => u8::from(modifiers.command) + u8::from(modifiers.shift),
            Self::Copy | Self::Paste => 1,
        }
    }

    fn is_pressed(&self, ctx: &egui::Context) -> bool {
        let has = |wanted: fn(&Event) -> bool| ctx.input(|i| i.events.iter().any(wanted));
        match *self {
            Self::Key(modifiers, key) => ctx.input_mut(|i| i.consume_key(modifiers, key)),
            Self::Copy => has(|event| matches!(event, Event::Copy)),
            Self::Paste => has(|event| matches!(event, Event::Paste(_))),
        }
    }
}

fn key_label(key: Key) -> &'static str {
    match key {
        Key::Comma => ",",
        Key::Period => ".",
        Key::Questionmark => "?",
        other => other.name(),
    }
}

/// Requests the commands whose shortcuts are pressed, unless a text field has the keyboard focus.
pub(in crate::app) fn listen(ctx: &egui::Context, requests: &mut Requests) {
    if ctx.egui_wants_keyboard_input() {
        return;
    }
    let pairs = |command: &'static WindowCommand| command.shortcuts.iter().map(move |key| (key, command));
    let mut pairs: Vec<_> = ALL.into_iter().flat_map(pairs).collect();
    pairs.sort_by_key(|(shortcut, _)| std::cmp::Reverse(shortcut.specificity()));
    for (shortcut, command) in pairs {
        if shortcut.is_pressed(ctx) {
            command.run(Path::new(""), requests);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_shortcut_runs_two_commands() {
        let mut all: Vec<_> = ALL.iter().flat_map(|command| command.shortcuts).map(Shortcut::label).collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn labels_name_modifiers_first() {
        let redo = Shortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::Z);
        assert_eq!(redo.label(), "Ctrl+Shift+Z");
        assert_eq!([Shortcut::plain(Key::Comma).label(), Shortcut::Paste.label()], [",", "Ctrl+V"]);
    }
}
