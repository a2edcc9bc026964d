//! `sinew bench --gpu --tunings`: how the work of a batch is best divided.

use super::{
    super::args::BenchArgs,
    BenchSizes, GpuCase, measure,
    plan::{GpuBuffers, GpuPlan, LAYOUTS, batch, layout_name},
};
use crate::{json, output, prepare::prepared};
use serde::Serialize;
use sinew::Method;
use sinew_gpu::{
    Headless,
    deform::{BlockUse, Kernels, Tuning},
    measure::Stopwatch,
};
use std::error::Error;

/// One mesh in one layout by one tuning.
#[derive(Clone, Debug, Serialize)]
struct TuningRecord {
    name: String,
    /// How influences are kept: `vertices`, `blocks8` or `blocks16`.
    layout: &'static str,
    workgroup: u32,
    vertices_per_thread: u32,
    poses_per_thread: u32,
    /// Listed joints of a block whose weights stay in registers.
    held_weights: u32,
    gigavertices_per_sec: f64,
    joints_per_block: Option<f64>,
}

const WORKGROUPS: [u32; 3] = [64, 128, 256];
const VERTICES_PER_THREAD: [u32; 2] = [2, 4];
const POSES_PER_THREAD: [u32; 4] = [2, 4, 8, 16];
/// The rows that a table shows of each layout.
const SHOWN: usize = 12;

/// Measures every tuning and prints the fastest of each layout, or all of them as JSON.
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
        for (plan, buffers) in buffers.iter().filter(|(plan, _)| is_of(plan, &tuning)) {
            let case = buffers.case(gpu, &mut kernels, Method::Linear, plan.name())?;
            records.push(record(plan, &tuning, &case));
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

/// A body in many poses, compact, with four influences of every vertex and with the figure's own, in every layout.
fn subjects(sizes: &BenchSizes) -> Vec<GpuPlan> {
    let compact = GpuPlan { compact: true, ..batch(sizes) };
    let own = GpuPlan { influences: None, ..compact };
    let in_layouts = |plan: GpuPlan| LAYOUTS.map(|blocks| GpuPlan { blocks, ..plan });
    [compact, own].into_iter().flat_map(in_layouts).collect()
}

fn tunings() -> Vec<Tuning> {
    let mut out = Vec::new();
    for workgroup in WORKGROUPS {
        for vertices_per_thread in VERTICES_PER_THREAD {
            for max_poses_per_thread in POSES_PER_THREAD {
                out.extend([0, 3].map(|held_weights| Tuning {
                    workgroup,
                    vertices_per_thread,
                    max_poses_per_thread,
                    held_weights,
                    ..Tuning::default()
                }));
            }
        }
    }
    out
}

/// Without blocks no weights are held: one tuning is enough.
fn is_of(plan: &GpuPlan, tuning: &Tuning) -> bool {
    tuning.held_weights > 0 || plan.blocks != BlockUse::Never
}

fn record(plan: &GpuPlan, tuning: &Tuning, case: &GpuCase) -> TuningRecord {
    TuningRecord {
        name: plan.name(),
        layout: layout_name(plan.blocks),
        workgroup: tuning.workgroup,
        vertices_per_thread: tuning.vertices_per_thread,
        poses_per_thread: tuning.max_poses_per_thread,
        held_weights: tuning.held_weights,
        gigavertices_per_sec: 0.0,
        joints_per_block: case.joints_per_block,
    }
}

/// The fastest tunings of every subject.
fn table(names: &[String], records: &[TuningRecord]) -> String {
    let mut out = String::new();
    for name in names {
        let of_name = || records.iter().filter(|r| r.name == *name);
        let joints = of_name().find_map(|r| r.joints_per_block);
        let joints = joints.map_or_else(String::new, |joints| format!(", {joints:.2} joints per block"));
        out += &format!("{name}{joints}\n");
        out += "  Gvertices/s  workgroup  vertices/thread  poses/thread  held weights\n";
        for r in of_name().take(SHOWN) {
            out += &format!(
                "  {:>11.1}  {:>9}  {:>15}  {:>12}  {:>12}\n",
                r.gigavertices_per_sec,
                r.workgroup,
                r.vertices_per_thread,
                r.poses_per_thread,
                r.held_weights
            );
        }
        out.push('\n');
    }
    out
}
