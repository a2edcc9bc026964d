//! Any bytes as a TRC file. A capture that reads is written and read back with the same frames.
#![no_main]

use sinew_formats::markers::{read_trc, to_trc};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(import) = read_trc(bytes) else { return };
    _ = import.up_or_guess();
    let Ok(text) = to_trc(&import.capture) else { return };
    let again = read_trc(text.as_bytes());
    let again = again.unwrap_or_else(|error| panic!("what was written does not read: {error}"));
    assert_eq!(again.capture.frame_count(), import.capture.frame_count());
});
