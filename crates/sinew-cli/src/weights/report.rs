//! What was done and what it does, for people and for programs.

use super::{args::ResultArgs, skinned::Skinned};
use crate::{failure::Failure, output};
use serde_json::{Map, Value, json};
use sinew::Weights;
use sinew_author::weights::{
    Displacement, EditOutcome, Effect, EffectPoses, diff::WeightDiff, effect::Bound,
};
use std::fmt::Write;

/// Names that are printed of a list; all of them are counted.
const MOST_NAMES: usize = 12;

/// A fact about an operation.
pub(super) enum Fact {
    Count(usize),
    Share(f64),
    Names(Vec<String>),
}

/// Facts with what they are about.
pub(super) type Facts = Vec<(&'static str, Fact)>;

/// What became of one mesh.
pub(super) struct MeshReport {
    label: String,
    name: String,
    index: usize,
    vertices: usize,
    changed: usize,
    /// None where the mesh had no weights.
    most_before: Option<usize>,
    most_after: usize,
    /// None where there was nothing to measure against.
    effect: Option<Effect>,
    facts: Facts,
}

impl MeshReport {
    /// What an operation says about itself.
    pub(super) fn of(subject: &Skinned<'_>, outcome: &EditOutcome, facts: Facts) -> Self {
        let before = subject.mesh().weights().map(|w| w.max_influences());
        let (after, effect) = (outcome.weights.max_influences(), before.map(|_| outcome.effect));
        let changed = if before.is_some() { outcome.changed } else { outcome.weights.vertex_count() };
        Self::new(subject, changed, (before, after), effect, facts)
    }

    /// `weights` held against those that the mesh has.
    pub(super) fn against_own(
        subject: &Skinned<'_>,
        weights: &Weights,
        facts: Facts,
    ) -> Result<Self, Failure> {
        let after = weights.max_influences();
        let Some(own) = subject.mesh().weights() else {
            return Ok(Self::new(subject, weights.vertex_count(), (None, after), None, facts));
        };
        let diff = WeightDiff::new(own, weights)?;
        let mut all: Facts = vec![("mean l1", Fact::Share(diff.mean_l1))];
        all.extend(facts);
        let effect = effect(subject, &subject.poses(), own, weights);
        Ok(Self::new(subject, diff.changed, (Some(own.max_influences()), after), Some(effect), all))
    }

    fn new(
        subject: &Skinned<'_>,
        changed: usize,
        (most_before, most_after): (Option<usize>, usize),
        effect: Option<Effect>,
        facts: Facts,
    ) -> Self {
        Self {
            label: subject.label(),
            name: subject.mesh().name().into(),
            index: subject.mesh_index,
            vertices: subject.mesh().vertex_count(),
            changed,
            most_before,
            most_after,
            effect,
            facts,
        }
    }

    pub(super) fn is_changed(&self) -> bool {
        self.changed > 0
    }

    fn text(&self, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = write!(out, "  {}: {} of {} vertices changed", self.label, self.changed, self.vertices);
        let before = self.most_before.map_or_else(String::new, |before| format!(" ({before} before)"));
        let _ = writeln!(out, ", at most {} influences{before}", self.most_after);
        if let Some(effect) = &self.effect {
            out.push_str(&moved_text(effect));
        }
        for (what, fact) in &self.facts {
            let _ = match fact {
                Fact::Count(count) => writeln!(out, "    {what}: {count}"),
                Fact::Share(share) => writeln!(out, "    {what}: {share:.4}"),
                Fact::Names(names) if names.is_empty() => Ok(()),
                Fact::Names(names) => writeln!(out, "    {what} ({}): {}", names.len(), listed(names)),
            };
        }
    }

    fn json(&self) -> Value {
        let fact = |(what, fact): &(&'static str, Fact)| {
            let value = match fact {
                Fact::Count(count) => json!(count),
                Fact::Share(share) => json!(share),
                Fact::Names(names) => json!(names),
            };
            (what.replace(' ', "_"), value)
        };
        json!({
            "mesh": self.name,
            "index": self.index,
            "vertices": self.vertices,
            "changed": self.changed,
            "influences": { "before": self.most_before, "after": self.most_after },
            "moved": self.effect.as_ref().map(moved_json),
            "facts": self.facts.iter().map(fact).collect::<Map<_, _>>(),
        })
    }
}

fn listed(names: &[String]) -> String {
    let more = if names.len() > MOST_NAMES { ", …" } else { "" };
    format!("{}{more}", names[..names.len().min(MOST_NAMES)].join(", "))
}

/// How far `after` moves the vertices of a mesh from where `before` has them.
pub(super) fn effect(
    subject: &Skinned<'_>,
    poses: &EffectPoses,
    before: &Weights,
    after: &Weights,
) -> Effect {
    let bound = |weights| Bound { positions: subject.mesh().positions(), weights, poses };
    Effect::between(&bound(before), &bound(after))
}

fn over(effect: &Effect) -> [(&'static str, &'static str, &Displacement); 2] {
    [("clips", "the clips", &effect.clips), ("range_of_motion", "a range of motion", &effect.range)]
}

/// A line for the clips and one for the range of motion.
pub(super) fn moved_text(effect: &Effect) -> String {
    let mut out = String::new();
    for (_, what, d) in over(effect).into_iter().filter(|(_, _, d)| d.poses > 0) {
        let _ = writeln!(
            out,
            "    moved by {:.3} mm at most, {:.3} mm RMS over {} poses of {what}",
            d.max_mm, d.rms_mm, d.poses
        );
    }
    out
}

/// The same for programs.
pub(super) fn moved_json(effect: &Effect) -> Value {
    let displacement = |d: &Displacement| {
        json!({
            "poses": d.poses,
            "max_mm": d.max_mm,
            "rms_mm": d.rms_mm,
            "mean_mm": d.mean_mm,
            "worst_vertex": d.worst_vertex,
            "worst_pose": d.worst_pose,
        })
    };
    over(effect)
        .into_iter()
        .map(|(key, _, d)| (key.to_owned(), displacement(d)))
        .collect::<Map<_, _>>()
        .into()
}

/// Prints what was done to each mesh, after the result was written.
pub(super) fn print(
    operation: &str,
    file: &str,
    meshes: &[MeshReport],
    args: &ResultArgs,
    quiet: bool,
) -> Result<(), Failure> {
    let written = args.output.as_ref().map(|path| path.display().to_string());
    if args.json {
        return print_json(&json!({
            "operation": operation,
            "file": file,
            "written": written,
            "meshes": meshes.iter().map(MeshReport::json).collect::<Vec<_>>(),
        }));
    }
    if quiet {
        return Ok(());
    }
    let mut out = format!("{operation}: {file}\n");
    meshes.iter().for_each(|mesh| mesh.text(&mut out));
    out += &written.map_or("nothing is written without -o OUT\n".into(), |path| format!("wrote {path}\n"));
    output::print(out)
}

pub(super) fn print_json(value: &Value) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Failure::Print(e.into()))?;
    output::print(text + "\n")
}
