//! Blend graphs: what they give, and how they read and write.

mod gait;
mod machine;
mod meaning;
mod play;
mod stage;
mod text;
