//! Weight operations on several meshes are one step.

use super::{
    commands::{rejected, run},
    pair::{pair, twins},
};
use sinew::{Character, Weights};
use sinew_author::weights::auto::AutoMethod;
use sinew_studio::{
    command::{Command, CommandError, CopiedWeights, SelectBy, SelectMode, WeightOp},
    document::DocumentSource,
    gesture::GestureIds,
    session::{JournalEntry, Session},
    work::{Done, TransferBy, TransferSource, WorkRequest},
};
use std::{ops::ControlFlow, sync::Arc};

fn open(character: &Character) -> Session {
    let bytes = sinew_formats::to_glb(character).unwrap();
    Session::open(DocumentSource::Content { name: "two.glb".into(), bytes: bytes.into() }).unwrap()
}

fn weights(session: &Session) -> Vec<Arc<Weights>> {
    (0..session.document().character().instances().len())
        .map(|instance| Arc::clone(session.document().weights(instance).unwrap()))
        .collect()
}

/// Performs a command that must change every mesh, and undoes and redoes it as one step.
fn changes_all(session: &mut Session, command: Command) {
    let before = weights(session);
    let steps = session.history().done_count();
    run(session, command.clone());
    let after = weights(session);
    assert!(before.iter().zip(&after).all(|(a, b)| a != b), "{command:?}");
    assert_eq!(session.history().done_count(), steps + 1);
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(weights(session), before);
    session.perform(&JournalEntry::Redo).unwrap();
    assert_eq!(weights(session), after);
}

#[test]
fn operations_reach_every_mesh_as_one_step() {
    for op in [
        WeightOp::Smooth { iterations: 2, step: 0.5, max_influences: 4 },
        WeightOp::Sharpen { power: 1.5 },
        WeightOp::Prune { min_weight: 0.2 },
        WeightOp::Limit { max_influences: 1, is_refitted: false },
        WeightOp::Quantize { bits: 8 },
        WeightOp::Merge { joint: 1, into: 0 },
    ] {
        let mut session = open(&twins());
        changes_all(&mut session, Command::Weights { instances: vec![0, 1], op });
        let [first, second] = &weights(&session)[..] else { panic!() };
        assert_eq!(first, second, "both meshes are changed alike");
    }
}

#[test]
fn a_mesh_with_two_instances_is_edited_once() {
    let mut parts = sinew_samples::arm().into_parts();
    parts.instances.push(parts.instances[0].clone());
    let mut session = open(&Character::new(parts).unwrap());
    let op = WeightOp::Sharpen { power: 1.5 };
    run(&mut session, Command::Weights { instances: vec![0, 1], op });
    let mut alone = open(&sinew_samples::arm());
    run(&mut alone, Command::Weights { instances: vec![0], op });
    assert_eq!(session.document().weights(0), alone.document().weights(0));
}

#[test]
fn an_operation_leaves_out_meshes_that_it_does_not_fit_unless_it_fits_none() {
    let mut session = open(&pair());
    let before = weights(&session);
    let op = WeightOp::Merge { joint: 1, into: 0 };
    run(&mut session, Command::Weights { instances: vec![0, 1], op });
    let after = weights(&session);
    assert!(after[0] != before[0] && after[1] == before[1]);
    let error = rejected(&mut session, Command::Weights { instances: vec![1], op });
    assert!(matches!(error, CommandError::NotInSkin { joint: 1, instance: 1 }), "{error}");
}

#[test]
fn an_operation_that_fails_on_one_mesh_changes_none() {
    let mut session = open(&twins());
    let op = WeightOp::Sharpen { power: 1.5 };
    let error = rejected(&mut session, Command::Weights { instances: vec![0, 7], op });
    assert!(matches!(error, CommandError::Missing { index: 7, .. }), "{error}");
}

#[test]
fn copied_weights_are_pasted_over_several_meshes_in_order() {
    let mut session = open(&twins());
    run(&mut session, Command::SelectBy { by: SelectBy::All, mode: SelectMode::Replace });
    let copied = CopiedWeights::of_selection(session.document());
    let opened = weights(&session);
    let op = WeightOp::Limit { max_influences: 1, is_refitted: false };
    changes_all(&mut session, Command::Weights { instances: vec![0, 1], op });
    changes_all(&mut session, Command::PasteWeights { instances: vec![0, 1], copied, is_mean: false });
    for (now, then) in weights(&session).iter().zip(&opened) {
        let count = now.vertex_count();
        let is_near = |v: usize| (now.weight_of(v, 1) - then.weight_of(v, 1)).abs() < 1e-6;
        assert!((0..count).all(is_near));
    }
}

#[test]
fn background_jobs_reach_every_mesh_and_count_those_that_they_cannot() {
    let mut session = open(&twins());
    let mut reported = Vec::new();
    let mut progress = |fraction| {
        reported.push(fraction);
        ControlFlow::Continue(())
    };
    let auto = WorkRequest::Auto { instances: vec![0, 1], method: AutoMethod::Heat, max_influences: 1 };
    let Done::Command(command) = auto.run(session.document(), &mut progress).unwrap() else { panic!() };
    assert!(reported.is_sorted() && reported.last() == Some(&1.0), "{reported:?}");
    changes_all(&mut session, *command);
    assert_eq!(session.history().undo_name(), Some("Automatic weights (heat) (2 meshes)"));

    let mut progress = |_| ControlFlow::Continue(());
    let (from, by) = (TransferSource::Opened, TransferBy::Order);
    let transfer = WorkRequest::Transfer { instances: vec![0, 1], from, by };
    let Done::Command(command) = transfer.run(session.document(), &mut progress).unwrap() else { panic!() };
    changes_all(&mut session, *command);
    // An instance that does not exist stands for a mesh that a job cannot change.
    let transfer = WorkRequest::Transfer { instances: vec![0, 7], from: TransferSource::Opened, by };
    let Done::Command(command) = transfer.run(session.document(), &mut progress).unwrap() else { panic!() };
    assert_eq!(command.name(), "Transfer weights by vertex index (1 of 2 meshes)");
}

#[test]
fn a_gesture_over_several_meshes_is_one_step() {
    let mut session = open(&twins());
    let before = weights(&session);
    let gesture = Some(GestureIds::default().begin());
    for (instance, weight) in [(0, 0.2), (1, 0.2), (0, 0.4), (1, 0.4)] {
        let command = Command::SetWeight { instance, vertices: (0..9).collect(), joint: 1, weight };
        session.perform(&JournalEntry::Do { command, gesture }).unwrap();
    }
    let after = weights(&session);
    assert_eq!(session.history().done_count(), 1);
    session.perform(&JournalEntry::Undo).unwrap();
    assert_eq!(weights(&session), before);
    session.perform(&JournalEntry::Redo).unwrap();
    assert_eq!(weights(&session), after);
}
