//! A valid document with up to eight changes to its JSON, and others to its buffer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| sinew_fuzz::read(&sinew_fuzz::changed_document(bytes)));
