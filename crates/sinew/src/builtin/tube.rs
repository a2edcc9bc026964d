//! The tube.
/// Being written.
pub fn tube() -> crate::Character { unimplemented!() }
