//! What the pointer does in the view: a module a tool.

mod paint;
mod pose;
mod vertices;

pub(super) use paint::PaintTool;
pub(super) use pose::PoseTool;
pub(super) use vertices::VertexTool;

use super::{lens::ViewportCamera, requests::Requests, viewport::ViewportInput};
use crate::command::How;

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
            Self::Pose => "Click a bone, then drag its handles; or R, G, S",
            Self::Vertices => "Click vertices; Shift adds, Ctrl takes away; with a drag: a box or lasso",
            Self::Paint => "Drag over the skin to paint the selected joint's weight",
        }
    }
}

/// The view as a tool meets it in one frame.
pub(super) struct ToolContext<'a> {
    pub(super) ui: &'a egui::Ui,
    pub(super) response: &'a egui::Response,
    /// The half of the view that the pointer works in.
    pub(super) lens: ViewportCamera,
    pub(super) sight: &'a ViewportInput<'a>,
}

impl ToolContext<'_> {
    /// Where the view was clicked in this frame.
    fn clicked_at(&self) -> Option<egui::Pos2> {
        self.response.clicked().then(|| self.response.interact_pointer_pos()).flatten()
    }

    /// What becomes of what is selected already: Shift adds, Ctrl takes away.
    fn how(&self) -> How {
        How::of(self.ui.input(|i| (i.modifiers.shift, i.modifiers.command)))
    }

    /// A painter over the half that the pointer works in.
    fn painter(&self) -> egui::Painter {
        self.ui.painter().with_clip_rect(self.lens.rect)
    }

    fn accent(&self) -> egui::Color32 {
        self.ui.visuals().selection.stroke.color
    }
}

/// Every tool with its state; one of them is in hand.
#[derive(Debug, Default)]
pub(super) struct Tools {
    pub(super) chosen: Tool,
    pub(super) pose: PoseTool,
    pub(super) vertices: VertexTool,
    pub(super) paint: PaintTool,
}

impl Tools {
    /// True while a drag of the primary button belongs to the tool and not to the camera.
    pub(super) fn takes_drags(&self, modifiers: egui::Modifiers) -> bool {
        let takes_away = self.chosen == Tool::Vertices && modifiers.command;
        let is_held = self.chosen == Tool::Pose && self.pose.handles.takes_drags();
        self.is_busy()
            || self.chosen == Tool::Paint
            || modifiers.shift
            || takes_away
            || is_held
            || self.vertices.is_dragging()
    }

    /// True while something follows the pointer between clicks.
    pub(super) fn is_busy(&self) -> bool {
        self.pose.grab.is_some()
    }

    /// Sees what is under the pointer, before a drag is taken for the camera's.
    pub(super) fn hover(&mut self, hand: &ToolContext<'_>) {
        if self.chosen == Tool::Pose && !self.is_busy() {
            self.pose.handles.hover(hand);
        } else {
            self.pose.handles.let_go();
        }
    }

    /// Turns what the pointer does into requests.
    pub(super) fn use_on(&mut self, hand: &ToolContext<'_>, requests: &mut Requests) {
        if self.pose.grab.is_some() {
            self.pose.follow_grab(hand, requests);
            return;
        }
        if hand.sight.is_playing {
            return;
        }
        self.pose.begin_grab(hand);
        match self.chosen {
            Tool::Pose => {
                self.pose.handles.use_on(hand, requests);
                PoseTool::pick(hand, requests);
            }
            Tool::Vertices => self.vertices.use_on(hand, requests),
            Tool::Paint => self.paint.use_on(hand, requests),
        }
    }

    /// Marks of the tool in hand, over the scene.
    pub(super) fn draw(&self, hand: &ToolContext<'_>) {
        match self.chosen {
            Tool::Pose if self.is_busy() => {}
            Tool::Pose => self.pose.handles.draw(hand),
            Tool::Vertices => self.vertices.draw(hand),
            Tool::Paint => self.paint.draw(hand),
        }
    }
}
