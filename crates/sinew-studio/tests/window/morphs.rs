//! The sliders of morph targets in the window.

use super::{
    harness::{difference, picture, steps, studio, view},
    morphed_arm::morphed_arm,
};
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;
use sinew::{Wrap, sample_clip};

#[test]
fn a_slider_sets_a_morph_weight_and_k_keys_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("face.glb");
    sinew_formats::write_file(&path, &morphed_arm()).unwrap();
    let Some(mut harness) = studio(path.to_str().unwrap()) else { return };
    assert!(harness.query_by_label("Morph targets (2)").is_some());
    let thin = picture(&mut harness, "morph-rest");
    harness.get_by_role_and_label(Role::Slider, "thick").set_value_accesskit(0.5);
    harness.run();
    let thick = picture(&mut harness, "morph-thick");
    assert!(difference(&thin, &thick, view(&harness)) > 2000, "the arm is thicker");
    harness.key_press(egui::Key::K);
    harness.run();
    let document = harness.state().session().document();
    let mut pose = document.character().rest_pose();
    sample_clip(document.clip().unwrap(), 0.0, Wrap::Clamp, &mut pose);
    assert_eq!(pose.morphs, [0.5, 0.0]);
    assert_eq!(steps(&harness), ["Morph", "Key pose"]);
}
