//! The documentation's pictures of the studio. `cargo xtask pictures` copies them into `docs/images`.

use crate::harness::{choose, click, picture, studio, studio_of, view};
use egui_kittest::{Harness, kittest::Queryable as _};
use sinew_studio::app::Studio;
use sinew_view::{
    encode::{Animation, encode_gif},
    picture::Picture,
};
use std::{path::PathBuf, time::Duration};

#[test]
fn a_picture_of_a_figure_with_a_heat_map() {
    let Some(mut harness) = studio("figure") else { return };
    choose(&mut harness, "Clip", "wave");
    let bar = harness.get_by_label("Time").rect();
    click(&mut harness, bar.left_center() + egui::vec2(0.45 * bar.width(), 0.0));
    harness.get_by_label("upper_arm.L").click();
    harness.run();
    choose(&mut harness, "Skin", "heat of joint");
    harness.hover_at(egui::pos2(640.0, 8.0));
    harness.run();
    assert!(harness.state().session().document().selection().joint.is_some());
    picture(&mut harness, "studio_heat");
}

#[test]
fn a_picture_of_two_methods_and_their_difference() {
    let Some(mut harness) = studio("tube") else { return };
    harness.get_by_label("middle").click();
    harness.run();
    harness.get_by_role_and_label(egui::accesskit::Role::Slider, "Rotate Y").set_value_accesskit(140.0);
    harness.run();
    choose(&mut harness, "Compare with", "dual-quat");
    choose(&mut harness, "Skin", "difference");
    harness.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::F);
    harness.hover_at(egui::pos2(640.0, 8.0));
    harness.run();
    picture(&mut harness, "studio_compare");
}

#[test]
fn an_animated_picture_of_a_joint_that_turns_and_a_clip_that_plays() {
    let size = egui::vec2(1000.0, 625.0);
    let Some(mut harness) = studio_of("figure", size, None) else { return };
    let mut frames = Vec::new();
    harness.get_by_label("upper_arm.L").click();
    harness.run();
    choose(&mut harness, "Skin", "heat of joint");
    for degrees in [0, 12, 24, 36, 48, 60, 72, 60, 48, 36, 24, 12] {
        let slider = harness.get_by_role_and_label(egui::accesskit::Role::Slider, "Rotate X");
        slider.set_value_accesskit(f64::from(degrees));
        harness.run();
        frames.push(frame(&mut harness));
    }
    choose(&mut harness, "Skin", "material");
    choose(&mut harness, "Clip", "run");
    let at = view(&harness).center();
    harness.hover_at(at);
    harness.run();
    harness.key_press(egui::Key::Space);
    for _ in 0..14 {
        harness.run_steps(1);
        frames.push(frame(&mut harness));
    }
    assert!(harness.state().is_playing());
    let gif = encode_gif(Animation { frames: &frames, frame_time: Duration::from_millis(100) }).unwrap();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("studio");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("studio.gif"), &gif).unwrap();
    assert!(gif.len() < 4_000_000, "{} bytes", gif.len());
}

fn frame(harness: &mut Harness<'_, Studio>) -> Picture {
    let shot = harness.render().unwrap();
    let (width, height) = (shot.width() * 3 / 4, shot.height() * 3 / 4);
    let small = image::imageops::resize(&shot, width, height, image::imageops::FilterType::Triangle);
    let mut picture = Picture::filled(width, height, sinew_view::color::Color::BLACK);
    picture.pixels_mut().iter_mut().zip(small.pixels()).for_each(|(to, from)| *to = from.0);
    picture
}
