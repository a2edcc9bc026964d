//! Whether a file that exists may be replaced.
//!
//! A file is replaced without a question if this run wrote it, if it holds the same bytes already, or if it belongs to a
//! page that Sinew made. Otherwise a person at a terminal is asked, and a script needs `--force`.

use crate::{failure::Failure, output};
use sinew_formats::would_replace;
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hasher as _},
    io::{self, BufRead as _, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// What this run read and wrote, and what it may replace.
#[derive(Debug, Default)]
struct RunFiles {
    is_forced: bool,
    inputs: BTreeSet<PathBuf>,
    own: BTreeSet<PathBuf>,
    /// Files that other files of this run name, with those and a hash of their content.
    claimed: BTreeMap<PathBuf, (PathBuf, u64)>,
}

static RUN: Mutex<RunFiles> = Mutex::new(RunFiles {
    is_forced: false,
    inputs: BTreeSet::new(),
    own: BTreeSet::new(),
    claimed: BTreeMap::new(),
});

fn run_files() -> MutexGuard<'static, RunFiles> {
    RUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Allows every file to be replaced, as `--force` does.
pub(crate) fn force() {
    run_files().is_forced = true;
}

/// Remembers a file that is read, so that it is not replaced without a word.
pub(crate) fn note_input(path: &Path) {
    if let Ok(path) = path.canonicalize() {
        run_files().inputs.insert(path);
    }
}

/// Allows a file to be replaced, because an earlier run of the same command wrote it.
pub(crate) fn own(path: &Path) {
    if let Ok(path) = path.canonicalize() {
        run_files().own.insert(path);
    }
}

/// Remembers that `main` names the file at `path` with this content. Fails if another file of this run names it with other
/// content: one of them would get the wrong file.
pub(crate) fn claim<'a>(
    path: &Path,
    pieces: impl Iterator<Item = &'a [u8]>,
    main: &Path,
) -> Result<(), Failure> {
    let mut hasher = DefaultHasher::new();
    pieces.for_each(|piece| hasher.write(piece));
    let content = hasher.finish();
    let place = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut run = run_files();
    let (other, known) = run.claimed.entry(place).or_insert_with(|| (main.to_owned(), content));
    if *known == content || other == main {
        return Ok(());
    }
    let cause = format!("{} of {} has the same name and other content", path.display(), other.display());
    Err(Failure::work(format!("write {}", main.display()), cause))
}

/// Fails if writing `bytes` to `path` would replace other content that nobody allowed to be replaced.
pub(crate) fn require_bytes(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if would_replace(path, bytes) { require(path).map(drop) } else { Ok(()) }
}

/// As [`require`], for a file that `main` names, or for `main` itself. That another file than `main` is replaced is said.
pub(crate) fn require_of(path: &Path, main: &Path) -> Result<(), Failure> {
    let is_forced = require(path)? == Permission::Forced;
    if is_forced && path != main {
        tell!("replacing {}, which {} names", output::shown_path(path), output::shown_path(main));
    }
    Ok(())
}

/// Why a file may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    /// This run wrote it, or it does not exist.
    Own,
    /// The command line has `--force`.
    Forced,
    /// A person was asked.
    Granted,
}

/// Fails if the file at `path`, which holds something else, may not be replaced.
pub(crate) fn require(path: &Path) -> Result<Permission, Failure> {
    // Files of a batch are asked about one after the other.
    let run = run_files();
    let Ok(place) = path.canonicalize() else { return Ok(Permission::Own) };
    let is_input = run.inputs.contains(&place);
    let shown = output::shown_path(path);
    if run.own.contains(&place) && !is_input {
        return Ok(Permission::Own);
    }
    if run.is_forced {
        if is_input {
            tell!("replacing the input {shown}");
        }
        return Ok(Permission::Forced);
    }
    let what = if is_input { format!("{shown} is the input") } else { format!("{shown} exists") };
    if ask(&format!("{what}. Replace it? [y/N] ")) {
        return Ok(Permission::Granted);
    }
    Err(Failure::Exists { path: path.to_owned(), is_input })
}

/// Asks a person at a terminal; true if the answer is yes. Without a terminal it is false.
fn ask(question: &str) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return false;
    }
    eprint!("{question}");
    let _ = io::stderr().flush();
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).is_ok() && is_yes(&answer)
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_replaces_a_file() {
        for (answer, want) in [("y\n", true), ("Yes\n", true), ("\n", false), ("n\n", false), ("yo\n", false)]
        {
            assert_eq!(is_yes(answer), want, "{answer:?}");
        }
    }
}
