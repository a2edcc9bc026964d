//! Any sequence of commands can be undone and redone bit for bit.

use super::commands::open;
use proptest::prelude::*;
use sinew::deform::blocks::VertexOrder;
use sinew_studio::{
    command::{
        BrushKind, BrushStroke, ClipEdit, Command, CopiedWeights, HelperEdit, MuscleData, PoseData, SelectBy,
        SelectMode, WeightOp, WeightsData,
    },
    document::{AtEnd, DocumentSource, JointLimit, LimitAxis, Mix, PlaybackRate},
    gesture::{GestureId, GestureIds},
    session::{JournalEntry, Session},
};

/// Every number of the document: the shortest form of a float is unique, including the sign of zero.
fn bits(session: &Session) -> String {
    let document = session.document();
    // A mesh packs its skin on first use, and `Debug` prints it: packed everywhere, only edits make a difference.
    for mesh in document.character().meshes().iter().chain(document.opened_character().meshes()) {
        for order in [VertexOrder::Packed, VertexOrder::File] {
            let _ = mesh.packed(order);
        }
    }
    format!("{document:?}")
}

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![-2.0_f32..2.0, Just(0.0), Just(-0.0), Just(f32::NAN)]
}

fn gesture() -> impl Strategy<Value = GestureId> {
    let mut ids = GestureIds::default();
    prop::sample::select(vec![ids.begin(), ids.begin(), ids.begin()])
}

fn vertices() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0_u32..80, 0..6)
}

fn weight_op() -> impl Strategy<Value = WeightOp> {
    prop_oneof![
        Just(WeightOp::Normalize),
        (0.0_f32..0.6).prop_map(|min_weight| WeightOp::Prune { min_weight }),
        (0_usize..4, any::<bool>())
            .prop_map(|(max_influences, is_refitted)| WeightOp::Limit { max_influences, is_refitted }),
        prop::sample::select(vec![7_u8, 8, 16]).prop_map(|bits| WeightOp::Quantize { bits }),
        (0_u16..4, 0_u16..4).prop_map(|(joint, into)| WeightOp::Merge { joint, into }),
        (0_u32..3).prop_map(|iterations| WeightOp::Smooth { iterations, step: 0.5, max_influences: 4 }),
        (0.5_f32..3.0).prop_map(|power| WeightOp::Sharpen { power }),
        any::<bool>().prop_map(|from_negative| WeightOp::Mirror { from_negative }),
    ]
}

fn stroke() -> impl Strategy<Value = BrushStroke> {
    let stamp = (0_u32..80, 0.0_f32..1.2);
    let stamps = prop::collection::vec(prop::collection::vec(stamp, 0..4), 0..3);
    let brush = prop::sample::select(BrushKind::ALL.to_vec());
    (0_u16..4, brush, number(), any::<bool>(), stamps).prop_map(|(joint, brush, amount, mirrored, stamps)| {
        BrushStroke { instance: 0, joint, brush, amount, max_influences: 3, mirrored, stamps }
    })
}

fn select_by() -> impl Strategy<Value = SelectBy> {
    prop_oneof![
        prop::sample::select(vec![
            SelectBy::All,
            SelectBy::Inverse,
            SelectBy::Connected,
            SelectBy::Grown,
            SelectBy::Shrunk,
            SelectBy::BadlyWeighted,
        ]),
        (0_u16..5).prop_map(SelectBy::Joint),
        (0_usize..4).prop_map(SelectBy::Over),
    ]
}

/// Commands that replace weights, joints or bind poses as a whole.
fn whole() -> impl Strategy<Value = Command> {
    let copied = prop::collection::vec(prop::collection::vec((0_u16..4, number()), 0..3), 0..3);
    let code = prop::sample::select(vec![None, Some("unused-joint"), Some("seam-opens"), Some("no-such")]);
    let target = prop::sample::select(vec![None, Some("bevy"), Some("custom:1,1"), Some("nobody")]);
    let weights = sinew_samples::arm().meshes()[0].weights().unwrap().strongest();
    prop_oneof![
        (copied, any::<bool>()).prop_map(|(copied, is_mean)| Command::PasteWeights {
            instances: vec![0],
            copied: CopiedWeights(copied),
            is_mean
        }),
        Just(Command::ReplaceWeights {
            instance: 0,
            name: "Automatic weights".into(),
            weights: WeightsData::from(&weights),
            more: vec![]
        }),
        (0_u16..4, any::<bool>())
            .prop_map(|(joint, is_compensated)| Command::CompensateScale { joint, is_compensated }),
        (0_u16..4).prop_map(|joint| Command::SplitJoint { instance: 0, joint }),
        Just(Command::BakeBind { instance: 0 }),
        (code, target).prop_map(|(code, target)| Command::Fix {
            code: code.map(Into::into),
            target: target.map(Into::into)
        }),
    ]
}

