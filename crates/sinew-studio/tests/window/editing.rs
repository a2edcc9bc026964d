//! Opening, posing, painting and saving in the window.

use crate::harness::{Dropped, click, difference, drag, picture, steps, studio, studio_of, view};
use egui_kittest::kittest::Queryable as _;
use sinew_studio::{
    autosave::{JournalFolder, recover},
    document::DocumentSource,
};
use std::sync::Arc;

#[test]
fn a_slider_rotates_the_selected_joint_and_undo_reverts_it() {
    let Some(mut harness) = studio("arm") else { return };
    harness.get_by_label("lower").click();
    harness.run();
    let joint = harness.state().session().document().selection().joint.unwrap();
    let straight = picture(&mut harness, "arm-selected");
    let rest = harness.state().session().document().pose().clone();

    harness.get_by_role_and_label(egui::accesskit::Role::Slider, "Rotate Z").set_value_accesskit(70.0);
    harness.run();
    let turned = harness.state().session().document().pose().joints[joint.index()].rotation;
    let angle = turned.angle_between(rest.joints[joint.index()].rotation).to_degrees();
    assert!((angle - 70.0).abs() < 0.1, "{angle}");
    let bent = picture(&mut harness, "arm-bent");
    let area = view(&harness);
    assert!(difference(&straight, &bent, area) > 3000, "the arm bends");

    harness.get_by_label("Undo").click();
    harness.run();
    assert_eq!(*harness.state().session().document().pose(), rest);
    let back = picture(&mut harness, "arm-undone");
    assert_eq!(difference(&straight, &back, area), 0, "the picture is the same again");
}

#[test]
fn space_starts_and_stops_playback() {
    let Some(mut harness) = studio("figure") else { return };
    harness.get_by_role_and_label(egui::accesskit::Role::ComboBox, "Clip").click();
    harness.run();
    harness.get_by_label("walk").click();
    harness.run();
    let start = harness.state().session().document().pose().clone();
    let revision = harness.state().session().revision();
    harness.key_press(egui::Key::Space);
    harness.run_steps(30);
    assert!(harness.state().is_playing());
    assert_eq!(harness.state().session().revision(), revision, "playback does not change the document");
    picture(&mut harness, "figure-walking");
    harness.key_press(egui::Key::Space);
    harness.run();
    assert!(!harness.state().is_playing());
    assert_ne!(*harness.state().session().document().pose(), start);
    assert!(harness.state().session().document().playhead().time_secs > 0.0);
}

#[test]
fn a_broken_file_gives_a_message_and_does_not_change_the_document() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.glb");
    std::fs::write(&path, b"glTF but not really").unwrap();
    let Some(mut harness) = studio("arm") else { return };
    let before = harness.state().session().document().clone();
    harness.input_mut().dropped_files.push(Arc::new(Dropped(path)));
    harness.run();
    assert!(harness.state().message().unwrap().contains("broken.glb"));
    assert_eq!(*harness.state().session().document(), before);
    picture(&mut harness, "broken-file");

    let whole = folder.path().join("whole.glb");
    sinew_formats::write_file(&whole, &sinew_samples::tube()).unwrap();
    harness.input_mut().dropped_files.push(Arc::new(Dropped(whole)));
    harness.run();
    assert_eq!(harness.state().session().document().source().to_string(), "whole.glb");
    picture(&mut harness, "dropped-file");
}

