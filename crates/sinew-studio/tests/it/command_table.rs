//! The command table and what is generated from it.

use sinew_studio::{
    app::shortcut_table,
    command::{
        BrushKind, BrushStroke, ClipEdit, Command, CopiedWeights, HelperEdit, MuscleData, PoseData, SelectBy,
        SelectMode, Touches, WeightOp, WeightsData,
    },
    document::{AtEnd, DocumentSource, PlaybackRate},
};
use std::path::Path;

/// One command of every kind.
fn one_of_each() -> Vec<Command> {
    let weights = sinew_samples::arm().meshes()[0].weights().cloned().unwrap();
    vec![
        Command::Open(DocumentSource::Builtin("arm".into())),
        Command::SelectJoint(None),
        Command::SelectVertices { instance: 0, vertices: vec![], mode: SelectMode::Add },
        Command::SelectBy { by: SelectBy::All, mode: SelectMode::Add },
        Command::ClearVertices,
        Command::Lock { joint: 0, is_locked: true },
        Command::SetMethod("linear".into()),
        Command::Precompute("cor".into()),
        Command::Rotate { joint: 0, rotation: [0.0, 0.0, 0.0, 1.0] },
        Command::Translate { joint: 0, translation: [0.0; 3] },
        Command::Scale { joint: 0, scale: [1.0; 3] },
        Command::SetMorph { slot: 0, weight: 0.5 },
        Command::Reach { joint: 0, target: [0.0; 3], chain: 2 },
        Command::SetAngles { meta_joint: "m".into(), degrees: vec![] },
        Command::SetLimit { joint: 0, limit: None },
        Command::EnforceLimits(true),
        Command::ResetJoint(0),
        Command::ResetPose,
        Command::PastePose(PoseData::default()),
        Command::MirrorPose,
        Command::ChooseClip(None),
        Command::Scrub { time_secs: 0.0 },
        Command::SetEnd(AtEnd::Loop),
        Command::SetSpeed(1.0),
        Command::SetRange(None),
        Command::SetRate(PlaybackRate::default()),
        Command::SetMix(None),
        Command::BakeMix { fps: 30.0 },
        Command::OpenGraph { name: "g".into(), text: String::new() },
        Command::CloseGraph,
        Command::SetParameter { name: "p".into(), value: 0.0 },
        Command::KeyPose,
        Command::KeyMetaJoint("m".into()),
        Command::NewClip { name: "c".into(), duration_secs: 1.0 },
        Command::EditClip(ClipEdit::SetDuration(1.0)),
        Command::EditClip(ClipEdit::Retime(1.0)),
        Command::EditClip(ClipEdit::Shift(1.0)),
        Command::EditClip(ClipEdit::Trim([0.0, 1.0])),
        Command::EditClip(ClipEdit::Rename("c".into())),
        Command::EditClip(ClipEdit::RemoveKeys { time_secs: 0.0, joint: None }),
        Command::EditClip(ClipEdit::Remove),
        Command::SetWeight { instance: 0, vertices: vec![], joint: 0, weight: 0.0 },
        Command::Weights { instances: vec![0], op: WeightOp::Normalize },
        Command::Paint(BrushStroke {
            instance: 0,
            joint: 0,
            brush: BrushKind::Add,
            amount: 0.0,
            max_influences: 4,
            mirrored: false,
            stamps: vec![],
        }),
        Command::PasteWeights { instances: vec![0], copied: CopiedWeights::default(), is_mean: false },
        Command::ReplaceWeights {
            instance: 0,
            name: "n".into(),
            weights: WeightsData::from(&*weights),
            more: vec![],
        },
        Command::CompensateScale { joint: 0, is_compensated: true },
        Command::SplitJoint { instance: 0, joint: 0 },
        Command::AddRolls { joint: 0, child: 1, count: 1, at_start: false, max_influences: 0 },
        Command::AddMuscle { bone: 0, source: 1, muscle: MuscleData::default() },
        Command::EditHelper { helper: 0, edit: HelperEdit::On(true) },
        Command::RemoveHelper(0),
        Command::BakeBind { instance: 0 },
        Command::Fix { code: None, target: None },
    ]
}

#[test]
fn the_journal_key_of_a_row_is_the_key_that_is_written() {
    for command in one_of_each() {
        let json = serde_json::to_value(&command).unwrap();
        let key = json.as_str().map(str::to_owned);
        let key = key.or_else(|| json.as_object()?.keys().next().cloned());
        assert_eq!(key.as_deref(), Some(command.info().journal));
    }
}

#[test]
fn every_row_has_a_label_and_a_tooltip() {
    for command in one_of_each() {
        let info = command.info();
        assert!(!info.label.is_empty() && !info.tooltip.is_empty(), "{}", info.journal);
        assert!(command.name().starts_with(info.label) || command.name() == "n", "{}", command.name());
    }
}

#[test]
fn edits_that_a_playing_clip_would_hide_stop_playback() {
    assert!(Command::ResetPose.info().touches.stops_playback());
    assert!(Command::KeyPose.info().touches.stops_playback());
    assert!(!Command::ChooseClip(Some(0)).info().touches.stops_playback());
    assert!(!Command::SetSpeed(2.0).info().touches.stops_playback());
    assert_eq!(Command::ClearVertices.info().touches, Touches::Selection);
}

/// `SINEW_BLESS=1` rewrites the list.
#[test]
fn the_documentation_lists_the_shortcuts_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/studio.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = ("<!-- keys: begin -->\n", "<!-- keys: end -->");
    let start = page.find(begin).expect("the page has a marker") + begin.len();
    let length = page[start..].find(end).expect("the list ends");
    let want = shortcut_table();
    if std::env::var_os("SINEW_BLESS").is_some_and(|value| value == "1") {
        let page = format!("{}{want}{}", &page[..start], &page[start + length..]);
        std::fs::write(&path, page).unwrap();
        return;
    }
    assert_eq!(&page[start..start + length], want, "SINEW_BLESS=1 rewrites the list in docs/studio.md");
}