fn helper() -> impl Strategy<Value = Command> {
    let edit = prop_oneof![
        any::<bool>().prop_map(HelperEdit::On),
        (0_usize..3, number()).prop_map(|(roll, fraction)| HelperEdit::Twist { roll, fraction }),
        (0_usize..3, 0_usize..3, prop::array::uniform2(number()))
            .prop_map(|(driver, point, at)| HelperEdit::Point { driver, point, at }),
    ];
    prop_oneof![
        (0_u16..6, 0_u16..6, 0_usize..4, any::<bool>(), 0_usize..3).prop_map(
            |(joint, child, count, at_start, max_influences)| Command::AddRolls {
                joint,
                child,
                count,
                at_start,
                max_influences,
            }
        ),
        (0_u16..6, 0_u16..6, number(), number()).prop_map(|(bone, source, along, swell)| {
            let muscle = MuscleData { along, swell, ..MuscleData::default() };
            Command::AddMuscle { bone, source, muscle }
        }),
        (0_usize..3, edit).prop_map(|(helper, edit)| Command::EditHelper { helper, edit }),
        (0_usize..3).prop_map(Command::RemoveHelper),
    ]
}

fn clip_edit() -> impl Strategy<Value = Command> {
    let name = || prop::sample::select(vec!["bend", "wave", ""]).prop_map(String::from);
    let edit = prop_oneof![
        number().prop_map(ClipEdit::SetDuration),
        number().prop_map(ClipEdit::Retime),
        number().prop_map(ClipEdit::Shift),
        prop::array::uniform2(number()).prop_map(ClipEdit::Trim),
        name().prop_map(ClipEdit::Rename),
        (prop::sample::select(vec![0.0_f32, 1.0, 7.0]), prop::option::of(0_u16..4))
            .prop_map(|(time_secs, joint)| ClipEdit::RemoveKeys { time_secs, joint }),
        Just(ClipEdit::Remove),
    ];
    prop_oneof![
        (name(), number()).prop_map(|(name, duration_secs)| Command::NewClip { name, duration_secs }),
        edit.prop_map(Command::EditClip),
    ]
}

fn limit() -> impl Strategy<Value = JointLimit> {
    let range = (-190.0_f32..5.0, -5.0_f32..190.0).prop_map(<[f32; 2]>::from);
    let axis = prop::sample::select(LimitAxis::ALL.to_vec());
    (axis, prop::array::uniform3(range)).prop_map(|(twist, degrees)| JointLimit { twist, degrees })
}

fn mix() -> impl Strategy<Value = Mix> {
    (0_usize..3, -0.1_f32..1.1, any::<bool>()).prop_map(|(clip, weight, is_synchronized)| Mix {
        clip,
        weight,
        is_synchronized,
    })
}

const GRAPH: &str =
    r#"(parameters: {"much": Float(0.5), "go": Trigger}, nodes: {"rest": Rest}, output: "rest")"#;

fn source() -> impl Strategy<Value = DocumentSource> {
    prop::sample::select(vec!["arm", "tube", "nobody"]).prop_map(|name| DocumentSource::Builtin(name.into()))
}

