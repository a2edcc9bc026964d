//! The table of the window's commands: one row per command, from which menus, buttons, tooltips, shortcuts, the shortcut
//! sheet and the key list in `docs/studio.md` are generated.

mod sheet;
mod shortcut;

pub use sheet::shortcut_table;
pub(super) use sheet::{KeyHelp, show_sheet};
pub(super) use shortcut::listen;

use super::{actions::Action, requests::Requests, saving::SaveRequest, time_step::TimeStep};
use crate::{command::Command, platform, session::Session};
use egui::{Key, Modifiers};
use shortcut::Shortcut;
use sinew_view::camera::Orbit;
use std::path::Path;

/// A row of the table.
pub(super) struct WindowCommand {
    /// The label of the menu entry or button.
    label: &'static str,
    /// The text on hover, in the shortcut sheet and in the documentation.
    tooltip: &'static str,
    menu: Option<Menu>,
    shortcuts: &'static [Shortcut],
    /// False if the command would do nothing.
    is_enabled: fn(&Session) -> bool,
    /// What the command requests; the path is the one in the Save menu.
    request: fn(&Path) -> Request,
}

/// A menu of the top bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Menu {
    Open,
    Save,
    View,
}

/// What a window command asks for.
enum Request {
    Undo,
    Redo,
    Edit(Command),
    Act(Action),
}

pub(super) const UNDO: WindowCommand = WindowCommand {
    is_enabled: |session| session.history().undo_name().is_some(),
    ..row("Undo", "undo", &[Shortcut::new(Modifiers::COMMAND, Key::Z)], |_| Request::Undo)
};
pub(super) const REDO: WindowCommand = WindowCommand {
    is_enabled: |session| session.history().redo_name().is_some(),
    ..row(
        "Redo",
        "redo",
        &[
            Shortcut::new(Modifiers::COMMAND, Key::Y),
            Shortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::Z),
        ],
        |_| Request::Redo,
    )
};
pub(super) const COPY_POSE: WindowCommand =
    row("Copy", "copy the pose, also as text", &[Shortcut::Copy], |_| Request::Act(Action::CopyPose));
pub(super) const PASTE_POSE: WindowCommand =
    row("Paste", "paste the copied pose, or one given as text", &[Shortcut::Paste], |_| {
        Request::Act(Action::PastePose)
    });
pub(super) const KEY_POSE: WindowCommand =
    row("Key", "key the pose into the clip at the current time", &[Shortcut::plain(Key::K)], |_| {
        Request::Edit(Command::KeyPose)
    });
pub(super) const PLAY: WindowCommand = WindowCommand {
    is_enabled: |session| {
        let document = session.document();
        !document.character().clips().is_empty() || document.graph().is_some()
    },
    ..row("Play", "play or pause", &[Shortcut::plain(Key::Space)], |_| Request::Act(Action::TogglePlay))
};
const PREVIOUS_FRAME: WindowCommand =
    row("Previous frame", "go to the previous frame", &[Shortcut::plain(Key::Comma)], |_| {
        Request::Act(Action::Step(TimeStep::Frame { is_back: true }))
    });
const NEXT_FRAME: WindowCommand =
    row("Next frame", "go to the next frame", &[Shortcut::plain(Key::Period)], |_| {
        Request::Act(Action::Step(TimeStep::Frame { is_back: false }))
    });
const PREVIOUS_KEY: WindowCommand = row(
    "Previous key",
    "go to the previous key of the selected joint",
    &[Shortcut::new(Modifiers::SHIFT, Key::Comma)],
    |_| Request::Act(Action::Step(TimeStep::Key { is_back: true })),
);
const NEXT_KEY: WindowCommand = row(
    "Next key",
    "go to the next key of the selected joint",
    &[Shortcut::new(Modifiers::SHIFT, Key::Period)],
    |_| Request::Act(Action::Step(TimeStep::Key { is_back: false })),
);
const RANGE_START: WindowCommand =
    row("Start", "go to the start of the clip or the loop range", &[Shortcut::plain(Key::Home)], |_| {
        Request::Act(Action::Step(TimeStep::Start))
    });
