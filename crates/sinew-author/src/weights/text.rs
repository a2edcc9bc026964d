//! A text format for weights that people can read and version control can compare.
//!
//! ```text
//! sinew-weights 1
//! mesh "body"
//! vertices 3
//! 0: "spine" 0.75 "neck" 0.25
//! 1: "neck" 1
//! 2: "arm#7" 0.5 "arm#9" 0.5
//! ```
//!
//! There is one vertex per line, with its joints by falling weight. Numbers are as short as possible and still exact. A joint
//! whose name is not unique in the skin has its slot after a `#`.
//!
//! A mesh with muscle weights has version 2: after the weights that sum to one, a `|` and the muscles of the vertex, with
//! weights of any sum and sign.
//!
//! ```text
//! sinew-weights 2
//! mesh "arm"
//! vertices 2
//! 0: "upper" 1 | "upper.muscle.1" 0.8125
//! 1: "upper" 0.5 "lower" 0.5
//! ```

use sinew::{
    Influence, Skeleton, Skin, WeightSum, Weights, WeightsError,
    naming::{Labels, quoted, unquoted},
};
use std::{collections::HashMap, fmt::Write};
use thiserror::Error;

/// Why a text cannot be read as weights.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum WeightsTextError {
    /// A line is malformed.
    #[error("line {line}: {what}")]
    BadLine {
        /// The line number, counted from 1.
        line: usize,
        /// What is wrong, in words.
        what: &'static str,
    },
    /// A joint is not in the skin.
    #[error("line {line}: the skin has no joint {joint:?}")]
    UnknownJoint {
        /// The line number, counted from 1.
        line: usize,
        /// The name of the joint.
        joint: String,
    },
    /// The number of vertices differs from the one that the text declares.
    #[error("the text declares {said} vertices, got {found}")]
    WrongCount {
        /// The declared number of vertices.
        said: usize,
        /// The number of vertices found.
        found: usize,
    },
    /// The numbers are not valid weights.
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

/// The first line of a text without muscle weights.
const HEADER: &str = "sinew-weights 1";
/// The first line of a text with muscle weights.
const MUSCLE_HEADER: &str = "sinew-weights 2";

/// Writes the `weights` of the mesh called `mesh` for `skin`, muscle weights included.
#[must_use]
pub fn to_text(mesh: &str, weights: &Weights, skeleton: &Skeleton, skin: &Skin) -> String {
    let labels: Vec<String> = labels(skeleton, skin).iter().map(|l| quoted(l)).collect();
    let header = if weights.sum_kind() == WeightSum::Muscle { MUSCLE_HEADER } else { HEADER };
    let mut out = format!("{header}\nmesh {}\nvertices {}\n", quoted(mesh), weights.vertex_count());
    let put = |out: &mut String, i: Influence| {
        let unknown = || quoted(&format!("#{}", i.slot));
        let label = labels.get(usize::from(i.slot)).cloned().unwrap_or_else(unknown);
        // Writing to a string does not fail.
        let _ = write!(out, " {label} {}", i.weight);
    };
    for vertex in 0..weights.vertex_count() {
        let _ = write!(out, "{vertex}:");
        weights.influences(vertex).for_each(|i| put(&mut out, i));
        let muscles = weights.muscle_influences(vertex);
        out.push_str(if muscles.len() > 0 { " |" } else { "" });
        muscles.for_each(|i| put(&mut out, i));
        out.push('\n');
    }
    out
}

