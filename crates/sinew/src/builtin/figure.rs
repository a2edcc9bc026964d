//! The figure.
/// Being written.
pub fn figure() -> crate::Character { unimplemented!() }
