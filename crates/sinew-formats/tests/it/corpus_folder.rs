//! Where the test data that is not part of the project lies.

use std::path::{Path, PathBuf};

/// The corpus of real characters beside the checkout, or `None` after printing one line; in CI it must be there.
pub(crate) fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if path.is_dir() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "the corpus is missing at {}", path.display());
    println!("skipped: there is no corpus at {}", path.display());
    None
}
