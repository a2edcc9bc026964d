//! `sinew fit`: corrective joints and weights with which linear blend skinning shows another method's result.

use crate::{
    failure::{AttemptWithOptions, Failure, OptionFault},
    input, json, limits,
    method::method_parser,
    output,
    prepare::prepared,
    progress,
    write::WriteArgs,
};
use clap::ValueHint;
use serde::Serialize;
use sinew::{Character, Method};
use sinew_author::linear_fit::{
    FitError, FitPoses, LinearFit, LinearFitError, LinearFitOptions, LinearFitReport, PoseError,
    fit_to_linear,
};
use std::path::PathBuf;

/// Make linear blend skinning show what another method does, for engines without that method.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Corrective joints are added where linear blend skinning differs most from the method. Each follows the
rotation of one joint relative to another, and may scale. Weights are fitted to the same poses. The motion
of the new joints is written into every clip, so any engine plays the file; Sinew also moves them in
poses that are not in a clip.

The report lists the distance from the method, in millimeters, for plain linear blend skinning of the
file and for the result: in the poses that were fitted, and in others between and beside them.

Examples:
  sinew fit hero.glb --method cor -o hero_lbs.glb
  sinew fit hero.glb --method dual-quat --helpers 24 --influences 8 -o hero_lbs.glb
  sinew fit hero.glb --method ddm --poses clips --no-scale -o hero_lbs.glb --json")]
pub(crate) struct FitArgs {
    /// The character: a file, or a built-in character.
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    input: String,

    /// The method to show.
    #[arg(long, value_name = "METHOD", default_value = "cor", value_parser = method_parser())]
    method: Method,

    /// The most corrective joints to add.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u16).range(0..=256))]
    helpers: u16,

    /// The most joints that influence a vertex.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=16))]
    influences: u8,

    /// The poses to fit: clips, range-of-motion or both.
    #[arg(long, value_name = "POSES", value_delimiter = ',', default_value = "clips,range-of-motion")]
    poses: Vec<PoseSource>,

    /// How far each joint is rotated in the range of motion, in degrees.
    #[arg(long, value_name = "DEGREES", default_value_t = 45.0, allow_negative_numbers = true)]
    angle: f32,

    /// Corrective joints only turn and slide, for engines that ignore the scale of joints.
    #[arg(long)]
    no_scale: bool,

    /// How often weights and motions take turns once all corrective joints stand.
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u16).range(0..=1000))]
    rounds: u16,

    /// Keys a second of corrective joints in clips.
    #[arg(long, value_name = "N", default_value_t = 30.0, allow_negative_numbers = true)]
    fps: f32,

    /// The file to write: .glb, .gltf or .sinew.
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    output: PathBuf,

    /// Print the report as JSON, for programs.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    write: WriteArgs,
}

/// Where poses come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum PoseSource {
    /// Every clip of the file.
    Clips,
    /// Each joint about each axis, and all joints at once.
    RangeOfMotion,
}

/// The document that `--json` prints.
#[derive(Serialize)]
struct FitReport<'a> {
    input: &'a str,
    output: String,
    method: &'static str,
    added_joints: Vec<&'a str>,
    vertex_count: usize,
    fitted: FitSummary,
    held_out: FitSummary,
    poses: Vec<PoseRecord<'a>>,
}

/// The distances from the method over a set of poses.
#[derive(Serialize)]
struct FitSummary {
    pose_count: usize,
    #[serde(flatten)]
    distances: Distances,
    /// How many times nearer the result is.
    rms_ratio: f64,
}

/// The distances from the method in one pose.
#[derive(Serialize)]
struct PoseRecord<'a> {
    pose: &'a str,
    is_fitted: bool,
    #[serde(flatten)]
    distances: Distances,
}

#[derive(Serialize)]
struct Distances {
    plain_rms_mm: f64,
    plain_max_mm: f64,
    rms_mm: f64,
    max_mm: f64,
}

