//! The deformers, held to an independent oracle in double precision, to closed forms and to bad input.

mod closed_forms;
mod edges;
mod hierarchy;
mod oracle;
mod parity;
mod subjects;