fn command() -> impl Strategy<Value = Command> {
    let joint = || 0_u16..5;
    let mode = prop::sample::select(vec![SelectMode::Replace, SelectMode::Add, SelectMode::Remove]);
    let method = prop::sample::select(vec!["linear", "dual-quat", "cor", "no-such"]);
    let edits = prop_oneof![
        (joint(), prop::array::uniform4(number()))
            .prop_map(|(joint, rotation)| Command::Rotate { joint, rotation }),
        (joint(), prop::array::uniform3(number()))
            .prop_map(|(joint, translation)| Command::Translate { joint, translation }),
        (joint(), prop::array::uniform3(number())).prop_map(|(joint, scale)| Command::Scale { joint, scale }),
        (joint(), prop::array::uniform3(number()), 0_usize..4)
            .prop_map(|(joint, target, chain)| Command::Reach { joint, target, chain }),
        (joint(), prop::option::of(limit())).prop_map(|(joint, limit)| Command::SetLimit { joint, limit }),
        any::<bool>().prop_map(Command::EnforceLimits),
        joint().prop_map(Command::ResetJoint),
        Just(Command::ResetPose),
        Just(Command::MirrorPose),
        Just(Command::PastePose(PoseData::default())),
        Just(Command::KeyPose),
        clip_edit(),
    ];
    let weights = prop_oneof![
        (vertices(), joint(), number()).prop_map(|(vertices, joint, weight)| Command::SetWeight {
            instance: 0,
            vertices,
            joint,
            weight
        }),
        weight_op().prop_map(|op| Command::Weights { instances: vec![0], op }),
        stroke().prop_map(Command::Paint),
        whole(),
        helper(),
    ];
    let settings = prop_oneof![
        prop::option::of(joint()).prop_map(Command::SelectJoint),
        (vertices(), mode).prop_map(|(vertices, mode)| Command::SelectVertices {
            instance: 0,
            vertices,
            mode
        }),
        Just(Command::ClearVertices),
        (select_by(), prop::sample::select(vec![SelectMode::Replace, SelectMode::Add, SelectMode::Remove]))
            .prop_map(|(by, mode)| Command::SelectBy { by, mode }),
        (joint(), any::<bool>()).prop_map(|(joint, is_locked)| Command::Lock { joint, is_locked }),
        method.prop_map(|name| Command::SetMethod(name.into())),
        Just(Command::Precompute("cor".into())),
        prop::option::of(0_usize..3).prop_map(Command::ChooseClip),
        number().prop_map(|time_secs| Command::Scrub { time_secs }),
        prop::sample::select(AtEnd::ALL.to_vec()).prop_map(Command::SetEnd),
        number().prop_map(Command::SetSpeed),
        prop::option::of(prop::array::uniform2(number())).prop_map(Command::SetRange),
        (prop::option::of(0.0_f32..90.0), any::<bool>())
            .prop_map(|(hz, is_held)| Command::SetRate(PlaybackRate { hz, is_held })),
        prop::option::of(mix()).prop_map(Command::SetMix),
        prop::sample::select(vec![GRAPH, "(", "(nodes: {}, output: \"x\")"])
            .prop_map(|text| Command::OpenGraph { name: "g.ron".into(), text: text.into() }),
        Just(Command::CloseGraph),
        (prop::sample::select(vec!["much", "go", "none"]), number())
            .prop_map(|(name, value)| Command::SetParameter { name: name.into(), value }),
        (0.0_f32..20.0).prop_map(|fps| Command::BakeMix { fps }),
        source().prop_map(Command::Open),
    ];
    prop_oneof![edits, weights, settings]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn undoing_everything_restores_the_start_and_redoing_the_end(
        commands in prop::collection::vec((command(), prop::option::of(gesture())), 1..16)
    ) {
        let mut session = open("arm");
        let start = bits(&session);
        for (command, gesture) in commands {
            let before = bits(&session);
            if session.perform(&JournalEntry::Do { command, gesture }).is_err() {
                prop_assert_eq!(&bits(&session), &before, "a rejected command changed something");
            }
        }
        let end = bits(&session);
        let mut states = vec![end.clone()];
        while session.perform(&JournalEntry::Undo).unwrap() {
            states.push(bits(&session));
        }
        prop_assert_eq!(&bits(&session), &start);
        while session.perform(&JournalEntry::Redo).unwrap() {
            states.pop();
            prop_assert_eq!(states.last(), Some(&bits(&session)), "an intermediate state");
        }
        prop_assert_eq!(bits(&session), end);
    }

    #[test]
    fn entries_round_trip_through_json(command in command(), gesture in prop::option::of(gesture())) {
        // Rejected entries, such as NaN, are never recorded.
        let mut session = open("arm");
        let entry = JournalEntry::Do { command, gesture };
        if session.perform(&entry).is_ok() {
            let text = serde_json::to_string(&entry).unwrap();
            let again: JournalEntry = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(format!("{:?}", again), format!("{:?}", entry));
        }
    }
}
