//! Gizmo, IK, limits, playback, blending and graphs in the window.

use super::harness::{Dropped, choose, click, drag, picture, steps, studio, view};
use egui::accesskit::Role;
use egui_kittest::{Harness, kittest::Queryable as _};
use sinew::{
    Character, Clip, ClipEvent, Curve, Interpolation, JointId, MetaChannel, MetaCurve, ModelPose, glam::Vec3,
};
use sinew_studio::{app::Studio, document::Document};
use std::{path::PathBuf, sync::Arc};

fn document<'a>(harness: &'a Harness<'_, Studio>) -> &'a Document {
    harness.state().session().document()
}

fn select(harness: &mut Harness<'_, Studio>, joint: &str) -> JointId {
    harness.get_by_label(joint).click();
    harness.run();
    document(harness).selection().joint.unwrap()
}

fn press(harness: &mut Harness<'_, Studio>, key: egui::Key) {
    harness.key_press(key);
    harness.run();
}

/// The position of a joint in model space.
fn place_of(harness: &Harness<'_, Studio>, joint: JointId) -> Vec3 {
    let document = document(harness);
    let mut model = ModelPose::new(document.character().skeleton());
    model.update(document.character().skeleton(), document.pose());
    model.joint(joint).translation.into()
}

#[test]
fn dragging_a_ring_rotates_the_joint_in_one_step_and_ctrl_snaps() {
    let Some(mut harness) = studio("arm") else { return };
    press(&mut harness, egui::Key::Num1);
    let joint = select(&mut harness, "lower");
    picture(&mut harness, "rings");
    let rest = document(&harness).pose().clone();
    // The ring that faces the camera is the outermost: straight above the joint, which is in the middle.
    let area = view(&harness);
    let elbow = harness.state().project(place_of(&harness, joint)).unwrap();
    let radius = area.height() * 0.5 * 0.3 * 1.18;
    let on = |degrees: f32| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        elbow + egui::vec2(cos, -sin) * radius
    };
    harness.hover_at(on(45.0));
    harness.run();
    harness.drag_at(on(45.0));
    harness.run();
    for degrees in [55.0, 65.0, 75.0, 85.0] {
        harness.hover_at(on(degrees));
        harness.run();
    }
    picture(&mut harness, "ring-held");
    harness.drop_at(on(85.0));
    harness.run();
    let turned = document(&harness).pose().joints[joint.index()].rotation;
    let angle = turned.angle_between(rest.joints[joint.index()].rotation).to_degrees();
    assert!((angle - 40.0).abs() < 1.0, "{angle}");
    assert_eq!(steps(&harness), ["Select joint", "Rotate"]);

    harness.event(egui::Event::ModifiersChanged(egui::Modifiers::CTRL));
    drag(&mut harness, &[on(45.0), on(52.0), on(65.0)]);
    harness.event(egui::Event::ModifiersChanged(egui::Modifiers::NONE));
    let snapped = document(&harness).pose().joints[joint.index()].rotation.angle_between(turned);
    assert!((snapped.to_degrees() - 15.0).abs() < 0.1, "{}", snapped.to_degrees());
    assert_eq!(steps(&harness), ["Select joint", "Rotate", "Rotate"]);
}

#[test]
fn arrows_move_and_arms_scale_the_joint() {
    let Some(mut harness) = studio("arm") else { return };
    press(&mut harness, egui::Key::Num1);
    let joint = select(&mut harness, "lower");
    let before = document(&harness).pose().joints[joint.index()];
    harness.get_by_role_and_label(Role::Button, "Move").click();
    harness.run();
    let world = harness.get_by_role_and_label(Role::Button, "world");
    world.click();
    harness.run();
    picture(&mut harness, "arrows");
    let middle = harness.state().project(place_of(&harness, joint)).unwrap();
    let up = view(&harness).height() * 0.5 * 0.3;
    let tip = middle - egui::vec2(0.0, up * 0.7);
    drag(&mut harness, &[tip, tip - egui::vec2(0.0, 10.0), tip - egui::vec2(0.0, 40.0)]);
    let moved = document(&harness).pose().joints[joint.index()];
    assert_ne!(moved.translation, before.translation);
    assert_eq!(steps(&harness), ["Select joint", "Move"]);

    harness.get_by_role_and_label(Role::Button, "Scale").click();
    harness.run();
    picture(&mut harness, "arms");
    let middle = harness.state().project(place_of(&harness, joint)).unwrap();
    drag(&mut harness, &[middle, middle + egui::vec2(10.0, -10.0), middle + egui::vec2(30.0, -30.0)]);
    let scaled = document(&harness).pose().joints[joint.index()].scale;
    assert!(scaled.min_element() > 1.05 && (scaled.max_element() - scaled.min_element()) < 1e-3, "{scaled}");
}

