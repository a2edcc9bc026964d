//! The effect of single commands on the document.

use sinew::{JointId, Method, Wrap, sample_clip};
use sinew_studio::{
    command::{
        BrushKind, BrushStroke, ClipEdit, Command, CommandError, CopiedWeights, PoseData, SelectBy,
        SelectMode, WeightOp,
    },
    document::DocumentSource,
    gesture::GestureIds,
    session::{EntryError, JournalEntry, Session},
};
use std::sync::Arc;

pub(crate) fn open(name: &str) -> Session {
    Session::open(DocumentSource::Builtin(name.into())).unwrap()
}

pub(crate) fn run(session: &mut Session, command: Command) {
    session.perform(&command.into()).unwrap();
}

pub(crate) fn rejected(session: &mut Session, command: Command) -> CommandError {
    let before = session.document().clone();
    let Err(EntryError::Command(error)) = session.perform(&command.into()) else { panic!("not rejected") };
    assert_eq!(*session.document(), before, "a rejected command changes nothing");
    error
}

#[test]
fn a_rotation_bends_the_skin_and_undo_straightens_it() {
    let mut session = open("arm");
    let mut evaluation = session.evaluation();
    evaluation.follow(session.document(), None).unwrap();
    let straight = evaluation.frame().deformed()[0].positions.clone();
    run(&mut session, Command::Rotate { joint: 1, rotation: [0.0, 0.0, 0.6, 0.8] });
    evaluation.follow(session.document(), None).unwrap();
    assert_ne!(evaluation.frame().deformed()[0].positions, straight);
    session.perform(&JournalEntry::Undo).unwrap();
    evaluation.follow(session.document(), None).unwrap();
    assert_eq!(evaluation.frame().deformed()[0].positions, straight);
}

#[test]
fn a_drag_is_one_step_and_the_next_drag_another() {
    let mut session = open("arm");
    let mut ids = GestureIds::default();
    let (first, second) = (ids.begin(), ids.begin());
    for (gesture, angle) in [(first, 0.1_f32), (first, 0.2), (first, 0.3), (second, 0.4)] {
        let command = Command::Rotate { joint: 1, rotation: [0.0, 0.0, angle.sin(), angle.cos()] };
        session.perform(&JournalEntry::Do { command, gesture: Some(gesture) }).unwrap();
    }
    assert_eq!(session.history().done_count(), 2);
    session.perform(&JournalEntry::Undo).unwrap();
    let turned = session.document().pose().joints[1].rotation;
    assert!((turned.z - 0.3_f32.sin()).abs() < 1e-6, "back at the end of the first drag");
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(*session.document().pose(), session.document().character().rest_pose());
}

#[test]
fn unknown_indices_and_non_finite_numbers_are_rejected() {
    let mut session = open("arm");
    let missing = |error| matches!(error, CommandError::Missing { .. });
    assert!(missing(rejected(&mut session, Command::SelectJoint(Some(999)))));
    assert!(missing(rejected(&mut session, Command::ChooseClip(Some(99)))));
    let vertices = vec![u32::MAX];
    let select = Command::SelectVertices { instance: 0, vertices, mode: SelectMode::Replace };
    assert!(missing(rejected(&mut session, select)));
    let bad = |error| matches!(error, CommandError::BadValue { .. });
    assert!(bad(rejected(&mut session, Command::Rotate { joint: 0, rotation: [0.0; 4] })));
    assert!(bad(rejected(&mut session, Command::Translate { joint: 0, translation: [f32::NAN, 0.0, 0.0] })));
    assert!(matches!(rejected(&mut session, Command::SetMethod("magic".into())), CommandError::Method(_)));
    assert!(matches!(rejected(&mut session, Command::Scrub { time_secs: 0.5 }), CommandError::NoClip));
    let pose = PoseData::default();
    assert!(matches!(rejected(&mut session, Command::PastePose(pose)), CommandError::OtherPose { .. }));
    let nowhere = DocumentSource::File("no/such/file.glb".into());
    assert!(matches!(rejected(&mut session, Command::Open(nowhere)), CommandError::Open(_)));
    assert_eq!(session.history().done_count(), 0);
}