#[test]
fn a_click_selects_a_bone_and_r_rotates_it_with_the_pointer() {
    let Some(mut harness) = studio("arm") else { return };
    // The elbow is in the middle of the view.
    let at = view(&harness).center();
    click(&mut harness, at);
    let joint = harness.state().session().document().selection().joint.unwrap();
    assert_eq!(harness.state().session().document().character().skeleton().name(joint), "lower");
    let rest = harness.state().session().document().pose().clone();

    harness.hover_at(at + egui::vec2(120.0, 0.0));
    harness.run();
    harness.key_press(egui::Key::R);
    harness.run();
    for y in [30.0, 60.0, 120.0] {
        harness.hover_at(at + egui::vec2(120.0, -y));
        harness.run();
    }
    assert_ne!(*harness.state().session().document().pose(), rest);
    picture(&mut harness, "arm-turned-by-r");
    harness.key_press(egui::Key::Escape);
    harness.run();
    assert_eq!(*harness.state().session().document().pose(), rest, "canceled");

    harness.key_press(egui::Key::R);
    harness.run();
    harness.hover_at(at + egui::vec2(60.0, 90.0));
    harness.run();
    harness.key_press(egui::Key::Enter);
    harness.run();
    assert_eq!(steps(&harness), ["Select joint", "Rotate"]);
}

#[test]
fn a_stroke_of_the_brush_is_one_step_of_the_history() {
    let Some(mut harness) = studio("arm") else { return };
    harness.get_by_label("lower").click();
    harness.get_by_label("Paint").click();
    harness.run();
    harness.get_by_role_and_label(egui::accesskit::Role::ComboBox, "Skin").click();
    harness.run();
    harness.get_by_label("heat of joint").click();
    harness.run();
    let before = harness.state().session().document().weights(0).unwrap().clone();
    let at = view(&harness).center() - egui::vec2(60.0, 0.0);
    let way: Vec<egui::Pos2> = (0..5).map(|step| at - egui::vec2(20.0 * step as f32, 0.0)).collect();
    drag(&mut harness, &way);
    assert_ne!(before, *harness.state().session().document().weights(0).unwrap());
    assert_eq!(steps(&harness), ["Select joint", "Paint weights"]);
    picture(&mut harness, "arm-painted");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    harness.run();
    assert_eq!(before, *harness.state().session().document().weights(0).unwrap());
}

#[test]
fn the_weights_of_picked_vertices_are_listed_in_the_light_theme() {
    let Some(mut harness) = studio("arm") else { return };
    harness.get_by_label("Light").click();
    harness.get_by_label("Vertices").click();
    harness.run();
    let at = view(&harness).center();
    click(&mut harness, at);
    let document = harness.state().session().document();
    assert_eq!(document.selection().vertex_count(), 1);
    let vertex = *document.selection().vertices[&0].first().unwrap();
    assert!(harness.query_by_label(&format!("v{vertex}")).is_some());
    picture(&mut harness, "vertices-light");
}

#[test]
fn a_journal_restores_the_document_of_a_crashed_window() {
    let dir = tempfile::tempdir().unwrap();
    let folder = JournalFolder::at(dir.path().into()).unwrap();
    let size = egui::vec2(1280.0, 800.0);
    let Some(mut harness) = studio_of("arm", size, Some(folder.clone())) else { return };
    harness.get_by_label("lower").click();
    harness.run();
    harness.get_by_role_and_label(egui::accesskit::Role::Slider, "Rotate X").set_value_accesskit(-33.0);
    harness.run();
    // More than a second of the harness's clock.
    harness.run_steps(10);
    let wanted = harness.state().session().document().clone();
    drop(harness);
    let left = folder.unclosed();
    let recovered = recover(&std::fs::read(&left[0]).unwrap()).unwrap();
    assert_eq!(*recovered.session.document(), wanted);
}

#[test]
fn a_window_offers_to_recover_a_crashed_session_twice() {
    let dir = tempfile::tempdir().unwrap();
    let folder = JournalFolder::at(dir.path().into()).unwrap();
    let size = egui::vec2(1280.0, 800.0);
    let Some(mut harness) = studio_of("arm", size, Some(folder.clone())) else { return };
    assert!(harness.query_by_label("Recover").is_none());
    // The journal starts with the first document.
    let tube = DocumentSource::Builtin("tube".into());
    harness.state_mut().request(sinew_studio::command::Command::Open(tube));
    harness.run();
    harness.get_by_label("middle").click();
    harness.run();
    harness.get_by_role_and_label(egui::accesskit::Role::Slider, "Rotate Y").set_value_accesskit(40.0);
    harness.run_steps(10);
    let wanted = harness.state().session().document().clone();
    drop(harness);
    for time in ["once", "again"] {
        let mut harness = studio_of("figure", size, Some(folder.clone())).unwrap();
        picture(&mut harness, "recover");
        harness.get_by_label("Recover").click();
        harness.run_steps(10);
        assert_eq!(*harness.state().session().document(), wanted, "recovered {time}");
        assert!(harness.query_by_label("Recover").is_none());
        picture(&mut harness, "recovered");
    }
    let mut harness = studio_of("figure", size, Some(folder.clone())).unwrap();
    harness.get_by_label("Discard").click();
    harness.run();
    drop(harness);
    assert!(folder.newest_unclosed().is_none(), "a discarded session is not offered again");
}

