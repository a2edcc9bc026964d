//! JSON for programs: the envelope of every document, and the objects that several verbs print.
//!
//! docs/json.md lists every key. Keys are snake_case and carry their unit; a change that breaks a reader raises
//! [`SCHEMA`].

use crate::{failure::Failure, output};
use serde::{Serialize, ser::Error as _};
use serde_json::value::RawValue;
use sinew::Aabb;
use sinew::finding::Finding;
use sinew_author::weights::{Displacement, Effect};
use sinew_formats::WriteReport;
use std::{cell::RefCell, collections::BTreeMap};

/// The version of every JSON document.
pub(crate) const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document<'a, T> {
    schema: u32,
    #[serde(flatten)]
    body: &'a T,
    /// What happened to the content of the file that was read, for verbs that write one.
    #[serde(skip_serializing_if = "Option::is_none")]
    write: Option<&'a WriteReport>,
}

/// Prints `body`, which must serialize to an object, with the schema number in front.
pub(crate) fn print(body: &impl Serialize) -> Result<(), Failure> {
    print_written(body, None)
}

/// As [`print`], with the report of the file that was written.
pub(crate) fn print_written(body: &impl Serialize, write: Option<&WriteReport>) -> Result<(), Failure> {
    output::print_json(document(body, write)?)
}

/// A document as text, with the schema number in front.
pub(crate) fn text(body: &impl Serialize) -> Result<String, Failure> {
    document(body, None)
}

thread_local! {
    /// The documents that are printed on this thread, while they are kept for a list.
    static KEPT: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Does work on one of several files, and keeps the documents that it would print.
pub(crate) fn kept<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    KEPT.set(Some(Vec::new()));
    let done = work();
    (done, KEPT.take().unwrap_or_default())
}

/// Keeps a document if this thread works on one of several files. Returns whether it does.
pub(crate) fn keep(document: &str) -> bool {
    KEPT.with_borrow_mut(|kept| match kept {
        Some(kept) => {
            kept.push(document.trim_end().to_owned());
            true
        }
        None => false,
    })
}

/// The document of a file that failed.
#[derive(Serialize)]
struct FailedDocument<'a> {
    file: &'a str,
    error: String,
}

/// What a file leaves in the list if work on it failed.
pub(crate) fn failed(file: &str, failure: &Failure) -> Result<String, Failure> {
    text(&FailedDocument { file, error: failure.to_string() })
}

/// Prints the documents of several files as one list.
pub(crate) fn print_list(documents: &[String]) -> Result<(), Failure> {
    output::print_json(list(documents.iter().map(String::as_str))?)
}

/// Documents as one list.
pub(crate) fn list<'a>(documents: impl Iterator<Item = &'a str>) -> Result<String, Failure> {
    let items: Result<Vec<&RawValue>, _> = documents.map(serde_json::from_str).collect();
    let text = items.and_then(|items| serde_json::to_string_pretty(&items));
    Ok(text.map_err(|error| Failure::Print(serde_json::Error::custom(error).into()))? + "\n")
}

fn document(body: &impl Serialize, write: Option<&WriteReport>) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(&Document { schema: SCHEMA, body, write });
    Ok(text.map_err(|e| Failure::Print(e.into()))? + "\n")
}

/// An axis-aligned box in model space.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct JsonBounds {
    pub(crate) min_meters: [f32; 3],
    pub(crate) max_meters: [f32; 3],
}

impl From<Aabb> for JsonBounds {
    fn from(bounds: Aabb) -> Self {
        Self { min_meters: bounds.min.to_array(), max_meters: bounds.max.to_array() }
    }
}

/// How far a change moves vertices, over the clips and over a range of motion.
#[derive(Debug, Serialize)]
pub(crate) struct JsonEffect {
    clips: JsonDisplacement,
    range_of_motion: JsonDisplacement,
}

/// Distances between vertices before and after, over all poses of a set.
#[derive(Debug, Serialize)]
struct JsonDisplacement {
    pose_count: usize,
    max_mm: f64,
    rms_mm: f64,
    mean_mm: f64,
    worst_vertex: usize,
    worst_pose: usize,
}

impl From<&Effect> for JsonEffect {
    fn from(effect: &Effect) -> Self {
        let displacement = |d: &Displacement| JsonDisplacement {
            pose_count: d.poses,
            max_mm: d.max_mm,
            rms_mm: d.rms_mm,
            mean_mm: d.mean_mm,
            worst_vertex: d.worst_vertex,
            worst_pose: d.worst_pose,
        };
        Self { clips: displacement(&effect.clips), range_of_motion: displacement(&effect.range) }
    }
}

/// One finding of the importer or of `sinew check`.
#[derive(Debug, Serialize)]
pub(crate) struct JsonFinding {
    code: &'static str,
    severity: &'static str,
    message: String,
    advice: &'static str,
    /// Whether `sinew check --fix` can fix it.
    fixable: bool,
    place: JsonPlace,
    measurements: BTreeMap<String, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<JsonFindingEffect>,
}

/// How far a fault moves the skin, at most.
#[derive(Debug, Serialize)]
struct JsonFindingEffect {
    max_mm: f64,
    height_percent: f64,
}

/// Where a finding is. Everything but the text is absent if it does not apply.
#[derive(Debug, Serialize)]
struct JsonPlace {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vertex_count: Option<usize>,
    /// The first [`MAX_VERTICES`] of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    vertices: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skin: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    joint: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clip: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_secs: Option<f32>,
}

/// Vertices that are listed of a finding; all of them are counted.
const MAX_VERTICES: usize = 64;

impl From<&Finding> for JsonFinding {
    fn from(finding: &Finding) -> Self {
        let place = &finding.place;
        Self {
            code: finding.code.as_str(),
            severity: finding.severity().as_str(),
            message: finding.message.clone(),
            advice: finding.advice(),
            fixable: finding.code.can_be_fixed(),
            place: JsonPlace {
                text: place.text.clone(),
                instance: place.instance,
                vertex_count: (!place.vertices.is_empty()).then_some(place.vertices.len()),
                vertices: place.vertices.iter().take(MAX_VERTICES).copied().collect(),
                skin: place.skin,
                joint: place.joint.map(|joint| joint.0),
                clip: place.clip,
                time_secs: place.time_secs,
            },
            measurements: finding.measurements.iter().map(|m| (m.name.to_string(), m.value)).collect(),
            effect: finding.effect.map(|effect| JsonFindingEffect {
                max_mm: effect.max_mm,
                height_percent: effect.height_percent,
            }),
        }
    }
}