#[test]
fn dragging_a_hand_with_ik_rotates_the_arm() {
    let Some(mut harness) = studio("figure") else { return };
    press(&mut harness, egui::Key::Num1);
    let hand = select(&mut harness, "hand.L");
    harness.get_by_role_and_label(Role::Button, "Reach (IK)").click();
    harness.run();
    let before = document(&harness).pose().clone();
    let start = place_of(&harness, hand);
    let from = harness.state().project(start).unwrap();
    harness.hover_at(from);
    harness.run();
    harness.drag_at(from);
    harness.run();
    for step in 1..=5_u8 {
        harness.hover_at(from + egui::vec2(-6.0, -14.0) * f32::from(step));
        harness.run();
    }
    picture(&mut harness, "reach");
    let to = from + egui::vec2(-30.0, -70.0);
    harness.drop_at(to);
    harness.run();
    let seen = harness.state().project(place_of(&harness, hand)).unwrap();
    assert!(seen.distance(to) < 3.0, "{seen} {to}");
    let moved = document(&harness).pose().joints.iter().zip(&before.joints).filter(|(a, b)| a != b).count();
    assert_eq!(moved, 2, "upper arm and forearm rotate");
    assert_eq!(steps(&harness), ["Select joint", "Reach"]);
    harness.get_by_label("Undo").click();
    harness.run();
    assert_eq!(*document(&harness).pose(), before);
}

#[test]
fn a_limit_bounds_the_sliders_and_can_be_ignored() {
    let Some(mut harness) = studio("arm") else { return };
    let joint = select(&mut harness, "lower");
    harness.get_by_label("Limits").click();
    harness.run();
    harness.get_by_label("Limit this joint").click();
    harness.run();
    assert!(document(&harness).limits().joints.contains_key(&joint));
    harness.get_by_role_and_label(Role::Slider, "Rotate Z").set_value_accesskit(150.0);
    harness.run();
    let rest = document(&harness).character().skeleton().rest(joint).rotation;
    let angle = |harness: &Harness<'_, Studio>| {
        document(harness).pose().joints[joint.index()].rotation.angle_between(rest).to_degrees()
    };
    assert!((angle(&harness) - 90.0).abs() < 0.5, "{}", angle(&harness));
    picture(&mut harness, "limits");
    harness.get_by_label("Enforce limits").click();
    harness.run();
    harness.get_by_role_and_label(Role::Slider, "Rotate Z").set_value_accesskit(150.0);
    harness.run();
    assert!((angle(&harness) - 150.0).abs() < 0.5, "{}", angle(&harness));
}

#[test]
fn curves_loop_ranges_and_time_steps_work_together() {
    let Some(mut harness) = studio("figure") else { return };
    choose(&mut harness, "Clip", "walk");
    select(&mut harness, "spine_lower");
    harness.get_by_label("Curves").click();
    harness.run();
    let curves = harness.get_by_label("Curves of the joint").rect();
    click(&mut harness, curves.center());
    let lasts = document(&harness).clip().unwrap().duration_secs();
    let time = document(&harness).playhead().time_secs;
    assert!((time / lasts - 0.5).abs() < 0.02, "{time}");
    picture(&mut harness, "curves");

    let start = harness.get_by_label("Loop start").rect().center();
    drag(&mut harness, &[start, start + egui::vec2(60.0, 0.0), start + egui::vec2(400.0, 0.0)]);
    let [from, to] = document(&harness).playhead().range_secs.unwrap();
    assert!(from > 0.2 * lasts && to == lasts, "{from} {to}");
    assert_eq!(steps(&harness).last().unwrap(), "Set loop range");
    press(&mut harness, egui::Key::Home);
    assert_eq!(document(&harness).playhead().time_secs, from);
    press(&mut harness, egui::Key::Period);
    let next = document(&harness).playhead().time_secs;
    assert!(next > from && next < from + 0.05, "{next}");
    press(&mut harness, egui::Key::End);
    assert_eq!(document(&harness).playhead().time_secs, lasts);

    choose(&mut harness, "Update", "15 Hz");
    assert_eq!(document(&harness).playhead().rate.hz, Some(15.0));
    press(&mut harness, egui::Key::Home);
    harness.key_press(egui::Key::Space);
    harness.run_steps(40);
    assert!(harness.state().is_playing());
    picture(&mut harness, "loop-range");
    harness.key_press(egui::Key::Space);
    harness.run();
    let stopped = document(&harness).playhead().time_secs;
    assert!((from..=to).contains(&stopped), "{stopped}");
}

