//! The choice of the tool, and the options of the active one.

use super::{Dock, Panel, PanelContext};

/// The buttons of the tools.
pub(super) struct ToolboxPanel;

impl Panel for ToolboxPanel {
    fn dock(&self) -> Dock {
        Dock::PropertiesTop
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        context.viewport.toolbox.show(ui);
    }
}
