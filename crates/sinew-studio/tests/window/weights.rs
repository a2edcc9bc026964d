//! Selecting vertices, their table, operations, and the doctor.

use crate::{
    harness::{click, difference, drag, picture, steps, studio, view},
    pair::{pair, twins},
};
use egui_kittest::{Harness, kittest::Queryable as _};
use sinew_studio::app::Studio;

/// Runs frames until no background job is left.
fn wait(harness: &mut Harness<'_, Studio>) {
    harness.run();
    for _ in 0..2000 {
        if !harness.state().is_working() {
            harness.run();
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
        harness.step();
    }
    panic!("the job does not end");
}

fn selected(harness: &Harness<'_, Studio>) -> usize {
    harness.state().session().document().selection().vertex_count()
}

fn open_section(harness: &mut Harness<'_, Studio>, name: &str) {
    harness.get_by_label(name).scroll_to_me();
    harness.run();
    harness.get_by_label(name).click();
    harness.run();
}

fn press(harness: &mut Harness<'_, Studio>, name: &str) {
    harness.get_by_label(name).scroll_to_me();
    harness.run();
    harness.get_by_label(name).click();
    harness.run();
}

#[test]
fn a_lasso_adds_vertices_and_ctrl_removes_them() {
    let Some(mut harness) = studio("tube") else { return };
    harness.get_by_label("Vertices").click();
    harness.run();
    harness.get_by_label("Lasso").click();
    harness.run();
    let area = view(&harness);
    let all: Vec<egui::Pos2> = [(0.05, 0.05), (0.95, 0.05), (0.95, 0.95), (0.05, 0.95)]
        .iter()
        .map(|(x, y)| area.lerp_inside(egui::vec2(*x, *y)))
        .collect();
    harness.event(egui::Event::ModifiersChanged(egui::Modifiers::SHIFT));
    drag(&mut harness, &all);
    let count = harness.state().session().document().character().meshes()[0].vertex_count();
    assert_eq!(selected(&harness), count, "the lasso goes around everything");

    let upper: Vec<egui::Pos2> = [(0.05, 0.5), (0.05, 0.05), (0.95, 0.05), (0.95, 0.5)]
        .iter()
        .map(|(x, y)| area.lerp_inside(egui::vec2(*x, *y)))
        .collect();
    harness.event(egui::Event::ModifiersChanged(egui::Modifiers::COMMAND));
    drag(&mut harness, &upper);
    harness.event(egui::Event::ModifiersChanged(egui::Modifiers::NONE));
    let left = selected(&harness);
    assert!(left > 0 && left < count, "{left} of {count}");
    picture(&mut harness, "lasso");
    assert_eq!(steps(&harness), ["Select vertices", "Select vertices"]);
}

#[test]
fn hidden_vertices_are_not_selected_with_only_visible() {
    let Some(mut harness) = studio("tube") else { return };
    harness.get_by_label("Vertices").click();
    harness.run();
    let area = view(&harness).shrink(12.0);
    let select = |harness: &mut Harness<'_, Studio>| {
        harness.event(egui::Event::ModifiersChanged(egui::Modifiers::SHIFT));
        drag(harness, &[area.min, area.center(), area.max]);
        harness.event(egui::Event::ModifiersChanged(egui::Modifiers::NONE));
        let count = selected(harness);
        harness.get_by_label("None").click();
        harness.run();
        count
    };
    let through = select(&mut harness);
    harness.get_by_label("Only visible").click();
    harness.run();
    let seen = select(&mut harness);
    assert!(
        seen > through / 4 && seen < through * 3 / 4,
        "{seen} of {through}: about half of a tube is seen"
    );
}

#[test]
fn buttons_select_vertices_by_rules() {
    let Some(mut harness) = studio("arm") else { return };
    let count = harness.state().session().document().character().meshes()[0].vertex_count();
    for name in ["All", "Invert"] {
        press(&mut harness, name);
    }
    assert_eq!(selected(&harness), 0);
    harness.get_by_label("Vertices").click();
    harness.run();
    let at = view(&harness).center();
    click(&mut harness, at);
    press(&mut harness, "Grow");
    let grown = selected(&harness);
    assert!(grown > 3, "{grown}");
    press(&mut harness, "Shrink");
    assert!(selected(&harness) < grown);
    press(&mut harness, "Connected");
    assert!(selected(&harness) > grown && selected(&harness) <= count);
    press(&mut harness, "Bad");
    assert_eq!(selected(&harness), 0, "the arm is well weighted");
}

#[test]
fn a_selected_vertex_shows_the_contributions_of_its_joints() {
    let Some(mut harness) = studio("arm") else { return };
    harness.get_by_label("lower").click();
    harness.get_by_label("Vertices").click();
    harness.run();
    harness.get_by_role_and_label(egui::accesskit::Role::Slider, "Rotate Z").set_value_accesskit(80.0);
    harness.run();
    let before = picture(&mut harness, "story-before");
    let at = view(&harness).center() - egui::vec2(0.0, 10.0);
    click(&mut harness, at);
    assert_eq!(selected(&harness), 1);
    assert!(harness.query_by_label("Why is this vertex here?").is_some());
    harness.get_by_label("Why is this vertex here?").scroll_to_me();
    harness.run();
    let after = picture(&mut harness, "story");
    assert!(difference(&before, &after, view(&harness)) > 60, "lines are drawn");
}