#[test]
fn two_clips_are_blended_and_baked() {
    let Some(mut harness) = studio("figure") else { return };
    choose(&mut harness, "Clip", "walk");
    harness.get_by_label("Blend").click();
    harness.run();
    choose(&mut harness, "Blend with", "run");
    harness.get_by_role_and_label(Role::Slider, "blend weight").set_value_accesskit(0.7);
    harness.run();
    let mix = document(&harness).playhead().mix.unwrap();
    assert!((mix.weight - 0.7).abs() < 1e-3 && mix.is_synchronized);
    harness.key_press(egui::Key::Space);
    harness.run_steps(10);
    picture(&mut harness, "mix");
    harness.key_press(egui::Key::Space);
    harness.run();
    harness.get_by_label("Bake to clip").click();
    harness.run();
    assert_eq!(document(&harness).clip().unwrap().name(), "walk + run");
}

#[test]
fn a_dropped_graph_plays_and_its_parameters_are_controls() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("moves.graph.ron");
    let text = include_str!("../../../../examples/figure.graph.ron");
    std::fs::write(&path, text).unwrap();
    let Some(mut harness) = studio("figure") else { return };
    drop_file(&mut harness, path.clone());
    assert_eq!(document(&harness).graph().unwrap().name, "moves.graph.ron");
    harness.key_press(egui::Key::Space);
    harness.run_steps(5);
    assert!(harness.query_by_label("idle").is_some(), "the state's name is shown");
    harness.get_by_role_and_label(Role::Slider, "speed").set_value_accesskit(2.0);
    harness.run_steps(30);
    assert!(harness.query_by_label("moving").is_some());
    picture(&mut harness, "graph");
    harness.get_by_role_and_label(Role::Button, "stretch").click();
    harness.run_steps(10);
    assert!(harness.query_all_by_label("stretch").count() > 1, "the state has the name of its trigger");

    std::fs::write(&path, text.replace("clip: \"run\"", "clip: \"fly\"")).unwrap();
    drop_file(&mut harness, path);
    let message = harness.state().message().unwrap();
    assert!(message.contains("fly") && message.contains("run"), "{message}");
    assert!(document(&harness).graph().is_some());
    harness.get_by_label("Close graph").click();
    harness.run_steps(3);
    assert!(document(&harness).graph().is_none());
}

fn drop_file(harness: &mut Harness<'_, Studio>, path: PathBuf) {
    harness.input_mut().dropped_files.push(Arc::new(Dropped(path)));
    harness.run_steps(3);
}

#[test]
fn a_film_export_can_be_canceled() {
    let Some(mut harness) = studio("arm") else { return };
    let clip = document(&harness).character().clips()[0].name().to_owned();
    choose(&mut harness, "Clip", &clip);
    harness.get_by_label("Save").click();
    harness.run();
    harness.get_by_label_contains("Export").click();
    harness.run();
    picture(&mut harness, "export-menu");
    harness.get_by_label("Clip as animated picture (.gif)").click();
    harness.run_steps(3);
    assert!(harness.query_by_label("Cancel").is_some());
    picture(&mut harness, "filming");
    harness.get_by_label("Cancel").click();
    harness.run();
    assert!(harness.query_by_label("Cancel").is_none(), "the export has ended");
}

/// The arm with a clip that has a meta-channel and an event.
fn arm_with_metas() -> Character {
    let arm = sinew_samples::arm();
    let mut parts = arm.parts().clone();
    let curve = Curve::new(vec![0.0, 0.4, 0.9], vec![60.0, 35.0, 50.0], Interpolation::Linear).unwrap();
    let meta = MetaChannel { name: "fov".into(), curve: MetaCurve::Scalar(curve) };
    let mut clip = Clip::clone(&parts.clips[0]).into_parts();
    clip.metas.push(meta);
    clip.events.push(ClipEvent { time_secs: 0.5, name: "clap".into(), payload: None });
    parts.clips[0] = Arc::new(Clip::from_parts(clip).unwrap());
    Character::new(parts).unwrap()
}

