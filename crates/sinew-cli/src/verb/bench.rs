//! `sinew bench`: the speed of this machine.

mod args;
mod baseline;
mod cases;
mod chart;
mod crowd;
#[cfg(feature = "gpu")]
mod gpu;
mod load;
mod motion;
mod rounds;
mod subject;

pub(crate) use args::BenchArgs;

use crate::{
    failure::{Attempt, Failure},
    input, json, output,
    prepare::prepared,
};
use cases::BenchCase;
use rounds::{RoundRecord, measure};
use serde::Serialize;
use sinew::{Method, simd};
use sinew_view::encode::encode_png;
use subject::BenchSubject;

/// The figure repeated to this many vertices: beyond the first caches, and beyond all of them.
const LARGE: [(&str, usize); 2] = [("100k", 100_000), ("4m", 4_000_000)];

/// Everything that `--json` prints.
#[derive(Serialize)]
struct BenchReport {
    /// The SIMD levels of this machine.
    levels: Vec<&'static str>,
    records: Vec<RoundRecord>,
}

pub(crate) fn run(args: &BenchArgs, quiet: bool) -> Result<(), Failure> {
    if !args.seconds.is_finite() || args.seconds <= 0.0 {
        return Err(Failure::not_positive("--seconds", args.seconds));
    }
    if args.gpu {
        return bench_gpu(args, quiet);
    }
    let records = match args.only.as_deref() {
        // Loading needs none of the poses that the other cases start from.
        Some(only) if only.starts_with("load") => bench_load(args, quiet)?,
        _ => bench_all(args, quiet)?,
    };
    if let Some(path) = &args.chart {
        let picture = chart::draw(&records, "figure");
        let png = encode_png(&picture).attempt(|| format!("draw {}", path.display()))?;
        output::write(path, png)?;
    }
    if args.json {
        return json::print(&BenchReport { levels: levels(), records });
    }
    output::print_text(table(&records))
}

fn bench_all(args: &BenchArgs, quiet: bool) -> Result<Vec<RoundRecord>, Failure> {
    let pools = pools()?;
    // Every file is read before anything is measured, so that a wrong name fails at once.
    let mut subjects = Vec::new();
    for name in ["builtin:figure".to_owned()].iter().chain(&args.files) {
        let character = prepared(&input::open(name)?.character, name, &Method::ALL, quiet)?;
        let Some(subject) = BenchSubject::new(&subject::label(name), &character) else {
            return Err(Failure::usage(format!("{name} has no skinned mesh to measure")));
        };
        subjects.push(subject);
    }
    let mut records: Vec<RoundRecord> =
        subjects.iter().flat_map(|subject| bench(args, subject, &pools, quiet)).collect();
    if let Some(subject) = BenchSubject::random(&sinew_samples::figure()) {
        records.extend(bench(args, &subject, &pools, quiet));
    }
    if !args.small {
        let figure = prepared(&sinew_samples::figure(), "builtin:figure", &[Method::Cor], quiet)?;
        for (label, vertices) in LARGE {
            if let Some(subject) = BenchSubject::tiled(label, &figure, vertices) {
                records.extend(bench(args, &subject, &pools, quiet));
            }
        }
    }
    records.extend(bench_motion(args, &pools, quiet));
    records.extend(bench_load(args, quiet)?);
    Ok(records)
}

#[cfg(feature = "gpu")]
fn bench_gpu(args: &BenchArgs, quiet: bool) -> Result<(), Failure> {
    gpu::run(args, quiet).attempt(|| "measure the GPU")
}

#[cfg(not(feature = "gpu"))]
fn bench_gpu(_: &BenchArgs, _: bool) -> Result<(), Failure> {
    Err(Failure::without_gpu())
}

/// A pool of one thread, and one of two threads on a machine with several cores.
fn pools() -> Result<Vec<rayon::ThreadPool>, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pools: Result<_, _> = (1..=cores.min(2)).map(pool).collect();
    pools.attempt(|| "start threads")
}

