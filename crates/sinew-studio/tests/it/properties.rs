//! Any sequence of commands can be undone and redone to the bit.

use super::commands::open;
use proptest::prelude::*;
use sinew_studio::{
    command::{
        BrushKind, BrushStroke, Command, CopiedWeights, HelperEdit, How, MuscleData, PoseData, SelectBy,
        WeightOp, WeightsData,
    },
    document::{AtEnd, DocumentSource, JointLimit, LimitAxis, Mix, PlaybackRate},
    session::{JournalEntry, Session},
};

/// Every number of the document in full: shortest forms tell all floats apart, zeros by their sign.
fn bits(session: &Session) -> String {
    format!("{:?}", session.document())
}

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![-2.0_f32..2.0, Just(0.0), Just(-0.0), Just(f32::NAN)]
}

fn vertices() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0_u32..80, 0..6)
}

fn weight_op() -> impl Strategy<Value = WeightOp> {
    prop_oneof![
        Just(WeightOp::Normalise),
        (0.0_f32..0.6).prop_map(|least| WeightOp::Prune { least }),
        (0_usize..4, any::<bool>()).prop_map(|(most, is_refitted)| WeightOp::Limit { most, is_refitted }),
        prop::sample::select(vec![7_u8, 8, 16]).prop_map(|bits| WeightOp::Quantise { bits }),
        (0_u16..4, 0_u16..4).prop_map(|(joint, into)| WeightOp::Merge { joint, into }),
        (0_u32..3).prop_map(|iterations| WeightOp::Smooth { iterations, step: 0.5, most: 4 }),
        (0.5_f32..3.0).prop_map(|power| WeightOp::Sharpen { power }),
        any::<bool>().prop_map(|from_negative| WeightOp::Mirror { from_negative }),
    ]
}

