//! Any bytes as a C3D file. A capture that reads is written and read back with the same labels and gaps.
#![no_main]

use sinew_formats::markers::{read_c3d, to_c3d};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(import) = read_c3d(bytes) else { return };
    _ = import.up_or_guess();
    let Ok(file) = to_c3d(&import.capture, import.up) else { return };
    let again = read_c3d(&file).unwrap_or_else(|error| panic!("what was written does not read: {error}"));
    assert_eq!(again.capture.frame_count(), import.capture.frame_count());
    assert_eq!(again.up, import.up);
});
