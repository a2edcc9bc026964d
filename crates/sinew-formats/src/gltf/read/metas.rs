//! Reads meta-channels from an animation's `extras` under `sinew`.
//!
//! ```json
//! "metas": [ { "name": "fov", "kind": "scalar", "interpolation": "LINEAR", "times": [ 0, 1.5 ], "values": [ 60, 35 ] } ]
//! ```

use super::GltfReader;
use crate::report::FindingCode;
use serde::Deserialize;
use serde_json::Value;
use sinew::{
    Clip, Curve, Interpolation, MetaChannel, MetaCurve,
    glam::{Quat, Vec3},
};
use std::collections::HashSet;

#[derive(Debug, Deserialize)]
struct MetaJson {
    name: String,
    kind: String,
    #[serde(default)]
    interpolation: Option<String>,
    times: Vec<f32>,
    values: Vec<f32>,
}

impl GltfReader<'_> {
    /// The meta-channels of an animation. Invalid ones are skipped and reported.
    pub(super) fn metas(&mut self, place: &str, list: Value) -> Vec<MetaChannel> {
        let list = match list {
            Value::Null => return Vec::new(),
            Value::Array(list) => list,
            _ => {
                let detail = "meta-channels must be a list; they were ignored";
                self.report.add(FindingCode::EventsIgnored, format!("{place}.metas"), detail);
                return Vec::new();
            }
        };
        let (mut out, mut names) = (Vec::new(), HashSet::new());
        for (index, value) in list.into_iter().enumerate() {
            match meta(value) {
                Ok(meta) if names.insert(meta.name.clone()) => out.push(meta),
                Ok(meta) => {
                    let detail = format!("{:?} is duplicate", meta.name);
                    self.report.add(FindingCode::EventsIgnored, format!("{place}.metas[{index}]"), detail);
                }
                Err(detail) => {
                    self.report.add(FindingCode::EventsIgnored, format!("{place}.metas[{index}]"), detail);
                }
            }
        }
        out
    }
}

fn meta(value: Value) -> Result<MetaChannel, String> {
    let MetaJson { name, kind, interpolation, times, values } =
        serde_json::from_value(value).map_err(|e| e.to_string())?;
    let interpolation = match interpolation.as_deref() {
        None | Some("LINEAR") => Interpolation::Linear,
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::Cubic,
        Some(other) => return Err(format!("interpolation {other:?} is unsupported")),
    };
    let curve = match kind.as_str() {
        "scalar" => Curve::new(times, values, interpolation).map(MetaCurve::Scalar),
        "vector" => Curve::new(times, rows(&values, Vec3::from_array)?, interpolation).map(MetaCurve::Vector),
        "rotation" => {
            Curve::new(times, rows(&values, Quat::from_array)?, interpolation).map(MetaCurve::Rotation)
        }
        other => return Err(format!("the kind {other:?} is unsupported")),
    };
    let meta = MetaChannel { name, curve: curve.map_err(|e| e.to_string())? };
    // The constructor of clips decides what is valid: try the meta-channel alone.
    let alone = Clip::new("", vec![], vec![]).and_then(|clip| clip.with_metas(vec![meta.clone()]));
    alone.map(|_| meta).map_err(|e| e.to_string())
}

/// Groups of `N` numbers; the last must be complete.
fn rows<T, const N: usize>(values: &[f32], make: impl Fn([f32; N]) -> T) -> Result<Vec<T>, String> {
    match values.as_chunks() {
        (rows, []) => Ok(rows.iter().map(|&row| make(row)).collect()),
        (_, rest) => Err(format!("{} values are left over after groups of {N}", rest.len())),
    }
}
