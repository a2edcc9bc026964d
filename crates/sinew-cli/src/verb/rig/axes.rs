//! `sinew rig axes`: meta-joints, set and removed.

use super::{RigOutcome, RigReport, args::AxesArgs};
use crate::{
    failure::{Attempt, Failure},
    input, joint,
};
use sinew::{
    Character,
    constrain::{MetaJoint, MetaJointPart},
};
use sinew_formats::meta_joints::{meta_joints_of, put_meta_joints};

pub(super) fn run(args: &AxesArgs) -> Result<RigOutcome, Failure> {
    let character = input::open(&args.file.file)?.character;
    let skeleton = character.skeleton();
    let mut metas = meta_joints_of(character.extras(), skeleton);
    let count = metas.len();
    metas.retain(|meta| meta.name() != args.name);
    if args.remove && metas.len() == count {
        let names: Vec<String> = metas.iter().map(|meta| format!("{:?}", meta.name())).collect();
        let known =
            if names.is_empty() { "there is none".into() } else { format!("there are {}", names.join(", ")) };
        return Err(Failure::usage(format!("there is no meta-joint {:?}; {known}", args.name)));
    }
    let summary = if args.remove {
        format!("removed the meta-joint {:?}", args.name)
    } else {
        let parts = args.part.iter().map(|text| part(&character, text)).collect::<Result<_, _>>()?;
        let meta = MetaJoint::new(skeleton, &args.name, parts).map_err(|e| Failure::usage(e.to_string()))?;
        let names = meta.angle_names().join(", ");
        metas.push(meta);
        format!("{:?} has the angles {names}", args.name)
    };
    let mut parts = character.parts().clone();
    let attempt = || format!("store the meta-joint {:?}", args.name);
    put_meta_joints(&mut parts.extras, skeleton, &metas).attempt(attempt)?;
    let character = Character::new(parts).attempt(attempt)?;
    let report = RigReport::Axes { meta_joint: args.name.clone(), meta_joint_count: metas.len() };
    Ok(RigOutcome { character, summary, report })
}

/// A part from `JOINT:AXES` or `JOINT:AXES=MIN..MAX,MIN..MAX`, in degrees.
fn part(character: &Character, text: &str) -> Result<MetaJointPart, Failure> {
    let bad = |what: &str| Failure::usage(format!("--part {text:?}: {what}"));
    let (left, ranges) = match text.split_once('=') {
        Some((left, ranges)) => (left, Some(ranges)),
        None => (text, None),
    };
    let (name, axes) = left.rsplit_once(':').ok_or_else(|| bad("must be JOINT:AXES, such as hand.L:zx"))?;
    let joint = joint::find(character, name)?;
    let axes = axes.parse().map_err(|e: sinew::constrain::AxesError| bad(&e.to_string()))?;
    let range = |text: &str| {
        let (min, max) = text.split_once("..")?;
        Some([min.trim().parse::<f32>().ok()?.to_radians(), max.trim().parse::<f32>().ok()?.to_radians()])
    };
    let ranges: Option<Vec<[f32; 2]>> =
        ranges.map_or(Some(Vec::new()), |list| list.split(',').map(range).collect());
    let ranges_radians = ranges.ok_or_else(|| bad("ranges must be MIN..MAX in degrees, such as -30..90"))?;
    Ok(MetaJointPart { joint, axes, ranges_radians })
}
