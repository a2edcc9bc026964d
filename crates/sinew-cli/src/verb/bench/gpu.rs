//! `sinew bench --gpu`: kernels by the GPU's own clock.

mod crowd;
mod plan;
mod tunings;

use super::args::BenchArgs;
use crate::{json, output, prepare::prepared};
use serde::Serialize;
use sinew::{Character, Frame, Method, Skin, Wrap};
use sinew_gpu::{
    Headless,
    deform::{DeformJob, Kernels, PoseBatch, PoseView},
    measure::{CopyKernel, FillKernel, Stopwatch},
    wgpu,
};
use std::{error::Error, sync::Arc, time::Instant};

/// Everything that `--json` prints.
#[derive(Debug, Serialize)]
struct GpuReport {
    adapter: String,
    records: Vec<GpuRecord>,
    crowd: crowd::CrowdFrame,
}

/// What was measured of one kernel.
#[derive(Debug, Serialize)]
struct GpuRecord {
    /// The case as `method/streams/packing/vertices x poses`.
    name: String,
    duration_us: f64,
    gigavertices_per_sec: f64,
    /// Bytes that must be read and written per vertex and pose.
    bytes_per_vertex: f64,
    gb_per_sec: f64,
    /// The bandwidth relative to the copy kernel in the same run.
    copy_fraction: f64,
}

/// A dispatch that is measured.
struct GpuCase {
    name: String,
    work: GpuWork,
    vertices: f64,
    bytes: f64,
}

impl GpuCase {
    fn gigavertices_per_sec(&self, ns: f64) -> f64 {
        self.vertices / ns
    }
}

enum GpuWork {
    Copy(CopyKernel),
    Fill(FillKernel),
    /// A job and its number of poses; the job keeps its buffers alive.
    Deform(DeformJob, usize),
}

impl GpuWork {
    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        match self {
            Self::Copy(copy) => copy.dispatch(pass),
            Self::Fill(fill) => fill.dispatch(pass),
            Self::Deform(job, poses) => job.dispatch(pass, *poses),
        }
    }
}

/// Dispatches per pass, so that the resolution of the clock does not matter.
const DISPATCHES: u32 = 8;

/// The sizes of a full run or a small one.
struct BenchSizes {
    vertices: usize,
    /// The vertices of a body that is deformed in a batch of `bodies` poses, as in fitting bodies to images.
    body: usize,
    bodies: usize,
    crowd: usize,
    copy_bytes: u64,
}

impl BenchSizes {
    fn new(small: bool) -> Self {
        match small {
            true => Self { vertices: 100_000, body: 6_890, bodies: 32, crowd: 50, copy_bytes: 8 << 20 },
            false => {
                Self { vertices: 4_000_000, body: 6_890, bodies: 1_024, crowd: 2_000, copy_bytes: 120 << 20 }
            }
        }
    }
}

pub(super) fn run(args: &BenchArgs, quiet: bool) -> Result<(), Box<dyn Error>> {
    let gpu = Headless::open_blocking()?;
    let watch = Stopwatch::new(&gpu)?;
    if !quiet && !args.json {
        tell!("{} ({:?}, {})", gpu.info.name, gpu.info.backend, gpu.info.driver_info);
    }
    if args.tunings {
        return tunings::run(&gpu, &watch, args, quiet);
    }
    let cases = cases(&gpu, args, quiet)?;
    let best = measure(&gpu, &watch, &cases, args.seconds * 4.0)?;
    let crowd = crowd::measure(&gpu, BenchSizes::new(args.small).crowd)?;
    gpu.check()?;
    let copy = cases.iter().zip(&best).find(|(c, _)| matches!(c.work, GpuWork::Copy(_)));
    let copy_speed = copy.map_or(f64::INFINITY, |(case, ns)| case.bytes / ns);
    let record = |(case, ns): (&GpuCase, &f64)| GpuRecord {
        name: case.name.clone(),
        duration_us: ns / 1e3,
        gigavertices_per_sec: case.gigavertices_per_sec(*ns),
        bytes_per_vertex: if case.vertices > 0.0 { case.bytes / case.vertices } else { 0.0 },
        gb_per_sec: case.bytes / ns,
        copy_fraction: case.bytes / ns / copy_speed,
    };
    let records: Vec<GpuRecord> = cases.iter().zip(&best).map(record).collect();
    if args.json {
        let adapter = gpu.info.name.clone();
        return Ok(json::print(&GpuReport { adapter, records, crowd })?);
    }
    Ok(output::print_text(table(&gpu, &records) + &muscle_cost(&records) + &crowd.in_words())?)
}