const RANGE_END: WindowCommand =
    row("End", "go to the end of the clip or the loop range", &[Shortcut::plain(Key::End)], |_| {
        Request::Act(Action::Step(TimeStep::End))
    });
const CHOOSE_FILE: WindowCommand =
    row("Choose a file…", "open a file", &[], |_| Request::Act(Action::AskFile)).in_menu(Menu::Open);
const CHOOSE_PLACE: WindowCommand = WindowCommand {
    menu: if platform::HAS_PATHS { Some(Menu::Save) } else { None },
    ..row("Choose where to save…", "save the character elsewhere", &[], |path| {
        Request::Act(Action::AskPlace(path.into()))
    })
};
const SAVE: WindowCommand = row("Save character", "save weights and clips to the path above", &[], |path| {
    Request::Act(Action::Save(SaveRequest::to(path.into())))
})
.in_menu(Menu::Save);
const SAVE_CURRENT: WindowCommand =
    row("Save", "save to the document's file", &[Shortcut::new(Modifiers::COMMAND, Key::S)], |_| {
        Request::Act(Action::SaveCurrent)
    });
const SAVE_AS: WindowCommand = row(
    "Save as",
    "save to another file",
    &[Shortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::S)],
    |_| Request::Act(Action::SaveAs),
);
const SAVE_PICTURE: WindowCommand =
    row("Save picture of the view", "save a picture of the viewport as .png", &[], |path| {
        Request::Act(Action::Picture(path.with_extension("png")))
    })
    .in_menu(Menu::Save);
const FRONT: WindowCommand =
    row("Front", "front view", &[Shortcut::plain(Key::Num1)], |_| Request::Act(Action::View(Orbit::FRONT)))
        .in_menu(Menu::View);
const SIDE: WindowCommand =
    row("Side", "side view", &[Shortcut::plain(Key::Num3)], |_| Request::Act(Action::View(Orbit::SIDE)))
        .in_menu(Menu::View);
const TOP: WindowCommand = row("Top", "top view", &[Shortcut::plain(Key::Num7)], |_| {
    Request::Act(Action::View(Orbit::degrees(0.0, 90.0)))
})
.in_menu(Menu::View);
const THREE_QUARTER: WindowCommand =
    row("Three-quarter", "three-quarter view", &[Shortcut::plain(Key::Num0)], |_| {
        Request::Act(Action::View(Orbit::THREE_QUARTER))
    })
    .in_menu(Menu::View);
const FRAME_ALL: WindowCommand =
    row("Frame all", "frame the character", &[Shortcut::new(Modifiers::SHIFT, Key::F)], |_| {
        Request::Act(Action::FrameAll)
    })
    .in_menu(Menu::View);
const FRAME_SELECTION: WindowCommand =
    row("Frame selection", "frame the selection", &[Shortcut::plain(Key::F)], |_| {
        Request::Act(Action::FrameSelection)
    })
    .in_menu(Menu::View);
pub(super) const SHORTCUTS: WindowCommand = row(
    "?",
    "show or hide the shortcuts",
    &[Shortcut::plain(Key::Questionmark), Shortcut::new(Modifiers::SHIFT, Key::Questionmark)],
    |_| Request::Act(Action::ToggleShortcuts),
);
pub(super) const THEME: WindowCommand =
    row("Theme", "switch between light and dark", &[], |_| Request::Act(Action::ToggleTheme));
const CLOSE: WindowCommand =
    row("Close", "close the window", &[Shortcut::new(Modifiers::COMMAND, Key::Q)], |_| {
        Request::Act(Action::CloseWindow)
    });

