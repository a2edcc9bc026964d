//! The tools of the viewport: one file per tool, registered in [`Toolbox`].

mod gizmo;
mod modal_transform;
mod paint;
mod pose;
mod vertices;

use super::{
    requests::Requests,
    viewport::{ViewportInput, camera::ViewportCamera},
    window_commands::KeyHelp,
};
use crate::command::SelectMode;
use modal_transform::ModalTransforms;
use paint::PaintTool;
use pose::PoseTool;
use vertices::VertexTool;

/// What the pointer does in the viewport while the tool is active.
pub(super) trait Tool {
    /// The label of the tool's button.
    fn name(&self) -> &'static str;

    /// One sentence on how the tool is used.
    fn hint(&self) -> &'static str;

    /// What the tool edits: the panels of that subject come first.
    fn subject(&self) -> ToolSubject;

    /// The tool's keys and mouse gestures, for the shortcut sheet.
    fn keys(&self) -> &'static [KeyHelp];

    /// The options of the tool, below the buttons.
    fn options(&mut self, ui: &mut egui::Ui);

    /// True if a drag of the primary button belongs to the tool, not to the camera.
    fn takes_drags(&self, modifiers: egui::Modifiers) -> bool;

    /// Finds what is under the pointer, before a drag is taken for the camera's.
    fn hover(&mut self, _context: &ToolContext<'_>) {}

    /// Forgets what is under the pointer: the tool is not active, or a modal transform runs.
    fn release(&mut self) {}

    /// Turns the pointer's input into requests. Not called during playback.
    fn use_on(&mut self, context: &ToolContext<'_>, requests: &mut Requests);

    /// Draws the tool's overlay over the scene.
    fn draw(&self, context: &ToolContext<'_>);
}

/// What a tool edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolSubject {
    /// Joints of the pose.
    Joints,
    /// Vertices and their weights: the CPU has to deform them every frame.
    Weights,
}

/// The viewport as a tool sees it in one frame.
pub(super) struct ToolContext<'a> {
    pub(super) ui: &'a egui::Ui,
    pub(super) response: &'a egui::Response,
    /// The camera and the half of the viewport under the pointer.
    pub(super) view: ViewportCamera,
    pub(super) input: &'a ViewportInput<'a>,
}

impl ToolContext<'_> {
    /// The position of a click in this frame, in points of the window.
    fn clicked_at(&self) -> Option<egui::Pos2> {
        self.response.clicked().then(|| self.response.interact_pointer_pos()).flatten()
    }

    /// How picked vertices combine with the selection: Shift adds, Ctrl removes.
    fn select_mode(&self) -> SelectMode {
        let modifiers = self.ui.input(|i| i.modifiers);
        SelectMode::from_modifiers(modifiers.shift, modifiers.command)
    }

    /// A painter that is clipped to the half of the viewport under the pointer.
    fn painter(&self) -> egui::Painter {
        self.ui.painter().with_clip_rect(self.view.rect)
    }

    fn accent(&self) -> egui::Color32 {
        self.ui.visuals().selection.stroke.color
    }
}

/// Every tool with its state, one of them active, and the modal transforms that work with every tool.
pub(super) struct Toolbox {
    tools: Vec<Box<dyn Tool>>,
    active: usize,
    transforms: ModalTransforms,
}

impl Default for Toolbox {
    /// The registry of tools. The first one is active at the start.
    fn default() -> Self {
        let tools: Vec<Box<dyn Tool>> = vec![
            Box::new(PoseTool::default()),
            Box::new(VertexTool::default()),
            Box::new(PaintTool::default()),
        ];
        Self { tools, active: 0, transforms: ModalTransforms::default() }
    }
}

impl Toolbox {
    /// The keys of every tool, for the shortcut sheet.
    pub(super) fn keys() -> Vec<KeyHelp> {
        let tools = Self::default().tools;
        modal_transform::KEYS.iter().chain(tools.iter().flat_map(|tool| tool.keys())).copied().collect()
    }

    /// What the active tool edits.
    pub(super) fn subject(&self) -> ToolSubject {
        self.tools[self.active].subject()
    }

    /// Buttons to choose the tool, and the options of the active one.
    pub(super) fn show(&mut self, ui: &mut egui::Ui) {
        ui.horizontal(|ui| {
            for (index, tool) in self.tools.iter().enumerate() {
                let button = ui.selectable_label(self.active == index, tool.name());
                if button.on_hover_text(tool.hint()).clicked() {
                    self.active = index;
                }
            }
        });
        let tool = &mut self.tools[self.active];
        ui.weak(tool.hint());
        tool.options(ui);
    }

    /// True if a drag of the primary button belongs to a tool, not to the camera.
    pub(super) fn takes_drags(&self, modifiers: egui::Modifiers) -> bool {
        self.is_modal() || modifiers.shift || self.tools[self.active].takes_drags(modifiers)
    }

    /// True while a modal transform follows the pointer.
    pub(super) fn is_modal(&self) -> bool {
        self.transforms.is_running()
    }

    /// Ends a modal transform without undoing it: its document is gone.
    pub(super) fn drop_modal(&mut self) {
        self.transforms = ModalTransforms::default();
    }

    /// Finds what is under the pointer, before a drag is taken for the camera's.
    pub(super) fn hover(&mut self, context: &ToolContext<'_>) {
        let is_modal = self.is_modal();
        for (index, tool) in self.tools.iter_mut().enumerate() {
            if index == self.active && !is_modal {
                tool.hover(context);
            } else {
                tool.release();
            }
        }
    }

    /// Turns the pointer's input into requests.
    pub(super) fn use_on(&mut self, context: &ToolContext<'_>, requests: &mut Requests) {
        if self.is_modal() {
            self.transforms.follow(context, requests);
        } else if !context.input.is_playing {
            self.transforms.begin(context, requests);
            self.tools[self.active].use_on(context, requests);
        }
    }

    /// Draws the overlay of the active tool.
    pub(super) fn draw(&self, context: &ToolContext<'_>) {
        let tool = &self.tools[self.active];
        // During a modal transform the gizmo would be in the way.
        if !(self.is_modal() && tool.subject() == ToolSubject::Joints) {
            tool.draw(context);
        }
    }
}
