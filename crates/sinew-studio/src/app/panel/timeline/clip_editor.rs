//! Making a clip, and editing the chosen one.

use crate::{
    app::{requests::Requests, window_commands::command_button},
    command::{ClipEdit, Command},
    document::Document,
};
use egui::containers::menu::{MenuButton, MenuConfig};
use sinew::Clip;

/// The longest clip that the fields offer.
const MAX_SECS: f32 = 3600.0;
/// The proposed length of a new clip.
const NEW_SECS: f32 = 2.0;

/// The state of the fields.
#[derive(Debug, Default)]
pub(super) struct ClipEditor {
    /// The fields of a new clip, while they are shown.
    new_clip: Option<NewClipFields>,
    /// The fields of the chosen clip.
    chosen: Option<ChosenClipFields>,
}

#[derive(Debug)]
struct NewClipFields {
    name: String,
    duration_secs: f32,
}

/// Fields of a clip; they start anew when it is another one or was edited.
#[derive(Debug)]
struct ChosenClipFields {
    place: usize,
    name_before: String,
    duration_before_secs: f32,
    name: String,
    duration_secs: f32,
}

impl ClipEditor {
    /// The buttons that open the fields of a new clip and the menu of the chosen one.
    pub(super) fn buttons(&mut self, ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
        let mut is_open = self.new_clip.is_some();
        let hint = "Make a clip without keys: name and length";
        if ui.toggle_value(&mut is_open, "New clip").on_hover_text(hint).changed() {
            self.new_clip = is_open.then(|| NewClipFields::proposed(document));
        }
        if let (Some(place), Some(clip)) = (document.playhead().clip, document.clip()) {
            // A click into a field does not close the menu.
            let config = MenuConfig::new().close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
            let button = MenuButton::new("Edit clip").config(config);
            button.ui(ui, |ui| self.menu(ui, document, place, clip, requests));
        }
    }

    /// The fields of a new clip, if they are open.
    pub(super) fn new_clip_row(&mut self, ui: &mut egui::Ui, requests: &mut Requests) {
        let Some(fields) = &mut self.new_clip else { return };
        let mut is_done = false;
        ui.horizontal(|ui| {
            let label = ui.label("Name");
            let name = egui::TextEdit::singleline(&mut fields.name).desired_width(160.0);
            ui.add(name).labelled_by(label.id);
            let label = ui.label("Length");
            let secs = &mut fields.duration_secs;
            let number = egui::DragValue::new(secs).range(0.0..=MAX_SECS).speed(0.02).suffix(" s");
            ui.add(number.fixed_decimals(2)).labelled_by(label.id);
            let (name, duration_secs) = (fields.name.clone(), fields.duration_secs);
            is_done |=
                command_button(ui, "Create", Command::NewClip { name, duration_secs }, requests).clicked();
            is_done |= ui.button("Cancel").clicked();
        });
        if is_done {
            self.new_clip = None;
        }
    }

    fn menu(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        place: usize,
        clip: &Clip,
        requests: &mut Requests,
    ) {
        let time_secs = document.playhead().time_secs;
        let mut button = |ui: &mut egui::Ui, label: &str, edit: ClipEdit| {
            if command_button(ui, label, Command::EditClip(edit), requests).clicked() {
                ui.close();
            }
        };
        button(ui, "Remove keys at this time", ClipEdit::RemoveKeys { time_secs, joint: None });
        if let Some(joint) = document.selection().joint {
            let label =
                format!("Remove keys of {} at this time", document.character().skeleton().name(joint));
            button(ui, &label, ClipEdit::RemoveKeys { time_secs, joint: Some(joint.0) });
        }
        if let Some(range_secs) = document.playhead().range_secs {
            button(ui, "Trim to the loop range", ClipEdit::Trim(range_secs));
        }
        ui.separator();
        let fields = self.chosen_fields(place, clip);
        ui.horizontal(|ui| {
            let label = ui.label("Play in");
            let number = egui::DragValue::new(&mut fields.duration_secs).range(0.01..=MAX_SECS).speed(0.02);
            ui.add(number.suffix(" s").fixed_decimals(2)).labelled_by(label.id);
            button(ui, "Retime", ClipEdit::Retime(fields.duration_secs));
        });
        ui.horizontal(|ui| {
            let label = ui.label("Clip name");
            ui.add(egui::TextEdit::singleline(&mut fields.name).desired_width(140.0)).labelled_by(label.id);
            button(ui, "Rename", ClipEdit::Rename(fields.name.clone()));
        });
        ui.separator();
        button(ui, "Remove clip", ClipEdit::Remove);
    }

    /// The fields of the clip at `place`.
    fn chosen_fields(&mut self, place: usize, clip: &Clip) -> &mut ChosenClipFields {
        let is_of = |fields: &ChosenClipFields| {
            fields.place == place
                && fields.name_before == clip.name()
                && fields.duration_before_secs == clip.duration_secs()
        };
        let kept = self.chosen.take().filter(is_of);
        self.chosen.insert(kept.unwrap_or_else(|| ChosenClipFields {
            place,
            name_before: clip.name().to_owned(),
            duration_before_secs: clip.duration_secs(),
            name: clip.name().to_owned(),
            duration_secs: clip.duration_secs(),
        }))
    }
}

impl NewClipFields {
    /// A name that no clip has.
    fn proposed(document: &Document) -> Self {
        let clips = document.character().clips();
        let names = (1..).map(|number| format!("clip {number}"));
        let free = names.take(clips.len() + 1).find(|name| clips.iter().all(|clip| clip.name() != name));
        Self { name: free.unwrap_or_default(), duration_secs: NEW_SECS }
    }
}

/// The length of the chosen clip as a field; it does not go below the last key.
pub(super) fn duration_field(ui: &mut egui::Ui, clip: &Clip, requests: &mut Requests) {
    let mut duration_secs = clip.duration_secs();
    let field = egui::DragValue::new(&mut duration_secs)
        .update_while_editing(false)
        .range(clip.last_key_secs()..=MAX_SECS.max(clip.duration_secs()))
        .speed(0.02)
        .fixed_decimals(2)
        .suffix(" s");
    let response = ui.add(field).on_hover_text(ClipEdit::SetDuration(0.0).info().tooltip);
    response.widget_info(|| {
        egui::WidgetInfo::labeled(
            egui::Role::SpinButton,
            true,
            format!("Clip length {:.2} s", clip.duration_secs()),
        )
    });
    if response.changed() {
        requests.command(Command::EditClip(ClipEdit::SetDuration(duration_secs)));
    }
}
