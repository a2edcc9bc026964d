//! Weights as text, out and in.

use super::{WeightsRun, args::WeightsFileArgs, open, report::MeshReport, skinned::MeshWithSkin};
use crate::{
    failure::{AttemptWithOptions, Failure},
    limits, output,
};
use clap::ValueHint;
use sinew_author::weights::{Edit, text};
use std::path::PathBuf;

/// Write weights as text that version control can compare.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "A text file holds one mesh: choose with --mesh if there are several.")]
pub(super) struct ExportArgs {
    /// A file with a skinned mesh, or a built-in character.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) file: String,

    /// The text to write; without it the text is printed.
    #[arg(short, long, value_name = "TEXT", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,

    /// The mesh, by name or by number from 0.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(super) mesh: Option<String>,
}

/// Read weights from text and assign them to a mesh.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "A text file holds one mesh: choose with --mesh if there are several.")]
pub(super) struct ImportArgs {
    #[command(flatten)]
    pub(super) file: WeightsFileArgs,

    /// A text file that `sinew weights export` wrote, edited or not.
    #[arg(value_name = "TEXT", value_hint = ValueHint::FilePath)]
    pub(super) text: PathBuf,
}

pub(super) fn export(args: &ExportArgs, quiet: bool) -> Result<(), Failure> {
    let character = open(&args.file, quiet)?;
    let all = MeshWithSkin::weighted(&character, &args.file, args.mesh.as_deref())?;
    let only = MeshWithSkin::only(&all, &args.file)?;
    let edit =
        Edit::new(only.mesh()).attempt_with_options(|| format!("export the weights of {}", args.file))?;
    let text = text::to_text(only.mesh().name(), edit.weights(), only.skeleton(), only.skin());
    let Some(path) = &args.output else { return output::print_data(text) };
    output::write(path, text)?;
    if !quiet {
        tell!("wrote {}", path.display());
    }
    Ok(())
}

pub(super) fn import(args: &ImportArgs, quiet: bool) -> Result<(), Failure> {
    let WeightsFileArgs { file, result, .. } = &args.file;
    let character = open(file, quiet)?;
    let all = MeshWithSkin::all(&character, file, result.mesh.as_deref())?;
    let only = MeshWithSkin::only(&all, file)?;
    let text = limits::read_text(&args.text)?;
    let broken = |source| Failure::WeightText { path: args.text.clone(), source };
    let existing = only.mesh().weights().map(|weights| &**weights);
    let weights = text::from_text(&text, only.skeleton(), only.skin(), existing).map_err(broken)?;
    let (count, wanted) = (weights.vertex_count(), only.mesh().vertex_count());
    if count != wanted {
        let (text, mesh) = (args.text.display(), only.label());
        return Err(Failure::usage(format!("{text} has {count} vertices, but mesh {mesh} has {wanted}")));
    }
    let mut run = WeightsRun::new("import", file, result);
    let report = MeshReport::against_existing(&only, &weights, Vec::new(), &mut run.skins);
    run.add(only.mesh_index, weights, report.attempt_with_options(|| run.attempt())?);
    run.finish(&character, quiet)
}
