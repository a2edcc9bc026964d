//! The panels of the window: one file per panel, registered in [`Panels`].

mod doctor;
mod film;
mod graph;
mod import_report;
mod job;
mod look;
mod message;
mod meta_joints;
mod morphs;
mod pose;
mod recovery;
mod save_losses;
mod shortcuts;
mod skeleton;
mod timeline;
mod toolbox;
mod top_bar;
mod unsaved;
mod weights;

use super::{
    Message, diagnosis::Diagnosis, files::Files, jobs::Jobs, player::Player, requests::Requests,
    tool::ToolSubject, viewport::Viewport,
};
use crate::{document::Document, session::Session};

/// A part of the window that draws the state of the studio and requests changes.
pub(super) trait Panel {
    /// Where the panel is docked.
    fn dock(&self) -> Dock;

    /// False if there is nothing to show.
    fn is_visible(&self, _context: &PanelContext<'_>) -> bool {
        true
    }

    /// Draws the panel and queues what the user requests in it.
    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>);
}

/// The place of a panel in the window. Names identify panels in egui's memory, which keeps their sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Dock {
    Top(&'static str),
    Bottom(&'static str),
    Left {
        name: &'static str,
        width_points: f32,
    },
    /// The top of the properties column at the right, whatever tool is active.
    PropertiesTop,
    /// The properties column at the right. Panels of the active tool's subject come first.
    Properties(Option<ToolSubject>),
    /// A window over the others.
    Floating,
}

/// What panels draw and what they change. The document changes through [`Requests`] only.
pub(super) struct PanelContext<'a> {
    pub(super) session: &'a Session,
    pub(super) player: &'a Player,
    pub(super) files: &'a Files,
    pub(super) jobs: &'a Jobs,
    pub(super) message: Option<&'a Message>,
    pub(super) viewport: &'a mut Viewport,
    pub(super) diagnosis: &'a mut Diagnosis,
    pub(super) are_shortcuts_open: &'a mut bool,
    pub(super) requests: &'a mut Requests,
}

impl<'a> PanelContext<'a> {
    pub(super) fn document(&self) -> &'a Document {
        self.session.document()
    }
}

/// Every panel with its state.
pub(super) struct Panels(Vec<Box<dyn Panel>>);

impl Default for Panels {
    /// The registry of panels, in their order within a dock.
    fn default() -> Self {
        Self(vec![
            Box::new(top_bar::TopBar::default()),
            Box::new(message::MessagePanel),
            Box::new(recovery::RecoveryPanel),
            Box::new(save_losses::SaveLossesPanel),
            Box::new(job::JobPanel),
            Box::new(film::FilmPanel),
            Box::new(timeline::TimelinePanel::default()),
            Box::new(skeleton::SkeletonPanel::default()),
            Box::new(toolbox::ToolboxPanel),
            Box::new(doctor::DoctorPanel),
            Box::new(pose::PosePanel::default()),
            Box::new(meta_joints::MetaJointsPanel::default()),
            Box::new(morphs::MorphsPanel),
            Box::new(graph::GraphPanel::default()),
            Box::new(look::LookPanel),
            Box::new(weights::WeightsPanel::default()),
            Box::new(import_report::ImportReportPanel),
            Box::new(shortcuts::ShortcutsPanel),
            Box::new(unsaved::UnsavedPanel),
        ])
    }
}

impl Panels {
    /// Draws every panel but the floating ones; what is left of `ui` is the viewport's.
    pub(super) fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        for panel in &mut self.0 {
            if !panel.is_visible(context) {
                continue;
            }
            let docked = match panel.dock() {
                Dock::Top(name) => egui::Panel::top(name),
                Dock::Bottom(name) => egui::Panel::bottom(name),
                Dock::Left { name, width_points } => egui::Panel::left(name).default_size(width_points),
                Dock::PropertiesTop | Dock::Properties(_) | Dock::Floating => continue,
            };
            docked.show(ui, |ui| panel.show(ui, context));
        }
        egui::Panel::right("properties").default_size(300.0).show(ui, |ui| self.properties(ui, context));
    }

    /// Draws the panels that float over the others.
    pub(super) fn show_floating(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        self.show_all(ui, context, |dock| dock == Dock::Floating);
    }

    fn properties(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let active = Some(context.viewport.toolbox.subject());
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            ui.add_space(4.0);
            self.show_all(ui, context, |dock| dock == Dock::PropertiesTop);
            self.show_all(ui, context, |dock| dock == Dock::Properties(active));
            let is_other = |dock| matches!(dock, Dock::Properties(subject) if subject != active);
            self.show_all(ui, context, is_other);
        });
    }

    fn show_all(
        &mut self,
        ui: &mut egui::Ui,
        context: &mut PanelContext<'_>,
        is_wanted: impl Fn(Dock) -> bool,
    ) {
        for panel in self.0.iter_mut().filter(|panel| is_wanted(panel.dock())) {
            if panel.is_visible(context) {
                panel.show(ui, context);
            }
        }
    }
}
