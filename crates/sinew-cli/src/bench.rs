//! `sinew bench`: this machine's figures.

mod cases;
#[cfg(feature = "gpu")]
mod gpu;
mod motion;
mod rounds;
mod subject;

use crate::{args::BenchArgs, failure::Failure, input, output, prepare::prepared};
use cases::BenchCase;
use rounds::{RoundRecord, measure};
use sinew::{Method, simd};
use subject::BenchSubject;

/// Made from the figure by repeating it: out of the first caches, and out of all of them.
const LARGE: [(&str, usize); 2] = [("100k", 100_000), ("4m", 4_000_000)];

pub(crate) fn run(args: &BenchArgs, quiet: bool) -> Result<(), Failure> {
    if !args.seconds.is_finite() || args.seconds <= 0.0 {
        return Err(Failure::usage(format!("--seconds: {} is no time", args.seconds)));
    }
    if args.gpu {
        return bench_gpu(args, quiet);
    }
    let pools = pools()?;
    // All of them first: who named a file that is not there should not wait for the others.
    let mut subjects = Vec::new();
    for name in ["builtin:figure".to_owned()].iter().chain(&args.files) {
        let character = prepared(&input::open(name)?.character, &Method::ALL, quiet)?;
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
        let figure = prepared(&sinew_samples::figure(), &[Method::Cor], quiet)?;
        for (label, vertices) in LARGE {
            if let Some(subject) = BenchSubject::tiled(label, &figure, vertices) {
                records.extend(bench(args, &subject, &pools, quiet));
            }
        }
    }
    records.extend(bench_motion(args, &pools, quiet));
    if args.json {
        let json = serde_json::to_string_pretty(&records).map_err(|e| Failure::Print(e.into()))?;
        return output::print(json + "\n");
    }
    output::print(table(&records))
}

#[cfg(feature = "gpu")]
fn bench_gpu(args: &BenchArgs, quiet: bool) -> Result<(), Failure> {
    gpu::run(args, quiet)
}

#[cfg(not(feature = "gpu"))]
fn bench_gpu(_: &BenchArgs, _: bool) -> Result<(), Failure> {
    Err(Failure::without_gpu())
}

/// One thread, and two where there are two.
fn pools() -> Result<Vec<rayon::ThreadPool>, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pools: Result<_, _> = (1..=cores.min(2)).map(pool).collect();
    pools.map_err(|e| Failure::usage(format!("threads cannot be started: {e}")))
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
    let mut cases = cases::all(subject, pools);
    cases.retain(wanted);
    if !quiet && !args.json {
        let (packed, file) = (subject.packed.stats(), subject.in_file_order.stats());
        eprintln!(
            "{}: {} vertices, {} blocks, {:.2} joints a block ({:.2} in the file's order); {} candidates take turns",
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
    let mut cases = motion::all(&subject, pools);
    cases.retain(|case| case.name.contains(only));
    if cases.is_empty() {
        return vec![];
    }
    if !quiet && !args.json {
        eprintln!("motion, by the pose: {} candidates take turns", cases.len());
    }
    measure(&mut cases, args.seconds)
}

fn table(records: &[RoundRecord]) -> String {
    let width = records.iter().map(|r| r.bench.chars().count()).max().unwrap_or(0);
    let levels: Vec<&str> = simd::available().map(simd::name).collect();
    let mut out = format!("levels of this machine: {}\n\n", levels.join(", "));
    out += &format!(
        "{:<width$}  {:>10}  {:>7}  {:>7}  {:>9}\n",
        "bench", "ns/item", "GB/s", "of copy", "vs plain"
    );
    let number = |n: Option<f64>, digits: usize| n.map_or_else(|| "–".into(), |n| format!("{n:.digits$}"));
    for r in records {
        out += &format!(
            "{:<width$}  {:>10.3}  {:>7}  {:>7}  {:>9}\n",
            r.bench,
            r.ns_per_item,
            number(r.gb_per_s, 1),
            number(r.copy_fraction, 2),
            r.vs_plain.map_or_else(|| "–".into(), |n| format!("{n:.2}×")),
        );
    }
    out + &classic(records)
}

/// The article's claim, that bone by bone is three times as fast as vertex by vertex, on this machine.
fn classic(records: &[RoundRecord]) -> String {
    let ns = |name: &str| records.iter().find(|r| r.bench.contains(name)).map(|r| r.ns_per_item);
    match (ns("baseline/vertex-by-vertex/"), ns("baseline/bone-by-bone/")) {
        (Some(vertex), Some(bone)) => format!(
            "\nA classic article has bone by bone three times as fast as vertex by vertex; here it is {:.2}× as fast.\n",
            vertex / bone
        ),
        _ => String::new(),
    }
}
