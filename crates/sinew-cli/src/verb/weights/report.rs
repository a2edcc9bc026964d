//! What an operation did and how far it moves vertices, as text and as JSON.

use super::{
    WeightsRun,
    skinned::{MeshWithSkin, SkinData},
};
use crate::{
    failure::Failure,
    json::{self, JsonEffect},
    output,
    text::list,
};
use serde::Serialize;
use sinew::Weights;
use sinew_author::weights::{
    EditOutcome, Effect, EffectPoses, WeightError, diff::WeightDiff, effect::BoundVertices,
};
use sinew_formats::WriteReport;
use std::{collections::BTreeMap, fmt::Write};

/// How many names of a list are printed; all of them are counted.
const MAX_NAMES: usize = 12;

/// How many names of a list are kept, for JSON.
const MAX_LISTED: usize = 1000;
/// How many bytes the names of a list may have together.
const MAX_LISTED_BYTES: usize = 16 << 10;

/// A fact about an operation that only some operations have.
#[derive(Debug)]
pub(super) struct Fact {
    /// The key in JSON.
    key: &'static str,
    label: &'static str,
    value: FactValue,
}

impl Fact {
    pub(super) fn new(key: &'static str, label: &'static str, value: FactValue) -> Self {
        Self { key, label, value }
    }
}

/// The value of a fact.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum FactValue {
    Count(usize),
    Fraction(f64),
    Names(NameList),
    Text(&'static str),
}

/// Names of joints, of which the first are listed.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct NameList {
    listed: Vec<String>,
    #[serde(skip)]
    count: usize,
}

impl NameList {
    /// The names of the joints at `slots`, as many as fit: a file may have thousands of meshes with thousands of joints,
    /// and names of any length.
    pub(super) fn of(mesh: &MeshWithSkin<'_>, slots: &[u16]) -> Self {
        let mut bytes_left = MAX_LISTED_BYTES;
        let fits = |name: &String| {
            let left = bytes_left.checked_sub(name.len());
            bytes_left = left.unwrap_or(bytes_left);
            left.is_some()
        };
        let names = slots.iter().take(MAX_LISTED).map(|&slot| mesh.joint_name(slot));
        Self { listed: names.filter(fits).collect(), count: slots.len() }
    }
}

/// The maximum number of influences per vertex.
#[derive(Clone, Copy, Debug, Serialize)]
struct MaxInfluences {
    /// `None` if the mesh had no weights.
    before: Option<usize>,
    after: usize,
}

/// What an operation did to one mesh.
pub(super) struct MeshReport {
    label: String,
    name: String,
    index: usize,
    vertices: usize,
    changed: usize,
    influences: MaxInfluences,
    /// `None` if the mesh had no weights to compare with.
    effect: Option<Effect>,
    facts: Vec<Fact>,
}

impl MeshReport {
    /// The report of an edit.
    pub(super) fn of(mesh: &MeshWithSkin<'_>, outcome: &EditOutcome, facts: Vec<Fact>) -> Self {
        let before = mesh.mesh().weights().map(|w| w.max_influences());
        let influences = MaxInfluences { before, after: outcome.weights.max_influences() };
        let changed = if before.is_some() { outcome.changed } else { outcome.weights.vertex_count() };
        Self { changed, effect: before.map(|_| outcome.effect), facts, ..Self::new(mesh, influences) }
    }

    /// The report of `weights` that replace those of the mesh, whatever they are.
    pub(super) fn against_existing(
        mesh: &MeshWithSkin<'_>,
        weights: &Weights,
        facts: Vec<Fact>,
        skins: &mut SkinData,
    ) -> Result<Self, WeightError> {
        let after = weights.max_influences();
        let Some(existing) = mesh.mesh().weights() else {
            let influences = MaxInfluences { before: None, after };
            return Ok(Self { changed: weights.vertex_count(), facts, ..Self::new(mesh, influences) });
        };
        let diff = WeightDiff::new(existing, weights)?;
        let mut all = vec![Fact::new("mean_l1", "mean L1 distance", FactValue::Fraction(diff.mean_l1))];
        all.extend(facts);
        let influences = MaxInfluences { before: Some(existing.max_influences()), after };
        let effect = Some(effect(mesh, &skins.poses(mesh), existing, weights));
        Ok(Self { changed: diff.changed, effect, facts: all, ..Self::new(mesh, influences) })
    }

