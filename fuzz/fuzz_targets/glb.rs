//! Any JSON over any buffer in a valid container, so that the fuzzer gets past it.
//!
//! The input is a JSON text, a zero byte, and the buffer.
#![no_main]

use sinew_fuzz::{document::glb, read};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    read(&glb(&bytes[..end], bytes.get(end + 1..).unwrap_or(&[])));
});
