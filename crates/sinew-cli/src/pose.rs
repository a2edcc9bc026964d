//! A pose on the command line, as text or in a file.

use crate::{failure::Failure, limits};
use clap::ValueHint;
use sinew::Character;
use sinew_formats::pose_text::PoseOffsets;

/// The change of a pose, shared by the verbs that pose a character.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct PoseArgs {
    /// Rotate, move and scale joints on top of the clip's pose, or of the rest pose: degrees about local axes, meters,
    /// factors, morph weights; or a file with one joint per line. May be given several times.
    #[arg(long, value_name = "JOINT:rz=VALUE,…|FILE", value_hint = ValueHint::FilePath)]
    pub(crate) pose: Vec<String>,
}

impl PoseArgs {
    /// The changes in the order in which they are given.
    pub(crate) fn offsets(&self, character: &Character) -> Result<PoseOffsets, Failure> {
        let mut all = PoseOffsets::default();
        for text in &self.pose {
            all.append(offsets(text, character)?);
        }
        Ok(all)
    }
}

/// Reads one value of `--pose`: a text has a `=`, a path has none.
fn offsets(text: &str, character: &Character) -> Result<PoseOffsets, Failure> {
    if text.contains('=') {
        return PoseOffsets::parse(text, character).map_err(|e| Failure::usage(format!("--pose: {e}")));
    }
    let content = limits::read_text(text.as_ref())?;
    PoseOffsets::parse(&content, character).map_err(|source| Failure::PoseText { path: text.into(), source })
}
