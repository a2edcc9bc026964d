//! `sinew bench --gpu --tunings`: how the work of a batch is best divided.

use super::{
    super::args::BenchArgs,
    BenchSizes, GpuCase, measure,
    plan::{GpuBuffers, GpuPlan, batch},
};
use crate::{json, output, prepare::prepared};
use serde::Serialize;
use sinew::Method;
use sinew_gpu::{
    Headless,
    deform::{Kernels, Tuning},
    measure::Stopwatch,
};
use std::error::Error;

/// One mesh by one tuning.
#[derive(Clone, Debug, Serialize)]
struct TuningRecord {
    name: String,
    workgroup: u32,
    vertices_per_thread: u32,
    poses_per_thread: u32,
    gigavertices_per_sec: f64,
}

const WORKGROUPS: [u32; 3] = [64, 128, 256];
const VERTICES_PER_THREAD: [u32; 3] = [2, 3, 4];
const POSES_PER_THREAD: [u32; 4] = [2, 4, 8, 16];
/// The rows that a table shows of each mesh.
const SHOWN: usize = 12;

/// Measures every tuning and prints the fastest of each mesh, or all of them as JSON.
pub(super) fn run(
    gpu: &Headless,
    watch: &Stopwatch,
    args: &BenchArgs,
    quiet: bool,
) -> Result<(), Box<dyn Error>> {
    let figure = prepared(&sinew_samples::figure(), "builtin:figure", &[], quiet)?;
    let sizes = BenchSizes::new(args.small);
    let only = args.only.as_deref().unwrap_or_default();
    let mut buffers = Vec::new();
    for plan in subjects(&sizes).into_iter().filter(|plan| plan.name().contains(only)) {
        buffers.push((plan, GpuBuffers::new(gpu, &plan, &figure)?));
    }
    let mut cases: Vec<GpuCase> = Vec::new();
    let mut records: Vec<TuningRecord> = Vec::new();
    for tuning in tunings() {
        let mut kernels = Kernels::with_tuning(&gpu.device, tuning)?;
        for (plan, buffers) in &buffers {
            let case = buffers.case(gpu, &mut kernels, Method::Linear, plan.name())?;
            records.push(record(plan, &tuning));
            cases.push(case);
        }
    }
    let best = measure(gpu, watch, &cases, args.seconds * 4.0)?;
    gpu.check()?;
    for ((record, case), ns) in records.iter_mut().zip(&cases).zip(&best) {
        record.gigavertices_per_sec = case.gigavertices_per_sec(*ns);
    }
    records.sort_by(|a, b| b.gigavertices_per_sec.total_cmp(&a.gigavertices_per_sec));
    if args.json {
        return Ok(json::print(&records)?);
    }
    let names: Vec<String> = buffers.iter().map(|(plan, _)| plan.name()).collect();
    Ok(output::print_text(table(&names, &records))?)
}

/// A body in many poses, with four influences of every vertex.
fn subjects(sizes: &BenchSizes) -> [GpuPlan; 2] {
    [GpuPlan { compact: true, ..batch(sizes) }, batch(sizes)]
}

fn tunings() -> Vec<Tuning> {
    let mut out = Vec::new();
    for workgroup in WORKGROUPS {
        for vertices_per_thread in VERTICES_PER_THREAD {
            for max_poses_per_thread in POSES_PER_THREAD {
                out.push(Tuning {
                    workgroup,
                    vertices_per_thread,
                    max_poses_per_thread,
                    ..Tuning::default()
                });
            }
        }
    }
    out
}

fn record(plan: &GpuPlan, tuning: &Tuning) -> TuningRecord {
    TuningRecord {
        name: plan.name(),
        workgroup: tuning.workgroup,
        vertices_per_thread: tuning.vertices_per_thread,
        poses_per_thread: tuning.max_poses_per_thread,
        gigavertices_per_sec: 0.0,
    }
}

/// The fastest tunings of every subject.
fn table(names: &[String], records: &[TuningRecord]) -> String {
    let mut out = String::new();
    for name in names {
        let of_name = || records.iter().filter(|r| r.name == *name);
        out += &format!("{name}\n");
        out += "  Gvertices/s  workgroup  vertices/thread  poses/thread\n";
        for r in of_name().take(SHOWN) {
            out += &format!(
                "  {:>11.1}  {:>9}  {:>15}  {:>12}\n",
                r.gigavertices_per_sec, r.workgroup, r.vertices_per_thread, r.poses_per_thread
            );
        }
        out.push('\n');
    }
    out
}
