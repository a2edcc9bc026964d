//! The jobs that edit one clip.

use super::{
    ClipsOutcome,
    args::{
        DurationArgs, EditedClipArgs, KeyArgs, NewArgs, RemoveArgs, RenameArgs, RetimeArgs, ShiftArgs,
        TrimArgs, UnkeyArgs,
    },
};
use crate::{
    clip,
    failure::{AttemptWithOptions, Failure},
    joint,
};
use sinew::{Character, Clip, JointId, LocalPose, TimeRange, Wrap, sample_clip};
use sinew_author::motion::{
    KeyedProperty, MotionError, keyed_character, keyed_properties, lasting, retimed, shifted, trimmed,
    unkeyed, with_added_clip, with_replaced_clip, without_clip,
};
use sinew_formats::pose_text::{PoseOffsets, PoseStep};

pub(super) fn new(character: &Character, args: &NewArgs) -> Result<ClipsOutcome, Failure> {
    let clip = Clip::empty(&args.name, args.seconds)
        .map_err(|_| Failure::usage(format!("--seconds must not be negative, got {}", args.seconds)))?;
    let summary = format!("added clip {:?} of {} s", args.name, args.seconds);
    let character = with_added_clip(character, clip).attempt_with_options(|| "add a clip")?;
    let changed = vec![character.clips().len() - 1];
    Ok(ClipsOutcome { operation: "new", character, changed, summary })
}

pub(super) fn key(character: &Character, args: &KeyArgs) -> Result<ClipsOutcome, Failure> {
    if !(args.at.is_finite() && args.at >= 0.0) {
        return Err(Failure::usage(format!("--at must be a time from 0 s on, got {}", args.at)));
    }
    if args.pose.pose.is_empty() && !args.all {
        return Err(Failure::usage("there is nothing to key: add --pose, or --all for the pose of the clip"));
    }
    let offsets = args.pose.offsets(character)?;
    replaced(character, &args.clip, "key", |clip| {
        let mut own = character.rest_pose();
        sample_clip(clip, args.at.max(0.0), Wrap::Clamp, &mut own);
        let mut pose = if args.on_top { own.clone() } else { character.rest_pose() };
        offsets.apply(&mut pose);
        if args.all {
            take_others(&mut own, &pose, &offsets);
            return keyed_character(clip, character, &own, args.at);
        }
        keyed_properties(clip, character.skeleton(), &pose, &properties(&offsets, character), args.at)
    })
    .map(|outcome| with_summary(outcome, |name| format!("keyed {name} at {} s", args.at)))
}

/// Takes the joints and slots that `offsets` change from `pose`.
fn take_others(own: &mut LocalPose, pose: &LocalPose, offsets: &PoseOffsets) {
    for step in offsets.steps() {
        match (step, step.joint()) {
            (_, Some(joint)) => own.joints[joint.index()] = pose.joints[joint.index()],
            (PoseStep::Morph { slot, .. }, None) => own.morphs[*slot] = pose.morphs[*slot],
            (_, None) => {}
        }
    }
}

/// The properties that a pose text changes.
fn properties(offsets: &PoseOffsets, character: &Character) -> Vec<KeyedProperty> {
    let slots_of = |slot: usize| {
        let all = (0..character.instances().len()).map(|instance| character.morph_slots(instance));
        all.into_iter().find(|slots| slots.contains(&slot))
    };
    let mut out = Vec::new();
    for step in offsets.steps() {
        let property = match *step {
            PoseStep::Rotate { joint, .. } => Some(KeyedProperty::Rotation(joint)),
            PoseStep::Translate { joint, .. } => Some(KeyedProperty::Translation(joint)),
            PoseStep::Scale { joint, .. } => Some(KeyedProperty::Scale(joint)),
            PoseStep::Morph { slot, .. } => slots_of(slot)
                .map(|slots| KeyedProperty::Morphs { first_slot: slots.start, count: slots.len() }),
            _ => None,
        };
        out.extend(property.filter(|property| !out.contains(property)));
    }
    out
}

