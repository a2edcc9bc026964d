//! What the view shows: maps, boxes, comparisons, and who deforms.

use crate::harness::{choose, difference, picture, slow_studio, studio, view};
use egui_kittest::{Harness, kittest::Queryable as _};
use sinew_studio::app::Studio;

fn twisted_tube() -> Option<Harness<'static, Studio>> {
    let mut harness = studio("tube")?;
    harness.get_by_label("middle").click();
    harness.run();
    harness.get_by_role_and_label(egui::accesskit::Role::Slider, "Rotate Y").set_value_accesskit(150.0);
    harness.run();
    Some(harness)
}

#[test]
fn maps_of_artefacts_follow_the_pose_and_say_what_their_colours_mean() {
    let Some(mut harness) = twisted_tube() else { return };
    let area = view(&harness);
    let plain = picture(&mut harness, "tube-material");
    for look in ["volume", "stretch", "candy-wrap"] {
        choose(&mut harness, "Skin", look);
        let map = picture(&mut harness, &format!("tube-{look}"));
        assert!(difference(&plain, &map, area) > 5000, "{look} is seen");
        harness.get_by_role_and_label(egui::accesskit::Role::Slider, "Rotate Y").set_value_accesskit(10.0);
        harness.run();
        let calm = picture(&mut harness, &format!("tube-{look}-calm"));
        assert!(difference(&calm, &map, area) > 1000, "{look} follows the pose");
        harness.get_by_role_and_label(egui::accesskit::Role::Slider, "Rotate Y").set_value_accesskit(150.0);
        harness.run();
    }
}

#[test]
fn a_difference_is_a_map_beside_the_other_method() {
    let Some(mut harness) = twisted_tube() else { return };
    choose(&mut harness, "Compare with", "dual-quat");
    let apart = picture(&mut harness, "tube-two-methods");
    choose(&mut harness, "Skin", "difference");
    let map = picture(&mut harness, "tube-difference");
    assert!(difference(&apart, &map, view(&harness)) > 5000);
}

#[test]
fn edited_weights_stand_beside_those_that_the_file_came_with() {
    let Some(mut harness) = twisted_tube() else { return };
    harness.get_by_label("Sharpen").click();
    harness.run();
    choose(&mut harness, "Compare with", "weights as opened");
    let both = picture(&mut harness, "tube-weights-as-opened");
    let area = view(&harness);
    let half = area.width() as u32 / 2;
    let at = |x: u32, y: u32| both.get_pixel(area.left() as u32 + x, area.top() as u32 + y);
    let rows = 60..area.height() as u32 - 60;
    let pairs = rows.flat_map(|y| (8..half - 8).map(move |x| (x, y)));
    assert!(pairs.filter(|(x, y)| at(*x, *y) != at(x + half, *y)).count() > 300);
}

#[test]
fn bounds_are_a_box_of_lines() {
    let Some(mut harness) = studio("arm") else { return };
    let without = picture(&mut harness, "arm-without-bounds");
    harness.get_by_label("Bounds").click();
    harness.run();
    let with = picture(&mut harness, "arm-bounds");
    let changed = difference(&without, &with, view(&harness));
    assert!(changed > 300 && changed < 20_000, "{changed}");
}

#[test]
fn the_card_shows_what_the_processor_shows_and_says_what_it_cannot_do() {
    let Some(mut harness) = studio("figure") else { return };
    choose(&mut harness, "Clip", "run");
    let slider = harness.get_by_label("Time").rect();
    harness.hover_at(slider.center());
    harness.run();
    harness.drag_at(slider.center());
    harness.run();
    harness.drop_at(slider.center());
    harness.run();
    harness.hover_at(egui::pos2(5.0, 5.0));
    harness.run();
    let area = view(&harness);
    let by_processor = picture(&mut harness, "figure-by-processor");
    harness.get_by_label("GPU").click();
    harness.run();
    harness.hover_at(egui::pos2(5.0, 5.0));
    harness.run();
    assert!(harness.query_by_label_contains("on the GPU").is_some(), "the card deforms");
    let by_card = picture(&mut harness, "figure-by-card");
    let apart = difference(&by_processor, &by_card, area);
    assert!(apart < 2500, "{apart} pixels differ");

    choose(&mut harness, "Deform by", "slerp");
    // The card answers when it is asked to draw.
    picture(&mut harness, "figure-slerp");
    harness.run();
    harness.run();
    assert!(harness.state().message().unwrap().contains("slerp"), "{:?}", harness.state().message());
    assert!(harness.query_by_label_contains("on the GPU").is_none(), "the processor goes on");
}

#[test]
fn a_slow_machine_draws_less_while_things_move_and_all_of_it_afterwards() {
    let (Some(mut slow), Some(mut patient)) = (slow_studio("figure"), studio("figure")) else { return };
    let area = view(&slow);
    // Beside the figure, where a drag turns the view.
    let beside = area.left_center() + egui::vec2(60.0, 0.0);
    let mut both = |step: &str, act: &dyn Fn(&mut Harness<'_, Studio>)| {
        let pictures = [(&mut slow, "slow"), (&mut patient, "patient")].map(|(harness, name)| {
            act(harness);
            picture(harness, &format!("{name}-machine-{step}"))
        });
        difference(&pictures[0], &pictures[1], area)
    };
    let before = both("before", &|_| {});
    assert_eq!(before, 0, "nothing moves");
    let while_dragged = both("dragging", &|harness| {
        harness.hover_at(beside);
        harness.step();
        harness.drag_at(beside);
        for step in 1..8_u8 {
            harness.hover_at(beside + egui::vec2(6.0 * f32::from(step), 0.0));
            harness.step();
        }
    });
    assert!(while_dragged > 2000, "{while_dragged} pixels differ");
    let afterwards = both("afterwards", &|harness| {
        harness.drop_at(beside + egui::vec2(42.0, 0.0));
        harness.run();
    });
    assert_eq!(afterwards, 0, "all is drawn again");
}
