//! The cost of a frame of the window with 100,000 vertices: `cargo run --release -p sinew-studio --example frames [COUNT]`.
//!
//! Without a display, every frame is drawn, waited for and read back. The idle window is measured too: the difference is the
//! cost of playback.

mod large;

use egui_kittest::{Harness, kittest::Queryable as _};
use sinew_studio::{app::Studio, document::DocumentSource};
use std::{error::Error, time::Instant};

const SIZES: [egui::Vec2; 2] = [egui::vec2(1280.0, 800.0), egui::vec2(1920.0, 1080.0)];

fn main() -> Result<(), Box<dyn Error>> {
    let frames = std::env::args().nth(1).map_or(Ok(240), |count| count.parse())?;
    let path = std::env::temp_dir().join("sinew-frames.glb");
    sinew_formats::write_file(&path, &large::tube()?)?;
    for size in SIZES {
        for step_secs in [1.0 / 60.0, 0.1] {
            measure(DocumentSource::File(path.clone()), size, step_secs, frames)?;
        }
    }
    std::fs::remove_file(path)?;
    Ok(())
}

/// Measures a window whose clock advances by `step_secs` per frame, which decides whether it reduces its detail.
fn measure(
    source: DocumentSource,
    size: egui::Vec2,
    step_secs: f32,
    frames: usize,
) -> Result<(), Box<dyn Error>> {
    let builder = Harness::builder().with_size(size).with_step_dt(step_secs).with_max_steps(20);
    let mut harness = builder.wgpu().build_eframe(move |creation| {
        if let Some(state) = &creation.wgpu_render_state {
            let drawn = if step_secs > 0.05 { "reduced detail" } else { "full detail" };
            println!("{}, {} by {} pixels, {drawn}", state.adapter.get_info().name, size.x, size.y);
        }
        Studio::new(creation, source).expect("it was just written")
    });
    harness.run();
    harness.render()?;
    println!("device  state    update: median, 95 %             render: median, 95 %, ms per frame");
    for device in ["CPU", "GPU"] {
        harness.get_by_label(device).click();
        harness.run();
        println!("{device:6}  idle     {}", Times::of(&mut harness, frames)?);
        harness.key_press(egui::Key::Space);
        harness.step();
        println!("{device:6}  playing  {}", Times::of(&mut harness, frames)?);
        harness.key_press(egui::Key::Space);
        harness.run();
    }
    Ok(())
}

/// Sorted times in milliseconds: the update of the window, and its rendering.
struct Times([Vec<f64>; 2]);

impl Times {
    fn of(harness: &mut Harness<'_, Studio>, frames: usize) -> Result<Self, Box<dyn Error>> {
        let mut all = [Vec::with_capacity(frames), Vec::with_capacity(frames)];
        for _ in 0..frames {
            let start = Instant::now();
            harness.step();
            all[0].push(start.elapsed().as_secs_f64() * 1e3);
            let start = Instant::now();
            harness.render()?;
            all[1].push(start.elapsed().as_secs_f64() * 1e3);
        }
        all.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
        Ok(Self(all))
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = |times: &[f64], fraction: f64| times[(times.len() as f64 * fraction) as usize];
        let [update, render] = &self.0;
        write!(f, "{:23.2}  {:6.2}  ", at(update, 0.5), at(update, 0.95))?;
        write!(f, "{:17.2}  {:6.2}", at(render, 0.5), at(render, 0.95))
    }
}