/// Reads weights for `skin`. Vertices must be in order. Weights that sum to one are normalized.
///
/// A text of version 1 says nothing about muscle weights: those of `existing`, if there are any, stay.
///
/// # Errors
/// If a line is malformed, or a joint is not in the skin.
pub fn from_text(
    text: &str,
    skeleton: &Skeleton,
    skin: &Skin,
    existing: Option<&Weights>,
) -> Result<Weights, WeightsTextError> {
    let labels = labels(skeleton, skin);
    let slots: HashMap<&str, u16> =
        labels.iter().enumerate().map(|(slot, l)| (&l[..], slot as u16)).collect();
    let lines = text.lines().map(str::trim).enumerate().map(|(at, line)| (at + 1, line));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with("//"));
    let TextHead { has_muscles, vertex_count: said } = read_head(&mut lines)?;
    let (mut vertices, mut muscles) = (Vec::new(), Vec::new());
    for (line, text) in lines {
        let bad = |what| WeightsTextError::BadLine { line, what };
        let (number, rest) = text.split_once(':').ok_or(bad("a colon is missing after the vertex number"))?;
        if number.trim().parse() != Ok(vertices.len()) {
            return Err(bad("the vertex is out of order"));
        }
        let (carriers, rest) = read_influences(line, rest, &slots)?;
        if carriers.is_empty() {
            return Err(bad("the vertex has no joints"));
        }
        let (of_muscles, rest) = match rest.strip_prefix('|').filter(|_| has_muscles) {
            Some(rest) => read_influences(line, rest, &slots)?,
            None => (Vec::new(), rest),
        };
        if !rest.is_empty() {
            return Err(bad("a joint name must be in quotes"));
        }
        vertices.push(carriers);
        muscles.push(of_muscles);
    }
    if vertices.len() != said {
        return Err(WeightsTextError::WrongCount { said, found: vertices.len() });
    }
    let slot_count = skin.joints().len();
    let (weights, _) = Weights::new(slot_count, vertices)?;
    Ok(match (has_muscles, existing) {
        (true, _) => weights.with_muscle_weights(slot_count, muscles)?,
        (false, Some(existing)) => weights.with_muscles_of(existing),
        (false, None) => weights,
    })
}

/// What the lines before the first vertex say.
struct TextHead {
    has_muscles: bool,
    vertex_count: usize,
}

fn read_head<'t>(lines: &mut impl Iterator<Item = (usize, &'t str)>) -> Result<TextHead, WeightsTextError> {
    let bad = |line, what| WeightsTextError::BadLine { line, what };
    let (line, header) = lines.next().ok_or(bad(1, "the text is empty"))?;
    let has_muscles = header == MUSCLE_HEADER;
    if header != HEADER && !has_muscles {
        return Err(bad(line, "the first line must be \"sinew-weights 1\" or \"sinew-weights 2\""));
    }
    let (line, mesh) = lines.next().ok_or(bad(line + 1, "the line must be mesh NAME"))?;
    if !mesh.starts_with("mesh ") {
        return Err(bad(line, "the line must be mesh NAME"));
    }
    let (line, count) = lines.next().ok_or(bad(line + 1, "the number of vertices is missing"))?;
    let count = count.strip_prefix("vertices ").and_then(|n| n.trim().parse::<usize>().ok());
    let vertex_count = count.ok_or(bad(line, "the number of vertices is missing"))?;
    Ok(TextHead { has_muscles, vertex_count })
}

/// The joints with their weights at the start of `rest`, and what comes after them.
fn read_influences<'t>(
    line: usize,
    mut rest: &'t str,
    slots: &HashMap<&str, u16>,
) -> Result<(Vec<Influence>, &'t str), WeightsTextError> {
    let bad = |what| WeightsTextError::BadLine { line, what };
    let mut out = Vec::new();
    loop {
        rest = rest.trim_start();
        if rest.is_empty() || rest.starts_with('|') {
            return Ok((out, rest));
        }
        let (name, after) = unquoted(rest).ok_or(bad("a joint name must be in quotes"))?;
        let number = after.split_whitespace().next().unwrap_or_default();
        let weight: f32 = number.parse().map_err(|_| bad("a weight is missing after a joint name"))?;
        rest = after.trim_start().get(number.len()..).unwrap_or_default();
        let slot = slots.get(&name[..]).copied();
        let slot = slot.ok_or_else(|| WeightsTextError::UnknownJoint { line, joint: name.clone() })?;
        out.push(Influence { slot, weight });
    }
}

/// The label of each joint: its name, with its slot if the name is not unique.
fn labels(skeleton: &Skeleton, skin: &Skin) -> Vec<String> {
    let labels = Labels::new(skin.joints().iter().map(|joint| skeleton.name(*joint)));
    (0..skin.joints().len()).map(|slot| labels.label(slot).to_owned()).collect()
}
