//! Blend graphs: evaluation, reading and writing.

mod gait;
mod machine;
mod meaning;
mod play;
mod stage;
mod text;
