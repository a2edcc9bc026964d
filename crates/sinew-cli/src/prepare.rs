//! Precomputed data of methods, computed if a file does not bring it.

use crate::{
    failure::{AttemptWithOptions, Failure},
    limits, progress,
};
use sinew::{Character, Method};
use sinew_author::{PrepareOptions, prepare_character};

/// The character in `file` with everything that `methods` need; existing precomputed data is kept.
pub(crate) fn prepared(
    character: &Character,
    file: &str,
    methods: &[Method],
    quiet: bool,
) -> Result<Character, Failure> {
    let bar = progress::bar(1000, "preparing", quiet);
    let options = PrepareOptions::for_methods(methods);
    let prepared = prepare_character(character, &options, &mut |fraction: f32| {
        bar.set_position((fraction * 1000.0) as u64);
        limits::go_on()
    });
    bar.finish_and_clear();
    let (character, _) =
        prepared.attempt_with_options(|| format!("precompute the data of the methods for {file}"))?;
    Ok(character)
}
