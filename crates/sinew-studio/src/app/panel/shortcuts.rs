//! The sheet of keyboard shortcuts and mouse gestures.

use super::{Dock, Panel, PanelContext};
use crate::app::window_commands::show_sheet;

/// The window that lists every keyboard and mouse shortcut.
pub(super) struct ShortcutsPanel;

impl Panel for ShortcutsPanel {
    fn dock(&self) -> Dock {
        Dock::Floating
    }

    fn is_visible(&self, context: &PanelContext<'_>) -> bool {
        *context.are_shortcuts_open
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        show_sheet(ui.ctx(), context.are_shortcuts_open);
    }
}
