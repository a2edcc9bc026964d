//! The progress of the background job.

use super::{Dock, Panel, PanelContext};

/// The progress of the background job.
pub(super) struct JobPanel;

impl Panel for JobPanel {
    fn dock(&self) -> Dock {
        Dock::Top("work")
    }

    fn is_visible(&self, context: &PanelContext<'_>) -> bool {
        context.jobs.is_busy()
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        context.jobs.show(ui);
    }
}
