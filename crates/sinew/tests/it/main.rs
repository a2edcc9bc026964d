//! The deformers, held to an independent oracle in double precision, to closed forms and to bad input.

mod closed_forms;
mod edges;
mod oracle;
mod parity;
