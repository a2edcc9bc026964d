//! `sinew cook`: a character in the form in which it is used.

use crate::{
    compression::{self, ClipRecord, CookedFiles},
    failure::Failure,
    json, limits,
    method::method_parser,
    output,
    prepare::prepared,
    progress,
    write::WriteArgs,
};
use clap::ValueHint;
use serde::Serialize;
use sinew::{Character, CharacterGraph, Method, blend::Graph, deform::blocks::VertexOrder};
use sinew_author::cook::{CookError, CookedClipReport, cook_clips};
use sinew_formats::{
    WriteOptions,
    cooked::CookedOptions,
    graph::{self, GraphFileError},
};
use std::path::{Path, PathBuf};

/// Write a character as a .sinew file, which loads without conversion.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A cooked file has everything that the character owns: vertices as they are in memory, skins packed
into blocks, precomputed data of methods, clips compressed with a bound on the error, graphs. Every
verb and the studio read it.

A clip that would grow, or that cannot hold the bound, keeps its keys.

Examples:
  sinew cook knight.glb -o knight.sinew
  sinew cook knight.glb -o knight.sinew --max-error 0.3mm --method cor
  sinew cook builtin:figure -o figure.sinew --graph examples/figure.graph.ron
  sinew cook capture.bvh -o capture.sinew --unit 0.05644 --raw-clips")]
pub(crate) struct CookArgs {
    #[command(flatten)]
    files: CookedFiles,

    /// Store the keys of clips as they are.
    #[arg(long)]
    raw_clips: bool,

    /// A method whose data is precomputed, besides the one that the file recommends; may be given several times.
    #[arg(long, value_name = "METHOD", value_parser = method_parser())]
    method: Vec<Method>,

    /// A blend graph to store, under the name of its file; may be given several times.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    graph: Vec<PathBuf>,

    /// Also pack skins in the order that is fastest to deform, for games that remap their indices.
    #[arg(long)]
    packed_order: bool,

    /// Print what was done as JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    write: WriteArgs,
}

/// What was cooked, as JSON.
#[derive(Serialize)]
struct CookReport<'a> {
    file: &'a str,
    output: String,
    bytes: u64,
    clips: Vec<ClipRecord>,
}

pub(crate) fn run(args: &CookArgs, quiet: bool) -> Result<(), Failure> {
    let CookedFiles { file, output: to, .. } = &args.files;
    let (import, options) = args.files.open()?;
    if !quiet {
        import.report.lines().for_each(|line| tell!("{line}"));
    }
    let mut methods = args.method.clone();
    methods.extend(import.character.recommended_method());
    let character = prepared(&import.character, file, &methods, quiet)?;
    let character = with_graphs(character, &args.graph)?;
    let (character, clips) = match args.raw_clips {
        true => (character, Vec::new()),
        false => cooked(&character, file, &options, quiet)?,
    };
    let orders = [Some(VertexOrder::File), args.packed_order.then_some(VertexOrder::Packed)];
    let cooked = CookedOptions::default().with_vertex_orders(orders.into_iter().flatten().collect());
    let cooked = WriteOptions::default().with_cooked(cooked);
    let write = args.write.write_with(to, &character, &cooked, quiet)?;
    let clips: Vec<ClipRecord> = clips.iter().map(ClipRecord::from).collect();
    if args.json {
        let bytes = std::fs::metadata(to).map_or(0, |found| found.len());
        let output = to.display().to_string();
        return json::print_written(&CookReport { file, output, bytes, clips }, Some(&write));
    }
    if !clips.is_empty() {
        output::print_text(compression::table(&clips))?;
    }
    if !quiet {
        output::tell_written(to);
    }
    Ok(())
}

/// The character with compressed clips.
pub(super) fn cooked(
    character: &Character,
    file: &str,
    options: &sinew_author::compress::CompressOptions,
    quiet: bool,
) -> Result<(Character, Vec<CookedClipReport>), Failure> {
    let bar = progress::bar(1000, "compressing", quiet);
    let cooked = cook_clips(character, options, &mut |fraction: f32| {
        bar.set_position((fraction * 1000.0) as u64);
        limits::go_on()
    });
    bar.finish_and_clear();
    cooked.map_err(|error| match error {
        CookError::Stopped => Failure::TimedOut(format!("compressing the clips of {file} took too long")),
        other => Failure::work(format!("compress the clips of {file}"), other),
    })
}

/// The character with the graphs of these files, which must fit its clips.
fn with_graphs(character: Character, files: &[PathBuf]) -> Result<Character, Failure> {
    if files.is_empty() {
        return Ok(character);
    }
    let mut parts = character.parts().clone();
    for path in files {
        let def = graph::read(path)?;
        Graph::of_character(&def, &character)
            .map_err(|source| GraphFileError::Meaning { path: path.clone(), source: Box::new(source) })?;
        let name = graph_name(path);
        parts.graphs.retain(|graph| graph.name != name);
        parts.graphs.push(CharacterGraph { name, def });
    }
    Character::new(parts).map_err(|error| Failure::work("add the graphs", error))
}

/// The name of a file before its first dot: `figure` for figure.graph.ron.
fn graph_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}
