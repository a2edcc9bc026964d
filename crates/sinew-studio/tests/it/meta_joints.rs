//! Meta-joints are posed and keyed by commands.

use super::{
    commands::{rejected, run},
    journals::Memory,
};
use sinew::{
    Channel, Character, Wrap,
    constrain::{MetaJoint, MetaJointPart},
    glam::Quat,
    sample_clip,
};
use sinew_formats::meta_joints::put_meta_joints;
use sinew_studio::{
    autosave::{AppendFile, Journal, recover},
    command::{Command, CommandError},
    document::{DocumentSource, JointLimit, LimitAxis},
    gesture::GestureIds,
    session::{JournalEntry, Session, Unsaved},
};

/// The figure with a shoulder of two joints, the second of them limited.
fn source() -> DocumentSource {
    let figure = sinew_samples::figure();
    let skeleton = figure.skeleton();
    let find = |name: &str| skeleton.find(name).unwrap();
    let upper_arm = MetaJointPart {
        ranges_radians: vec![[-30.0_f32.to_radians(), 90.0_f32.to_radians()]],
        ..MetaJointPart::new(find("upper_arm.L"), "x".parse().unwrap())
    };
    let parts = vec![MetaJointPart::new(find("clavicle.L"), "zy".parse().unwrap()), upper_arm];
    let shoulder = MetaJoint::new(skeleton, "shoulder.L", parts).unwrap();
    let mut parts = figure.parts().clone();
    put_meta_joints(&mut parts.extras, skeleton, &[shoulder]).unwrap();
    let bytes = sinew_formats::to_glb(&Character::new(parts).unwrap()).unwrap();
    DocumentSource::Content { name: "axes.glb".into(), bytes: bytes.into() }
}

fn open() -> Session {
    Session::open(source()).unwrap()
}

fn set(degrees: &[f32]) -> Command {
    Command::SetAngles { meta_joint: "shoulder.L".into(), degrees: degrees.to_vec() }
}

fn degrees(session: &Session) -> [f32; 3] {
    let document = session.document();
    document.meta_joints()[0].angles(document.pose()).radians.map(f32::to_degrees)
}

fn are_near(one: [f32; 3], other: [f32; 3]) -> bool {
    one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-3)
}

#[test]
fn angles_rotate_every_joint_and_undo_restores_them() {
    let mut session = open();
    let rest = session.document().clone();
    run(&mut session, set(&[20.0, -10.0, 45.0]));
    assert!(are_near(degrees(&session), [20.0, -10.0, 45.0]), "{:?}", degrees(&session));
    let moved = session.document().pose().joints.iter().zip(&rest.pose().joints).filter(|(a, b)| a != b);
    assert_eq!(moved.count(), 2, "the collarbone and the upper arm");
    assert_eq!(session.history().undo_name(), Some("Rotate meta-joint shoulder.L"));
    assert_eq!(session.unsaved(), Unsaved { file: false, pose: true });
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(*session.document(), rest);
}

#[test]
fn a_drag_of_a_slider_is_one_step() {
    let mut session = open();
    let gesture = Some(GestureIds::default().begin());
    for angle in [5.0, 10.0, 15.0] {
        session.perform(&JournalEntry::Do { command: set(&[angle, 0.0, 0.0]), gesture }).unwrap();
    }
    assert_eq!(session.history().done_count(), 1);
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(*session.document().pose(), session.document().character().rest_pose());
}

#[test]
fn angles_stop_at_enforced_limits() {
    let mut session = open();
    run(&mut session, set(&[0.0, 0.0, 150.0]));
    assert!(are_near(degrees(&session), [0.0, 0.0, 90.0]), "{:?}", degrees(&session));
    run(&mut session, Command::EnforceLimits(false));
    run(&mut session, set(&[0.0, 0.0, 150.0]));
    assert!(are_near(degrees(&session), [0.0, 0.0, 150.0]), "{:?}", degrees(&session));
    // The limit of a joint counts as well as the ranges of its axes.
    let clavicle = session.document().character().skeleton().find("clavicle.L").unwrap();
    let limit = JointLimit { twist: LimitAxis::Y, degrees: [[-10.0, 10.0]; 3] };
    run(&mut session, Command::SetLimit { joint: clavicle.0, limit: Some(limit) });
    run(&mut session, Command::EnforceLimits(true));
    run(&mut session, set(&[60.0, 0.0, 0.0]));
    assert!(are_near(degrees(&session), [10.0, 0.0, 0.0]), "{:?}", degrees(&session));
}

