//! `sinew bake`: deformed vertices or joint positions over time, and animation textures.

mod args;
mod textures;

pub(crate) use args::BakeArgs;

use crate::{
    batch::{self, BatchResults},
    failure::Failure,
    input, output, prepare, progress,
};
use args::PositionsArg;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use sinew::Clip;
use sinew_formats::{
    bake::{
        BakeMotion,
        joints::{self, JointTracks},
    },
    bvh::PositionChannels,
    export::{ExportError, ExportFormat, ExportInput, ExportSource, ExportedFile, export},
};
use sinew_view::film::{spread_times, times_at_rate};
use std::process::ExitCode;

pub(crate) fn run(args: &BakeArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let jobs = batch::jobs(&args.files, args.output.as_deref(), &args.batch, |_| String::new())?;
    BatchResults::run(&jobs, &args.batch, quiet, |job| {
        let args = BakeArgs { file: job.file.name.clone(), prefix: job.output.clone(), ..args.clone() };
        bake(&args, quiet || jobs.len() > 1)
    })
}

fn bake(args: &BakeArgs, quiet: bool) -> Result<(), Failure> {
    if args.joints && args.format != ExportFormat::Raw {
        return Err(Failure::usage("--joints are written as --format raw"));
    }
    let files = match args.textures.kind() {
        Some(kind) => textures::files(args, kind, quiet)?,
        None if args.joints => joint_files(args)?,
        None => vertex_files(args, quiet)?,
    };
    let files: Vec<_> = files.into_iter().map(|file| (file.path(&args.prefix), file.bytes)).collect();
    output::write_together(&files)?;
    if !quiet {
        files.iter().for_each(|(path, _)| output::tell_written(path));
    }
    Ok(())
}

/// Parses `--format` as the name of an export format.
fn format_parser() -> impl TypedValueParser<Value = ExportFormat> {
    PossibleValuesParser::new(ExportFormat::OF_VERTICES.map(ExportFormat::name)).map(|name| {
        let format = ExportFormat::OF_VERTICES.into_iter().find(|format| format.name() == name);
        format.unwrap_or_else(|| unreachable!("the parser lists the names of these formats"))
    })
}

/// Joint positions over time.
fn joint_files(args: &BakeArgs) -> Result<Vec<ExportedFile>, Failure> {
    match input::open_bvh(&args.file)? {
        // Every frame as the file has it, unless times, a clip or a pose are chosen.
        Some(bvh) if args.times.is_empty() && args.clip.clip.is_none() && args.pose.pose.is_empty() => {
            let positions = match args.positions {
                PositionsArg::Replace => PositionChannels::Replace,
                PositionsArg::Add => PositionChannels::Add,
            };
            joints::files(&JointTracks::of_bvh(&bvh, positions)).map_err(|e| failure(args, e.into()))
        }
        _ => exported(args, ExportFormat::Joints, true),
    }
}

/// Vertices over time, or one pose.
fn vertex_files(args: &BakeArgs, quiet: bool) -> Result<Vec<ExportedFile>, Failure> {
    exported(args, args.format, quiet)
}

fn exported(args: &BakeArgs, format: ExportFormat, quiet: bool) -> Result<Vec<ExportedFile>, Failure> {
    let import = input::open(&args.file)?;
    let method = import.character.method_or_recommended(args.method);
    let character = prepare::prepared(&import.character, &args.file, &[method], quiet)?;
    let clip = args.clip.choose(&character)?;
    let offsets = args.pose.offsets(&character)?;
    let times = times(args, clip.as_deref())?;
    if format.input() == ExportInput::OnePose && times.len() != 1 {
        let what = format!("--format {} writes one pose, --times has {}", format.name(), times.len());
        return Err(Failure::usage(what));
    }
    let bar = progress::bar(times.len() as u64, "deforming", quiet);
    let source = ExportSource {
        node_of_joint: &import.node_of_joint,
        motion: BakeMotion::Posed { clip: clip.as_deref(), offsets: &offsets },
        times_secs: &times,
        normals: args.normals.source,
        level: args.simd.level(),
        ..ExportSource::new(&character, method)
    };
    let files = export(format, &source, &mut |_| bar.inc(1)).map_err(|error| failure(args, error))?;
    bar.finish_and_clear();
    Ok(files)
}

fn failure(args: &BakeArgs, error: ExportError) -> Failure {
    match error {
        ExportError::Write(error) => error.into(),
        ExportError::Io(source) => Failure::Output { path: args.prefix.clone(), source },
        other => Failure::work(format!("bake {}", args.file), other),
    }
}

/// The times to bake: those that are named, or even steps from the clip's start to its end.
fn times(args: &BakeArgs, clip: Option<&Clip>) -> Result<Vec<f32>, Failure> {
    if let Some(bad) = args.times.iter().find(|t| !t.is_finite()) {
        return Err(Failure::usage(format!("--times must be finite, got {bad}")));
    }
    if !args.times.is_empty() {
        return Ok(args.times.clone());
    }
    if !args.fps.is_finite() || !(0.01..=1000.0).contains(&args.fps) {
        return Err(Failure::usage(format!("--fps must be between 0.01 and 1000, got {}", args.fps)));
    }
    Ok(match clip {
        Some(clip) if args.format.input() != ExportInput::OnePose => {
            let steps = times_at_rate(clip.duration_secs(), args.fps)?.len();
            spread_times(clip.duration_secs(), steps + 1)
        }
        _ => vec![0.0],
    })
}
