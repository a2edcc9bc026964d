//! Maps, bounding boxes, comparisons and GPU deformation in the viewport.

use crate::harness::{GPU_COST, choose, difference, picture, slow_studio, studio, view};
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
fn artifact_maps_follow_the_pose() {
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
fn a_difference_map_compares_two_methods() {
    let Some(mut harness) = twisted_tube() else { return };
    choose(&mut harness, "Compare with", "dual-quat");
    let methods = picture(&mut harness, "tube-two-methods");
    choose(&mut harness, "Skin", "difference");
    let map = picture(&mut harness, "tube-difference");
    assert!(difference(&methods, &map, view(&harness)) > 5000);
}

#[test]
fn edited_and_opened_weights_are_shown_side_by_side() {
    let Some(mut harness) = twisted_tube() else { return };
    harness.get_by_label("Sharpen").click();
    harness.run();
    choose(&mut harness, "Compare with", "opened weights");
    let both = picture(&mut harness, "tube-weights-as-opened");
    let area = view(&harness);
    let half = area.width() as u32 / 2;
    let at = |x: u32, y: u32| both.get_pixel(area.left() as u32 + x, area.top() as u32 + y);
    let rows = 60..area.height() as u32 - 60;
    let pairs = rows.flat_map(|y| (8..half - 8).map(move |x| (x, y)));
    assert!(pairs.filter(|(x, y)| at(*x, *y) != at(x + half, *y)).count() > 300);
}

#[test]
fn bounds_and_bone_boxes_are_drawn_as_lines() {
    let Some(mut harness) = studio("arm") else { return };
    let without = picture(&mut harness, "arm-without-bounds");
    for (label, name) in [("Bounds", "arm-bounds"), ("Bone boxes", "arm-bone-boxes")] {
        harness.get_by_label(label).click();
        harness.run();
        let with = picture(&mut harness, name);
        let changed = difference(&without, &with, view(&harness));
        assert!(changed > 300 && changed < 20_000, "{label}: {changed}");
        harness.get_by_label(label).click();
        harness.run();
    }
}

#[test]
fn the_gpu_matches_the_cpu_and_reports_unsupported_methods() {
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
    let by_cpu = picture(&mut harness, "figure-by-cpu");
    harness.get_by_label("GPU").click();
    harness.run();
    harness.hover_at(egui::pos2(5.0, 5.0));
    harness.run();
    assert!(harness.query_by_label_contains(GPU_COST).is_some(), "the GPU deforms");
    let by_gpu = picture(&mut harness, "figure-by-gpu");
    let differing = difference(&by_cpu, &by_gpu, area);
    assert!(differing < 2500, "{differing} pixels differ");

    choose(&mut harness, "Deform by", "slerp");
    // The GPU reports when it draws.
    picture(&mut harness, "figure-slerp");
    harness.run();
    harness.run();
    assert!(harness.state().message().unwrap().contains("slerp"), "{:?}", harness.state().message());
    assert!(harness.query_by_label_contains(GPU_COST).is_none(), "falls back to the CPU");
}

#[test]
fn a_slow_machine_reduces_detail_during_motion_only() {
    let (Some(mut slow), Some(mut full_detail)) = (slow_studio("figure"), studio("figure")) else { return };
    let area = view(&slow);
    // Next to the figure, where a drag orbits.
    let start = area.left_center() + egui::vec2(60.0, 0.0);
    let mut both = |step: &str, act: &dyn Fn(&mut Harness<'_, Studio>)| {
        let pictures = [(&mut slow, "slow"), (&mut full_detail, "full_detail")].map(|(harness, name)| {
            act(harness);
            picture(harness, &format!("{name}-machine-{step}"))
        });
        difference(&pictures[0], &pictures[1], area)
    };
    let before = both("before", &|_| {});
    assert_eq!(before, 0, "nothing moves");
    let while_dragged = both("dragging", &|harness| {
        harness.hover_at(start);
        harness.step();
        harness.drag_at(start);
        for step in 1..8_u8 {
            harness.hover_at(start + egui::vec2(6.0 * f32::from(step), 0.0));
            harness.step();
        }
    });
    assert!(while_dragged > 2000, "{while_dragged} pixels differ");
    let afterwards = both("afterwards", &|harness| {
        harness.drop_at(start + egui::vec2(42.0, 0.0));
        harness.run();
    });
    assert_eq!(afterwards, 0, "full detail is back");
}
