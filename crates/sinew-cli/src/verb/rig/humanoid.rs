//! `sinew rig humanoid`: a skeleton and weights for a static mesh.

use super::{RigOutcome, RigReport, args::HumanoidArgs};
use crate::{
    failure::{AttemptWithOptions, Failure},
    input, limits,
};
use clap::ValueEnum;
use serde::Serialize;
use sinew_author::{
    autorig::{AutorigOptions, BodyKind, rig_body},
    weights::auto::AutoOptions,
};

/// The kind of body on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(super) enum BodyArg {
    /// Four legs if four parts touch the ground, otherwise two.
    Auto,
    /// A person, or an animal on two legs.
    Upright,
    /// An animal on four legs.
    FourLegged,
}

impl BodyArg {
    fn of(kind: BodyKind) -> Self {
        match kind {
            BodyKind::Auto => Self::Auto,
            BodyKind::Upright => Self::Upright,
            BodyKind::FourLegged => Self::FourLegged,
        }
    }

    fn kind(self) -> BodyKind {
        match self {
            Self::Auto => BodyKind::Auto,
            Self::Upright => BodyKind::Upright,
            Self::FourLegged => BodyKind::FourLegged,
        }
    }
}

pub(super) fn run(args: &HumanoidArgs) -> Result<RigOutcome, Failure> {
    let character = input::open(&args.file.file)?.character;
    let weights = AutoOptions { influences: args.influences, ..AutoOptions::default() };
    let options = AutorigOptions { kind: args.body.kind(), weights };
    let rigged = rig_body(&character, &options, &mut |_| limits::go_on())
        .attempt_with_options(|| format!("rig {}", args.file.file))?;
    let skeleton = rigged.character.skeleton();
    let joints: Vec<String> = skeleton.joints().map(|joint| skeleton.name(joint).to_owned()).collect();
    let guessed: Vec<String> = rigged.report.guessed.iter().map(|bone| bone.name().to_owned()).collect();
    let body = BodyArg::of(rigged.report.kind);
    let what = match rigged.report.kind {
        BodyKind::FourLegged => "an animal on four legs",
        BodyKind::Auto | BodyKind::Upright => "a standing body",
    };
    let mut summary = format!("{what}, {:.3} m high: {} joints", rigged.report.height, joints.len());
    if !guessed.is_empty() {
        summary +=
            &format!("; placed by proportion, because the shape does not show them: {}", guessed.join(", "));
    }
    let report = RigReport::Humanoid {
        body,
        height_m: rigged.report.height,
        added_joints: joints,
        guessed_joints: guessed,
    };
    Ok(RigOutcome { character: rigged.character, summary, report })
}