#[test]
fn the_shortcut_sheet_opens_and_number_keys_set_the_view() {
    let size = egui::vec2(1920.0, 1080.0);
    let Some(mut harness) = studio_of("figure", size, None) else { return };
    harness.key_press(egui::Key::Questionmark);
    harness.run();
    assert!(harness.query_by_label_contains("key the pose into the clip").is_some());
    picture(&mut harness, "help");
    harness.key_press(egui::Key::Questionmark);
    harness.run();
    let area = view(&harness);
    let views = [egui::Key::Num1, egui::Key::Num3, egui::Key::Num7, egui::Key::Num0].map(|key| {
        harness.key_press(key);
        harness.run();
        picture(&mut harness, &format!("view-{}", key.name()))
    });
    for pair in views.windows(2) {
        assert!(difference(&pair[0], &pair[1], area) > 10_000, "keys show other sides");
    }
}

/// Types a path into the Save menu and saves the character.
pub(crate) fn save_as(
    harness: &mut egui_kittest::Harness<'_, sinew_studio::app::Studio>,
    path: &std::path::Path,
) {
    harness.get_by_label("Save").click();
    harness.run();
    let field =
        harness.get_by_role_and_label(egui::accesskit::Role::TextInput, "Weights and clips as .glb or .gltf");
    field.focus();
    harness.run();
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    harness.event(egui::Event::Text(path.display().to_string()));
    harness.run();
    picture(harness, "save-menu");
    harness.get_by_label("Save character").click();
    harness.run();
}

#[test]
fn a_file_that_would_lack_something_is_saved_only_if_the_user_agrees() {
    let folder = tempfile::tempdir().unwrap();
    let (input, path) = (folder.path().join("one.glb"), folder.path().join("motion.bvh"));
    let mut parts = sinew_samples::arm().into_parts();
    parts.clips.truncate(1);
    sinew_formats::write_file(&input, &sinew::Character::new(parts).unwrap()).unwrap();
    let Some(mut harness) = studio(input.to_str().unwrap()) else { return };
    save_as(&mut harness, &path);
    assert!(!path.exists(), "a motion file has no mesh");
    picture(&mut harness, "save-losses");
    harness.get_by_label("Cancel").click();
    harness.run();
    assert!(!path.exists() && harness.query_by_label("Save anyway").is_none());
    save_as(&mut harness, &path);
    harness.get_by_label("Save anyway").click();
    harness.run();
    assert!(path.exists() && harness.query_by_label("Save anyway").is_none());
}

#[test]
fn an_edited_weight_is_in_the_saved_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("edited.glb");
    let Some(mut harness) = studio("arm") else { return };
    let before = harness.state().session().document().weights(0).unwrap().clone();
    harness.get_by_label("Limit to").click();
    harness.run();
    harness.get_by_label("Sharpen").click();
    harness.run();
    let edited = harness.state().session().document().weights(0).unwrap().clone();
    assert_ne!(before, edited);

    save_as(&mut harness, &path);
    assert!(harness.state().message().unwrap().starts_with("Saved"), "{:?}", harness.state().message());

    harness.get_by_label("Save").click();
    harness.run();
    harness.get_by_label("Save picture of the view").click();
    harness.run();
    let shot = image::open(path.with_extension("png")).unwrap();
    let area = view(&harness).size();
    assert_eq!((shot.width(), shot.height()), (area.x as u32, area.y as u32));

    let saved = sinew_formats::read_file(&path).unwrap().character;
    let saved = saved.meshes()[0].weights().unwrap();
    for vertex in 0..edited.vertex_count() {
        let (slots, weights) = edited.of(vertex);
        for (slot, weight) in slots.iter().zip(weights) {
            assert!((saved.weight_of(vertex, *slot) - weight).abs() < 1e-6, "vertex {vertex}");
        }
    }
}

