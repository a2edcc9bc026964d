//! What methods need beforehand, made where a file does not bring it.

use crate::{failure::Failure, progress};
use sinew::{Character, Method};
use sinew_author::{PrepareOptions, prepare_character};
use std::ops::ControlFlow;

/// The character with everything that `methods` need; what the file brings is kept.
pub(crate) fn prepared(character: &Character, methods: &[Method], quiet: bool) -> Result<Character, Failure> {
    let bar = progress::bar(1000, "preparing", quiet);
    let made = prepare_character(character, &PrepareOptions::for_methods(methods), &mut |share: f32| {
        bar.set_position((share * 1000.0) as u64);
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    made.map(|(character, _)| character).map_err(|e| Failure::Draw(e.to_string()))
}
