//! Background jobs: their results, in this process and in a web worker.

use super::commands::{open, run};
use sinew_author::{
    check::{CheckOptions, FindingCode},
    weights::auto::AutoMethod,
};
use sinew_studio::{
    command::{Command, SelectMode, WeightOp},
    document::DocumentSource,
    session::Session,
    work::{BackgroundJob, Done, TransferBy, TransferSource, WorkError, WorkRequest, outcome},
};

#[test]
fn a_job_gives_the_same_result_in_a_web_worker() {
    let mut session = open("figure");
    let before = session.document().character().clone();
    run(
        &mut session,
        Command::SelectVertices { instance: 0, vertices: (0..900).collect(), mode: SelectMode::Replace },
    );
    run(&mut session, Command::Lock { joint: 3, is_locked: true });
    run(
        &mut session,
        Command::Weights {
            instances: vec![0],
            op: WeightOp::Limit { max_influences: 2, is_refitted: false },
        },
    );
    let target = Some("custom:1,999".parse().unwrap());
    for work in [
        WorkRequest::Auto { instances: vec![0], method: AutoMethod::Heat, max_influences: 3 },
        WorkRequest::Transfer { instances: vec![0], from: TransferSource::Opened, by: TransferBy::Order },
        WorkRequest::Check(CheckOptions { target, ..CheckOptions::default() }),
        WorkRequest::Measure { name: "it".into(), before },
    ] {
        let mut progress = |_| std::ops::ControlFlow::Continue(());
        let here = work.run(session.document(), &mut progress).unwrap();
        if let Done::Findings(findings) = &here {
            assert!(findings.iter().any(|finding| !finding.measurements.is_empty()));
        }
        let job = BackgroundJob::new(&work, session.document()).to_bytes().unwrap();
        assert_eq!(outcome(&BackgroundJob::run(&job, &mut progress)).unwrap(), here, "{}", work.name());
    }
    let missing = WorkRequest::Auto { instances: vec![7], method: AutoMethod::Heat, max_influences: 3 };
    let job = BackgroundJob::new(&missing, session.document()).to_bytes().unwrap();
    let mut progress = |_| std::ops::ControlFlow::Continue(());
    assert!(matches!(outcome(&BackgroundJob::run(&job, &mut progress)), Err(WorkError::Worker(_))));
    assert!(matches!(outcome(&BackgroundJob::run(b"{", &mut progress)), Err(WorkError::Worker(_))));
}

#[test]
fn the_doctor_repeats_import_repairs_here_and_in_a_web_worker() {
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
    let job = BackgroundJob::new(&work, session.document()).to_bytes().unwrap();
    assert_eq!(outcome(&BackgroundJob::run(&job, &mut progress)).unwrap(), here);
}

#[test]
fn a_background_job_returns_a_command_with_its_result() {
    let mut session = open("figure");
    let reported = std::cell::Cell::new(0.0);
    let mut progress = |fraction| {
        reported.set(fraction);
        std::ops::ControlFlow::Continue(())
    };
    let work = WorkRequest::Auto { instances: vec![0], method: AutoMethod::Heat, max_influences: 3 };
    let Done::Command(command) = work.run(session.document(), &mut progress).unwrap() else { panic!() };
    assert_eq!(reported.get(), 1.0);
    let before = session.document().clone();
    session.perform(&(*command).into()).unwrap();
    assert_eq!(session.history().undo_name(), Some("Automatic weights (heat)"));
    assert!(session.document().weights(0).unwrap().max_influences() <= 3);
    let measure = WorkRequest::Measure { name: "it".into(), before: before.character().clone() };
    let Done::Effect { changed, effect, .. } = measure.run(session.document(), &mut progress).unwrap() else {
        panic!()
    };
    assert!(changed > 0 && effect.clips.max_mm > 0.0);
    let back =
        WorkRequest::Transfer { instances: vec![0], from: TransferSource::Opened, by: TransferBy::Order };
    let Done::Command(command) = back.run(session.document(), &mut progress).unwrap() else { panic!() };
    session.perform(&(*command).into()).unwrap();
    assert_eq!(session.document().weights(0), before.weights(0), "the opened weights are back");
    run(
        &mut session,
        Command::Weights {
            instances: vec![0],
            op: WeightOp::Limit { max_influences: 1, is_refitted: false },
        },
    );
    let from = TransferSource::Source(DocumentSource::Builtin("figure".into()));
    let other = WorkRequest::Transfer { instances: vec![0], from, by: TransferBy::Surface };
    let Done::Command(command) = other.run(session.document(), &mut progress).unwrap() else { panic!() };
    session.perform(&(*command).into()).unwrap();
    assert!(session.document().weights(0).unwrap().max_influences() > 1, "weights of another file");
    let mut cancel = |_| std::ops::ControlFlow::Break(());
    assert!(matches!(work.run(session.document(), &mut cancel), Err(WorkError::Author(_))));
}
