//! Characters as files, with a report of what happened to the content of the file that was read.

use crate::{failure::Failure, output, overwrite, reports};
use clap::ValueHint;
use serde::Serialize;
use sinew::Character;
use sinew_formats::{Compression, Outcome, WriteOptions, WriteReport, prepare_file, to_glb_with};
use std::path::{Path, PathBuf};

/// What writing a character may lose, and where that is reported.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct WriteArgs {
    /// Write what was carried, changed, decoded, encoded, repaired and dropped to FILE, as JSON: a list for several files.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    report: Option<PathBuf>,

    /// Write nothing and exit with 1 if anything of the file that was read would be dropped.
    #[arg(long)]
    strict: bool,

    /// Store the data of a glTF file in fewer bits: quantize (integers, KHR_mesh_quantization) or meshopt (compressed
    /// streams of them, EXT_meshopt_compression). Readers need the extension.
    #[arg(long, value_name = "KIND", value_parser = parse_compression)]
    compress: Option<Compression>,

    /// How far --compress may move a vertex, in millimeters; without it, a ten-thousandth of the character's diagonal.
    #[arg(long, value_name = "MM", value_parser = parse_millimeters, requires = "compress")]
    compress_error: Option<f64>,
}

fn parse_compression(name: &str) -> Result<Compression, String> {
    let found = Compression::ALL.into_iter().find(|compression| compression.name() == name);
    found.ok_or_else(|| format!("must be {}", Compression::ALL.map(Compression::name).join(" or ")))
}

fn parse_millimeters(text: &str) -> Result<f64, String> {
    let millimeters = text.parse().ok().filter(|mm: &f64| (0.0..=1e9).contains(mm));
    millimeters.ok_or_else(|| "must be a number of millimeters, 0 for no loss at all".into())
}

/// The document of `--report`.
#[derive(Serialize)]
struct ReportDocument<'a> {
    schema: u32,
    output: String,
    write: &'a WriteReport,
}

impl WriteArgs {
    /// Writes a character. Everything that is dropped is printed to standard error, even if `quiet`.
    pub(crate) fn write(
        &self,
        path: &Path,
        character: &Character,
        quiet: bool,
    ) -> Result<WriteReport, Failure> {
        self.write_with(path, character, &WriteOptions::default(), quiet)
    }

    /// As [`WriteArgs::write`], with options.
    pub(crate) fn write_with(
        &self,
        path: &Path,
        character: &Character,
        options: &WriteOptions,
        quiet: bool,
    ) -> Result<WriteReport, Failure> {
        self.save(path, character, &self.compressing(path, options)?, WriteReport::default(), quiet)
    }

    /// As [`WriteArgs::write`]; `earlier` is what was lost before the character was ready to be written.
    pub(crate) fn write_after(
        &self,
        earlier: WriteReport,
        path: &Path,
        character: &Character,
        quiet: bool,
    ) -> Result<WriteReport, Failure> {
        let options = self.compressing(path, &WriteOptions::default())?;
        self.save(path, character, &options, earlier, quiet)
    }

    fn save(
        &self,
        path: &Path,
        character: &Character,
        options: &WriteOptions,
        earlier: WriteReport,
        quiet: bool,
    ) -> Result<WriteReport, Failure> {
        if output::is_standard(path) {
            let (bytes, report) = to_glb_with(character, options)?;
            let report = earlier.followed_by(&report);
            self.tell(path, &report, quiet)?;
            output::print(bytes)?;
            return Ok(report);
        }
        let prepared = prepare_file(path, character, options)?;
        prepared.beside().try_for_each(|(beside, pieces)| overwrite::claim(beside, pieces, path))?;
        prepared.replaced().try_for_each(|replaced| overwrite::require_of(replaced, path))?;
        let report = earlier.followed_by(prepared.report());
        self.tell(path, &report, quiet)?;
        let paths: Vec<PathBuf> = prepared.paths().map(Path::to_owned).collect();
        prepared.commit()?;
        paths.iter().for_each(|path| overwrite::own(path));
        Ok(report)
    }

    /// The options with the compression of the command line, which only glTF has.
    fn compressing(&self, path: &Path, options: &WriteOptions) -> Result<WriteOptions, Failure> {
        if self.compress.is_some() {
            output::require_gltf(path)
                .map_err(|_| Failure::usage("--compress is for .glb, .gltf and .vrm files"))?;
        }
        let options = options.clone().with_compression(self.compress);
        Ok(options.with_max_compression_error_mm(self.compress_error))
    }

    /// Saves and prints what happens to the content, and fails if `--strict` forbids it.
    pub(crate) fn tell(&self, path: &Path, report: &WriteReport, quiet: bool) -> Result<(), Failure> {
        self.save_report(path, report)?;
        for entry in report.entries().iter().filter(|entry| entry.is_told()) {
            if entry.outcome == Outcome::Dropped || !quiet {
                tell!("{entry}");
            }
        }
        if self.strict && report.has_losses() {
            let count = report.of(Outcome::Dropped).count();
            return Err(Failure::work(
                format!("write {}", path.display()),
                format!("{count} kinds of content would be dropped, and --strict forbids that"),
            ));
        }
        Ok(())
    }

    fn save_report(&self, output: &Path, write: &WriteReport) -> Result<(), Failure> {
        let Some(path) = &self.report else { return Ok(()) };
        let document =
            ReportDocument { schema: crate::json::SCHEMA, output: output.display().to_string(), write };
        let text = serde_json::to_string_pretty(&document).map_err(|e| Failure::Print(e.into()))?;
        reports::save(path, text + "\n")
    }
}
