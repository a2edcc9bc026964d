//! The card's pictures held to the software rasteriser's.
//!
//! `SINEW_PICTURES=DIR` writes both pictures and their difference there.

mod characters;
mod crowds;
mod demo;
mod looks;
mod picks;
mod subject;
mod surfaces;

use std::sync::{LazyLock, Mutex, PoisonError};

use sinew_view::encode::encode_png;
use sinew_view::picture::Picture;
use sinew_view::raster::{RenderOptions, SampleCount, render};
use sinew_view::scene::Scene;

use super::{RenderTarget, Renderer, RendererOptions};
use crate::Headless;

/// A device with a renderer, opened once for all tests: pipelines are made once.
pub(super) struct Bench {
    pub(super) gpu: Headless,
    pub(super) renderer: Renderer,
}

static BENCH: LazyLock<Option<Mutex<Bench>>> = LazyLock::new(|| {
    let gpu = crate::test_device::open()?;
    let renderer = Renderer::new(&gpu.device, &gpu.queue, RendererOptions::default()).unwrap();
    Some(Mutex::new(Bench { gpu, renderer }))
});

/// Runs a test on the device; without one the test is skipped with a printed line.
pub(super) fn on_device(test: impl FnOnce(&mut Bench)) {
    if let Some(bench) = &*BENCH {
        let mut bench = bench.lock().unwrap_or_else(PoisonError::into_inner);
        test(&mut bench);
        assert_eq!(bench.gpu.check(), Ok(()));
    }
}

impl Bench {
    pub(super) fn draw(&mut self, scene: &Scene, width: u32, height: u32) -> Picture {
        draw(&self.gpu, &mut self.renderer, scene, width, height)
    }
}

pub(super) fn draw(
    gpu: &Headless,
    renderer: &mut Renderer,
    scene: &Scene,
    width: u32,
    height: u32,
) -> Picture {
    let target = RenderTarget::new(&gpu.device, renderer.options(), width, height).unwrap();
    renderer.prepare(&gpu.device, &gpu.queue, scene, target.size()).unwrap();
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    renderer.draw(&mut encoder, &target);
    target.read(&gpu.device, &gpu.queue, encoder).unwrap().wait(&gpu.device).unwrap()
}

/// The software rasteriser's picture with the card's samples.
pub(super) fn software(scene: &Scene, width: u32, height: u32) -> Picture {
    render(scene, &RenderOptions { width, height, samples: SampleCount::Four }).unwrap()
}

/// How far two pictures are apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct PictureDifference {
    /// Mean difference of a channel, in steps of 255.
    pub(super) mean: f64,
    /// Percent of pixels with a channel that differs by more than 24 steps.
    pub(super) far_percent: f64,
    /// Percent of pixels away from edges with a channel that differs by more than 6 steps.
    pub(super) inner_percent: f64,
    /// Percent of pixels at edges.
    pub(super) edge_percent: f64,
}

pub(super) fn apart(a: &Picture, b: &Picture) -> PictureDifference {
    assert_eq!((a.width(), a.height()), (b.width(), b.height()));
    let count = a.pixels().len() as f64;
    let (mut sum, mut far, mut inner, mut edges) = (0u64, 0usize, 0usize, 0usize);
    for (number, (&x, &y)) in a.pixels().iter().zip(b.pixels()).enumerate() {
        let (x, y) = (multiplied(x), multiplied(y));
        sum += (0..4).map(|channel| u64::from(x[channel].abs_diff(y[channel]))).sum::<u64>();
        let most = steps(x, y);
        far += usize::from(most > 24);
        let at_edge = is_edge(b, number);
        inner += usize::from(most > 6 && !at_edge);
        edges += usize::from(at_edge);
    }
    PictureDifference {
        mean: sum as f64 / count / 4.0,
        far_percent: far as f64 * 100.0 / count,
        inner_percent: inner as f64 * 100.0 / count,
        edge_percent: edges as f64 * 100.0 / count,
    }
}

/// Colours count as much as they are opaque.
fn multiplied(pixel: [u8; 4]) -> [u8; 4] {
    let [r, g, b, a] = pixel;
    let scaled = |byte: u8| u8::try_from(u16::from(byte) * u16::from(a) / 255).unwrap();
    [scaled(r), scaled(g), scaled(b), a]
}

fn steps(a: [u8; 4], b: [u8; 4]) -> u8 {
    a.iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0)
}

/// Whether a pixel differs much from one of its neighbours.
fn is_edge(picture: &Picture, number: usize) -> bool {
    let width = picture.width() as usize;
    let (x, y) = (number % width, number / width);
    let here = picture.pixels()[number];
    (0..9).any(|step| {
        let (column, row) = ((x + step % 3).wrapping_sub(1), (y + step / 3).wrapping_sub(1));
        column < width
            && row < picture.height() as usize
            && steps(here, picture.pixels()[row * width + column]) > 16
    })
}

impl PictureDifference {
    /// Whether the two are one picture.
    ///
    /// Both shade once a triangle and pixel and mix four samples at the same places in linear light. They differ
    /// where a triangle covers a part of a pixel (the rasteriser shades in the middle of the samples it sees, the
    /// card at one it chooses), where slopes come from a block of two by two pixels instead of from the plane
    /// itself, by a texel at the rim of shadows, and by a step of rounding of the eight-bit target. All but the
    /// last happen at edges: what is allowed grows with their number, and elsewhere one pixel in a thousand may
    /// be off.
    pub(super) fn is_near(self) -> bool {
        self.mean <= 0.09 + 0.02 * self.edge_percent
            && self.far_percent <= 0.05 + 0.03 * self.edge_percent
            && self.inner_percent <= 0.1
    }
}

/// Draws a scene twice and compares.
pub(super) fn agree(bench: &mut Bench, name: &str, scene: &Scene, width: u32, height: u32) {
    let (got, want) = (bench.draw(scene, width, height), software(scene, width, height));
    assert_eq!(bench.gpu.check(), Ok(()), "{name}");
    agree_pictures(name, &got, &want);
}

pub(super) fn agree_pictures(name: &str, got: &Picture, want: &Picture) {
    let apart = apart(got, want);
    println!("{name}: {apart:?}");
    keep(name, got, want);
    assert!(apart.is_near(), "{name}: {apart:?}");
}

/// Writes both pictures and their difference side by side where a folder is given.
fn keep(name: &str, got: &Picture, want: &Picture) {
    let Some(folder) = std::env::var_os("SINEW_PICTURES") else { return };
    let (width, height) = (want.width(), want.height());
    let mut page = Picture::filled(width * 3, height, sinew_view::color::Color::WHITE);
    let mut difference = want.clone();
    for ((out, a), b) in difference.pixels_mut().iter_mut().zip(got.pixels()).zip(want.pixels()) {
        let grey = 255 - steps(*a, *b).saturating_mul(8);
        *out = [grey, grey, grey, 255];
    }
    let column = |number: u32| i32::try_from(number * width).unwrap();
    page.place(got, column(0), 0);
    page.place(want, column(1), 0);
    page.place(&difference, column(2), 0);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(std::path::Path::new(&folder).join(format!("{name}.png")), encode_png(&page).unwrap())
        .unwrap();
}
