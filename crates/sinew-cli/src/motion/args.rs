//! The command line of a motion.

use crate::{clip::ClipArgs, pose::PoseArgs};
use clap::ValueHint;
use sinew::blend::graph::{ParameterChange, ParameterValue};
use sinew::glam::Vec3;
use std::{path::PathBuf, str::FromStr};

/// The choice of a motion, shared by the verbs that play one.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct MotionArgs {
    #[command(flatten)]
    pub(crate) clip: ClipArgs,

    /// Clips to blend, each with its weight; clips with footfall events are synchronized.
    #[arg(long, value_name = "CLIP:WEIGHT,…", conflicts_with = "clip")]
    pub(crate) blend: Option<String>,

    /// A graph file to play.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["clip", "blend"])]
    pub(crate) graph: Option<PathBuf>,

    /// Set a parameter of the graph, at the start or at a time: speed=2.5, speed=3@1.5, wave=on@2, jump=fire@3.
    #[arg(long, value_name = "NAME=VALUE[@SECONDS]", requires = "graph")]
    pub(crate) set: Vec<ParameterArg>,

    /// How long a blend or a graph plays, in seconds.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) seconds: Option<f32>,

    #[command(flatten)]
    pub(crate) pose: PoseArgs,

    /// Two-bone IK: move JOINT to a point in model space, in meters. The two joints above it rotate, within their limits.
    #[arg(long, value_name = "JOINT=X,Y,Z")]
    pub(crate) ik: Vec<IkTarget>,
}

/// A value of a graph parameter from some time on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ParameterArg(pub(super) ParameterChange);

impl FromStr for ParameterArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fail = || format!("{text:?} is not NAME=VALUE or NAME=VALUE@SECONDS");
        let (name, rest) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(fail)?;
        let (value, at) = rest.split_once('@').unwrap_or((rest, "0"));
        let number = |t: &str| t.trim().parse().ok().filter(|n: &f32| n.is_finite());
        let value = match value.trim() {
            "on" | "true" => ParameterValue::Bool(true),
            "off" | "false" => ParameterValue::Bool(false),
            "fire" => ParameterValue::Trigger,
            other => ParameterValue::Float(number(other).ok_or_else(fail)?),
        };
        Ok(Self(ParameterChange { name: name.into(), value, at_secs: number(at).ok_or_else(fail)? }))
    }
}

/// A joint and its IK target, in meters in model space.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IkTarget {
    pub(crate) joint: String,
    pub(crate) target: Vec3,
}

impl FromStr for IkTarget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fail = || format!("{text:?} is not JOINT=X,Y,Z in meters");
        let (joint, point) = text.rsplit_once('=').filter(|(joint, _)| !joint.is_empty()).ok_or_else(fail)?;
        let numbers: Option<Vec<f32>> =
            point.split(',').map(|n| n.trim().parse().ok().filter(|n: &f32| n.is_finite())).collect();
        match numbers.as_deref() {
            Some(&[x, y, z]) => Ok(Self { joint: joint.into(), target: Vec3::new(x, y, z) }),
            _ => Err(fail()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameter_changes_are_numbers_switches_or_triggers_with_a_time() {
        let parsed = |text: &str| text.parse::<ParameterArg>().map(|arg| arg.0);
        assert_eq!(parsed("speed=2.5").unwrap().value, ParameterValue::Float(2.5));
        assert_eq!(
            parsed("wave=on@2").unwrap(),
            ParameterChange { name: "wave".into(), value: ParameterValue::Bool(true), at_secs: 2.0 }
        );
        assert_eq!(parsed("jump=fire@3").unwrap().value, ParameterValue::Trigger);
        for bad in ["", "speed", "=3", "speed=fast", "speed=1@soon", "speed=nan"] {
            assert!(parsed(bad).is_err(), "{bad}");
        }
    }
}
