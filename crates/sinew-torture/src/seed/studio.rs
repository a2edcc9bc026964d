//! What the studio records and sends.

use super::humanoid;
use serde_json::{Value, json};
use sinew_author::{check::CheckOptions, weights::auto::AutoMethod};
use sinew_studio::{
    command::{Command, SelectMode},
    document::DocumentSource,
    session::{JournalEntry, Session},
    work::{BackgroundJob, TransferBy, TransferSource, WorkRequest},
};

/// The humanoid as a file that was dropped on the page.
fn source() -> DocumentSource {
    let bytes = super::written(&humanoid());
    DocumentSource::Content { name: "humanoid.glb".into(), bytes: bytes.into() }
}

fn entries() -> Vec<JournalEntry> {
    let commands = [
        Command::SelectJoint(Some(3)),
        Command::Rotate { joint: 3, rotation: [0.0, 0.0, 0.6, 0.8] },
        Command::Translate { joint: 0, translation: [0.0, 1.0, 0.5] },
        Command::Scale { joint: 5, scale: [1.0, 2.0, 1.0] },
        Command::Reach { joint: 7, target: [0.2, 1.2, 0.3], chain: 2 },
        Command::SelectVertices { instance: 0, vertices: vec![0, 1, 2, 67], mode: SelectMode::default() },
        Command::Lock { joint: 2, is_locked: true },
        Command::SetMethod("dual-quat".into()),
        Command::Precompute("delta-mush".into()),
        Command::ResetJoint(3),
        Command::ResetPose,
        Command::ClearVertices,
    ];
    let steps = commands.into_iter().map(JournalEntry::from);
    steps.chain([JournalEntry::Undo, JournalEntry::Undo, JournalEntry::Redo]).collect()
}

/// Journals of the first version, whose lines have no checksum: edits of their JSON reach the replay.
#[must_use]
pub fn journals() -> Vec<Vec<u8>> {
    let journal = |source: DocumentSource| {
        let head = json!({ "version": 1, "source": source, "file": Value::Null });
        let entries = entries().into_iter().map(|entry| json!(entry).to_string());
        let lines: Vec<String> =
            [head.to_string()].into_iter().chain(entries).chain([String::new()]).collect();
        lines.join("\n").into_bytes()
    };
    vec![journal(source()), journal(DocumentSource::Builtin("arm".into()))]
}

/// Jobs of every kind for the page's worker.
#[must_use]
pub fn page_messages() -> Vec<Vec<u8>> {
    let session = Session::open(source()).expect("the humanoid opens");
    let document = session.document();
    let requests = [
        WorkRequest::Auto { instances: vec![0], method: AutoMethod::Heat, max_influences: 4 },
        WorkRequest::Transfer { instances: vec![0], from: TransferSource::Opened, by: TransferBy::Surface },
        WorkRequest::Check(CheckOptions::default()),
        WorkRequest::Measure { name: "Smooth".into(), before: document.character().clone() },
    ];
    requests.iter().filter_map(|request| BackgroundJob::new(request, document).to_bytes()).collect()
}
