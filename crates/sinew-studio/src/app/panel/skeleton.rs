//! The skeleton panel: the joint hierarchy with search.

use super::{Dock, Panel, PanelContext};
use crate::{app::requests::Requests, command::Command, document::Document};
use sinew::{JointId, Skeleton};

/// The state of the panel.
#[derive(Debug, Default)]
pub(super) struct SkeletonPanel {
    search: String,
    /// The selected joint that the list was last scrolled to.
    followed: Option<JointId>,
}

impl Panel for SkeletonPanel {
    fn dock(&self) -> Dock {
        Dock::Left { name: "tree", width_points: 220.0 }
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let document = context.document();
        let skeleton = document.character().skeleton();
        ui.add_space(6.0);
        let label = ui.strong(format!("Skeleton · {} joints", skeleton.len()));
        let search = egui::TextEdit::singleline(&mut self.search).hint_text("Search joints");
        ui.add(search.desired_width(f32::INFINITY)).labelled_by(label.id);
        ui.add_space(4.0);
        let rows = rows(skeleton, &self.search.to_lowercase());
        let selected = document.selection().joint;
        let row_height = ui.text_style_height(&egui::TextStyle::Body) + 4.0;
        let mut area = egui::ScrollArea::vertical().auto_shrink(false);
        if selected != self.followed {
            self.followed = selected;
            // A joint that was picked in the viewport scrolls into view.
            if let Some(row) = rows.iter().position(|row| Some(row.joint) == selected) {
                let pitch = row_height + ui.spacing().item_spacing.y;
                area =
                    area.vertical_scroll_offset((row as f32 * pitch - ui.available_height() * 0.4).max(0.0));
            }
        }
        area.show_rows(ui, row_height, rows.len(), |ui, range| {
            for row in &rows[range] {
                show_row(ui, document, *row, row_height, context.requests);
            }
        });
    }
}

/// A joint with its indentation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct JointRow {
    joint: JointId,
    depth: usize,
}

fn show_row(
    ui: &mut egui::Ui,
    document: &Document,
    JointRow { joint, depth }: JointRow,
    height: f32,
    requests: &mut Requests,
) {
    let is_selected = document.selection().joint == Some(joint);
    ui.horizontal(|ui| {
        ui.set_height(height);
        ui.add_space(12.0 * depth.min(14) as f32);
        let name = document.character().skeleton().name(joint);
        let name = if name.is_empty() { format!("joint {}", joint.0) } else { name.to_owned() };
        let lock = if document.locks().contains(&joint) { " (locked)" } else { "" };
        if ui.selectable_label(is_selected, format!("{name}{lock}")).clicked() {
            requests.command(Command::SelectJoint((!is_selected).then_some(joint.0)));
        }
    });
}

/// Joints below their parents, or the matches of a search without indentation.
fn rows(skeleton: &Skeleton, search: &str) -> Vec<JointRow> {
    if !search.is_empty() {
        let matches = |joint: &JointId| skeleton.name(*joint).to_lowercase().contains(search);
        return skeleton.joints().filter(matches).map(|joint| JointRow { joint, depth: 0 }).collect();
    }
    let mut children: Vec<Vec<JointId>> = vec![Vec::new(); skeleton.len()];
    let mut waiting: Vec<JointRow> = Vec::new();
    for joint in skeleton.joints().rev() {
        match skeleton.parent(joint) {
            Some(parent) => children[parent.index()].push(joint),
            None => waiting.push(JointRow { joint, depth: 0 }),
        }
    }
    let mut rows = Vec::with_capacity(skeleton.len());
    while let Some(row) = waiting.pop() {
        rows.push(row);
        // The lists were filled in reverse, so the first child is popped first.
        let below = |child: &JointId| JointRow { joint: *child, depth: row.depth + 1 };
        waiting.extend(children[row.joint.index()].iter().map(below));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_joint_has_a_row_below_its_parent() {
        let figure = sinew_samples::figure();
        let skeleton = figure.skeleton();
        let rows = rows(skeleton, "");
        assert_eq!(rows.len(), skeleton.len());
        for (place, JointRow { joint, depth }) in rows.iter().enumerate() {
            assert_eq!(*depth, skeleton.depth(*joint));
            if let Some(parent) = skeleton.parent(*joint) {
                let above =
                    rows[..place].iter().rev().find(|row| row.depth + 1 == *depth).map(|row| row.joint);
                assert_eq!(above, Some(parent), "the nearest row with less indentation is the parent");
            }
        }
    }

    #[test]
    fn a_search_matches_parts_of_names_case_insensitively() {
        let arm = sinew_samples::arm();
        let found: Vec<_> =
            rows(arm.skeleton(), "low").iter().map(|row| arm.skeleton().name(row.joint)).collect();
        assert_eq!(found, ["lower"]);
    }
}
