//! Compares the GPU's pictures with those of the software rasterizer.
//!
//! `SINEW_PICTURES=DIR` writes both pictures and their difference to a folder.

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

/// A device with a renderer, opened once for all tests so that pipelines are created once.
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

/// The software rasterizer's picture with the GPU's sample count.
pub(super) fn software(scene: &Scene, width: u32, height: u32) -> Picture {
    render(scene, &RenderOptions { width, height, samples: SampleCount::Four }).unwrap()
}

/// The difference of two pictures.
#[derive(Clone, Copy, Debug)]
pub(super) struct PictureDifference {
    /// Mean difference per channel, in steps of 1/255.
    pub(super) mean: f64,
    /// Percent of pixels with a channel that differs by more than 24 steps.
    pub(super) far_percent: f64,
    /// Percent of pixels away from edges with a channel that differs by more than 6 steps.
    pub(super) inner_percent: f64,
    /// Percent of pixels at edges.
    pub(super) edge_percent: f64,
}

pub(super) fn difference(a: &Picture, b: &Picture) -> PictureDifference {
    assert_eq!((a.width(), a.height()), (b.width(), b.height()));
    let count = a.pixels().len() as f64;
    let (mut sum, mut far, mut inner, mut edges) = (0u64, 0usize, 0usize, 0usize);
    for (number, (&x, &y)) in a.pixels().iter().zip(b.pixels()).enumerate() {
        let (x, y) = (multiplied(x), multiplied(y));
        sum += (0..4).map(|channel| u64::from(x[channel].abs_diff(y[channel]))).sum::<u64>();
        let max = steps(x, y);
        far += usize::from(max > 24);
        let at_edge = is_edge(b, number);
        inner += usize::from(max > 6 && !at_edge);
        edges += usize::from(at_edge);
    }
    PictureDifference {
        mean: sum as f64 / count / 4.0,
        far_percent: far as f64 * 100.0 / count,
        inner_percent: inner as f64 * 100.0 / count,
        edge_percent: edges as f64 * 100.0 / count,
    }
}

/// Channels are compared after premultiplication by alpha.
fn multiplied(pixel: [u8; 4]) -> [u8; 4] {
    let [r, g, b, a] = pixel;
    let scaled = |byte: u8| u8::try_from(u16::from(byte) * u16::from(a) / 255).unwrap();
    [scaled(r), scaled(g), scaled(b), a]
}

fn steps(a: [u8; 4], b: [u8; 4]) -> u8 {
    a.iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0)
}

/// Whether a pixel differs much from one of its neighbors.
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
    /// Whether the two pictures are equivalent.
    ///
    /// Both shade once per triangle and pixel and blend four samples at the same positions in linear light. They differ
    /// where a triangle covers part of a pixel (the rasterizer shades in the middle of the covered samples, the
    /// GPU at one of them), where derivatives come from a block of two by two pixels instead of from the plane
    /// itself, by a texel at the edge of shadows, and by a step of rounding of the eight-bit target. All but the
    /// last happen at edges: the tolerance grows with their number, and elsewhere one pixel in a thousand may
    /// differ.
    pub(super) fn is_near(self) -> bool {
        self.mean <= 0.09 + 0.02 * self.edge_percent
            && self.far_percent <= 0.05 + 0.03 * self.edge_percent
            && self.inner_percent <= 0.1
    }
}

/// Draws a scene with both renderers and compares the pictures.
pub(super) fn agree(bench: &mut Bench, name: &str, scene: &Scene, width: u32, height: u32) {
    let (got, want) = (bench.draw(scene, width, height), software(scene, width, height));
    assert_eq!(bench.gpu.check(), Ok(()), "{name}");
    agree_pictures(name, &got, &want);
}

pub(super) fn agree_pictures(name: &str, got: &Picture, want: &Picture) {
    let difference = difference(got, want);
    println!("{name}: {difference:?}");
    keep(name, got, want);
    assert!(difference.is_near(), "{name}: {difference:?}");
}

/// Writes both pictures and their difference side by side if a folder is given.
fn keep(name: &str, got: &Picture, want: &Picture) {
    let Some(folder) = std::env::var_os("SINEW_PICTURES") else { return };
    let (width, height) = (want.width(), want.height());
    let mut page = Picture::filled(width * 3, height, sinew_view::color::Color::WHITE);
    let mut difference = want.clone();
    for ((out, a), b) in difference.pixels_mut().iter_mut().zip(got.pixels()).zip(want.pixels()) {
        let gray = 255 - steps(*a, *b).saturating_mul(8);
        *out = [gray, gray, gray, 255];
    }
    let column = |number: u32| i32::try_from(number * width).unwrap();
    page.place(got, column(0), 0);
    page.place(want, column(1), 0);
    page.place(&difference, column(2), 0);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(std::path::Path::new(&folder).join(format!("{name}.png")), encode_png(&page).unwrap())
        .unwrap();
}