#[test]
fn setting_a_weight_scales_the_other_influences_to_the_rest() {
    let mut session = open("arm");
    let lower = session.document().character().skeleton().find("lower").unwrap();
    let slot = session.document().character().skins()[0].slot_of(lower).unwrap();
    run(&mut session, Command::SetWeight { instance: 0, vertices: vec![5], joint: lower.0, weight: 0.25 });
    let weights = session.document().weights(0).unwrap();
    assert_eq!(weights.weight_of(5, slot), 0.25);
    assert_eq!(weights.of(5).1.iter().sum::<f32>(), 1.0);
}

#[test]
fn a_locked_joint_keeps_its_weights_under_every_operation() {
    let mut session = open("figure");
    let joint = session.document().character().skins()[0].joints()[2];
    run(&mut session, Command::Lock { joint: joint.0, is_locked: true });
    let of_joint = |session: &Session| {
        let weights = session.document().weights(0).unwrap();
        let all: Vec<u32> =
            (0..weights.vertex_count()).map(|vertex| weights.weight_of(vertex, 2).to_bits()).collect();
        all
    };
    let before = of_joint(&session);
    for op in
        [WeightOp::Smooth { iterations: 2, step: 0.5, max_influences: 8 }, WeightOp::Sharpen { power: 2.0 }]
    {
        let weights = Arc::clone(session.document().weights(0).unwrap());
        run(&mut session, Command::Weights { instances: vec![0], op });
        assert_ne!(weights, *session.document().weights(0).unwrap(), "{op:?} does something");
        assert_eq!(of_joint(&session), before, "{op:?}");
    }
}

#[test]
fn an_operation_stays_within_the_selection() {
    let mut session = open("arm");
    let before = Arc::clone(session.document().weights(0).unwrap());
    let blended: Vec<u32> =
        (0..before.vertex_count() as u32).filter(|v| before.of(*v as usize).0.len() > 1).collect();
    let chosen = blended[0];
    run(
        &mut session,
        Command::SelectVertices { instance: 0, vertices: vec![chosen], mode: SelectMode::Replace },
    );
    run(
        &mut session,
        Command::Weights {
            instances: vec![0],
            op: WeightOp::Limit { max_influences: 1, is_refitted: false },
        },
    );
    let after = session.document().weights(0).unwrap();
    assert_eq!(after.of(chosen as usize).0.len(), 1);
    let positions = session.document().character().meshes()[0].positions();
    for vertex in blended {
        // Copies of the chosen point go with it.
        if positions[vertex as usize] != positions[chosen as usize] {
            assert_eq!(after.of(vertex as usize), before.of(vertex as usize), "vertex {vertex}");
        }
    }
}

#[test]
fn a_stroke_adds_weight_under_the_brush() {
    let mut session = open("arm");
    let lower = session.document().character().skeleton().find("lower").unwrap();
    let slot = session.document().character().skins()[0].slot_of(lower).unwrap();
    let weights = session.document().weights(0).unwrap();
    let vertex = (0..weights.vertex_count() as u32)
        .find(|v| (0.1..0.5).contains(&weights.weight_of(*v as usize, slot)))
        .unwrap();
    let before = weights.weight_of(vertex as usize, slot);
    let stroke = BrushStroke {
        instance: 0,
        joint: lower.0,
        brush: BrushKind::Add,
        amount: 0.1,
        max_influences: 4,
        mirrored: false,
        stamps: vec![vec![(vertex, 1.0)], vec![(vertex, 0.5)]],
    };
    run(&mut session, Command::Paint(stroke));
    let after = session.document().weights(0).unwrap().weight_of(vertex as usize, slot);
    assert!((after - before - 0.15).abs() < 1e-4, "{before} {after}");
}