/// Every case, the copy and the fill first.
fn cases(gpu: &Headless, args: &BenchArgs, quiet: bool) -> Result<Vec<GpuCase>, Box<dyn Error>> {
    let sizes = BenchSizes::new(args.small);
    let figure = prepared(&sinew_samples::figure(), "builtin:figure", &[Method::Cor], quiet)?;
    let mut kernels = Kernels::new(&gpu.device)?;
    let copy = CopyKernel::new(&gpu.device, sizes.copy_bytes)?;
    let bytes = copy.bytes_moved() as f64;
    // As much as a compact batch writes.
    let fill = FillKernel::new(&gpu.device, 16 * (sizes.body * sizes.bodies) as u64)?;
    let filled = fill.bytes_moved() as f64;
    let mut out =
        vec![baseline("copy", GpuWork::Copy(copy), bytes), baseline("fill", GpuWork::Fill(fill), filled)];
    let only = args.only.as_deref().unwrap_or_default();
    for plan in plan::plans(&sizes) {
        if plan.name().contains(only) {
            out.push(plan.case(gpu, &mut kernels, &figure)?);
        }
    }
    Ok(out)
}

/// A case that deforms nothing and moves `bytes`.
fn baseline(name: &str, work: GpuWork, bytes: f64) -> GpuCase {
    GpuCase { name: name.into(), work, vertices: 0.0, bytes }
}

/// Fills the batch with poses from all of the figure's clips.
fn fill(poses: &mut PoseBatch, figure: &Character, skin: &Arc<Skin>) -> Result<(), Box<dyn Error>> {
    let mut frame = Frame::new(figure);
    let mut dual_quats = sinew::DualQuatPalette::new(skin);
    let mut muscles = sinew::MusclePalette::new(skin, figure.skeleton());
    let count = poses.capacity();
    for pose in 0..count {
        if let Some(clip) = figure.clips().get(pose % figure.clips().len().max(1)) {
            frame.sample(clip, clip.duration_secs() * (pose as f32 / count as f32 + 0.1), Wrap::Loop);
        }
        frame.update();
        let palette = &frame.palettes()[0];
        dual_quats.update(skin, palette);
        muscles.update(skin, frame.driven_pose());
        poses.set(pose, &PoseView::new(palette).with_dual_quats(&dual_quats).with_muscles(&muscles))?;
    }
    Ok(())
}

/// GPUs raise their clock slowly: during this time nothing is measured.
const WARM_UP_SECS: f64 = 0.3;

/// Nanoseconds per dispatch of every case: all take turns, and the best round counts.
fn measure(
    gpu: &Headless,
    watch: &Stopwatch,
    cases: &[GpuCase],
    seconds: f64,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut best = vec![f64::INFINITY; cases.len()];
    let warm_up = Instant::now();
    while let (Some(case), true) = (cases.first(), warm_up.elapsed().as_secs_f64() < WARM_UP_SECS) {
        watch.time(gpu, |pass| (0..DISPATCHES).for_each(|_| case.work.dispatch(pass)))?;
    }
    let started = Instant::now();
    let mut round = 0;
    while round < 3 || (started.elapsed().as_secs_f64() < seconds && round < 200) {
        for (case, best) in cases.iter().zip(&mut best) {
            let ns = watch.time(gpu, |pass| (0..DISPATCHES).for_each(|_| case.work.dispatch(pass)))?;
            *best = best.min(ns / f64::from(DISPATCHES));
        }
        round += 1;
    }
    Ok(best)
}

fn table(gpu: &Headless, records: &[GpuRecord]) -> String {
    let width = records.iter().map(|r| r.name.chars().count()).max().unwrap_or(0);
    let mut out = format!("{} by {} {}\n\n", gpu.info.name, gpu.info.driver, gpu.info.driver_info);
    out += &format!(
        "{:<width$}  {:>10}  {:>12}  {:>8}  {:>8}  {:>7}\n",
        "bench", "us", "Gvertices/s", "B/vertex", "GB/s", "of copy"
    );
    for r in records {
        out += &format!(
            "{:<width$}  {:>10.1}  {:>12.2}  {:>8.1}  {:>8.1}  {:>7.2}\n",
            r.name, r.duration_us, r.gigavertices_per_sec, r.bytes_per_vertex, r.gb_per_sec, r.copy_fraction
        );
    }
    out
}

/// The time of each case with muscles relative to the same case without.
fn muscle_cost(records: &[GpuRecord]) -> String {
    let plain = |name: &str| records.iter().find(|r| r.name == name);
    let lines = records.iter().filter_map(|with| {
        let without = plain(with.name.strip_suffix("/muscles")?)?;
        let ratio = with.duration_us / without.duration_us;
        Some(format!(
            "\nmuscles in every tenth vertex: {ratio:.2} times the time of {} without\n",
            without.name
        ))
    });
    lines.collect()
}
