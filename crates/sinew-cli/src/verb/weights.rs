//! `sinew weights`: skin weights, computed, edited, compared and exchanged.

mod args;
mod auto;
mod diff;
mod edit;
mod exchange;
mod heat;
mod report;
mod skinned;
mod transfer;

pub(crate) use args::WeightsArgs;

use crate::{
    batch::{self, BatchArgs, BatchFile, BatchJob, BatchResults},
    failure::Failure,
    input, output,
};
use args::{ResultArgs, WeightsFileArgs, WeightsJob};
use report::MeshReport;
use sinew::{Character, Weights};
use skinned::SkinData;
use std::{path::PathBuf, process::ExitCode};

pub(crate) fn run(args: &WeightsArgs, quiet: bool) -> Result<ExitCode, Failure> {
    args.simd.choose();
    let mut job = args.job.clone();
    let Some(edited) = job.edited_mut().cloned() else {
        run_job(&job, quiet)?;
        return Ok(ExitCode::SUCCESS);
    };
    let jobs = jobs(&edited)?;
    let batch = BatchArgs { is_json: edited.result.json, ..edited.batch };
    BatchResults::run(&jobs, &batch, quiet, |of| {
        let mut job = args.job.clone();
        if let Some(edited) = job.edited_mut() {
            edited.file = of.file.name.clone();
            edited.result.output = Some(of.output.clone()).filter(|output| !output.as_os_str().is_empty());
        }
        run_job(&job, quiet)
    })
}

/// The files to edit. Without an output, edits are only measured; their path is empty.
fn jobs(edited: &WeightsFileArgs) -> Result<Vec<BatchJob>, Failure> {
    let WeightsFileArgs { files, batch, result, .. } = edited;
    if result.output.is_none() && batch.out_dir.is_none() {
        let measured = |file: BatchFile| BatchJob { file, output: PathBuf::new() };
        return Ok(input::batch(files)?.into_iter().map(measured).collect());
    }
    result.output.as_deref().map_or(Ok(()), output::require_gltf)?;
    batch::jobs(files, result.output.as_deref(), batch, batch::character_ending)
}

fn run_job(job: &WeightsJob, quiet: bool) -> Result<(), Failure> {
    match job {
        WeightsJob::Auto(args) => auto::run(args, quiet),
        WeightsJob::Smooth(args) => edit::smooth(args, quiet),
        WeightsJob::Sharpen(args) => edit::sharpen(args, quiet),
        WeightsJob::Limit(args) => edit::limit(args, quiet),
        WeightsJob::Prune(args) => edit::prune(args, quiet),
        WeightsJob::Normalize(args) => edit::normalize(args, quiet),
        WeightsJob::Mirror(args) => edit::mirror(args, quiet),
        WeightsJob::Transfer(args) => transfer::run(args, quiet),
        WeightsJob::Quantize(args) => edit::quantize(args, quiet),
        WeightsJob::Diff(args) => diff::run(args, quiet),
        WeightsJob::Export(args) => exchange::export(args, quiet),
        WeightsJob::Import(args) => exchange::import(args, quiet),
    }
}

/// Reads `file` and tells a person what had to be repaired.
fn open(file: &str, quiet: bool) -> Result<Character, Failure> {
    Ok(input::open_reporting(file, quiet)?.character)
}

/// An operation on the weights of a file, with the meshes that it has changed so far.
struct WeightsRun<'a> {
    /// What is done, for the report: `limit to 4`.
    operation: String,
    file: &'a str,
    result: &'a ResultArgs,
    changed: Vec<(usize, Weights)>,
    reports: Vec<MeshReport>,
    skins: SkinData,
}

impl<'a> WeightsRun<'a> {
    fn new(operation: impl Into<String>, file: &'a str, result: &'a ResultArgs) -> Self {
        let (changed, reports, skins) = (Vec::new(), Vec::new(), SkinData::default());
        Self { operation: operation.into(), file, result, changed, reports, skins }
    }

    /// What is attempted, for failures: `limit the weights of fox.glb`.
    fn attempt(&self) -> String {
        let verb = self.operation.split(' ').next().unwrap_or_default();
        match verb {
            "auto" => format!("compute the weights of {}", self.file),
            verb => format!("{verb} the weights of {}", self.file),
        }
    }

    /// Takes the new weights of a mesh over if they differ.
    fn add(&mut self, mesh_index: usize, weights: Weights, report: MeshReport) {
        if report.is_changed() {
            self.changed.push((mesh_index, weights));
        }
        self.reports.push(report);
    }

    /// Writes the character with its new weights, if a file is asked for, and reports what was done.
    fn finish(mut self, character: &Character, quiet: bool) -> Result<(), Failure> {
        let changed = std::mem::take(&mut self.changed);
        let edited = skinned::with_weights(character, changed, || self.attempt())?;
        let output = self.result.output.as_ref();
        let write = output.map(|path| self.result.write.write(path, &edited, quiet)).transpose()?;
        report::print(&self, write.as_ref(), quiet)
    }
}