#[test]
fn meta_channels_are_listed_with_their_current_value() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arm.glb");
    sinew_formats::write_file(&path, &arm_with_metas()).unwrap();
    let Some(mut harness) = studio("tube") else { return };
    drop_file(&mut harness, path);
    let clip = document(&harness).character().clips()[0].name().to_owned();
    choose(&mut harness, "Clip", &clip);
    harness.get_by_label("Curves").click();
    harness.run();
    harness.get_by_label("meta-channels (1)").click();
    harness.run();
    let bar = harness.get_by_label("Time").rect();
    let lasts = document(&harness).clip().unwrap().duration_secs();
    let at = egui::pos2(bar.left() + 8.0 + (bar.width() - 16.0) * 0.4 / lasts, bar.center().y);
    click(&mut harness, at);
    assert!(harness.query_by_label_contains("35.").is_some(), "its value at 0.4 s");
    picture(&mut harness, "metas");
}

#[test]
fn a_clip_is_made_keyed_beyond_its_last_key_and_lengthened() {
    let Some(mut harness) = studio("arm") else { return };
    harness.get_by_label("New clip").click();
    harness.run();
    picture(&mut harness, "new-clip");
    harness.get_by_label("Create").click();
    harness.run();
    let clip = |harness: &Harness<'_, Studio>| document(harness).clip().unwrap().clone();
    assert_eq!((clip(&harness).name(), clip(&harness).duration_secs()), ("clip 1", 2.0));
    let joint = select(&mut harness, "lower");
    press(&mut harness, egui::Key::K);
    let bar = harness.get_by_label("Time").rect();
    click(&mut harness, egui::pos2(bar.left() + 8.0 + (bar.width() - 16.0) * 0.75, bar.center().y));
    assert!((document(&harness).playhead().time_secs - 1.5).abs() < 0.01);
    harness.get_by_label("Mirror").hover();
    press(&mut harness, egui::Key::K);
    assert!((clip(&harness).last_key_secs() - 1.5).abs() < 0.01);
    assert_eq!(clip(&harness).duration_secs(), 2.0);
    let field = harness.get_by_role_and_label(Role::SpinButton, "Clip length 2.00 s").rect();
    let from = field.center();
    drag(&mut harness, &[from, from + egui::vec2(30.0, 0.0), from + egui::vec2(60.0, 0.0)]);
    assert!(clip(&harness).duration_secs() > 2.2, "{}", clip(&harness).duration_secs());
    assert_eq!(steps(&harness).last().map(String::as_str), Some("Set duration"));
    harness.get_by_label("Curves").click();
    harness.run();
    let curves = harness.get_by_label("Curves of the joint").rect();
    harness.hover_at(curves.center());
    harness.run();
    picture(&mut harness, "key-frame");
    harness.get_by_label("Edit clip").click();
    harness.run();
    picture(&mut harness, "edit-clip");
    harness.get_by_label("Remove keys at this time").click();
    harness.run();
    assert_eq!(clip(&harness).last_key_secs(), 0.0, "{}", joint.index());
    harness.get_by_label("Edit clip").click();
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Clip name").click();
    harness.run();
    harness.get_by_role_and_label(Role::TextInput, "Clip name").type_text(" nod");
    harness.run();
    harness.get_by_label("Rename").click();
    harness.run();
    assert_eq!(clip(&harness).name(), "clip 1 nod");
}

#[test]
fn escape_cancels_a_gizmo_drag() {
    let Some(mut harness) = studio("arm") else { return };
    press(&mut harness, egui::Key::Num1);
    let joint = select(&mut harness, "lower");
    let before = document(&harness).pose().clone();
    let elbow = harness.state().project(place_of(&harness, joint)).unwrap();
    let from = elbow + egui::vec2(0.0, -view(&harness).height() * 0.5 * 0.3 * 1.18);
    harness.hover_at(from);
    harness.run();
    harness.drag_at(from);
    harness.run();
    harness.hover_at(from + egui::vec2(40.0, 5.0));
    harness.run();
    harness.hover_at(from + egui::vec2(70.0, 20.0));
    harness.run();
    assert_ne!(*document(&harness).pose(), before);
    press(&mut harness, egui::Key::Escape);
    harness.hover_at(from + egui::vec2(20.0, 5.0));
    harness.run();
    assert_eq!(*document(&harness).pose(), before);
    harness.drop_at(from + egui::vec2(20.0, 5.0));
    harness.run();
    assert_eq!(*document(&harness).pose(), before);
}
