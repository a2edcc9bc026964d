//! Limits, IK, playback, blending and graphs, without a window.

use super::commands::{open, rejected, run};
use sinew::{
    JointId, ModelPose,
    glam::{Quat, Vec3},
};
use sinew_formats::export::ExportFormat;
use sinew_studio::{
    command::{Command, CommandError},
    document::{Document, DocumentSource, JointLimit, LimitAxis, Mix, PlaybackRate},
    export::{FilmView, export, record_film},
    gesture::GestureIds,
    session::{JournalEntry, Session},
};
use sinew_view::{
    camera::{CameraLens, Orbit},
    film::{FilmLimits, FilmProgress},
    stage::{Stage, StageOptions, StageTextures},
};

fn find(session: &Session, name: &str) -> JointId {
    session.document().character().skeleton().find(name).unwrap()
}

fn place(document: &Document, joint: JointId) -> Vec3 {
    let mut model = ModelPose::new(document.character().skeleton());
    model.update(document.character().skeleton(), document.pose());
    model.joint(joint).translation.into()
}

fn knee() -> JointLimit {
    JointLimit { twist: LimitAxis::Y, degrees: [[-140.0, 140.0], [0.0, 0.0], [0.0, 0.0]] }
}

#[test]
fn rotations_stop_at_the_limit_unless_limits_are_ignored() {
    let mut session = open("figure");
    let shin = find(&session, "shin.L");
    let rest = session.document().character().skeleton().rest(shin).rotation;
    run(&mut session, Command::SetLimit { joint: shin.0, limit: Some(knee()) });
    let far = rest * Quat::from_rotation_z(1.0);
    let turn = Command::Rotate { joint: shin.0, rotation: far.to_array() };
    run(&mut session, turn.clone());
    assert!(session.document().pose().joints[shin.index()].rotation.angle_between(rest) < 1e-3);
    run(&mut session, Command::EnforceLimits(false));
    run(&mut session, turn);
    assert!(session.document().pose().joints[shin.index()].rotation.angle_between(far) < 1e-3);
}

#[test]
fn setting_a_limit_clamps_the_joint_and_undo_reverts_both() {
    let mut session = open("figure");
    let shin = find(&session, "shin.L");
    let rest = session.document().character().skeleton().rest(shin).rotation;
    let far = rest * Quat::from_rotation_z(1.0);
    run(&mut session, Command::Rotate { joint: shin.0, rotation: far.to_array() });
    let before = session.document().clone();
    run(&mut session, Command::SetLimit { joint: shin.0, limit: Some(knee()) });
    assert!(session.document().pose().joints[shin.index()].rotation.angle_between(rest) < 1e-3);
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(*session.document(), before);
    let beyond = JointLimit { degrees: [[-200.0, 0.0]; 3], ..knee() };
    let error = rejected(&mut session, Command::SetLimit { joint: shin.0, limit: Some(beyond) });
    assert!(matches!(error, CommandError::Limit(_)));
}

#[test]
fn limits_are_in_the_saved_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("limited.glb");
    let mut session = open("figure");
    let shin = find(&session, "shin.L");
    run(&mut session, Command::SetLimit { joint: shin.0, limit: Some(knee()) });
    sinew_formats::write_file(&path, &session.document().to_saved().unwrap()).unwrap();
    let again = Session::open(DocumentSource::File(path)).unwrap();
    let shin = find(&again, "shin.L");
    assert_eq!(again.document().limits().joints.get(&shin), Some(&knee()));
}

#[test]
fn two_bone_and_chain_ik_reach_the_target_and_a_drag_is_one_step() {
    let gesture = GestureIds::default().begin();
    for chain in [2, 3, 5] {
        let mut session = open("figure");
        let hand = find(&session, "hand.L");
        let before = session.document().clone();
        let start = place(&before, hand);
        for step in 1..=4_u8 {
            let target = (start + Vec3::new(-0.03, 0.02, 0.04) * f32::from(step)).to_array();
            let command = Command::Reach { joint: hand.0, target, chain };
            session.perform(&JournalEntry::Do { command, gesture: Some(gesture) }).unwrap();
            let off = place(session.document(), hand).distance(target.into());
            assert!(off < 2e-3, "chain {chain}: {off} m off");
        }
        assert_eq!(session.history().done_count(), 1);
        session.perform(&JournalEntry::Undo).unwrap();
        assert_eq!(*session.document(), before);
    }
}

#[test]
fn ik_respects_limits_and_needs_a_parent_joint() {
    let mut session = open("figure");
    let (forearm, hand) = (find(&session, "forearm.L"), find(&session, "hand.L"));
    let stiff = JointLimit { degrees: [[0.0, 0.0]; 3], ..knee() };
    run(&mut session, Command::SetLimit { joint: forearm.0, limit: Some(stiff) });
    let rest = session.document().pose().joints[forearm.index()].rotation;
    let target = (place(session.document(), hand) + Vec3::new(0.0, 0.2, 0.1)).to_array();
    run(&mut session, Command::Reach { joint: hand.0, target, chain: 2 });
    let elbow = session.document().pose().joints[forearm.index()].rotation;
    assert!(elbow.angle_between(rest) < 1e-3, "a stiff elbow stays");
    let error = rejected(&mut session, Command::Reach { joint: 0, target, chain: 2 });
    assert!(matches!(error, CommandError::NothingAbove { joint: 0 }));
}

