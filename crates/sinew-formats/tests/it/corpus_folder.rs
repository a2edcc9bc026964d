//! The path of the test data that is not part of the project.

use std::path::{Path, PathBuf};

/// The folder of real characters next to the checkout, or `None` after printing one line. In CI it must exist.
pub(crate) fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if path.is_dir() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "the corpus is missing at {}", path.display());
    println!("skipped: there is no corpus at {}", path.display());
    None
}