/// Every row, in the order of menus and of the shortcut sheet.
const ALL: [&WindowCommand; 27] = [
    &KEY_POSE,
    &COPY_POSE,
    &PASTE_POSE,
    &PLAY,
    &PREVIOUS_FRAME,
    &NEXT_FRAME,
    &PREVIOUS_KEY,
    &NEXT_KEY,
    &RANGE_START,
    &RANGE_END,
    &FRONT,
    &SIDE,
    &TOP,
    &THREE_QUARTER,
    &FRAME_ALL,
    &FRAME_SELECTION,
    &UNDO,
    &REDO,
    &SAVE_CURRENT,
    &SAVE_AS,
    &CHOOSE_FILE,
    &CHOOSE_PLACE,
    &SAVE,
    &SAVE_PICTURE,
    &THEME,
    &SHORTCUTS,
    &CLOSE,
];

const fn row(
    label: &'static str,
    tooltip: &'static str,
    shortcuts: &'static [Shortcut],
    request: fn(&Path) -> Request,
) -> WindowCommand {
    WindowCommand { label, tooltip, menu: None, shortcuts, is_enabled: |_| true, request }
}

impl WindowCommand {
    const fn in_menu(self, menu: Menu) -> Self {
        Self { menu: Some(menu), ..self }
    }

    /// Requests the command; `save_path` is the path in the Save menu.
    fn run(&self, save_path: &Path, requests: &mut Requests) {
        match (self.request)(save_path) {
            Request::Undo => requests.undo(),
            Request::Redo => requests.redo(),
            Request::Edit(command) => requests.command(command),
            Request::Act(action) => requests.act(action),
        }
    }

    /// The tooltip with the shortcut: `Paste the copied pose (Ctrl+V)`.
    pub(super) fn hover_text(&self) -> String {
        match self.shortcuts.first() {
            Some(shortcut) => format!("{} ({})", sentence(self.tooltip), shortcut.label()),
            None => sentence(self.tooltip),
        }
    }

    /// Adds `button` with the command's tooltip, and requests the command when it is clicked.
    pub(super) fn add(
        &self,
        ui: &mut egui::Ui,
        button: egui::Button<'_>,
        session: &Session,
        requests: &mut Requests,
    ) {
        self.add_with_tooltip(ui, button, self.hover_text(), session, requests);
    }

    /// Like [`WindowCommand::add`], with another tooltip.
    pub(super) fn add_with_tooltip(
        &self,
        ui: &mut egui::Ui,
        button: egui::Button<'_>,
        tooltip: String,
        session: &Session,
        requests: &mut Requests,
    ) {
        let response = ui.add_enabled((self.is_enabled)(session), button);
        if response.on_hover_text(tooltip).clicked() {
            self.run(Path::new(""), requests);
        }
    }

    /// The first shortcut as text, such as `Ctrl+Z`; empty if the command has none.
    pub(super) fn shortcut_label(&self) -> String {
        self.shortcuts.first().map_or_else(String::new, Shortcut::label)
    }
}

/// The entries of `menu`; `save_path` is the path in the Save menu.
pub(super) fn menu_entries(ui: &mut egui::Ui, menu: Menu, save_path: &Path, requests: &mut Requests) {
    for command in ALL.iter().filter(|command| command.menu == Some(menu)) {
        let mut button = egui::Button::new(command.label);
        if let Some(shortcut) = command.shortcuts.first() {
            button = button.shortcut_text(shortcut.label());
        }
        if ui.add(button).on_hover_text(sentence(command.tooltip)).clicked() {
            command.run(save_path, requests);
            ui.close();
        }
    }
}

/// A button of a document command with the tooltip of its row in the command table.
pub(super) fn command_button(
    ui: &mut egui::Ui,
    label: &str,
    command: Command,
    requests: &mut Requests,
) -> egui::Response {
    let button = ui.button(label).on_hover_text(command.info().tooltip);
    if button.clicked() {
        requests.command(command);
    }
    button
}

/// `text` with a capital first letter.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
