//! Many files at once: in parallel, each with its own outcome, and a summary.

use crate::{failure::Failure, input, json, limits, output, progress, reports};
use clap::ValueHint;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Where the results of several files go, and how many are worked on at once.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct BatchArgs {
    /// Write the result of each FILE to this folder under its own name. FILE may be a folder, for every file below it.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out_dir: Option<PathBuf>,

    /// The number of files that are worked on at the same time; 0 for one per core.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = input::parse_whole)]
    pub(crate) jobs: usize,

    /// True if the results of several files are printed as one list.
    #[arg(skip)]
    pub(crate) is_json: bool,
}

impl BatchArgs {
    /// The path of a file's result: in the folder, below the same folders as the file, with this ending.
    pub(crate) fn output(&self, file: &BatchFile, ending: &str) -> Option<PathBuf> {
        let mut path = self.out_dir.as_ref()?.join(&file.relative);
        path.set_extension(ending);
        Some(path)
    }
}

/// An input of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BatchFile {
    /// The path or the name of a built-in character.
    pub(crate) name: String,
    /// The path below the folder that was given, or the name of the file.
    pub(crate) relative: PathBuf,
    /// True if it was found in a folder: then the results are a list, however many files there are.
    pub(crate) is_found: bool,
}

impl BatchFile {
    /// A file that was named itself.
    pub(crate) fn named(name: &str) -> Self {
        let relative = match name.strip_prefix(input::BUILTIN) {
            Some(builtin) => PathBuf::from(builtin),
            None => Path::new(name).file_name().map_or_else(|| PathBuf::from("stdin"), PathBuf::from),
        };
        Self { name: name.to_owned(), relative, is_found: false }
    }
}

/// A file of a batch with the path of its result.
#[derive(Clone, Debug)]
pub(crate) struct BatchJob {
    pub(crate) file: BatchFile,
    pub(crate) output: PathBuf,
}

/// The files that a command line names with the paths of their results: one file to `output`, or all to the folder of the
/// batch, with the ending that `ending` gives.
pub(crate) fn jobs(
    names: &[String],
    output: Option<&Path>,
    args: &BatchArgs,
    ending: impl Fn(&BatchFile) -> String,
) -> Result<Vec<BatchJob>, Failure> {
    let files = input::batch(names)?;
    match (output, &args.out_dir, files.len()) {
        (Some(_), Some(_), _) => Err(Failure::usage("give either -o OUT or --out-dir DIR")),
        (None, None, 1) => {
            Err(Failure::usage("give the file to write with -o OUT, or a folder with --out-dir DIR"))
        }
        (_, None, 2..) => Err(Failure::usage("several files need --out-dir DIR for their results")),
        (Some(output), None, _) => {
            Ok(files.into_iter().map(|file| BatchJob { file, output: output.to_owned() }).collect())
        }
        (None, _, _) => {
            let job = |file: BatchFile| {
                let output = args.output(&file, &ending(&file))?;
                Some(BatchJob { file, output })
            };
            unique(files.into_iter().filter_map(job).collect())
        }
    }
}

/// Refuses two results with the same path, and creates the folders of the others.
fn unique(jobs: Vec<BatchJob>) -> Result<Vec<BatchJob>, Failure> {
    let mut taken: BTreeMap<&Path, &str> = BTreeMap::new();
    for job in &jobs {
        if let Some(other) = taken.insert(&job.output, &job.file.name) {
            let what =
                format!("{} and {other} would both be written to {}", job.file.name, job.output.display());
            return Err(Failure::usage(what));
        }
        job.output.parent().map_or(Ok(()), output::create_folder)?;
    }
    Ok(jobs)
}

/// The ending of a character that stays in its own kind of file; `glb` for other formats.
pub(crate) fn character_ending(file: &BatchFile) -> String {
    match output::ending(&file.relative).as_str() {
        own @ ("gltf" | "vrm") => own.to_owned(),
        _ => "glb".into(),
    }
}

/// What became of each file.
pub(crate) struct BatchResults<T> {
    pub(crate) done: Vec<(BatchFile, T)>,
    pub(crate) failed: Vec<(BatchFile, Failure)>,
    /// The JSON documents of all files, where they are one list.
    pub(crate) documents: Option<Vec<String>>,
}

/// What became of a file, and the JSON documents that it left.
type KeptResult<T> = (Result<T, Failure>, Vec<String>);

impl BatchResults<()> {
    /// Works on every job, and prints the failures and a summary.
    pub(crate) fn run(
        jobs: &[BatchJob],
        args: &BatchArgs,
        quiet: bool,
        work: impl Fn(&BatchJob) -> Result<(), Failure> + Sync,
    ) -> Result<ExitCode, Failure> {
        let files: Vec<BatchFile> = jobs.iter().map(|job| job.file.clone()).collect();
        let job_of: BTreeMap<&str, &BatchJob> =
            jobs.iter().map(|job| (job.file.name.as_str(), job)).collect();
        let results = Self::of(&files, args, quiet, |file| {
            job_of.get(file.name.as_str()).map_or(Ok(()), |job| work(job))
        });
        results.finish(quiet)
    }
}

