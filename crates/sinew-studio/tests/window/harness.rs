//! A window without a display, driven by simulated input.

use egui_kittest::{Harness, kittest::Queryable as _};
use sinew_studio::{app::Studio, autosave::JournalFolder, document::DocumentSource};
use std::path::{Path, PathBuf};

/// A file dropped on the window.
#[derive(Debug)]
pub(crate) struct Dropped(pub(crate) PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|e| e.to_string())
    }
}

/// A window, or `None` with a printed line if there is no GPU adapter; with `SINEW_REQUIRE_GPU` that is a failure.
pub(crate) fn studio(name: &str) -> Option<Harness<'static, Studio>> {
    studio_of(name, egui::vec2(1280.0, 800.0), None)
}

pub(crate) fn studio_of(
    name: &str,
    size: egui::Vec2,
    journals: Option<JournalFolder>,
) -> Option<Harness<'static, Studio>> {
    build(name, size, move |studio| {
        // Test steps are a quarter of a second, so the window would reduce its detail.
        let studio = studio.with_full_detail();
        match &journals {
            Some(folder) => studio.with_unclosed_session(folder.newest_unclosed()).with_autosave(folder),
            None => studio,
        }
    })
}

/// A window that draws four frames per second.
pub(crate) fn slow_studio(name: &str) -> Option<Harness<'static, Studio>> {
    build(name, egui::vec2(1280.0, 800.0), |studio| studio)
}

fn build(
    name: &str,
    size: egui::Vec2,
    finish: impl Fn(Studio) -> Studio + 'static,
) -> Option<Harness<'static, Studio>> {
    match sinew_gpu::Headless::open_blocking() {
        Ok(_) => {}
        Err(e) if std::env::var_os("SINEW_REQUIRE_GPU").is_some() => panic!("{e}"),
        Err(e) => {
            println!("skipped: {e}");
            return None;
        }
    }
    // A built-in character, or a file by its whole path.
    let source = match Path::new(name).is_absolute() {
        true => DocumentSource::File(name.into()),
        false => DocumentSource::Builtin(name.into()),
    };
    let mut harness = Harness::builder()
        .with_size(size)
        .with_max_steps(20)
        .wgpu()
        .build_eframe(move |creation| finish(Studio::new(creation, source).unwrap()));
    harness.run();
    Some(harness)
}

/// Renders the window and saves the picture.
pub(crate) fn picture(harness: &mut Harness<'_, Studio>, name: &str) -> image::RgbaImage {
    let picture = harness.render().unwrap();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("studio");
    std::fs::create_dir_all(&folder).unwrap();
    picture.save(folder.join(format!("{name}.png"))).unwrap();
    picture
}

/// The number of pixels of the viewport that differ.
pub(crate) fn difference(one: &image::RgbaImage, other: &image::RgbaImage, view: egui::Rect) -> usize {
    let inside = |x: u32, y: u32| view.shrink(4.0).contains(egui::pos2(x as f32, y as f32));
    let pixels = one.enumerate_pixels().zip(other.pixels());
    pixels.filter(|((x, y, a), b)| inside(*x, *y) && a != b).count()
}

pub(crate) fn view(harness: &Harness<'_, Studio>) -> egui::Rect {
    harness.get_by_label("Viewport").rect()
}

pub(crate) fn click(harness: &mut Harness<'_, Studio>, at: egui::Pos2) {
    drag(harness, &[at]);
}

pub(crate) fn drag(harness: &mut Harness<'_, Studio>, path: &[egui::Pos2]) {
    harness.hover_at(path[0]);
    harness.run();
    harness.drag_at(path[0]);
    harness.run();
    for at in &path[1..] {
        harness.hover_at(*at);
        harness.run();
    }
    harness.drop_at(path[path.len() - 1]);
    harness.run();
}

pub(crate) fn steps(harness: &Harness<'_, Studio>) -> Vec<String> {
    harness.state().session().history().steps().map(|(name, _)| name.to_owned()).collect()
}

/// Part of the cost line while the GPU deforms; messages about the GPU do not contain it.
pub(crate) const GPU_COST: &str = "ms on the CPU, ";

/// Opens a combo box and chooses an entry.
pub(crate) fn choose(harness: &mut Harness<'_, Studio>, list: &str, choice: &str) {
    harness.get_by_role_and_label(egui::accesskit::Role::ComboBox, list).click();
    harness.run();
    harness.get_by_label(choice).click();
    harness.run();
}
