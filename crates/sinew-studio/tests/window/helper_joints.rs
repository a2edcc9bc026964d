//! Roll joints and muscles in the window.

use super::harness::{GPU_COST, choose, difference, picture, steps, studio, view};
use egui::accesskit::Role;
use egui_kittest::{Harness, kittest::Queryable as _};
use sinew::glam::Vec3;
use sinew_studio::{app::Studio, document::Document};

fn document<'a>(harness: &'a Harness<'_, Studio>) -> &'a Document {
    harness.state().session().document()
}

fn click(harness: &mut Harness<'_, Studio>, label: &str) {
    harness.get_by_label(label).click();
    harness.run();
}

/// Clicks the first of several widgets with one label, such as a joint in the tree and its name in a panel.
fn click_first(harness: &mut Harness<'_, Studio>, label: &str) {
    harness.get_all_by_label(label).next().unwrap().click();
    harness.run();
}

fn slide(harness: &mut Harness<'_, Studio>, label: &str, value: f64) {
    harness.get_by_role_and_label(Role::Slider, label).set_value_accesskit(value);
    harness.run();
}

/// Frames a joint from the front, without bones.
fn look_at(harness: &mut Harness<'_, Studio>, joint: &str) {
    click(harness, joint);
    harness.key_press(egui::Key::Num1);
    harness.run();
    harness.key_press(egui::Key::F);
    harness.run();
    click(harness, "Bones");
}

/// The minimum thickness of the forearm relative to its rest pose.
fn min_thickness(document: &Document) -> f32 {
    let character = document.character();
    let mut evaluation = sinew_studio::document::Evaluation::new(document);
    evaluation.follow(document, None).unwrap();
    let frame = evaluation.frame();
    let skeleton = character.skeleton();
    let at = |name: &str| Vec3::from(frame.model().joint(skeleton.find(name).unwrap()).translation);
    let (elbow, wrist) = (at("forearm.L"), at("hand.L"));
    let along = (wrist - elbow).normalize();
    let mut min = f32::MAX;
    for (instance, streams) in character.instances().iter().zip(frame.deformed()) {
        for (rest, posed) in character.mesh_of(instance).positions().iter().zip(&streams.positions) {
            let along_bone = (*rest - elbow).dot(along) / (wrist - elbow).length();
            let radius = |p: Vec3| (p - elbow).reject_from_normalized(along).length();
            if (0.3..0.98).contains(&along_bone) && (0.015..0.08).contains(&radius(*rest)) {
                min = min.min(radius(*posed) / radius(*rest));
            }
        }
    }
    min
}

#[test]
fn roll_joints_keep_a_twisted_forearm_round() {
    let Some(mut harness) = studio("figure") else { return };
    look_at(&mut harness, "hand.L");
    slide(&mut harness, "Rotate Y", 150.0);
    let wrung = picture(&mut harness, "forearm-wrung");
    let thin = min_thickness(document(&harness));
    click(&mut harness, "forearm.L");
    click(&mut harness, "Helpers");
    click(&mut harness, "Add roll joints");
    let round = min_thickness(document(&harness));
    assert!(round > thin + 0.2 && round > 0.75, "{thin} to {round}");
    assert!(harness.query_by_label("forearm.L twist").is_some());
    let driven = picture(&mut harness, "forearm-driven");
    assert!(difference(&wrung, &driven, view(&harness)) > 500);
    choose(&mut harness, "Compare with", "without helpers");
    let compared = picture(&mut harness, "forearm-compared");
    assert!(difference(&driven, &compared, view(&harness)) > 5000);
    // The opened character has fewer joints, but can be posed.
    choose(&mut harness, "Compare with", "opened weights");
    let opened = picture(&mut harness, "forearm-as-opened");
    assert!(difference(&opened, &compared, view(&harness)) < 3000);
    choose(&mut harness, "Compare with", "nothing");
    // The GPU button must be visible.
    click(&mut harness, "Helpers (1)");
    click(&mut harness, "GPU");
    harness.hover_at(egui::pos2(5.0, 5.0));
    harness.run();
    assert!(harness.query_by_label_contains(GPU_COST).is_some(), "the GPU deforms");
    let by_gpu = picture(&mut harness, "forearm-by-gpu");
    assert!(difference(&driven, &by_gpu, view(&harness)) < 2500, "the same as on the CPU");
    click(&mut harness, "CPU");
    click(&mut harness, "Helpers (1)");
    click(&mut harness, "forearm.L twist");
    assert!(!document(&harness).character().helpers()[0].is_enabled);
    slide(&mut harness, "roll 3", 0.9);
    assert_eq!(
        steps(&harness)[2..],
        ["Select joint", "Add roll joints", "Disable helper", "Edit helper"].map(str::to_owned)
    );
    click(&mut harness, "Remove");
    assert!(document(&harness).character().helpers().is_empty());
    assert!(document(&harness).character().skeleton().find("forearm.L.roll.1").is_none());
}

