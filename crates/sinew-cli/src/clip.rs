//! Clips by name or number.

use crate::failure::Failure;
use sinew::{Character, Clip};
use std::sync::Arc;

/// The choice of a clip, shared by the verbs that play one.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ClipArgs {
    /// The clip to play, by name or by number from 0; without it the rest pose.
    #[arg(long, value_name = "NAME|INDEX")]
    pub(crate) clip: Option<String>,
}

impl ClipArgs {
    /// The chosen clip: by its exact name, or else by its number.
    pub(crate) fn choose(&self, character: &Character) -> Result<Option<Arc<Clip>>, Failure> {
        let Some(wanted) = &self.clip else { return Ok(None) };
        Ok(Some(character.clips()[find(character, wanted)?].clone()))
    }
}

/// The index of a clip: by its exact name, or else by its number.
pub(crate) fn find(character: &Character, wanted: &str) -> Result<usize, Failure> {
    let clips = character.clips();
    let by_name = clips.iter().position(|c| c.name() == wanted);
    let index = by_name.or_else(|| wanted.parse().ok().filter(|&i: &usize| i < clips.len()));
    index.ok_or_else(|| Failure::usage(no_such_clip(wanted, character)))
}

fn no_such_clip(wanted: &str, character: &Character) -> String {
    let names: Vec<String> =
        character.clips().iter().enumerate().map(|(i, c)| format!("{i} {:?}", c.name())).collect();
    match names.is_empty() {
        true => format!("there is no clip {wanted:?}: {} has no clips", character.name()),
        false => format!("there is no clip {wanted:?}; there are {}", names.join(", ")),
    }
}
