//! The mark of unsaved edits, saving by key, and the question before edits would be lost.

use crate::{
    editing::save_as,
    harness::{Dropped, picture, studio, studio_of},
};
use egui::{Key, Modifiers, accesskit::Role};
use egui_kittest::{Harness, kittest::Queryable as _};
use sinew_studio::{
    app::Studio,
    autosave::JournalFolder,
    command::{Command, WeightOp},
};
use std::{path::Path, sync::Arc};

const SIZE: egui::Vec2 = egui::vec2(1280.0, 800.0);

fn edit(harness: &mut Harness<'_, Studio>) {
    harness
        .state_mut()
        .request(Command::Weights { instances: vec![0], op: WeightOp::Sharpen { power: 1.5 } });
    harness.run();
    assert!(harness.state().session().unsaved().file);
}

fn press(harness: &mut Harness<'_, Studio>, modifiers: Modifiers, key: Key) {
    harness.key_press_modifiers(modifiers, key);
    harness.run();
}

fn click(harness: &mut Harness<'_, Studio>, label: &str) {
    harness.get_by_role_and_label(Role::Button, label).click();
    harness.run();
}

fn is_asked(harness: &Harness<'_, Studio>) -> bool {
    harness.query_by_label("Discard edits").is_some()
}

/// A file of the arm in a folder of its own.
fn arm_file() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arm.glb");
    sinew_formats::write_file(&path, &sinew_samples::arm()).unwrap();
    (folder, path)
}

fn weights(path: &Path) -> sinew::Weights {
    sinew::Weights::clone(sinew_formats::read_file(path).unwrap().character.meshes()[0].weights().unwrap())
}

#[test]
fn unsaved_edits_have_a_mark_until_they_are_undone_or_saved() {
    let (_folder, path) = arm_file();
    let before = weights(&path);
    let Some(mut harness) = studio(path.to_str().unwrap()) else { return };
    assert_eq!(harness.state().title(), "arm.glb - Sinew Studio");
    edit(&mut harness);
    assert_eq!(harness.state().title(), "\u{2022} arm.glb - Sinew Studio");
    assert!(harness.query_by_label("\u{2022} arm.glb").is_some(), "the bar has the mark too");
    picture(&mut harness, "unsaved-mark");
    press(&mut harness, Modifiers::COMMAND, Key::Z);
    assert_eq!(harness.state().title(), "arm.glb - Sinew Studio");
    edit(&mut harness);
    press(&mut harness, Modifiers::COMMAND, Key::S);
    assert!(harness.state().message().unwrap().starts_with("Saved "), "{:?}", harness.state().message());
    assert!(!harness.state().session().unsaved().any() && harness.query_by_label("arm.glb").is_some());
    assert_ne!(weights(&path), before);
}