#[test]
fn a_muscle_bulges_on_the_side_of_the_bend() {
    let Some(mut harness) = studio("figure") else { return };
    look_at(&mut harness, "forearm.L");
    slide(&mut harness, "Rotate Z", 110.0);
    let slack = picture(&mut harness, "biceps-slack");
    click(&mut harness, "upper_arm.L");
    click(&mut harness, "Helpers");
    click(&mut harness, "New muscle");
    picture(&mut harness, "biceps-options");
    click(&mut harness, "Add muscle");
    let swollen = picture(&mut harness, "biceps-swollen");
    assert!(difference(&slack, &swollen, view(&harness)) > 500);
    slide(&mut harness, "bulges to", 1.0);
    let flat = picture(&mut harness, "biceps-flat");
    assert!(difference(&flat, &swollen, view(&harness)) > 500);
    assert_eq!(steps(&harness).last().unwrap(), "Edit helper");
    slide(&mut harness, "bulges to", 1.6);
    let on_cpu = picture(&mut harness, "biceps-on-cpu");
    assert!(difference(&flat, &on_cpu, view(&harness)) > 500);
    // The GPU button must be visible.
    click(&mut harness, "Helpers (1)");
    click(&mut harness, "GPU");
    harness.hover_at(egui::pos2(5.0, 5.0));
    harness.run();
    let on_gpu = picture(&mut harness, "biceps-on-gpu");
    assert!(harness.query_by_label_contains(GPU_COST).is_some(), "the GPU deforms");
    let off = difference(&on_cpu, &on_gpu, view(&harness));
    assert!(off < 2500, "{off} pixels differ from the CPU");
}

#[test]
fn muscle_weights_are_shown_selected_and_listed() {
    let Some(mut harness) = studio("arm") else { return };
    click(&mut harness, "upper");
    click(&mut harness, "Helpers");
    click(&mut harness, "New muscle");
    click(&mut harness, "Add muscle");
    click(&mut harness, "Helpers (1)");
    click_first(&mut harness, "upper.muscle.1");
    choose(&mut harness, "Skin", "heat of joint");
    let heat = picture(&mut harness, "muscle-heat");
    click(&mut harness, "tip");
    let nothing = picture(&mut harness, "muscle-no-heat");
    assert!(difference(&heat, &nothing, view(&harness)) > 1000, "the muscle has a heat map");
    click_first(&mut harness, "upper.muscle.1");
    click(&mut harness, "Vertices");
    harness.get_by_label("Of joint").scroll_to_me();
    click(&mut harness, "Of joint");
    let weights = document(&harness).weights(0).unwrap().clone();
    let pushed = (0..weights.vertex_count()).filter(|&v| !weights.muscle_of(v).0.is_empty()).count();
    assert_eq!(document(&harness).selection().vertex_count(), pushed);
    slide(&mut harness, "upper.muscle.1 in all", 1.5);
    let all = document(&harness).weights(0).unwrap();
    let found = (0..all.vertex_count()).filter(|&v| all.muscle_of(v).1 == [1.5]).count();
    assert_eq!(found, pushed);
    assert_eq!(steps(&harness).last().unwrap(), "Set weight");
    assert!(harness.query_all_by_label("Lock upper.muscle.1").next().is_some(), "the table lists the muscle");
    picture(&mut harness, "muscle-table");
}