#[test]
fn a_keyed_pose_is_in_the_clip_at_that_time() {
    let mut session = open("figure");
    run(&mut session, Command::ChooseClip(Some(0)));
    let time_secs = 0.37;
    run(&mut session, Command::Scrub { time_secs });
    let before = session.document().clip().unwrap().clone();
    run(&mut session, Command::Rotate { joint: 4, rotation: [0.6, 0.0, 0.0, 0.8] });
    run(&mut session, Command::KeyPose);
    let document = session.document();
    let mut pose = document.character().rest_pose();
    sample_clip(document.clip().unwrap(), time_secs, Wrap::Clamp, &mut pose);
    assert!(pose.joints[4].rotation.abs_diff_eq(document.pose().joints[4].rotation, 1e-6));
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(*session.document().clip().unwrap(), before);
}

#[test]
fn keying_without_a_clip_creates_one() {
    let mut session = open("arm");
    let clips = session.document().character().clips().len();
    run(&mut session, Command::KeyPose);
    assert_eq!(session.document().character().clips().len(), clips + 1);
    assert_eq!(session.document().playhead().clip, Some(clips));
    // The new clip has room for more keys.
    let duration_secs = session.document().clip().unwrap().duration_secs();
    assert_eq!(duration_secs, 2.0);
    run(&mut session, Command::Scrub { time_secs: 1.5 });
    assert_eq!(session.document().playhead().time_secs, 1.5);
    run(&mut session, Command::Rotate { joint: 1, rotation: [0.0, 0.0, 0.6, 0.8] });
    run(&mut session, Command::KeyPose);
    let clip = session.document().clip().unwrap();
    assert_eq!((clip.last_key_secs(), clip.duration_secs()), (1.5, 2.0));
    let undone = session.document().clone();
    run(&mut session, Command::ChooseClip(None));
    run(&mut session, Command::KeyPose);
    assert_eq!(session.document().clip().unwrap().name(), "keyed 2");
    session.perform(&JournalEntry::Undo).unwrap();
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(*session.document(), undone);
}

#[test]
fn a_clip_is_made_from_nothing_edited_and_saved() {
    let mut session = open("arm");
    let start = session.document().clone();
    let count = start.character().clips().len();
    run(&mut session, Command::NewClip { name: "wave".into(), duration_secs: 2.0 });
    let clip = |session: &Session| session.document().clip().unwrap().clone();
    assert_eq!((clip(&session).name(), clip(&session).duration_secs()), ("wave", 2.0));
    let again = rejected(&mut session, Command::NewClip { name: "wave".into(), duration_secs: 2.0 });
    assert_eq!(again.to_string(), "there is already a clip \"wave\"");
    for (time_secs, sin) in [(0.0, 0.0), (1.0, 0.6)] {
        run(&mut session, Command::Scrub { time_secs });
        let cos = (1.0_f32 - sin * sin).sqrt();
        run(&mut session, Command::Rotate { joint: 1, rotation: [0.0, 0.0, sin, cos] });
        run(&mut session, Command::KeyPose);
    }
    let edit = |edit| Command::EditClip(edit);
    run(&mut session, edit(ClipEdit::SetDuration(4.0)));
    assert_eq!(clip(&session).duration_secs(), 4.0);
    let error = rejected(&mut session, edit(ClipEdit::SetDuration(0.5)));
    assert!(error.to_string().contains("a key or an event at 1 s"), "{error}");
    let saved = sinew_formats::to_glb(&session.document().to_saved().unwrap()).unwrap();
    let read = sinew_formats::read_bytes(&saved, "arm.glb").unwrap().character;
    assert_eq!(read.find_clip("wave"), Some(&clip(&session)), "the length is in the file");
    run(&mut session, edit(ClipEdit::Retime(2.0)));
    assert_eq!((clip(&session).last_key_secs(), session.document().playhead().time_secs), (0.5, 0.5));
    run(&mut session, edit(ClipEdit::Shift(1.0)));
    run(&mut session, edit(ClipEdit::Trim([1.0, 1.5])));
    assert_eq!(clip(&session).duration_secs(), 0.5);
    run(&mut session, edit(ClipEdit::RemoveKeys { time_secs: 0.5, joint: None }));
    assert_eq!((clip(&session).last_key_secs(), clip(&session).duration_secs()), (0.0, 0.5));
    let missing = ClipEdit::RemoveKeys { time_secs: 0.25, joint: Some(1) };
    assert!(rejected(&mut session, edit(missing)).to_string().contains("the nearest is at 0 s"));
    run(&mut session, edit(ClipEdit::Rename("nod".into())));
    assert_eq!(clip(&session).name(), "nod");
    run(&mut session, edit(ClipEdit::Remove));
    assert_eq!(session.document().character().clips().len(), count);
    assert!(matches!(rejected(&mut session, edit(ClipEdit::Remove)), CommandError::NoClip));
    while session.perform(&JournalEntry::Undo).unwrap() {}
    assert_eq!(*session.document(), start);
}