fn stroke() -> impl Strategy<Value = BrushStroke> {
    let dab = (0_u32..80, 0.0_f32..1.2);
    let dabs = prop::collection::vec(prop::collection::vec(dab, 0..4), 0..3);
    let brush = prop::sample::select(BrushKind::ALL.to_vec());
    (0_u16..4, brush, number(), any::<bool>(), dabs).prop_map(|(joint, brush, amount, mirrored, dabs)| {
        BrushStroke { instance: 0, joint, brush, amount, most: 3, mirrored, dabs }
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

/// Commands that give weights, joints or binds as a whole.
fn whole() -> impl Strategy<Value = Command> {
    let copied = prop::collection::vec(prop::collection::vec((0_u16..4, number()), 0..3), 0..3);
    let code = prop::sample::select(vec![None, Some("unused-joint"), Some("seam-opens"), Some("no-such")]);
    let target = prop::sample::select(vec![None, Some("bevy"), Some("custom:1,1"), Some("nobody")]);
    let weights = sinew_samples::arm().meshes()[0].weights().unwrap().strongest();
    prop_oneof![
        (copied, any::<bool>()).prop_map(|(copied, is_mean)| Command::PasteWeights {
            instance: 0,
            copied: CopiedWeights(copied),
            is_mean
        }),
        Just(Command::TakeWeights {
            instance: 0,
            name: "Automatic weights".into(),
            weights: WeightsData::from(&weights)
        }),
        (0_u16..4).prop_map(|joint| Command::SplitJoint { instance: 0, joint }),
        Just(Command::BakeBind { instance: 0 }),
        (code, target).prop_map(|(code, target)| Command::Mend {
            code: code.map(Into::into),
            target: target.map(Into::into)
        }),
    ]
}

fn helper() -> impl Strategy<Value = Command> {
    let edit = prop_oneof![
        any::<bool>().prop_map(HelperEdit::On),
        (0_usize..3, number()).prop_map(|(roll, share)| HelperEdit::Share { roll, share }),
        (0_usize..3, 0_usize..3, prop::array::uniform2(number()))
            .prop_map(|(driver, point, at)| HelperEdit::Point { driver, point, at }),
    ];
    prop_oneof![
        (0_u16..6, 0_u16..6, 0_usize..4, any::<bool>(), 0_usize..3).prop_map(
            |(joint, child, count, at_start, most)| Command::AddRolls { joint, child, count, at_start, most }
        ),
        (0_u16..6, 0_u16..6, number(), number()).prop_map(|(bone, source, along, swell)| {
            let muscle = MuscleData { along, swell, ..MuscleData::default() };
            Command::AddMuscle { bone, source, muscle }
        }),
        (0_usize..3, edit).prop_map(|(helper, edit)| Command::EditHelper { helper, edit }),
        (0_usize..3).prop_map(Command::RemoveHelper),
    ]
}

fn limit() -> impl Strategy<Value = JointLimit> {
    let range = (-190.0_f32..5.0, -5.0_f32..190.0).prop_map(<[f32; 2]>::from);
    let axis = prop::sample::select(LimitAxis::ALL.to_vec());
    (axis, prop::array::uniform3(range)).prop_map(|(twist, degrees)| JointLimit { twist, degrees })
}

fn mix() -> impl Strategy<Value = Mix> {
    (0_usize..3, -0.1_f32..1.1, any::<bool>()).prop_map(|(clip, share, is_in_step)| Mix {
        clip,
        share,
        is_in_step,
    })
}

const GRAPH: &str =
    r#"(parameters: {"much": Float(0.5), "go": Trigger}, nodes: {"rest": Rest}, output: "rest")"#;

fn source() -> impl Strategy<Value = DocumentSource> {
    prop::sample::select(vec!["arm", "tube", "nobody"]).prop_map(|name| DocumentSource::Builtin(name.into()))
}

fn command() -> impl Strategy<Value = Command> {
    let joint = || 0_u16..5;
    let how = prop::sample::select(vec![How::Replace, How::Add, How::Remove]);
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
        any::<bool>().prop_map(Command::KeepLimits),
        joint().prop_map(Command::ResetJoint),
        Just(Command::ResetPose),
        Just(Command::MirrorPose),
        Just(Command::PastePose(PoseData::default())),
        Just(Command::KeyPose),
    ];
    let weights = prop_oneof![
        (vertices(), joint(), number()).prop_map(|(vertices, joint, weight)| Command::SetWeight {
            instance: 0,
            vertices,
            joint,
            weight
        }),
        weight_op().prop_map(|op| Command::Weights { instance: 0, op }),
        stroke().prop_map(Command::Paint),
        whole(),
        helper(),
    ];
    let settings = prop_oneof![
        prop::option::of(joint()).prop_map(Command::SelectJoint),
        (vertices(), how).prop_map(|(vertices, how)| Command::SelectVertices { instance: 0, vertices, how }),
        Just(Command::ClearVertices),
        (select_by(), prop::sample::select(vec![How::Replace, How::Add, How::Remove]))
            .prop_map(|(by, how)| Command::SelectBy { by, how }),
        (joint(), any::<bool>()).prop_map(|(joint, is_locked)| Command::Lock { joint, is_locked }),
        method.prop_map(|name| Command::SetMethod(name.into())),
        Just(Command::Prepare("cor".into())),
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
    fn undo_of_all_restores_the_start_and_redo_of_all_the_end(
        commands in prop::collection::vec((command(), prop::option::of(0_u64..3)), 1..16)
    ) {
        let mut session = open("arm");
        let start = bits(&session);
        for (command, gesture) in commands {
            let before = bits(&session);
            if session.perform(&JournalEntry::Do { command, gesture }).is_err() {
                prop_assert_eq!(&bits(&session), &before, "a refused command changed something");
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
            prop_assert_eq!(states.last(), Some(&bits(&session)), "a state on the way");
        }
        prop_assert_eq!(bits(&session), end);
    }

    #[test]
    fn entries_survive_being_written_down(command in command(), gesture in prop::option::of(0_u64..3)) {
        // What is refused, such as a number that is none, is never written.
        let mut session = open("arm");
        let entry = JournalEntry::Do { command, gesture };
        if session.perform(&entry).is_ok() {
            let text = serde_json::to_string(&entry).unwrap();
            let again: JournalEntry = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(format!("{:?}", again), format!("{:?}", entry));
        }
    }
}