fn bench(
    args: &BenchArgs,
    subject: &BenchSubject,
    pools: &[rayon::ThreadPool],
    quiet: bool,
) -> Vec<RoundRecord> {
    let wanted = |case: &BenchCase<'_>| {
        let only = args.only.as_deref().unwrap_or_default();
        case.is_baseline() || case.name.contains(only)
    };
    let mut cases = cases::all(subject, pools, &args.simd.levels());
    cases.retain(wanted);
    if !quiet && !args.json {
        let (packed, file) = (subject.packed.stats(), subject.in_file_order.stats());
        tell!(
            "{}: {} vertices, {} blocks, {:.2} joints per block ({:.2} in file order); {} cases take turns",
            subject.label,
            packed.vertices,
            packed.blocks,
            packed.joints_per_block,
            file.joints_per_block,
            cases.len()
        );
    }
    measure(&mut cases, args.seconds)
}

fn bench_motion(args: &BenchArgs, pools: &[rayon::ThreadPool], quiet: bool) -> Vec<RoundRecord> {
    let Some(subject) = motion::MotionSubject::new() else { return vec![] };
    let only = args.only.as_deref().unwrap_or_default();
    let mut cases = motion::all(&subject, pools, &args.simd.levels());
    cases.retain(|case| case.name.contains(only));
    if cases.is_empty() {
        return vec![];
    }
    if !quiet && !args.json {
        tell!("motion, per pose: {} cases take turns", cases.len());
    }
    // Crowds are larger than the caches, and so are measured by size, one size after the other.
    let is_crowd = |case: &BenchCase<'_>| case.name.starts_with("crowd/");
    let (mut crowds, mut others): (Vec<_>, Vec<_>) = cases.into_iter().partition(is_crowd);
    crowds.sort_by_key(|case| case.items);
    let mut records = if others.is_empty() { vec![] } else { measure(&mut others, args.seconds) };
    for some in crowds.chunk_by_mut(|a, b| a.items == b.items) {
        records.extend(measure(some, args.seconds));
    }
    records
}

/// Loading is measured file by file; without files, with the built-in figure.
fn bench_load(args: &BenchArgs, quiet: bool) -> Result<Vec<RoundRecord>, Failure> {
    let only = args.only.as_deref().unwrap_or_default();
    if !only.is_empty() && !only.contains("load") {
        return Ok(vec![]);
    }
    let mut records = Vec::new();
    for name in ["builtin:figure".to_owned()].iter().chain(&args.files) {
        let subject = load::LoadSubject::new(name, quiet)?;
        let mut cases = subject.cases();
        cases.retain(|case| case.name.contains(only));
        if !cases.is_empty() {
            records.extend(measure(&mut cases, args.seconds));
        }
    }
    Ok(records)
}

fn levels() -> Vec<&'static str> {
    simd::available().map(simd::Level::name).collect()
}

fn table(records: &[RoundRecord]) -> String {
    let width = records.iter().map(|r| r.name.chars().count()).max().unwrap_or(0);
    let mut out = format!("SIMD levels of this machine: {}\n\n", levels().join(", "));
    out += &format!(
        "{:<width$}  {:>10}  {:>7}  {:>7}  {:>9}\n",
        "bench", "ns/item", "GB/s", "of copy", "vs plain"
    );
    let number = |n: Option<f64>, digits: usize| n.map_or_else(|| "–".into(), |n| format!("{n:.digits$}"));
    for r in records {
        out += &format!(
            "{:<width$}  {:>10.3}  {:>7}  {:>7}  {:>9}\n",
            r.name,
            r.ns_per_item,
            number(r.gb_per_sec, 1),
            number(r.copy_fraction, 2),
            r.speedup_vs_plain.map_or_else(|| "–".into(), |n| format!("{n:.2}×")),
        );
    }
    out + &classic_claim(records)
}

/// The claim of the 1998 article that a loop over bones is three times as fast as a loop over vertices, on this machine.
fn classic_claim(records: &[RoundRecord]) -> String {
    let ns = |name: &str| records.iter().find(|r| r.name.contains(name)).map(|r| r.ns_per_item);
    match (ns("baseline/vertex-by-vertex/"), ns("baseline/bone-by-bone/")) {
        (Some(vertex), Some(bone)) => format!(
            "\nA classic article has a loop over bones three times as fast as a loop over vertices; here it is {:.2}× as fast.\n",
            vertex / bone
        ),
        _ => String::new(),
    }
}
