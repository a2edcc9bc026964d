//! The Rust examples of the book and of every README as documentation tests: `cargo test -p sinew-docs --doc`.
//!
//! The build script collects them, so a new page needs no entry here. A failure is named for its page and line:
//! `docs_methods_linear_md::line_31`.
#![forbid(unsafe_code)]

#[cfg(doctest)]
include!(concat!(env!("OUT_DIR"), "/snippets.rs"));
