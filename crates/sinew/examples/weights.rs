//! Computes weights, limits them and finds faults in code: `cargo run -p sinew --release --example weights`.

use sinew_author::check::{CheckOptions, check};
use sinew_author::weights::auto::{AutoMethod, AutoOptions};
fn main() {}
