//! What is made offline, held to the figures that the methods should reach and to slow, plain formulations.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected fails")]
#![allow(clippy::needless_range_loop, reason = "matrices are read best by their indices")]

mod centers;
mod mush;
mod quality;
