//! What a frame of the whole window costs with 100,000 vertices in it: `cargo run --release -p sinew-studio --example frames [COUNT]`.
//!
//! The window has no display: each of its pictures is drawn, waited for and read back, which a display would not ask for.
//! What standing still takes is therefore measured too; what playing takes beyond that is the character's.

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

/// A window whose clock goes on by `step_secs` a frame takes its machine for one that keeps up, or for a slow one.
fn measure(
    source: DocumentSource,
    size: egui::Vec2,
    step_secs: f32,
    frames: usize,
) -> Result<(), Box<dyn Error>> {
    let builder = Harness::builder().with_size(size).with_step_dt(step_secs).with_max_steps(20);
    let mut harness = builder.wgpu().build_eframe(move |creation| {
        if let Some(state) = &creation.wgpu_render_state {
            let drawn = if step_secs > 0.05 { "less drawn while it moves" } else { "all drawn" };
            println!("{}, {} by {} pixels, {drawn}", state.adapter.get_info().name, size.x, size.y);
        }
        Studio::new(creation, source).expect("it was just written")
    });
    harness.run();
    harness.render()?;
    println!("worker  doing    panels and pose: median, 95 %    picture: median, 95 %, ms a frame");
    for worker in ["CPU", "GPU"] {
        harness.get_by_label(worker).click();
        harness.run();
        println!("{worker:6}  still    {}", Times::of(&mut harness, frames)?);
        harness.key_press(egui::Key::Space);
        harness.step();
        println!("{worker:6}  playing  {}", Times::of(&mut harness, frames)?);
        harness.key_press(egui::Key::Space);
        harness.run();
    }
    Ok(())
}

/// What frames took, in milliseconds, the fastest first: the window's own work, and drawing it.
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
        let at = |times: &[f64], share: f64| times[(times.len() as f64 * share) as usize];
        let [own, picture] = &self.0;
        write!(f, "{:23.2}  {:6.2}  ", at(own, 0.5), at(own, 0.95))?;
        write!(f, "{:17.2}  {:6.2}", at(picture, 0.5), at(picture, 0.95))
    }
}
