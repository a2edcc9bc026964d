//! Golden pictures of the whole window.
//!
//! A failure writes `NAME.got.png` next to the golden; `cargo xtask bless sinew-studio` rewrites goldens.

use crate::harness::{choose, picture, studio, view};
use egui_kittest::{Harness, kittest::Queryable as _};
use sinew_studio::app::Studio;
use std::path::PathBuf;

/// The tolerance per channel: driver versions blend samples slightly differently.
const FAR_STEPS: u8 = 24;
/// The tolerated pixels per mille: the displayed times differ from run to run.
const FAR_PER_MILLE: usize = 4;

/// Goldens come from the software renderer: GPUs rasterize edges and blend samples differently.
fn is_software() -> bool {
    let gpu = sinew_gpu::Headless::open_blocking().unwrap();
    let is_software = gpu.info.device_type == sinew_gpu::wgpu::DeviceType::Cpu;
    if !is_software {
        println!("skipped: goldens need the software renderer, this is {}", gpu.info.name);
    }
    is_software
}

fn held_to_golden(harness: &mut Harness<'_, Studio>, name: &str) {
    if !is_software() {
        return;
    }
    // Half size averages edges, and keeps the files small.
    let whole = picture(harness, name);
    let (width, height) = (whole.width() / 2, whole.height() / 2);
    let got = image::imageops::resize(&whole, width, height, image::imageops::FilterType::Triangle);
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.png"));
    if std::env::var_os("SINEW_BLESS").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(golden.parent().unwrap()).unwrap();
        got.save(&golden).unwrap();
        return;
    }
    let want = image::open(&golden).unwrap_or_else(|e| panic!("{}: {e}", golden.display())).into_rgba8();
    assert_eq!(got.dimensions(), want.dimensions(), "{name}");
    let is_far = |(a, b): (&image::Rgba<u8>, &image::Rgba<u8>)| {
        a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > FAR_STEPS)
    };
    let far = got.pixels().zip(want.pixels()).filter(|pair| is_far(*pair)).count();
    let allowed = got.pixels().len() * FAR_PER_MILLE / 1000;
    if far > allowed {
        got.save(golden.with_extension("got.png")).unwrap();
        panic!("{name}: {far} pixels differ, {allowed} are tolerated; see {name}.got.png");
    }
}

/// Moves the pointer to where it highlights nothing.
fn rest_pointer(harness: &mut Harness<'_, Studio>) {
    harness.hover_at(egui::pos2(640.0, 8.0));
    harness.run();
}

#[test]
fn the_window_matches_its_goldens_in_every_look() {
    let Some(mut harness) = studio("figure") else { return };
    held_to_golden(&mut harness, "opened");
    harness.get_by_label("spine_upper").click();
    harness.run();
    held_to_golden(&mut harness, "joint-selected");
    for look in
        ["heat of joint", "influences", "influence count", "joint colors", "stretch", "normals", "no skin"]
    {
        choose(&mut harness, "Skin", look);
        rest_pointer(&mut harness);
        held_to_golden(&mut harness, &format!("look-{}", look.replace(' ', "-")));
    }
}

#[test]
fn the_window_matches_its_goldens_with_every_tool_and_in_the_light_theme() {
    let Some(mut harness) = studio("arm") else { return };
    harness.get_by_label("lower").click();
    harness.run();
    for tool in ["Vertices", "Paint"] {
        harness.get_by_label(tool).click();
        harness.run();
        let at = view(&harness).center();
        harness.hover_at(at);
        harness.run();
        held_to_golden(&mut harness, &format!("tool-{}", tool.to_lowercase()));
    }
    harness.get_by_label("Light").click();
    harness.run();
    held_to_golden(&mut harness, "light");
    choose(&mut harness, "Compare with", "dual-quat");
    rest_pointer(&mut harness);
    harness.key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::F);
    harness.run();
    held_to_golden(&mut harness, "compared");
}