#[test]
fn a_pose_mirrored_twice_is_the_pose() {
    let mut session = open("figure");
    let joint = (0..session.document().character().skeleton().len() as u16)
        .find(|j| {
            let name = session.document().character().skeleton().name(JointId(*j));
            sinew_author::motion::other_side(name).is_some()
        })
        .unwrap();
    run(&mut session, Command::Rotate { joint, rotation: [0.6, 0.0, 0.0, 0.8] });
    let pose = session.document().pose().clone();
    run(&mut session, Command::MirrorPose);
    let far = |session: &Session| {
        let joints = session.document().pose().joints.iter().zip(&pose.joints);
        joints.map(|(a, b)| 1.0 - a.rotation.dot(b.rotation).abs()).fold(0.0_f32, f32::max)
    };
    assert!(far(&session) > 0.01);
    run(&mut session, Command::MirrorPose);
    assert!(far(&session) < 1e-5);
}

#[test]
fn a_method_without_its_data_falls_back_to_linear_blend_skinning() {
    let mut session = open("arm");
    run(&mut session, Command::SetMethod("cor".into()));
    let used = session.evaluation().follow(session.document(), None).unwrap();
    assert_eq!((session.document().method(), used), (Method::Cor, Method::Linear));
    run(&mut session, Command::Precompute("cor".into()));
    assert_eq!(session.evaluation().follow(session.document(), None).unwrap(), Method::Cor);
    // Centers of rotation depend on the weights.
    run(&mut session, Command::Weights { instances: vec![0], op: WeightOp::Sharpen { power: 2.0 } });
    assert_eq!(session.evaluation().follow(session.document(), None).unwrap(), Method::Linear);
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(session.evaluation().follow(session.document(), None).unwrap(), Method::Cor);
}

#[test]
fn opening_another_character_can_be_undone() {
    let mut session = open("arm");
    run(&mut session, Command::Rotate { joint: 1, rotation: [0.0, 0.0, 0.6, 0.8] });
    let before = session.document().clone();
    run(&mut session, Command::Open(DocumentSource::Builtin("tube".into())));
    assert_eq!(session.document().source().to_string(), "tube");
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(*session.document(), before);
}