#[test]
fn dragging_a_slider_is_one_step_of_the_history() {
    let Some(mut harness) = studio("arm") else { return };
    harness.get_by_label("lower").click();
    harness.run();
    let slider = harness.get_by_role_and_label(egui::accesskit::Role::Slider, "Rotate X").rect();
    let rest = harness.state().session().document().pose().clone();
    let way: Vec<egui::Pos2> =
        (0..4).map(|step| slider.center() + egui::vec2(8.0 * step as f32, 0.0)).collect();
    drag(&mut harness, &way);
    assert_ne!(*harness.state().session().document().pose(), rest);
    assert_eq!(steps(&harness), ["Select joint", "Rotate"]);
}

#[test]
fn a_box_selects_vertices_and_one_slider_sets_the_weight_of_them_all() {
    let Some(mut harness) = studio("tube") else { return };
    harness.get_by_label("Vertices").click();
    harness.run();
    harness.get_by_label("Wire").click();
    harness.get_by_role_and_label(egui::accesskit::Role::ComboBox, "Skin").click();
    harness.run();
    harness.get_by_label("influence count").click();
    harness.run();
    let area = view(&harness);
    harness.event(egui::Event::ModifiersChanged(egui::Modifiers::SHIFT));
    drag(
        &mut harness,
        &[area.center(), area.center() + egui::vec2(80.0, 40.0), area.right_bottom() - egui::vec2(9.0, 9.0)],
    );
    picture(&mut harness, "tube-box");
    let document = harness.state().session().document();
    let count = document.selection().vertex_count();
    let all = document.character().meshes()[0].vertex_count();
    assert!(count > 0 && count < all, "{count} of {all}");

    harness.event(egui::Event::ModifiersChanged(egui::Modifiers::NONE));
    harness.get_by_label("middle").click();
    harness.run();
    harness.get_by_role_and_label(egui::accesskit::Role::Slider, "middle in all").set_value_accesskit(0.5);
    harness.run();
    let document = harness.state().session().document();
    let joint = document.selection().joint.unwrap();
    let slot = document.character().skins()[0].slot_of(joint).unwrap();
    let weights = document.weights(0).unwrap();
    assert!(document.selection().vertices[&0].iter().all(|v| weights.weight_of(*v as usize, slot) == 0.5));
}

#[test]
fn two_methods_are_compared_side_by_side() {
    let Some(mut harness) = studio("tube") else { return };
    harness.get_by_label("middle").click();
    harness.run();
    harness.get_by_role_and_label(egui::accesskit::Role::Slider, "Rotate Y").set_value_accesskit(150.0);
    harness.get_by_role_and_label(egui::accesskit::Role::ComboBox, "Compare with").click();
    harness.run();
    harness.get_by_label("dual-quat").click();
    harness.run();
    harness.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::F);
    harness.run();
    let both = picture(&mut harness, "tube-compared");
    let area = view(&harness);
    let half = area.width() as u32 / 2;
    let at = |x: u32, y: u32| both.get_pixel(area.left() as u32 + x, area.top() as u32 + y);
    let rows = || 60..area.height() as u32 - 60;
    let differing = rows()
        .flat_map(|y| (8..half - 8).map(move |x| (x, y)))
        .filter(|(x, y)| at(*x, *y) != at(x + half, *y));
    let differing = differing.count();
    assert!(
        differing > 500 && differing < 40_000,
        "{differing} pixels differ: the same view of another shape"
    );
}
