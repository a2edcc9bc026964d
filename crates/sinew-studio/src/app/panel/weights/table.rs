//! A table of the influences of the selected vertices.

use crate::{app::requests::Requests, command::Command, document::Document};
use sinew::{JointId, Skin, Weights};

/// A row of the table: a vertex, or one of its influences.
#[derive(Clone, Copy, Debug, PartialEq)]
struct InfluenceRow {
    instance: usize,
    vertex: u32,
    influence: Option<usize>,
}

/// The rows of all selected vertices, found by index without building them all.
struct Rows {
    vertices: Vec<VertexRows>,
    count: usize,
}

/// A vertex and the index of its first row.
struct VertexRows {
    first_row: usize,
    instance: usize,
    vertex: u32,
}

impl Rows {
    fn new(document: &Document) -> Self {
        let mut out = Self { vertices: Vec::new(), count: 0 };
        for (instance, vertices) in &document.selection().vertices {
            let Some(weights) = document.weights(*instance) else { continue };
            for vertex in vertices.iter().filter(|vertex| (**vertex as usize) < weights.vertex_count()) {
                out.vertices.push(VertexRows { first_row: out.count, instance: *instance, vertex: *vertex });
                out.count += 1 + weights.of(*vertex as usize).0.len();
            }
        }
        out
    }

    fn get(&self, row: usize) -> Option<InfluenceRow> {
        let index = self.vertices.partition_point(|of| of.first_row <= row).checked_sub(1)?;
        let VertexRows { first_row, instance, vertex } = self.vertices[index];
        Some(InfluenceRow { instance, vertex, influence: (row - first_row).checked_sub(1) })
    }
}

pub(super) fn show(ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
    let rows = Rows::new(document);
    let height = ui.spacing().interact_size.y;
    let area =
        egui::ScrollArea::vertical().id_salt("weights table").max_height(260.0).auto_shrink([false, true]);
    // Only visible rows are built, so that ten thousand vertices scroll smoothly.
    area.show_rows(ui, height, rows.count, |ui, range| {
        for row in range.filter_map(|row| rows.get(row)) {
            ui.push_id((row.instance, row.vertex, row.influence), |ui| {
                ui.horizontal(|ui| {
                    ui.set_height(height);
                    match row.influence {
                        None => vertex_row(ui, document, row, requests),
                        Some(place) => influence_row(ui, document, row, place, requests),
                    }
                });
            });
        }
    });
}

fn skinned(document: &Document, instance: usize) -> Option<(&Skin, &Weights)> {
    let character = document.character();
    let skin = character.skin_of(character.instances().get(instance)?)?;
    Some((skin, document.weights(instance)?))
}

/// The vertex, and a button that adds the selected joint if it has no weight there.
fn vertex_row(ui: &mut egui::Ui, document: &Document, row: InfluenceRow, requests: &mut Requests) {
    ui.monospace(format!("v{}", row.vertex));
    let Some((skin, weights)) = skinned(document, row.instance) else { return };
    let Some(joint) = document.selection().joint else { return };
    let Some(slot) = skin.slot_of(joint) else { return };
    let has_it = weights.weight_of(row.vertex as usize, slot) > 0.0;
    let name = document.character().skeleton().name(joint);
    if !has_it
        && ui.small_button(format!("+ {name}")).on_hover_text("Add the joint with a weight of 0.25").clicked()
    {
        let (instance, vertices) = (row.instance, vec![row.vertex]);
        requests.command(Command::SetWeight { instance, vertices, joint: joint.0, weight: 0.25 });
    }
}

fn influence_row(
    ui: &mut egui::Ui,
    document: &Document,
    row: InfluenceRow,
    place: usize,
    requests: &mut Requests,
) {
    let Some((skin, weights)) = skinned(document, row.instance) else { return };
    let Some(influence) = weights.influences(row.vertex as usize).nth(place) else { return };
    let joint = skin.joints().get(usize::from(influence.slot)).copied().unwrap_or(JointId(0));
    let name = document.character().skeleton().name(joint);
    ui.add_space(12.0);
    lock(ui, document, joint, name, requests);
    let size = egui::vec2((ui.available_width() - 76.0).max(60.0), ui.available_height());
    let layout = egui::Layout::left_to_right(egui::Align::Center);
    let label = ui.allocate_ui_with_layout(size, layout, |ui| {
        ui.set_min_size(size);
        ui.add(egui::Label::new(name).truncate())
    });
    let mut edited = influence.weight;
    let cell = egui::DragValue::new(&mut edited)
        .update_while_editing(false)
        .range(0.0..=1.0)
        .speed(0.004)
        .fixed_decimals(4);
    if ui.add(cell).labelled_by(label.inner.id).changed() && edited != influence.weight {
        let (instance, vertices, weight) = (row.instance, vec![row.vertex], edited);
        requests.command(Command::SetWeight { instance, vertices, joint: joint.0, weight });
    }
}

/// The lock of a joint, shared by all of its rows.
fn lock(ui: &mut egui::Ui, document: &Document, joint: JointId, name: &str, requests: &mut Requests) {
    let is_locked = document.locks().contains(&joint);
    let button = ui.add(egui::Button::new("lock").small().selected(is_locked));
    button.widget_info(|| {
        egui::WidgetInfo::selected(egui::Role::Button, true, is_locked, format!("Lock {name}"))
    });
    if button.on_hover_text("Weights of a locked joint do not change").clicked() {
        requests.command(Command::Lock { joint: joint.0, is_locked: !is_locked });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{command::SelectBy, document::DocumentSource, session::Session};

    #[test]
    fn every_vertex_has_a_row_and_one_for_each_influence() {
        let mut session = Session::open(DocumentSource::Builtin("arm".into())).unwrap();
        let all = Command::SelectBy { by: SelectBy::All, mode: crate::command::SelectMode::Replace };
        session.perform(&all.into()).unwrap();
        let rows = Rows::new(session.document());
        let weights = session.document().weights(0).unwrap();
        let found: Vec<InfluenceRow> = (0..rows.count).filter_map(|row| rows.get(row)).collect();
        let wanted = (0..weights.vertex_count()).flat_map(|vertex| {
            let row = move |influence| InfluenceRow { instance: 0, vertex: vertex as u32, influence };
            [row(None)].into_iter().chain((0..weights.of(vertex).0.len()).map(move |place| row(Some(place))))
        });
        assert_eq!(found, wanted.collect::<Vec<_>>());
    }
}
