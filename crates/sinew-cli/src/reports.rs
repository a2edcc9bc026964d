//! The documents of `--report`. One file has a document of its own; those of several files become one list, in the order
//! of the files, when all of them are done.

use crate::{failure::Failure, json, output};
use std::{
    cell::Cell,
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The documents of several files, by the index of the file.
#[derive(Debug)]
struct KeptReports {
    /// Where the list goes, once a file has a report.
    path: Option<PathBuf>,
    documents: BTreeMap<usize, String>,
}

static KEPT: Mutex<KeptReports> = Mutex::new(KeptReports { path: None, documents: BTreeMap::new() });

thread_local! {
    /// The index of the file that this thread works on, if it is one of several.
    static FILE: Cell<Option<usize>> = const { Cell::new(None) };
}

fn kept() -> MutexGuard<'static, KeptReports> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does work on the file with that index, whose report belongs to a list. A file that fails without one leaves its failure.
pub(crate) fn of_file<T>(
    index: usize,
    file: &str,
    work: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    FILE.set(Some(index));
    let done = work();
    FILE.set(None);
    if let Err(failure) = &done {
        let document = json::failed(file, failure)?;
        kept().documents.entry(index).or_insert(document);
    }
    done
}

/// Writes a report to `path`, or keeps it if this thread works on one of several files.
pub(crate) fn save(path: &Path, document: String) -> Result<(), Failure> {
    let Some(index) = FILE.get() else { return output::write(path, document) };
    let mut kept = kept();
    kept.path = Some(path.to_owned());
    kept.documents.insert(index, document);
    Ok(())
}

/// Writes the list of all reports that were kept.
pub(crate) fn finish() -> Result<(), Failure> {
    let mut kept = kept();
    let documents = std::mem::take(&mut kept.documents);
    match kept.path.take() {
        Some(path) => output::write(&path, json::list(documents.values().map(String::as_str))?),
        None => Ok(()),
    }
}