#[test]
fn an_evaluation_after_a_brush_stamp_equals_a_new_one() {
    let mut session = open("figure");
    run(&mut session, Command::ChooseClip(Some(0)));
    run(&mut session, Command::Scrub { time_secs: 0.3 });
    let mut kept = session.evaluation();
    kept.follow(session.document(), None).unwrap();
    let distance = |kept: &sinew_studio::document::Evaluation, session: &Session| {
        let mut fresh = session.evaluation();
        fresh.follow(session.document(), None).unwrap();
        let pairs = kept.frame().deformed()[0].positions.iter().zip(&fresh.frame().deformed()[0].positions);
        pairs.map(|(a, b)| a.distance(*b)).fold(0.0_f32, f32::max)
    };
    let joint = session.document().character().skins()[0].joints()[1].0;
    run(&mut session, Command::SetWeight { instance: 0, vertices: vec![3, 4, 5], joint, weight: 0.7 });
    kept.follow(session.document(), None).unwrap();
    assert!(distance(&kept, &session) < 1e-5);
    run(&mut session, Command::Scrub { time_secs: 0.5 });
    kept.follow(session.document(), None).unwrap();
    assert_eq!(distance(&kept, &session), 0.0, "packed again for the next pose");
}

#[test]
fn vertices_are_selected_by_rules() {
    let mut session = open("arm");
    let count = session.document().weights(0).unwrap().vertex_count();
    let select = |session: &mut Session, by, mode| {
        run(session, Command::SelectBy { by, mode });
        session.document().selection().vertex_count()
    };
    assert_eq!(select(&mut session, SelectBy::All, SelectMode::Replace), count);
    assert_eq!(select(&mut session, SelectBy::Inverse, SelectMode::Replace), 0);
    run(&mut session, Command::SelectVertices { instance: 0, vertices: vec![0], mode: SelectMode::Replace });
    let grown = select(&mut session, SelectBy::Grown, SelectMode::Replace);
    assert!(grown > 1 && grown < count, "{grown}");
    let shrunk = select(&mut session, SelectBy::Shrunk, SelectMode::Replace);
    assert!(shrunk < grown, "{shrunk}");
    assert_eq!(select(&mut session, SelectBy::Over(1), SelectMode::Replace), blended(&session));
    let of_joint = select(&mut session, SelectBy::Joint(1), SelectMode::Replace);
    assert!(of_joint > 0 && of_joint < count);
    assert_eq!(select(&mut session, SelectBy::Inverse, SelectMode::Replace), count - of_joint);
    assert_eq!(select(&mut session, SelectBy::Joint(1), SelectMode::Add), count);
    assert_eq!(select(&mut session, SelectBy::Joint(1), SelectMode::Remove), count - of_joint);
    assert_eq!(
        select(&mut session, SelectBy::BadlyWeighted, SelectMode::Replace),
        0,
        "the arm is well weighted"
    );
}

fn blended(session: &Session) -> usize {
    let weights = session.document().weights(0).unwrap();
    (0..weights.vertex_count()).filter(|vertex| weights.of(*vertex).0.len() > 1).count()
}

#[test]
fn connected_selects_a_whole_part() {
    let mut session = open("arm");
    run(&mut session, Command::SelectVertices { instance: 0, vertices: vec![0], mode: SelectMode::Replace });
    run(&mut session, Command::SelectBy { by: SelectBy::Connected, mode: SelectMode::Replace });
    let adjacency = session.document().adjacency(0).unwrap();
    let selected = session.document().selection().of_instance(0).unwrap();
    assert_eq!(adjacency.grown(selected), *selected, "nothing is next to it");
    assert_eq!(adjacency.shrunk(selected), *selected);
}