#[test]
fn a_table_row_locks_its_joint_and_weights_are_copied_and_pasted() {
    let Some(mut harness) = studio("arm") else { return };
    harness.get_by_label("Vertices").click();
    harness.run();
    let at = view(&harness).center();
    click(&mut harness, at);
    let vertex = *harness.state().session().document().selection().vertices[&0].first().unwrap();
    press(&mut harness, "Lock lower");
    let document = harness.state().session().document();
    let lower = document.character().skeleton().find("lower").unwrap();
    assert!(document.locks().contains(&lower));
    press(&mut harness, "Lock lower");
    let wanted: Vec<f32> = document_weights(&harness, vertex);
    press(&mut harness, "Copy weights");
    press(&mut harness, "All");
    press(&mut harness, "Paste weights");
    let count = harness.state().session().document().weights(0).unwrap().vertex_count() as u32;
    assert!((0..count).all(|other| document_weights(&harness, other) == wanted));
    wait(&mut harness);
    let message = harness.state().message().unwrap();
    assert!(message.starts_with("Paste weights: ") && message.contains("mm RMS"), "{message}");
    picture(&mut harness, "pasted");
}

fn document_weights(harness: &Harness<'_, Studio>, vertex: u32) -> Vec<f32> {
    harness.state().session().document().weights(0).unwrap().of(vertex as usize).1.to_vec()
}

#[test]
fn automatic_weights_are_computed_in_the_background_and_measured() {
    let Some(mut harness) = studio("figure") else { return };
    let before = harness.state().session().document().weights(0).unwrap().clone();
    open_section(&mut harness, "More operations");
    picture(&mut harness, "more-operations");
    press(&mut harness, "Compute weights");
    wait(&mut harness);
    assert_ne!(before, *harness.state().session().document().weights(0).unwrap());
    assert_eq!(steps(&harness), ["Automatic weights (auto)"]);
    let message = harness.state().message().unwrap();
    assert!(message.contains("vertices changed") && message.contains("range of motion"), "{message}");
    picture(&mut harness, "automatic-weights");
    press(&mut harness, "Transfer weights");
    wait(&mut harness);
    press(&mut harness, "8 bits");
    wait(&mut harness);
    assert!(harness.state().message().unwrap().starts_with("Quantize weights: "));
    press(&mut harness, "Undo");
    press(&mut harness, "Undo");
    press(&mut harness, "Undo");
    assert_eq!(before, *harness.state().session().document().weights(0).unwrap());
}

#[test]
fn the_doctor_lists_findings_goes_to_them_and_fixes_them() {
    let Some(mut harness) = studio("figure") else { return };
    // A foot vertex with a weight of the head.
    let document = harness.state().session().document();
    let character = document.character();
    let lowest = character.meshes()[0].positions().iter().enumerate();
    let lowest = lowest.min_by(|a, b| a.1.y.total_cmp(&b.1.y)).unwrap().0;
    let head = character.skeleton().find("head").unwrap();
    harness.get_by_label("head").click();
    harness.get_by_label("Vertices").click();
    harness.run();
    harness.state_mut().request(sinew_studio::command::Command::SetWeight {
        instance: 0,
        vertices: vec![lowest as u32],
        joint: head.0,
        weight: 0.5,
    });
    harness.run();
    open_section(&mut harness, "Doctor");
    press(&mut harness, "Check");
    wait(&mut harness);
    let codes = |harness: &Harness<'_, Studio>| -> Vec<&'static str> {
        harness.state().findings().unwrap().iter().map(|finding| finding.code.as_str()).collect()
    };
    assert!(codes(&harness).contains(&"stray-weights"), "{:?}", codes(&harness));
    picture(&mut harness, "doctor-found");
    press(&mut harness, "stray-weights");
    assert!(harness.state().session().document().selection().vertices[&0].contains(&(lowest as u32)));
    picture(&mut harness, "doctor");
    press(&mut harness, "Fix stray-weights");
    wait(&mut harness);
    assert_eq!(harness.state().session().history().undo_name(), Some("Fix stray-weights"));
    let message = harness.state().message().unwrap();
    assert!(message.starts_with("Fix stray-weights: ") && message.contains("mm at most"), "{message}");
    assert!(harness.query_by_label_contains("has changed since this check").is_some());
    press(&mut harness, "Check");
    wait(&mut harness);
    assert!(!codes(&harness).contains(&"stray-weights"));
}

#[test]
fn the_doctor_offers_another_method_for_a_twist_that_collapses_the_skin() {
    let Some(mut harness) = studio("tube") else { return };
    open_section(&mut harness, "Doctor");
    press(&mut harness, "Check");
    wait(&mut harness);
    // One finding per clip.
    harness.query_all_by_label("candy-wrap").next().unwrap().click();
    harness.run();
    let document = harness.state().session().document();
    assert!(document.clip().is_some(), "the clip of the finding is chosen");
    assert!(selected(&harness) > 0);
    harness.query_all_by_label("Try dual-quat").next().unwrap().click();
    harness.run();
    assert_eq!(harness.state().session().document().method(), sinew::Method::DualQuat);
    picture(&mut harness, "doctor-twist");
}

#[test]
fn operations_reach_all_selected_meshes_and_say_which_they_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pair.glb");
    for (character, wanted) in [(twins(), " (2 meshes): "), (pair(), " (1 of 2 meshes): ")] {
        let _ = std::fs::remove_file(&path);
        sinew_formats::write_file(&path, &character).unwrap();
        let Some(mut harness) = studio(path.to_str().unwrap()) else { return };
        harness.get_by_label("lower").click();
        harness.run();
        open_section(&mut harness, "More operations");
        assert!(harness.query_by_label_contains("the whole skin of 2 meshes").is_some());
        press(&mut harness, "Merge into parent");
        wait(&mut harness);
        assert_eq!(harness.state().session().history().done_count(), 2, "selected and merged");
        let message = harness.state().message().unwrap();
        assert!(message.starts_with(&format!("Merge joints{wanted}")), "{message}");
        assert!(!message.contains(": 0 vertices"), "{message}");
        picture(&mut harness, "two-meshes");
    }
}