pub(crate) fn run(args: &FitArgs, quiet: bool) -> Result<(), Failure> {
    output::require_character(&args.output)?;
    let import = input::open_reporting(&args.input, quiet)?;
    let character = prepared(&import.character, &args.input, &[args.method], quiet)?;
    let bar = progress::bar(1000, "fitting", quiet);
    let fit = fit_to_linear(&character, &options(args), &mut |done| {
        bar.set_position((done * 1000.0) as u64);
        limits::go_on()
    });
    bar.finish_and_clear();
    let fit = fit.attempt_with_options(|| format!("fit {}", args.input))?;
    let write = args.write.write(&args.output, &fit.character, quiet)?;
    if args.json {
        return json::print_written(&report(args, &fit), Some(&write));
    }
    if !quiet {
        output::print_text(text(&fit.character, &fit))?;
        tell!("wrote {}", args.output.display());
    }
    Ok(())
}

fn options(args: &FitArgs) -> LinearFitOptions {
    let has = |source| args.poses.contains(&source);
    let poses = FitPoses::default();
    LinearFitOptions {
        method: args.method,
        helpers: args.helpers.into(),
        influences: args.influences.into(),
        scale: !args.no_scale,
        poses: FitPoses {
            per_clip: if has(PoseSource::Clips) { poses.per_clip } else { 0 },
            angle_radians: if has(PoseSource::RangeOfMotion) { args.angle.to_radians() } else { 0.0 },
            ..poses
        },
        rounds: args.rounds.into(),
        keys_per_sec: args.fps,
    }
}

fn report<'a>(args: &'a FitArgs, fit: &'a LinearFit) -> FitReport<'a> {
    let LinearFitReport { poses, held_out, vertices } = &fit.report;
    let record = |is_fitted| {
        move |pose: &'a PoseError| PoseRecord {
            pose: &pose.pose,
            is_fitted,
            distances: distances([pose.plain, pose.fitted]),
        }
    };
    FitReport {
        input: &args.input,
        output: args.output.display().to_string(),
        method: args.method.name(),
        added_joints: added(&fit.character, fit),
        vertex_count: *vertices,
        fitted: summary(poses.len(), fit.report.over_fitted_poses()),
        held_out: summary(held_out.len(), fit.report.over_held_out_poses()),
        poses: poses.iter().map(record(true)).chain(held_out.iter().map(record(false))).collect(),
    }
}

fn added<'a>(character: &'a Character, fit: &LinearFit) -> Vec<&'a str> {
    fit.joints.iter().map(|&joint| character.skeleton().name(joint)).collect()
}

fn summary(pose_count: usize, errors: [FitError; 2]) -> FitSummary {
    let [plain, fitted] = errors.map(|error| error.rms_meters);
    FitSummary { pose_count, distances: distances(errors), rms_ratio: plain / fitted.max(f64::MIN_POSITIVE) }
}

fn distances([plain, fitted]: [FitError; 2]) -> Distances {
    Distances {
        plain_rms_mm: plain.rms_meters * 1e3,
        plain_max_mm: plain.max_meters * 1e3,
        rms_mm: fitted.rms_meters * 1e3,
        max_mm: fitted.max_meters * 1e3,
    }
}

fn text(character: &Character, fit: &LinearFit) -> String {
    let line = |what: &str, count: usize, errors| {
        let FitSummary { distances: d, rms_ratio, .. } = summary(count, errors);
        format!(
            "{what} ({count}): rms {:.3} mm, max {:.2} mm; plain linear blend skinning {:.3} mm and {:.2} mm ({rms_ratio:.1} times)\n",
            d.rms_mm, d.max_mm, d.plain_rms_mm, d.plain_max_mm,
        )
    };
    let report = &fit.report;
    format!(
        "{} corrective joints: {}\n{}{}",
        fit.joints.len(),
        added(character, fit).join(", "),
        line("fitted poses", report.poses.len(), report.over_fitted_poses()),
        line("held-out poses", report.held_out.len(), report.over_held_out_poses()),
    )
}

impl OptionFault for LinearFitError {
    fn is_option_fault(&self) -> bool {
        matches!(self, Self::Author(error) if error.is_option_fault())
    }
}
