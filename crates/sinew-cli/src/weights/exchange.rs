//! Weights as text, out and in.

use super::{
    args::{ExportArgs, ImportArgs},
    report::MeshReport,
    skinned::{Skinned, open},
    write,
};
use crate::{failure::Failure, output};
use sinew_author::weights::{Edit, text};
use sinew_formats::ReadFileError;
use std::fs;

pub(super) fn export(args: &ExportArgs, quiet: bool) -> Result<(), Failure> {
    let character = open(&args.file, quiet)?;
    let all = Skinned::weighted(&character, &args.file, args.mesh.as_deref())?;
    let one = Skinned::only(&all, &args.file)?;
    let weights = Edit::new(one.mesh())?.weights();
    let text = text::to_text(one.mesh().name(), weights, one.skeleton(), one.skin());
    let Some(path) = &args.output else { return output::print(text) };
    output::write(path, text)?;
    if !quiet {
        eprintln!("wrote {}", path.display());
    }
    Ok(())
}

pub(super) fn import(args: &ImportArgs, quiet: bool) -> Result<(), Failure> {
    let file = &args.file.file;
    let character = open(file, quiet)?;
    let all = Skinned::all(&character, file, args.file.result.mesh.as_deref())?;
    let one = Skinned::only(&all, file)?;
    let unreadable = |source| ReadFileError::Io { path: args.text.clone(), source };
    let text = fs::read_to_string(&args.text).map_err(unreadable)?;
    let broken = |source| Failure::WeightText { path: args.text.clone(), source };
    let weights = text::from_text(&text, one.skeleton(), one.skin()).map_err(broken)?;
    let (count, wanted) = (weights.vertex_count(), one.mesh().vertex_count());
    if count != wanted {
        let what = format!("{} has {count} vertices, mesh {} has {wanted}", args.text.display(), one.label());
        return Err(Failure::usage(what));
    }
    let report = MeshReport::against_own(&one, &weights, Vec::new())?;
    let changed = if report.is_changed() { vec![(one.mesh_index, weights)] } else { Vec::new() };
    write("import", file, &args.file.result, &character, changed, &[report], quiet)
}