#[test]
fn a_range_is_clamped_to_its_clip_and_removed_with_it() {
    let mut session = open("figure");
    assert!(matches!(rejected(&mut session, Command::SetRange(None)), CommandError::NoClip));
    run(&mut session, Command::ChooseClip(Some(0)));
    let duration_secs = session.document().clip().unwrap().duration_secs();
    run(&mut session, Command::SetRange(Some([0.4, -3.0])));
    assert_eq!(session.document().playhead().range_secs, Some([0.0, 0.4]));
    run(&mut session, Command::SetRange(Some([0.0, duration_secs])));
    assert_eq!(session.document().playhead().range_secs, None, "the whole clip is stored as no range");
    run(&mut session, Command::SetRange(Some([0.1, 0.2])));
    run(&mut session, Command::ChooseClip(Some(1)));
    assert_eq!(session.document().playhead().range_secs, None);
    let rate = PlaybackRate { hz: Some(0.2), is_held: false };
    assert!(matches!(rejected(&mut session, Command::SetRate(rate)), CommandError::BadValue { .. }));
}

fn clip_of(session: &Session, name: &str) -> usize {
    session.document().character().clips().iter().position(|clip| clip.name() == name).unwrap()
}

#[test]
fn a_blend_lies_between_its_clips_and_bakes_to_a_clip() {
    let mut session = open("figure");
    let (walk, run_clip) = (clip_of(&session, "walk"), clip_of(&session, "run"));
    run(&mut session, Command::ChooseClip(Some(walk)));
    run(&mut session, Command::Scrub { time_secs: 0.3 });
    let alone = session.document().pose().clone();
    let mix = |weight| Command::SetMix(Some(Mix { clip: run_clip, weight, is_synchronized: true }));
    run(&mut session, mix(0.0));
    assert_eq!(*session.document().pose(), alone);
    run(&mut session, mix(0.5));
    assert_ne!(*session.document().pose(), alone);
    let count = session.document().character().clips().len();
    run(&mut session, Command::BakeMix { fps: 30.0 });
    let document = session.document();
    assert_eq!(document.character().clips().len(), count + 1);
    assert_eq!(document.clip().unwrap().name(), "walk + run");
    assert_eq!(document.playhead().mix, None);
    assert!(matches!(rejected(&mut session, mix(1.5)), CommandError::BadValue { .. }));
    assert!(matches!(rejected(&mut session, Command::BakeMix { fps: 30.0 }), CommandError::NoMix));
}

const GRAPH: &str = include_str!("../../../../examples/figure.graph.ron");

#[test]
fn a_graph_opens_and_errors_name_file_node_and_line() {
    let mut session = open("figure");
    let opened = |text: &str| Command::OpenGraph { name: "moves.ron".into(), text: text.into() };
    run(&mut session, opened(GRAPH));
    run(&mut session, Command::SetParameter { name: "speed".into(), value: 2.0 });
    assert_eq!(session.document().graph().unwrap().values["speed"], 2.0);
    let error = rejected(&mut session, opened(&GRAPH.replace("clip: \"idle\"", "clip: \"sit\""))).to_string();
    assert!(error.contains("moves.ron") && error.contains("idle") && error.contains("sit"), "{error}");
    let error = rejected(&mut session, opened("(nodes:")).to_string();
    assert!(error.contains("line 1"), "{error}");
    let unknown = Command::SetParameter { name: "height".into(), value: 2.0 };
    assert!(matches!(rejected(&mut session, unknown), CommandError::NoParameter { .. }));
    run(&mut session, Command::CloseGraph);
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(session.document().graph().unwrap().values["speed"], 2.0);
}

#[test]
fn a_pose_is_exported_as_a_mesh_and_a_clip_as_a_vertex_cache() {
    let mut session = open("arm");
    run(&mut session, Command::Rotate { joint: 1, rotation: [0.0, 0.0, 0.6, 0.8] });
    let glb = export(session.document(), ExportFormat::MeshGlb).unwrap();
    let still = sinew_formats::read_bytes(&glb, "still.glb").unwrap().character;
    let mut evaluation = session.evaluation();
    evaluation.follow(session.document(), None).unwrap();
    let posed = &evaluation.frame().deformed()[0].positions;
    assert!(still.skins().is_empty());
    assert!(still.meshes()[0].positions().iter().zip(posed).all(|(a, b)| a.distance(*b) < 1e-5));
    let obj = String::from_utf8(export(session.document(), ExportFormat::Obj).unwrap()).unwrap();
    assert_eq!(obj.lines().filter(|line| line.starts_with("v ")).count(), posed.len());
    assert!(export(session.document(), ExportFormat::Pc2).is_err(), "no clip is chosen");
    run(&mut session, Command::ChooseClip(Some(0)));
    let cache = export(session.document(), ExportFormat::Pc2).unwrap();
    assert!(cache.starts_with(b"POINTCACHE2"));
}

#[test]
fn a_film_is_recorded_one_frame_per_step() {
    let mut session = open("arm");
    run(&mut session, Command::ChooseClip(Some(0)));
    let character = session.document().character().clone();
    let stage = Stage::new(&character, &StageTextures::none(), StageOptions::default());
    let evaluation = session.evaluation();
    let camera = stage.camera(evaluation.frame(), Orbit::FRONT, CameraLens::default());
    let limits = FilmLimits { max_width: 48, max_frames: 5, max_fps: 20.0 };
    let view = FilmView { stage, camera, width: 96, height: 64, followed_travel: None };
    let mut film = record_film(session.document(), view, limits).unwrap();
    let mut fractions = Vec::new();
    while let FilmProgress::Working(fraction) = film.step().unwrap() {
        fractions.push(fraction);
    }
    assert!(fractions.len() >= 9 && fractions.is_sorted(), "{fractions:?}");
    let gif = film.finish().unwrap();
    assert_eq!((&gif[..6], u16::from_le_bytes([gif[6], gif[7]])), (&b"GIF89a"[..], 48));
}
