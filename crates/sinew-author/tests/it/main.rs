//! Precomputed data and weights, compared with known figures and with slow, plain formulations.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected fails")]
#![allow(clippy::needless_range_loop, reason = "matrices are read best by their indices")]

mod autorig;
mod centers;
mod compress;
mod contact;
mod cook;
mod doctor;
mod markers;
mod mush;
mod normals;
mod quality;
mod retarget;
mod seams;
mod weights;
