//! Any bytes as an FBX file.
#![no_main]

use sinew_formats::{ReadOptions, fbx::read_fbx};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let options = ReadOptions::default().with_max_unpacked_bytes(64 << 20);
    if let Ok(import) = read_fbx(bytes, "fuzz", &options) {
        sinew_fuzz::exercise::exercise(&import);
    }
});
