//! The GPU device of tests.

use crate::Headless;

/// A device, or `None` with one printed line on a machine without an adapter. If `SINEW_REQUIRE_GPU` is set, as in
/// `cargo xtask ci`, a missing adapter is a failure.
#[allow(clippy::panic, reason = "a missing driver in CI must not pass unseen")]
pub(crate) fn open() -> Option<Headless> {
    match Headless::open_blocking() {
        Ok(gpu) => Some(gpu),
        Err(e) if std::env::var_os("SINEW_REQUIRE_GPU").is_some() => panic!("{e}"),
        Err(e) => {
            println!("skipped: {e}");
            None
        }
    }
}