#[test]
fn unknown_names_missing_angles_and_non_finite_numbers_are_rejected() {
    let mut session = open();
    let knee = Command::SetAngles { meta_joint: "knee.L".into(), degrees: vec![0.0] };
    assert!(matches!(rejected(&mut session, knee), CommandError::NoMetaJoint { .. }));
    let error = rejected(&mut session, set(&[1.0]));
    assert_eq!(error.to_string(), "meta-joint \"shoulder.L\" has 3 axes, got 1 angles");
    assert!(matches!(rejected(&mut session, set(&[0.0, f32::NAN, 0.0])), CommandError::BadValue { .. }));
    let key = Command::KeyMetaJoint("knee.L".into());
    assert!(matches!(rejected(&mut session, key), CommandError::NoMetaJoint { .. }));
}

#[test]
fn keying_a_meta_joint_keys_its_joints_alone() {
    let mut session = open();
    run(&mut session, Command::NewClip { name: "shrug".into(), duration_secs: 2.0 });
    run(&mut session, Command::Scrub { time_secs: 0.5 });
    run(&mut session, set(&[20.0, 0.0, 45.0]));
    run(&mut session, Command::KeyMetaJoint("shoulder.L".into()));
    let document = session.document();
    let clip = document.clip().unwrap();
    let keyed: Vec<_> = clip.channels().iter().filter_map(Channel::joint).collect();
    let parts = document.meta_joints()[0].parts();
    assert_eq!(keyed, parts.iter().map(|part| part.joint).collect::<Vec<_>>());
    let mut pose = document.character().rest_pose();
    sample_clip(clip, 0.5, Wrap::Clamp, &mut pose);
    assert_eq!(pose, *document.pose());
    assert_eq!(session.unsaved(), Unsaved { file: true, pose: false }, "the whole pose is in the clip");
    // Another joint was posed and is in no clip.
    let turn = Command::Rotate { joint: 2, rotation: Quat::from_rotation_x(0.2).to_array() };
    run(&mut session, turn);
    run(&mut session, Command::KeyMetaJoint("shoulder.L".into()));
    assert_eq!(session.unsaved(), Unsaved { file: true, pose: true });
}

#[test]
fn meta_joints_follow_their_joints_when_joints_are_added_and_undo_brings_them_back() {
    let mut session = open();
    let before = session.document().meta_joints().to_vec();
    let find = |session: &Session, name: &str| session.document().character().skeleton().find(name).unwrap();
    let (joint, child) = (find(&session, "upper_arm.L").0, find(&session, "forearm.L").0);
    run(&mut session, Command::AddRolls { joint, child, count: 2, at_start: false, max_influences: 0 });
    let upper_arm = find(&session, "upper_arm.L");
    assert_eq!(session.document().meta_joints()[0].parts()[1].joint, upper_arm);
    run(&mut session, set(&[0.0, 0.0, 30.0]));
    assert!(are_near(degrees(&session), [0.0, 0.0, 30.0]));
    session.perform(&JournalEntry::Undo).unwrap();
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(session.document().meta_joints(), before);
}

#[test]
fn a_journal_replays_angles_and_keys() {
    let entries = [set(&[20.0, -10.0, 45.0]), Command::KeyMetaJoint("shoulder.L".into())];
    let (memory, mut session) = (Memory::default(), open());
    let mut journal = Journal::begin(AppendFile::new(memory.clone()), &source()).unwrap();
    for command in entries {
        let entry = JournalEntry::from(command);
        session.perform(&entry).unwrap();
        journal.note(&entry).unwrap();
    }
    journal.flush().unwrap();
    let recovered = recover(&memory.bytes()).unwrap();
    assert_eq!(recovered.session.document(), session.document());
}