pub(super) fn unkey(character: &Character, args: &UnkeyArgs) -> Result<ClipsOutcome, Failure> {
    let joints: Result<Vec<JointId>, Failure> =
        args.joint.iter().map(|name| joint::find(character, name)).collect();
    let joints = joints?;
    let chosen = (!joints.is_empty()).then_some(&joints[..]);
    replaced(character, &args.clip, "unkey", |clip| unkeyed(clip, chosen, args.at))
        .map(|outcome| with_summary(outcome, |name| format!("removed the keys of {name} at {} s", args.at)))
}

pub(super) fn trim(character: &Character, args: &TrimArgs) -> Result<ClipsOutcome, Failure> {
    let index = clip::find(character, &args.clip.clip)?;
    let to = args.to.unwrap_or(character.clips()[index].duration_secs());
    let range = TimeRange::new(args.from, to)
        .map_err(|e| Failure::usage(format!("--from {} --to {to}: {e}", args.from)))?;
    replaced(character, &args.clip, "trim", |clip| trimmed(clip, range))
        .map(|outcome| with_summary(outcome, |name| format!("kept {} to {to} s of {name}", args.from)))
}

pub(super) fn duration(character: &Character, args: &DurationArgs) -> Result<ClipsOutcome, Failure> {
    replaced(character, &args.clip, "duration", |clip| lasting(clip, args.seconds))
        .map(|outcome| with_summary(outcome, |name| format!("{name} lasts {} s", args.seconds)))
}

pub(super) fn retime(character: &Character, args: &RetimeArgs) -> Result<ClipsOutcome, Failure> {
    if args.seconds.is_nan() || args.seconds <= 0.0 {
        return Err(Failure::not_positive("--seconds", args.seconds));
    }
    replaced(character, &args.clip, "retime", |clip| retimed(clip, args.seconds))
        .map(|outcome| with_summary(outcome, |name| format!("{name} plays in {} s", args.seconds)))
}

pub(super) fn shift(character: &Character, args: &ShiftArgs) -> Result<ClipsOutcome, Failure> {
    replaced(character, &args.clip, "shift", |clip| shifted(clip, args.by))
        .map(|outcome| with_summary(outcome, |name| format!("moved {name} by {} s", args.by)))
}

pub(super) fn rename(character: &Character, args: &RenameArgs) -> Result<ClipsOutcome, Failure> {
    let index = clip::find(character, &args.clip.clip)?;
    let before = character.clips()[index].name().to_owned();
    replaced(character, &args.clip, "rename", |clip| Ok(clip.clone().with_name(&args.name)))
        .map(|outcome| with_summary(outcome, |name| format!("renamed {before:?} to {name}")))
}

pub(super) fn remove(character: &Character, args: &RemoveArgs) -> Result<ClipsOutcome, Failure> {
    let index = clip::find(character, &args.clip.clip)?;
    let summary = format!("removed {:?}", character.clips()[index].name());
    let character = without_clip(character, index).attempt_with_options(|| "remove a clip")?;
    Ok(ClipsOutcome { operation: "remove", character, changed: Vec::new(), summary })
}

/// The outcome of an edit of one clip.
fn replaced(
    character: &Character,
    chosen: &EditedClipArgs,
    operation: &'static str,
    edit: impl FnOnce(&Clip) -> Result<Clip, MotionError>,
) -> Result<ClipsOutcome, Failure> {
    let index = clip::find(character, &chosen.clip)?;
    let edited = edit(&character.clips()[index])
        .and_then(|clip| with_replaced_clip(character, index, clip))
        .attempt_with_options(|| attempt(operation))?;
    Ok(ClipsOutcome { operation, character: edited, changed: vec![index], summary: String::new() })
}

/// What an edit attempts, for failures: "cannot trim a clip".
fn attempt(operation: &str) -> String {
    match operation {
        "unkey" => "remove keys of a clip".to_owned(),
        "duration" => "set the duration of a clip".to_owned(),
        verb => format!("{verb} a clip"),
    }
}

/// The outcome with a text about its clip, whose quoted name is given.
fn with_summary(outcome: ClipsOutcome, text: impl FnOnce(&str) -> String) -> ClipsOutcome {
    let clips = outcome.character.clips();
    let name = outcome.changed.first().and_then(|&index| clips.get(index)).map_or("", |clip| clip.name());
    let summary = text(&format!("{name:?}"));
    ClipsOutcome { summary, ..outcome }
}
