//! The picture does not depend on the number of threads.

use std::sync::Arc;

use crate::subject;
use sinew_view::color::Color;
use sinew_view::layer::LineStroke;
use sinew_view::paint::{Paint, TexturePaint};
use sinew_view::picture::Picture;
use sinew_view::raster::{RenderOptions, render};
use sinew_view::scene::Scene;
use sinew_view::texture::TextureSampler;

fn scene() -> Scene {
    let mut layer = subject::layer(Paint::Texture(TexturePaint {
        texture: Arc::new(subject::checker()),
        sampler: TextureSampler::default(),
        tint: Color::WHITE,
        vertices: None,
        alpha_cutoff: Some(0.5),
    }));
    layer.wire = Some(LineStroke { width_px: 1.0, color: Color::BLACK });
    let mut sheer = subject::layer(Paint::Solid(Color::hex(0x4080ff)));
    sheer.opacity = 0.4;
    let mut scene = subject::scene().with(layer).with(sheer);
    scene.layers.extend(subject::bones());
    scene
}

fn on_threads(count: usize) -> Picture {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
    pool.install(|| render(&scene(), &RenderOptions::new(301, 203)).unwrap())
}

#[test]
fn every_thread_count_draws_the_same_bits() {
    let alone = on_threads(1);
    assert!(alone.pixels().iter().any(|pixel| pixel != &alone.pixels()[0]));
    for count in [2, 3, 8] {
        assert!(on_threads(count) == alone, "{count} threads differ from one");
    }
}