#[test]
fn copied_weights_are_pasted_in_order_or_as_their_mean() {
    let mut session = open("arm");
    let before = session.document().weights(0).unwrap().clone();
    let last = before.vertex_count() as u32 - 1;
    run(&mut session, Command::SelectVertices { instance: 0, vertices: vec![0], mode: SelectMode::Replace });
    let copied = CopiedWeights::of_selection(session.document());
    run(
        &mut session,
        Command::SelectVertices { instance: 0, vertices: vec![last], mode: SelectMode::Replace },
    );
    run(&mut session, Command::PasteWeights { instances: vec![0], copied: copied.clone(), is_mean: false });
    assert_eq!(session.document().weights(0).unwrap().of(last as usize), before.of(0));
    session.perform(&JournalEntry::Undo).unwrap();
    let copied = CopiedWeights([copied.0, vec![vec![(1, 1.0)]]].concat());
    let wrong = Command::PasteWeights { instances: vec![0], copied: copied.clone(), is_mean: false };
    assert!(matches!(rejected(&mut session, wrong), CommandError::Weight(_)), "two for one");
    run(&mut session, Command::PasteWeights { instances: vec![0], copied, is_mean: true });
    let slot = session.document().character().skins()[0].slot_of(JointId(1)).unwrap();
    assert_eq!(session.document().weights(0).unwrap().weight_of(last as usize, slot), 0.5);
    run(&mut session, Command::ClearVertices);
    let none = Command::PasteWeights { instances: vec![0], copied: CopiedWeights::default(), is_mean: true };
    assert!(matches!(rejected(&mut session, none), CommandError::NothingSelected));
}

#[test]
fn a_joint_that_does_not_inherit_scale_keeps_its_size_until_undone() {
    let mut session = open("arm");
    let skeleton = session.document().character().skeleton().clone();
    let lower = skeleton.find("lower").unwrap();
    let upper = skeleton.parent(lower).unwrap();
    run(&mut session, Command::Scale { joint: upper.0, scale: [2.0; 3] });
    let scaled = session.document().clone();
    run(&mut session, Command::CompensateScale { joint: lower.0, is_compensated: true });
    let size = |session: &Session| {
        let mut model = sinew::ModelPose::new(session.document().character().skeleton());
        model.update(session.document().character().skeleton(), session.document().pose());
        model.joint(lower).matrix3.x_axis.length()
    };
    assert!((size(&session) - 1.0).abs() < 1e-6, "{}", size(&session));
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(*session.document(), scaled);
    assert!((size(&session) - 2.0).abs() < 1e-6);
}

#[test]
fn splitting_a_joint_and_baking_the_bind_pose_can_be_undone() {
    let mut session = open("figure");
    let before = session.document().clone();
    let joint = session.document().character().skins()[0].joints()[2].0;
    run(&mut session, Command::Rotate { joint, rotation: [0.6, 0.0, 0.0, 0.8] });
    let turned = session.document().clone();
    run(&mut session, Command::SplitJoint { instance: 0, joint });
    let joints = session.document().character().skeleton().len();
    assert_eq!(joints, before.character().skeleton().len() + 1);
    assert_eq!(session.document().pose().joints.len(), joints);
    run(&mut session, Command::BakeBind { instance: 0 });
    let mut evaluation = session.evaluation();
    evaluation.follow(session.document(), None).unwrap();
    let bound = session.document().character().meshes()[0].positions();
    let moved = evaluation.frame().deformed()[0].positions.iter().zip(bound);
    assert!(moved.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max) < 1e-4, "the pose is the bind pose");
    session.perform(&JournalEntry::Undo).unwrap();
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(*session.document(), turned);
}

#[test]
fn a_finding_is_fixed_in_one_step() {
    let mut session = open("figure");
    let fix = |target: &str| Command::Fix {
        code: Some("influences-over-target".into()),
        target: Some(target.into()),
    };
    run(&mut session, fix("custom:1,999"));
    assert_eq!(session.document().weights(0).unwrap().max_influences(), 1);
    assert_eq!(session.history().undo_name(), Some("Fix influences-over-target"));
    assert!(matches!(rejected(&mut session, fix("custom:1,999")), CommandError::NothingToFix));
    assert!(matches!(rejected(&mut session, fix("nobody")), CommandError::Target(_)));
    let unknown = Command::Fix { code: Some("no-such-code".into()), target: None };
    assert!(matches!(rejected(&mut session, unknown), CommandError::NoSuchCode { .. }));
}
