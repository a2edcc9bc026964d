//! The kernels over the built-in figure: `cargo bench -p sinew`.
//!
//! `sinew bench` measures more, alternating with a plain loop, so that its ratios hold on a busy machine. These benchmarks
//! give quick feedback while a kernel changes.

use divan::{Bencher, counter::ItemsCount};
use sinew::deform::{
    blocks::{PackedSkin, VertexOrder},
    kernel::{PoseScratch, SkinningPalette},
};
use sinew::glam::Vec3;
use sinew::{Character, DualQuatPalette, Frame, Mesh, Streams, Wrap, simd};

fn main() {
    divan::main();
}

fn posed() -> (Character, Frame) {
    let figure = sinew_samples::figure();
    let mut frame = Frame::new(&figure);
    if let Some(run) = figure.find_clip("run") {
        frame.sample(run, 0.3, Wrap::Loop);
    }
    frame.update();
    (figure, frame)
}

fn levels() -> impl Iterator<Item = &'static str> {
    simd::available().map(simd::Level::name)
}

fn buffers(skin: &PackedSkin) -> Streams {
    let vertices = vec![Vec3::ZERO; skin.output_count()];
    Streams { positions: vertices.clone(), normals: vertices, tangents: Vec::new() }
}

/// Measures the case `deform/linear/pn/figure/LEVEL`.
#[divan::bench(args = levels())]
fn linear(bencher: Bencher<'_, '_>, level: &str) {
    let (figure, frame) = posed();
    kernel(bencher, &figure.meshes()[0], level, SkinningPalette::Linear(&frame.palettes()[0]));
}

/// Measures the case `deform/dual-quat/pn/figure/LEVEL`.
#[divan::bench(args = levels())]
fn dual_quat(bencher: Bencher<'_, '_>, level: &str) {
    let (figure, frame) = posed();
    let mut dual_quats = DualQuatPalette::new(&figure.skins()[0]);
    dual_quats.update(&figure.skins()[0], &frame.palettes()[0]);
    kernel(bencher, &figure.meshes()[0], level, SkinningPalette::DualQuat(&dual_quats));
}

fn kernel(bencher: Bencher<'_, '_>, mesh: &Mesh, level: &str, pose: SkinningPalette<'_>) {
    let (Ok(skin), Some(level)) = (PackedSkin::new(mesh, VertexOrder::Packed), simd::find(level)) else {
        return;
    };
    let mut out = buffers(&skin);
    let mut scratch = PoseScratch::default();
    let bencher = bencher.counter(ItemsCount::new(mesh.vertex_count()));
    bencher.bench_local(|| skin.deform(level, pose, &mut scratch, out.as_surface_mut().into()));
}
