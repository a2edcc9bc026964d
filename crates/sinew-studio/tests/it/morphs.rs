//! Morph weights are posed and keyed by commands.

use super::{
    commands::{rejected, run},
    morphed_arm::morphed_arm,
};
use sinew::{Channel, Wrap, sample_clip};
use sinew_studio::{
    command::{Command, CommandError},
    document::DocumentSource,
    gesture::GestureIds,
    session::{JournalEntry, Session, Unsaved},
};

fn open() -> Session {
    let bytes = sinew_formats::to_glb(&morphed_arm()).unwrap();
    Session::open(DocumentSource::Content { name: "face.glb".into(), bytes: bytes.into() }).unwrap()
}

fn morphs_at(session: &Session, time_secs: f32) -> Vec<f32> {
    let mut pose = session.document().character().rest_pose();
    sample_clip(session.document().clip().unwrap(), time_secs, Wrap::Clamp, &mut pose);
    pose.morphs
}

#[test]
fn a_morph_weight_moves_vertices_and_a_drag_is_one_step() {
    let mut session = open();
    let before = session.document().clone();
    let mut evaluation = session.evaluation();
    evaluation.follow(session.document(), None).unwrap();
    let rest = evaluation.frame().deformed()[0].positions.clone();
    let gesture = Some(GestureIds::default().begin());
    for weight in [0.2, 0.6, 1.0] {
        let command = Command::SetMorph { slot: 1, weight };
        session.perform(&JournalEntry::Do { command, gesture }).unwrap();
    }
    evaluation.follow(session.document(), None).unwrap();
    let lifted = &evaluation.frame().deformed()[0].positions;
    assert!(rest.iter().zip(lifted).all(|(a, b)| (*b - *a).length() > 0.09));
    assert_eq!(session.unsaved(), Unsaved { file: false, pose: true });
    assert_eq!(session.history().done_count(), 1);
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(*session.document(), before);
}

#[test]
fn keying_the_pose_keys_edited_morph_weights() {
    let mut session = open();
    run(&mut session, Command::NewClip { name: "smile".into(), duration_secs: 2.0 });
    run(&mut session, Command::KeyPose);
    let has_morphs = |session: &Session| {
        let channels = session.document().clip().unwrap().channels();
        channels.iter().any(|channel| matches!(channel, Channel::Morphs { .. }))
    };
    assert!(!has_morphs(&session), "weights at rest need no channel");
    run(&mut session, Command::SetMorph { slot: 0, weight: 0.25 });
    run(&mut session, Command::KeyPose);
    assert_eq!(session.unsaved(), Unsaved { file: true, pose: false });
    run(&mut session, Command::Scrub { time_secs: 1.0 });
    run(&mut session, Command::SetMorph { slot: 0, weight: 0.75 });
    run(&mut session, Command::KeyPose);
    assert_eq!(morphs_at(&session, 0.0), [0.25, 0.0]);
    assert_eq!(morphs_at(&session, 0.5), [0.5, 0.0]);
    assert_eq!(morphs_at(&session, 1.0), [0.75, 0.0]);
    let saved = sinew_formats::to_glb(&session.document().to_saved().unwrap()).unwrap();
    let read = sinew_formats::read_bytes(&saved, "face.glb").unwrap().character;
    assert_eq!(read.find_clip("smile"), session.document().clip());
}

#[test]
fn unknown_slots_and_non_finite_weights_are_rejected() {
    let mut session = open();
    let error = rejected(&mut session, Command::SetMorph { slot: 2, weight: 0.0 });
    assert_eq!(error.to_string(), "there is no morph slot 2; the document has 2");
    let error = rejected(&mut session, Command::SetMorph { slot: 0, weight: f32::NAN });
    assert!(matches!(error, CommandError::BadValue { .. }));
}