    fn new(mesh: &MeshWithSkin<'_>, influences: MaxInfluences) -> Self {
        Self {
            label: mesh.label(),
            name: mesh.mesh().name().into(),
            index: mesh.mesh_index,
            vertices: mesh.mesh().vertex_count(),
            changed: 0,
            influences,
            effect: None,
            facts: Vec::new(),
        }
    }

    pub(super) fn is_changed(&self) -> bool {
        self.changed > 0
    }

    fn text(&self, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = write!(out, "  {}: {} of {} vertices changed", self.label, self.changed, self.vertices);
        let before = self.influences.before.map_or_else(String::new, |before| format!(" ({before} before)"));
        let _ = writeln!(out, ", at most {} influences{before}", self.influences.after);
        if let Some(effect) = &self.effect {
            out.push_str(&effect_text(effect));
        }
        for Fact { label, value, .. } in &self.facts {
            let _ = match value {
                FactValue::Count(count) => writeln!(out, "    {label}: {count}"),
                FactValue::Fraction(fraction) => writeln!(out, "    {label}: {fraction:.4}"),
                FactValue::Text(text) => writeln!(out, "    {label}: {text}"),
                FactValue::Names(names) if names.count == 0 => Ok(()),
                FactValue::Names(names) => {
                    writeln!(out, "    {label} ({}): {}", names.count, listed(&names.listed))
                }
            };
        }
    }
}

fn listed(names: &[String]) -> String {
    let more = if names.len() > MAX_NAMES { ", …" } else { "" };
    format!("{}{more}", list(&names[..names.len().min(MAX_NAMES)]))
}

/// How far `after` moves the vertices of a mesh from where `before` has them.
pub(super) fn effect(
    mesh: &MeshWithSkin<'_>,
    poses: &EffectPoses,
    before: &Weights,
    after: &Weights,
) -> Effect {
    let bound = |weights| BoundVertices { positions: mesh.mesh().positions(), weights, poses };
    Effect::between(&bound(before), &bound(after))
}

/// A line for the clips and one for the range of motion.
pub(super) fn effect_text(effect: &Effect) -> String {
    let mut out = String::new();
    for (poses, moved) in [("the clips", &effect.clips), ("a range of motion", &effect.range)] {
        if moved.poses > 0 {
            let _ = writeln!(
                out,
                "    moved by at most {:.3} mm, {:.3} mm RMS over {} poses of {poses}",
                moved.max_mm, moved.rms_mm, moved.poses
            );
        }
    }
    out
}

/// Everything that `--json` prints.
#[derive(Serialize)]
struct JsonReport<'a> {
    operation: &'a str,
    file: &'a str,
    output: Option<String>,
    meshes: Vec<JsonMesh<'a>>,
}

#[derive(Serialize)]
struct JsonMesh<'a> {
    mesh: &'a str,
    mesh_index: usize,
    vertex_count: usize,
    changed_vertex_count: usize,
    max_influences: MaxInfluences,
    displacement: Option<JsonEffect>,
    facts: BTreeMap<&'static str, &'a FactValue>,
}

impl<'a> From<&'a MeshReport> for JsonMesh<'a> {
    fn from(report: &'a MeshReport) -> Self {
        Self {
            mesh: &report.name,
            mesh_index: report.index,
            vertex_count: report.vertices,
            changed_vertex_count: report.changed,
            max_influences: report.influences,
            displacement: report.effect.as_ref().map(JsonEffect::from),
            facts: report.facts.iter().map(|fact| (fact.key, &fact.value)).collect(),
        }
    }
}

/// Prints what was done to each mesh, after the result was written.
pub(super) fn print(run: &WeightsRun<'_>, write: Option<&WriteReport>, quiet: bool) -> Result<(), Failure> {
    let (operation, file) = (&run.operation, run.file);
    let output = run.result.output.as_ref().map(|path| path.display().to_string());
    if run.result.json {
        let meshes = run.reports.iter().map(JsonMesh::from).collect();
        return json::print_written(&JsonReport { operation, file, output, meshes }, write);
    }
    if quiet {
        return Ok(());
    }
    let mut out = format!("{operation}: {file}\n");
    run.reports.iter().for_each(|mesh| mesh.text(&mut out));
    out += &output.map_or("nothing is written without -o OUT\n".into(), |path| format!("wrote {path}\n"));
    output::print_text(out)
}