impl<T> BatchResults<T> {
    /// Works on every file, several at once. One that fails does not stop the others; results are in the order of the files.
    pub(crate) fn of(
        files: &[BatchFile],
        args: &BatchArgs,
        quiet: bool,
        work: impl Fn(&BatchFile) -> Result<T, Failure> + Sync,
    ) -> Self
    where
        T: Send,
    {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let jobs = if args.jobs == 0 { cores } else { args.jobs }.min(files.len()).max(1);
        let bar = progress::bar(files.len() as u64, "working", quiet || files.len() < 2);
        let next = AtomicUsize::new(0);
        let are_several = files.len() > 1 || files.iter().any(|file| file.is_found);
        let is_list = args.is_json && are_several;
        let results: Mutex<Vec<Option<KeptResult<T>>>> = Mutex::new(files.iter().map(|_| None).collect());
        let run = || {
            while let Some((index, file)) =
                Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|index| Some((index, files.get(index)?)))
            {
                let timed = || limits::timed_file(index, &file.name, || work(file));
                let work = || if are_several { reports::of_file(index, &file.name, timed) } else { timed() };
                let result = if is_list { json::kept(work) } else { (work(), Vec::new()) };
                if let Ok(mut results) = results.lock() {
                    results[index] = Some(result);
                }
                bar.inc(1);
            }
        };
        limits::without_command(|| {
            thread::scope(|scope| {
                (0..jobs).for_each(|_| drop(scope.spawn(run)));
            });
        });
        bar.finish_and_clear();
        Self::sorted(files, results.into_inner().unwrap_or_default(), is_list)
    }

    fn sorted(files: &[BatchFile], results: Vec<Option<KeptResult<T>>>, is_list: bool) -> Self {
        let documents = is_list.then(Vec::new);
        let mut out = Self { done: Vec::new(), failed: Vec::new(), documents };
        for (file, result) in files.iter().zip(results) {
            let Some((result, mut kept)) = result else { continue };
            if let (Err(failure), true) = (&result, is_list) {
                kept = json::failed(&file.name, failure).into_iter().collect();
            }
            out.documents.iter_mut().for_each(|documents| documents.append(&mut kept));
            match result {
                Ok(done) => out.done.push((file.clone(), done)),
                Err(failure) => out.failed.push((file.clone(), failure)),
            }
        }
        out
    }

    /// Prints the failures, and a summary unless `quiet`. Several files exit with the code of the first failure.
    pub(crate) fn finish(self, quiet: bool) -> Result<ExitCode, Failure> {
        self.documents.as_deref().map_or(Ok(()), json::print_list)?;
        let (done, failed) = (self.done.len(), self.failed.len());
        if done + failed == 1 {
            return self.failed.into_iter().next().map_or(Ok(ExitCode::SUCCESS), |(_, failure)| Err(failure));
        }
        for (file, failure) in &self.failed {
            tell!("sinew: {}: {failure}", file.name);
        }
        if !quiet {
            tell!("{done} of {} files done, {failed} failed", done + failed);
        }
        Ok(self.failed.first().map_or(ExitCode::SUCCESS, |(_, failure)| failure.exit_code()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(count: usize) -> Vec<BatchFile> {
        (0..count).map(|k| BatchFile::named(&format!("dir/{k}.glb"))).collect()
    }

    #[test]
    fn results_are_in_the_order_of_the_files_and_a_failure_stops_no_other() {
        for jobs in [1, 3] {
            let args = BatchArgs { jobs, ..BatchArgs::default() };
            let results = BatchResults::of(&files(20), &args, true, |file| match file.name.as_str() {
                "dir/7.glb" => Err(Failure::usage("seven")),
                name => Ok(name.to_owned()),
            });
            assert_eq!(results.done.len(), 19);
            assert!(results.done.iter().all(|(file, name)| file.name == *name));
            assert!(results.done.is_sorted_by_key(|(file, _)| file.name.len()));
            assert_eq!(results.failed[0].0.name, "dir/7.glb");
        }
    }

    #[test]
    fn a_result_keeps_the_folders_below_the_one_that_was_given() {
        let args = BatchArgs { out_dir: Some("out".into()), ..BatchArgs::default() };
        let file = BatchFile { name: "in/a/b.fbx".into(), relative: "a/b.fbx".into(), is_found: true };
        assert_eq!(args.output(&file, "glb").unwrap(), Path::new("out/a/b.glb"));
        assert_eq!(args.output(&BatchFile::named("x/y.gltf"), "glb").unwrap(), Path::new("out/y.glb"));
        assert_eq!(args.output(&BatchFile::named("builtin:arm"), "png").unwrap(), Path::new("out/arm.png"));
    }
}
