//! What single commands do.

use sinew::{JointId, Method, Wrap, sample_clip};
use sinew_author::{
    check::{CheckOptions, FindingCode},
    weights::auto::AutoMethod,
};
use sinew_studio::{
    command::{
        BrushKind, BrushStroke, Command, CommandError, CopiedWeights, How, PoseData, SelectBy, WeightOp,
    },
    document::DocumentSource,
    session::{EntryError, JournalEntry, Session},
    work::{BackgroundJob, Done, TransferBy, TransferSource, WorkError, WorkRequest, outcome},
};
use std::sync::Arc;

pub(crate) fn open(name: &str) -> Session {
    Session::open(DocumentSource::Builtin(name.into())).unwrap()
}

pub(crate) fn run(session: &mut Session, command: Command) {
    session.perform(&command.into()).unwrap();
}

pub(crate) fn refused(session: &mut Session, command: Command) -> CommandError {
    let before = session.document().clone();
    let Err(EntryError::Command(error)) = session.perform(&command.into()) else { panic!("not refused") };
    assert_eq!(*session.document(), before, "a refused command changes nothing");
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
    for (gesture, angle) in [(1, 0.1_f32), (1, 0.2), (1, 0.3), (2, 0.4)] {
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
fn what_is_not_there_or_not_a_number_is_refused() {
    let mut session = open("arm");
    let missing = |error| matches!(error, CommandError::Missing { .. });
    assert!(missing(refused(&mut session, Command::SelectJoint(Some(999)))));
    assert!(missing(refused(&mut session, Command::ChooseClip(Some(99)))));
    let vertices = vec![u32::MAX];
    let select = Command::SelectVertices { instance: 0, vertices, how: How::Replace };
    assert!(missing(refused(&mut session, select)));
    let bad = |error| matches!(error, CommandError::BadValue { .. });
    assert!(bad(refused(&mut session, Command::Rotate { joint: 0, rotation: [0.0; 4] })));
    assert!(bad(refused(&mut session, Command::Translate { joint: 0, translation: [f32::NAN, 0.0, 0.0] })));
    assert!(matches!(refused(&mut session, Command::SetMethod("magic".into())), CommandError::Method(_)));
    assert!(matches!(refused(&mut session, Command::Scrub { time_secs: 0.5 }), CommandError::NoClip));
    let pose = PoseData::default();
    assert!(matches!(refused(&mut session, Command::PastePose(pose)), CommandError::OtherPose { .. }));
    let nowhere = DocumentSource::File("no/such/file.glb".into());
    assert!(matches!(refused(&mut session, Command::Open(nowhere)), CommandError::Open(_)));
    assert_eq!(session.history().done_count(), 0);
}

#[test]
fn a_weight_is_set_and_its_neighbours_in_the_vertex_share_the_rest() {
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
    for op in [WeightOp::Smooth { iterations: 2, step: 0.5, most: 8 }, WeightOp::Sharpen { power: 2.0 }] {
        let weights = Arc::clone(session.document().weights(0).unwrap());
        run(&mut session, Command::Weights { instance: 0, op });
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
    run(&mut session, Command::SelectVertices { instance: 0, vertices: vec![chosen], how: How::Replace });
    run(&mut session, Command::Weights { instance: 0, op: WeightOp::Limit { most: 1, is_refitted: false } });
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
        most: 4,
        mirrored: false,
        dabs: vec![vec![(vertex, 1.0)], vec![(vertex, 0.5)]],
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
fn keying_without_a_clip_makes_one() {
    let mut session = open("arm");
    let clips = session.document().character().clips().len();
    run(&mut session, Command::KeyPose);
    assert_eq!(session.document().character().clips().len(), clips + 1);
    assert_eq!(session.document().playhead().clip, Some(clips));
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
fn a_method_that_lacks_its_data_is_drawn_by_linear_blend() {
    let mut session = open("arm");
    run(&mut session, Command::SetMethod("cor".into()));
    let used = session.evaluation().follow(session.document(), None).unwrap();
    assert_eq!((session.document().method(), used), (Method::Cor, Method::Linear));
    run(&mut session, Command::Prepare("cor".into()));
    assert_eq!(session.evaluation().follow(session.document(), None).unwrap(), Method::Cor);
    // Centres belong to the weights they were made for.
    run(&mut session, Command::Weights { instance: 0, op: WeightOp::Sharpen { power: 2.0 } });
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
fn an_evaluation_that_follows_a_dab_gives_what_a_new_one_gives() {
    let mut session = open("figure");
    run(&mut session, Command::ChooseClip(Some(0)));
    run(&mut session, Command::Scrub { time_secs: 0.3 });
    let mut kept = session.evaluation();
    kept.follow(session.document(), None).unwrap();
    let apart = |kept: &sinew_studio::document::Evaluation, session: &Session| {
        let mut anew = session.evaluation();
        anew.follow(session.document(), None).unwrap();
        let pairs = kept.frame().deformed()[0].positions.iter().zip(&anew.frame().deformed()[0].positions);
        pairs.map(|(a, b)| a.distance(*b)).fold(0.0_f32, f32::max)
    };
    let joint = session.document().character().skins()[0].joints()[1].0;
    run(&mut session, Command::SetWeight { instance: 0, vertices: vec![3, 4, 5], joint, weight: 0.7 });
    kept.follow(session.document(), None).unwrap();
    assert!(apart(&kept, &session) < 1e-5);
    run(&mut session, Command::Scrub { time_secs: 0.5 });
    kept.follow(session.document(), None).unwrap();
    assert_eq!(apart(&kept, &session), 0.0, "packed again for the next pose");
}

#[test]
fn vertices_are_selected_by_what_they_are() {
    let mut session = open("arm");
    let count = session.document().weights(0).unwrap().vertex_count();
    let select = |session: &mut Session, by, how| {
        run(session, Command::SelectBy { by, how });
        session.document().selection().vertex_count()
    };
    assert_eq!(select(&mut session, SelectBy::All, How::Replace), count);
    assert_eq!(select(&mut session, SelectBy::Inverse, How::Replace), 0);
    run(&mut session, Command::SelectVertices { instance: 0, vertices: vec![0], how: How::Replace });
    let grown = select(&mut session, SelectBy::Grown, How::Replace);
    assert!(grown > 1 && grown < count, "{grown}");
    let shrunk = select(&mut session, SelectBy::Shrunk, How::Replace);
    assert!(shrunk < grown, "{shrunk}");
    assert_eq!(select(&mut session, SelectBy::Over(1), How::Replace), blended(&session));
    let of_joint = select(&mut session, SelectBy::Joint(1), How::Replace);
    assert!(of_joint > 0 && of_joint < count);
    assert_eq!(select(&mut session, SelectBy::Inverse, How::Replace), count - of_joint);
    assert_eq!(select(&mut session, SelectBy::Joint(1), How::Add), count);
    assert_eq!(select(&mut session, SelectBy::Joint(1), How::Remove), count - of_joint);
    assert_eq!(select(&mut session, SelectBy::BadlyWeighted, How::Replace), 0, "the arm is well weighted");
}

fn blended(session: &Session) -> usize {
    let weights = session.document().weights(0).unwrap();
    (0..weights.vertex_count()).filter(|vertex| weights.of(*vertex).0.len() > 1).count()
}

#[test]
fn connected_takes_the_whole_of_a_part() {
    let mut session = open("arm");
    run(&mut session, Command::SelectVertices { instance: 0, vertices: vec![0], how: How::Replace });
    run(&mut session, Command::SelectBy { by: SelectBy::Connected, how: How::Replace });
    let ground = session.document().ground(0).unwrap();
    let selected = session.document().selection().of_instance(0).unwrap();
    assert_eq!(ground.grown(selected), *selected, "nothing is next to it");
    assert_eq!(ground.shrunk(selected), *selected);
}

#[test]
fn copied_weights_are_pasted_in_order_or_as_their_mean() {
    let mut session = open("arm");
    let before = session.document().weights(0).unwrap().clone();
    let last = before.vertex_count() as u32 - 1;
    run(&mut session, Command::SelectVertices { instance: 0, vertices: vec![0], how: How::Replace });
    let copied = CopiedWeights::of_selection(session.document(), 0);
    run(&mut session, Command::SelectVertices { instance: 0, vertices: vec![last], how: How::Replace });
    run(&mut session, Command::PasteWeights { instance: 0, copied: copied.clone(), is_mean: false });
    assert_eq!(session.document().weights(0).unwrap().of(last as usize), before.of(0));
    session.perform(&JournalEntry::Undo).unwrap();
    let copied = CopiedWeights([copied.0, vec![vec![(1, 1.0)]]].concat());
    let wrong = Command::PasteWeights { instance: 0, copied: copied.clone(), is_mean: false };
    assert!(matches!(refused(&mut session, wrong), CommandError::Weight(_)), "two for one");
    run(&mut session, Command::PasteWeights { instance: 0, copied, is_mean: true });
    let slot = session.document().character().skins()[0].slot_of(JointId(1)).unwrap();
    assert_eq!(session.document().weights(0).unwrap().weight_of(last as usize, slot), 0.5);
    run(&mut session, Command::ClearVertices);
    let none = Command::PasteWeights { instance: 0, copied: CopiedWeights::default(), is_mean: true };
    assert!(matches!(refused(&mut session, none), CommandError::NothingSelected));
}

#[test]
fn a_joint_is_split_and_a_bind_is_baked_and_undo_takes_both_back() {
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
fn what_the_doctor_finds_is_mended_in_one_step() {
    let mut session = open("figure");
    let mend = |target: &str| Command::Mend {
        code: Some("influences-over-target".into()),
        target: Some(target.into()),
    };
    run(&mut session, mend("custom:1,999"));
    assert_eq!(session.document().weights(0).unwrap().max_influences(), 1);
    assert_eq!(session.history().undo_name(), Some("Mend influences-over-target"));
    assert!(matches!(refused(&mut session, mend("custom:1,999")), CommandError::NothingToMend));
    assert!(matches!(refused(&mut session, mend("nobody")), CommandError::Target(_)));
    let unknown = Command::Mend { code: Some("no-such-code".into()), target: None };
    assert!(matches!(refused(&mut session, unknown), CommandError::NoSuchCode { .. }));
}

#[test]
fn work_that_travels_as_bytes_comes_back_as_what_it_would_have_been() {
    let mut session = open("figure");
    let before = session.document().character().clone();
    run(
        &mut session,
        Command::SelectVertices { instance: 0, vertices: (0..900).collect(), how: How::Replace },
    );
    run(&mut session, Command::Lock { joint: 3, is_locked: true });
    run(&mut session, Command::Weights { instance: 0, op: WeightOp::Limit { most: 2, is_refitted: false } });
    let target = Some("custom:1,999".parse().unwrap());
    for work in [
        WorkRequest::Auto { instance: 0, method: AutoMethod::Heat, most: 3 },
        WorkRequest::Transfer { instance: 0, from: TransferSource::Opened, by: TransferBy::Order },
        WorkRequest::Check(CheckOptions { target, ..CheckOptions::default() }),
        WorkRequest::Measure { name: "it".into(), before },
    ] {
        let mut progress = |_| std::ops::ControlFlow::Continue(());
        let here = work.run(session.document(), &mut progress).unwrap();
        if let Done::Findings(findings) = &here {
            assert!(findings.iter().any(|finding| !finding.measurements.is_empty()));
        }
        let job = BackgroundJob::new(&work, session.document()).unwrap().to_bytes().unwrap();
        assert_eq!(outcome(&BackgroundJob::run(&job, &mut progress)).unwrap(), here, "{}", work.name());
    }
    let missing = WorkRequest::Auto { instance: 7, method: AutoMethod::Heat, most: 3 };
    let job = BackgroundJob::new(&missing, session.document()).unwrap().to_bytes().unwrap();
    let mut progress = |_| std::ops::ControlFlow::Continue(());
    assert!(matches!(outcome(&BackgroundJob::run(&job, &mut progress)), Err(WorkError::Told(_))));
    assert!(matches!(outcome(&BackgroundJob::run(b"{", &mut progress)), Err(WorkError::Told(_))));
}

#[test]
fn the_doctor_repeats_what_import_repaired_here_and_in_a_worker() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("faulty.gltf");
    sinew_formats::write_file(&path, &sinew_samples::arm()).unwrap();
    let mut json: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    json["nodes"][0]["rotation"] = serde_json::json!([0.0, 0.0, 0.0, 2.0]);
    std::fs::write(&path, json.to_string()).unwrap();
    let session = Session::open(DocumentSource::File(path)).unwrap();
    let work = WorkRequest::Check(CheckOptions::default());
    let mut progress = |_| std::ops::ControlFlow::Continue(());
    let here = work.run(session.document(), &mut progress).unwrap();
    let Done::Findings(findings) = &here else { panic!("a check gives findings") };
    let found = findings.iter().find(|finding| finding.code == FindingCode::QuaternionNotUnit).unwrap();
    assert_eq!(found.place.text, "nodes[0].rotation");
    let job = BackgroundJob::new(&work, session.document()).unwrap().to_bytes().unwrap();
    assert_eq!(outcome(&BackgroundJob::run(&job, &mut progress)).unwrap(), here);
}

#[test]
fn long_work_gives_a_command_that_carries_its_result() {
    let mut session = open("figure");
    let heard = std::cell::Cell::new(0.0);
    let mut progress = |share| {
        heard.set(share);
        std::ops::ControlFlow::Continue(())
    };
    let work = WorkRequest::Auto { instance: 0, method: AutoMethod::Heat, most: 3 };
    let Done::Command(command) = work.run(session.document(), &mut progress).unwrap() else { panic!() };
    assert_eq!(heard.get(), 1.0);
    let before = session.document().clone();
    session.perform(&(*command).into()).unwrap();
    assert_eq!(session.history().undo_name(), Some("Automatic weights (heat)"));
    assert!(session.document().weights(0).unwrap().max_influences() <= 3);
    let measure = WorkRequest::Measure { name: "it".into(), before: before.character().clone() };
    let Done::Effect { changed, effect, .. } = measure.run(session.document(), &mut progress).unwrap() else {
        panic!()
    };
    assert!(changed > 0 && effect.clips.max_mm > 0.0);
    let back = WorkRequest::Transfer { instance: 0, from: TransferSource::Opened, by: TransferBy::Order };
    let Done::Command(command) = back.run(session.document(), &mut progress).unwrap() else { panic!() };
    session.perform(&(*command).into()).unwrap();
    assert_eq!(session.document().weights(0), before.weights(0), "the weights of the opened file again");
    run(&mut session, Command::Weights { instance: 0, op: WeightOp::Limit { most: 1, is_refitted: false } });
    let from = TransferSource::Source(DocumentSource::Builtin("figure".into()));
    let other = WorkRequest::Transfer { instance: 0, from, by: TransferBy::Surface };
    let Done::Command(command) = other.run(session.document(), &mut progress).unwrap() else { panic!() };
    session.perform(&(*command).into()).unwrap();
    assert!(session.document().weights(0).unwrap().max_influences() > 1, "weights of another file");
    let mut stop = |_| std::ops::ControlFlow::Break(());
    assert!(matches!(work.run(session.document(), &mut stop), Err(WorkError::Author(_))));
}
