//! Findings for programs.

use super::examined::Examined;
use crate::failure::Failure;
use serde_json::{Map, Value, json};
use sinew_author::{
    check::{Finding, Fix},
    weights::Displacement,
};

/// Vertices that are listed of a finding; all of them are counted.
const MOST_VERTICES: usize = 64;

pub(super) fn report(all: &[Examined]) -> Result<String, Failure> {
    let files: Vec<Value> = all.iter().map(file).collect();
    let text = serde_json::to_string_pretty(&json!({ "files": files }));
    Ok(text.map_err(|e| Failure::Print(e.into()))? + "\n")
}

fn file(one: &Examined) -> Value {
    let mut out = json!({
        "file": one.file,
        "clean": one.is_clean(),
        "findings": one.findings.iter().map(finding).collect::<Vec<_>>(),
    });
    if let Some(mended) = &one.mended {
        out["written"] = json!(mended.file);
        out["fixes"] = mended.fixes.iter().map(fix).collect();
        out["left"] = mended.left.iter().map(finding).collect();
    }
    out
}

/// A finding with everything that is known of it.
pub(super) fn finding(one: &Finding) -> Value {
    let measured: Map<String, Value> =
        one.measurements.iter().map(|m| (m.name.clone().into(), json!(m.value))).collect();
    let place = &one.place;
    json!({
        "code": one.code.as_str(),
        "severity": one.severity().as_str(),
        "message": one.message,
        "advice": one.advice(),
        "can_be_mended": one.code.can_be_fixed(),
        "place": {
            "text": place.text,
            "instance": place.instance,
            "vertex_count": place.vertices.len(),
            "vertices": &place.vertices[..place.vertices.len().min(MOST_VERTICES)],
            "skin": place.skin,
            "joint": place.joint.map(|j| j.0),
            "clip": place.clip,
            "time_secs": place.time_secs,
        },
        "measured": measured,
    })
}

fn fix(one: &Fix) -> Value {
    let moved = |d: &Displacement| json!({ "poses": d.poses, "max_mm": d.max_mm, "rms_mm": d.rms_mm });
    json!({
        "code": one.code.as_str(),
        "what": one.what,
        "moved": { "clips": moved(&one.effect.clips), "range_of_motion": moved(&one.effect.range) },
    })
}
