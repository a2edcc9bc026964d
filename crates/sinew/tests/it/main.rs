//! The deformers, held to an independent oracle in double precision, to closed forms and to bad input.

mod bounds;
mod closed_forms;
mod edges;
mod method_oracle;
mod method_parity;
mod hierarchy;
mod oracle;
mod parity;
mod subjects;