#[test]
fn closing_with_unsaved_edits_asks() {
    let dir = tempfile::tempdir().unwrap();
    let folder = JournalFolder::at(dir.path().into()).unwrap();
    let Some(mut harness) = studio_of("arm", SIZE, Some(folder.clone())) else { return };
    edit(&mut harness);
    press(&mut harness, Modifiers::COMMAND, Key::Q);
    assert!(is_asked(&harness) && !harness.state().is_closing());
    picture(&mut harness, "unsaved-question");
    press(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(!is_asked(&harness) && !harness.state().is_closing(), "Esc cancels");

    // The close button of the window.
    harness
        .input_mut()
        .viewports
        .get_mut(&egui::ViewportId::ROOT)
        .unwrap()
        .events
        .push(egui::ViewportEvent::Close);
    harness.step();
    let commands = &harness.output().viewport_output[&egui::ViewportId::ROOT].commands;
    assert!(commands.contains(&egui::ViewportCommand::CancelClose), "{commands:?}");
    harness.run();
    assert!(is_asked(&harness));
    click(&mut harness, "Discard edits");
    assert!(harness.state().is_closing());
    eframe::App::on_exit(harness.state_mut());
    drop(harness);
    assert!(folder.newest_unclosed().is_none(), "the user discarded the edits");
}

#[test]
fn a_window_that_ends_without_an_answer_leaves_its_journal() {
    let dir = tempfile::tempdir().unwrap();
    let folder = JournalFolder::at(dir.path().into()).unwrap();
    let Some(mut harness) = studio_of("arm", SIZE, Some(folder.clone())) else { return };
    edit(&mut harness);
    eframe::App::on_exit(harness.state_mut());
    drop(harness);
    assert_eq!(folder.newest_unclosed().unwrap().steps(), 1);
}

#[test]
fn a_clean_window_closes_at_once_and_deletes_its_journal() {
    let dir = tempfile::tempdir().unwrap();
    let folder = JournalFolder::at(dir.path().into()).unwrap();
    let Some(mut harness) = studio_of("arm", SIZE, Some(folder.clone())) else { return };
    harness.get_by_label("lower").click();
    harness.run();
    press(&mut harness, Modifiers::COMMAND, Key::Q);
    assert!(!is_asked(&harness) && harness.state().is_closing());
    eframe::App::on_exit(harness.state_mut());
    drop(harness);
    assert!(folder.unclosed().is_empty());
}

#[test]
fn saving_before_closing_writes_the_file_and_closes() {
    let (_folder, path) = arm_file();
    let before = weights(&path);
    let Some(mut harness) = studio(path.to_str().unwrap()) else { return };
    edit(&mut harness);
    press(&mut harness, Modifiers::COMMAND, Key::Q);
    click(&mut harness, "Save and close");
    assert!(harness.state().is_closing() && weights(&path) != before);
}

#[test]
fn a_pose_that_is_not_keyed_is_named_in_the_question() {
    let Some(mut harness) = studio("arm") else { return };
    harness.state_mut().request(Command::Rotate { joint: 1, rotation: [0.0, 0.0, 0.3, 0.9] });
    harness.run();
    press(&mut harness, Modifiers::COMMAND, Key::Q);
    assert!(harness.query_by_label_contains("The pose is not keyed").is_some());
    assert!(harness.query_by_label_contains("Weights, clips or joints").is_none());
    assert!(harness.query_by_label("Save and close").is_none(), "no file holds the pose");
    picture(&mut harness, "unsaved-pose");
    click(&mut harness, "Cancel");
    assert!(!is_asked(&harness));
}

#[test]
fn a_pose_is_kept_by_a_key_before_closing() {
    let (_folder, path) = arm_file();
    let Some(mut harness) = studio(path.to_str().unwrap()) else { return };
    harness.state_mut().request(Command::Rotate { joint: 1, rotation: [0.0, 0.0, 0.3, 0.9] });
    harness.run();
    press(&mut harness, Modifiers::COMMAND, Key::Q);
    click(&mut harness, "Key pose, save and close");
    assert!(harness.state().is_closing());
    let clips = sinew_samples::arm().clips().len();
    assert_eq!(sinew_formats::read_file(&path).unwrap().character.clips().len(), clips + 1);
}

#[test]
fn opening_and_dropping_another_file_asks() {
    let (_folder, path) = arm_file();
    let Some(mut harness) = studio("figure") else { return };
    edit(&mut harness);
    let source = |harness: &Harness<'_, Studio>| harness.state().session().document().source().to_string();
    harness.input_mut().dropped_files.push(Arc::new(Dropped(path)));
    harness.run();
    assert!(is_asked(&harness) && source(&harness) == "figure");
    click(&mut harness, "Cancel");
    assert!(!is_asked(&harness) && source(&harness) == "figure");
    harness.get_by_label("Open").click();
    harness.run();
    harness.get_by_label("tube").click();
    harness.run();
    assert!(is_asked(&harness) && source(&harness) == "figure", "a built-in character asks too");
    click(&mut harness, "Discard edits");
    assert_eq!(source(&harness), "tube");
    assert!(!harness.state().session().unsaved().any());
}

#[test]
fn a_save_that_drops_content_asks_before_the_window_closes() {
    let folder = tempfile::tempdir().unwrap();
    let (input, path) = (folder.path().join("one.glb"), folder.path().join("motion.bvh"));
    let mut parts = sinew_samples::arm().into_parts();
    parts.clips.truncate(1);
    sinew_formats::write_file(&input, &sinew::Character::new(parts).unwrap()).unwrap();
    let Some(mut harness) = studio(input.to_str().unwrap()) else { return };
    save_as(&mut harness, &path);
    click(&mut harness, "Save anyway");
    assert_eq!(harness.state().title(), "motion.bvh - Sinew Studio");
    edit(&mut harness);
    for (answer, closes) in [("Cancel", false), ("Save anyway", true)] {
        press(&mut harness, Modifiers::COMMAND, Key::Q);
        click(&mut harness, "Save and close");
        assert!(!is_asked(&harness) && !harness.state().is_closing(), "a motion file has no mesh");
        picture(&mut harness, "unsaved-losses");
        click(&mut harness, answer);
        assert_eq!(harness.state().is_closing(), closes);
        assert_eq!(harness.state().session().unsaved().any(), !closes);
    }
}
