//! The arm.
/// Being written.
pub fn arm() -> crate::Character { unimplemented!() }
/// Being written.
pub fn stitched_arm() -> crate::Character { unimplemented!() }
