//! What a frame of the whole window costs with 100,000 vertices in it: `cargo run --release -p sinew-studio --example frames`.
//!
//! The window has no display: each of its pictures is read back from the card, which a display would not ask for. What
//! standing still takes is therefore measured too.

mod large;

use egui_kittest::{Harness, kittest::Queryable as _};
use sinew_studio::{app::Studio, document::Source};
use std::{error::Error, time::Instant};

const FRAMES: usize = 240;
const SIZE: egui::Vec2 = egui::vec2(1920.0, 1080.0);

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join("sinew-frames.glb");
    sinew_formats::write_file(&path, &large::tube()?)?;
    let source = Source::File(path.clone());
    let mut harness =
        Harness::builder().with_size(SIZE).with_step_dt(1.0 / 60.0).with_max_steps(20).wgpu().build_eframe(
            move |creation| {
                if let Some(state) = &creation.wgpu_render_state {
                    println!("{}, {} by {} pixels", state.adapter.get_info().name, SIZE.x, SIZE.y);
                }
                Studio::new(creation, source).expect("it was just written")
            },
        );
    std::fs::remove_file(path)?;
    harness.run();
    println!("worker  doing      median  slowest of twenty  slowest, ms a frame");
    for worker in ["CPU", "GPU"] {
        harness.get_by_label(worker).click();
        harness.run();
        println!("{worker:6}  still    {}", Times::of(&mut harness)?);
        harness.key_press(egui::Key::Space);
        harness.step();
        println!("{worker:6}  playing  {}", Times::of(&mut harness)?);
        harness.key_press(egui::Key::Space);
        harness.run();
    }
    Ok(())
}

/// What frames took, in milliseconds, the fastest first.
struct Times(Vec<f64>);

impl Times {
    fn of(harness: &mut Harness<'_, Studio>) -> Result<Self, Box<dyn Error>> {
        let mut all = Vec::with_capacity(FRAMES);
        for _ in 0..FRAMES {
            let start = Instant::now();
            harness.step();
            harness.render()?;
            all.push(start.elapsed().as_secs_f64() * 1e3);
        }
        all.sort_by(f64::total_cmp);
        Ok(Self(all))
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = |share: f64| self.0[(self.0.len() as f64 * share) as usize];
        let slowest = self.0.last().copied().unwrap_or_default();
        write!(f, "{:8.2}  {:17.2}  {slowest:7.2}", at(0.5), at(0.95))
    }
}
