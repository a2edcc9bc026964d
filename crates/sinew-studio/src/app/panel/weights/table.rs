//! A table of the influences of the selected vertices.

use crate::{app::requests::Requests, command::Command, document::Document};
use sinew::{Influence, JointId, Skin, Weights};

/// A row of the table: a vertex, or one of its influences. Muscle influences come after the others.
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
                let vertex = *vertex as usize;
                out.count += 1 + weights.of(vertex).0.len() + weights.muscle_of(vertex).0.len();
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
    // A muscle displaces skin by its whole motion at a weight of one.
    let is_muscle = document.selection().joint.is_some_and(|joint| document.is_muscle(joint));
    let added_weight = if is_muscle { 1.0 } else { 0.25 };
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
                        None => vertex_row(ui, document, row, added_weight, requests),
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
fn vertex_row(
    ui: &mut egui::Ui,
    document: &Document,
    row: InfluenceRow,
    weight: f32,
    requests: &mut Requests,
) {
    ui.monospace(format!("v{}", row.vertex));
    let Some((skin, weights)) = skinned(document, row.instance) else { return };
    let Some(joint) = document.selection().joint else { return };
    let Some(slot) = skin.slot_of(joint) else { return };
    let vertex = row.vertex as usize;
    let has_it = weights.weight_of(vertex, slot) > 0.0 || weights.muscle_weight_of(vertex, slot) != 0.0;
    let name = document.character().skeleton().name(joint);
    let hint = format!("Add the joint with a weight of {weight}");
    if !has_it && ui.small_button(format!("+ {name}")).on_hover_text(hint).clicked() {
        let (instance, vertices) = (row.instance, vec![row.vertex]);
        requests.command(Command::SetWeight { instance, vertices, joint: joint.0, weight });
    }
}

/// The influence at `place` of a vertex, and whether it is a muscle influence.
fn influence_at(weights: &Weights, vertex: usize, place: usize) -> Option<(Influence, bool)> {
    let carriers = weights.influences(vertex).map(|influence| (influence, false));
    let muscles = weights.muscle_influences(vertex).map(|influence| (influence, true));
    carriers.chain(muscles).nth(place)
}

fn influence_row(
    ui: &mut egui::Ui,
    document: &Document,
    row: InfluenceRow,
    place: usize,
    requests: &mut Requests,
) {
    let Some((skin, weights)) = skinned(document, row.instance) else { return };
    let Some((influence, is_muscle)) = influence_at(weights, row.vertex as usize, place) else { return };
    let joint = skin.joints().get(usize::from(influence.slot)).copied().unwrap_or(JointId(0));
    let name = document.character().skeleton().name(joint);
    ui.add_space(12.0);
    lock(ui, document, joint, name, requests);
    let size = egui::vec2((ui.available_width() - 76.0).max(60.0), ui.available_height());
    let layout = egui::Layout::left_to_right(egui::Align::Center);
    let label = ui.allocate_ui_with_layout(size, layout, |ui| {
        ui.set_min_size(size);
        let label = ui.add(egui::Label::new(name).truncate());
        if is_muscle { label.on_hover_text(super::MUSCLE_HINT) } else { label }
    });
    let mut edited = influence.weight;
    let cell = egui::DragValue::new(&mut edited).update_while_editing(false).speed(0.004).fixed_decimals(4);
    let cell = if is_muscle { cell } else { cell.range(0.0..=1.0) };
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
