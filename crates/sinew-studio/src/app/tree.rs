//! The left panel: joints by name.

use super::requests::Requests;
use crate::{command::Command, document::Document};
use sinew::{JointId, Skeleton};

/// What the panel keeps.
#[derive(Debug, Default)]
pub(super) struct TreePanel {
    search: String,
    /// The selection that was last scrolled to.
    followed: Option<JointId>,
}

impl TreePanel {
    pub(super) fn show(&mut self, ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
        let skeleton = document.character().skeleton();
        ui.add_space(6.0);
        let label = ui.strong(format!("Skeleton · {} joints", skeleton.len()));
        let search = egui::TextEdit::singleline(&mut self.search).hint_text("Search joints");
        ui.add(search.desired_width(f32::INFINITY)).labelled_by(label.id);
        ui.add_space(4.0);
        let wanted = self.search.to_lowercase();
        let rows = rows(skeleton, &wanted);
        let selected = document.selection().joint;
        let row_height = ui.text_style_height(&egui::TextStyle::Body) + 4.0;
        let mut area = egui::ScrollArea::vertical().auto_shrink(false);
        if selected != self.followed {
            self.followed = selected;
            // A joint picked in the view comes into sight here.
            if let Some(row) = rows.iter().position(|(joint, _)| Some(*joint) == selected) {
                let pitch = row_height + ui.spacing().item_spacing.y;
                area =
                    area.vertical_scroll_offset((row as f32 * pitch - ui.available_height() * 0.4).max(0.0));
            }
        }
        area.show_rows(ui, row_height, rows.len(), |ui, range| {
            for (joint, depth) in &rows[range] {
                row(ui, document, (*joint, *depth), row_height, requests);
            }
        });
    }
}

fn row(
    ui: &mut egui::Ui,
    document: &Document,
    (joint, depth): (JointId, usize),
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

/// Joints with their indentation: children under their parents, or what matches a search with no indentation.
fn rows(skeleton: &Skeleton, wanted: &str) -> Vec<(JointId, usize)> {
    if !wanted.is_empty() {
        let matches = |joint: &JointId| skeleton.name(*joint).to_lowercase().contains(wanted);
        return skeleton.joints().filter(matches).map(|joint| (joint, 0)).collect();
    }
    let mut children: Vec<Vec<JointId>> = vec![Vec::new(); skeleton.len()];
    let mut waiting: Vec<(JointId, usize)> = Vec::new();
    for joint in skeleton.joints().rev() {
        match skeleton.parent(joint) {
            Some(parent) => children[parent.index()].push(joint),
            None => waiting.push((joint, 0)),
        }
    }
    let mut rows = Vec::with_capacity(skeleton.len());
    while let Some((joint, depth)) = waiting.pop() {
        rows.push((joint, depth));
        // Lists were filled backwards, so the first child is taken first.
        waiting.extend(children[joint.index()].iter().map(|child| (*child, depth + 1)));
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
        for (place, (joint, depth)) in rows.iter().enumerate() {
            assert_eq!(*depth, skeleton.depth(*joint));
            if let Some(parent) = skeleton.parent(*joint) {
                let above = rows[..place].iter().rev().find(|(_, d)| d + 1 == *depth).map(|row| row.0);
                assert_eq!(above, Some(parent), "the nearest row one step out is the parent");
            }
        }
    }

    #[test]
    fn a_search_finds_parts_of_names_in_any_case() {
        let arm = sinew_samples::arm();
        let found: Vec<_> =
            rows(arm.skeleton(), "low").iter().map(|row| arm.skeleton().name(row.0)).collect();
        assert_eq!(found, ["lower"]);
    }
}
