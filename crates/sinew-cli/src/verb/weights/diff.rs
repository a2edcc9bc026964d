//! The difference of two sets of weights, as numbers and as a picture.

use super::{
    heat, open,
    report::{effect, effect_text},
    skinned::{MeshWithSkin, SkinData},
};
use crate::{
    failure::{Attempt, AttemptWithOptions, Failure},
    json::{self, JsonEffect},
    output,
};
use clap::ValueHint;
use serde::Serialize;
use sinew::{Character, Weights};
use sinew_author::weights::{
    Edit, Effect, WeightError,
    diff::{JointDiff, WeightDiff},
    ops::{self, CopyBy, SlotMap},
};
use std::{error::Error, fmt::Write, path::PathBuf};

/// Compare the weights of two files, mesh by mesh.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
The L1 distance of a vertex is the sum of the absolute differences of its weights: 0 for equal
weights, 2 if no joint is shared. Muscle weights add their own differences.")]
pub(super) struct DiffArgs {
    /// The weights before: a file, or a built-in character.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) a: String,

    /// The weights after, of the same meshes.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) b: String,

    /// Compare this mesh only, by name or by number from 0.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(super) mesh: Option<String>,

    /// Draw a difference map of the weights.
    #[arg(long, value_name = "PNG", value_hint = ValueHint::FilePath)]
    pub(super) heat: Option<PathBuf>,

    /// Print everything as JSON, for programs.
    #[arg(long)]
    pub(super) json: bool,
}

/// How many joints of a mesh are printed; JSON has all of them.
const MAX_JOINTS: usize = 12;

/// A mesh and the difference of its weights.
struct MeshDiff<'a> {
    mesh: MeshWithSkin<'a>,
    /// True if the two skins order their joints differently.
    paired_by_name: bool,
    diff: WeightDiff,
    effect: Effect,
}

pub(super) fn run(args: &DiffArgs, quiet: bool) -> Result<(), Failure> {
    let (before, after) = (open(&args.a, quiet)?, open(&args.b, quiet)?);
    let ones = MeshWithSkin::weighted(&before, &args.a, args.mesh.as_deref())?;
    let others = MeshWithSkin::weighted(&after, &args.b, args.mesh.as_deref())?;
    if ones.len() != others.len() {
        let what =
            format!("{} has {} skinned meshes, but {} has {}", args.a, ones.len(), args.b, others.len());
        return Err(Failure::usage(what));
    }
    let pairs = ones.into_iter().zip(&others);
    let mut skins = SkinData::default();
    let diffs = pairs.map(|(one, other)| compare(one, other, &mut skins));
    let diffs: Vec<MeshDiff<'_>> = diffs.collect::<Result<_, _>>()?;
    if let Some(path) = &args.heat {
        let picture = draw(&before, &diffs).attempt(|| format!("draw {}", path.display()))?;
        output::write(path, picture)?;
    }
    if args.json {
        return json::print(&JsonDiff {
            file_before: &args.a,
            file_after: &args.b,
            output: args.heat.as_ref().map(|path| path.display().to_string()),
            meshes: diffs.iter().map(JsonMeshDiff::from).collect(),
        });
    }
    if quiet {
        return Ok(());
    }
    let mut out = format!("diff: {} and {}\n", args.a, args.b);
    diffs.iter().for_each(|diff| text(diff, &mut out));
    if let Some(path) = &args.heat {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "wrote {}", path.display());
    }
    output::print_text(out)
}

fn compare<'a>(
    one: MeshWithSkin<'a>,
    other: &MeshWithSkin<'_>,
    skins: &mut SkinData,
) -> Result<MeshDiff<'a>, Failure> {
    let (count, wanted) = (other.mesh().vertex_count(), one.mesh().vertex_count());
    if count != wanted {
        let (before, after) = (one.label(), other.label());
        return Err(Failure::usage(format!("mesh {before} has {wanted} vertices, but {after} has {count}")));
    }
    weight_diff(one, other, skins)
        .attempt_with_options(|| format!("compare the weights of {} and {}", one.label(), other.label()))
}

fn weight_diff<'a>(
    one: MeshWithSkin<'a>,
    other: &MeshWithSkin<'_>,
    skins: &mut SkinData,
) -> Result<MeshDiff<'a>, WeightError> {
    let edit = Edit::new(one.mesh())?;
    let before = edit.weights();
    let theirs = Edit::new(other.mesh())?.weights();
    let (own_joints, their_joints) = (one.skin().joints(), other.skin().joints());
    let names = own_joints.iter().map(|joint| one.skeleton().name(*joint));
    let paired_by_name = !names.eq(their_joints.iter().map(|joint| other.skeleton().name(*joint)));
    let renumbered: Weights;
    let after = if paired_by_name {
        let slots = SlotMap::by_name(other.rig(), one.rig());
        renumbered = ops::copy(&edit, other.mesh(), theirs, &slots, CopyBy::Order)?.outcome.weights;
        &renumbered
    } else {
        theirs
    };
    let diff = WeightDiff::new(before, after)?;
    Ok(MeshDiff { paired_by_name, diff, effect: effect(&one, &skins.poses(&one), before, after), mesh: one })
}

fn text(one: &MeshDiff<'_>, out: &mut String) {
    let (diff, mesh) = (&one.diff, &one.mesh);
    let _ = writeln!(
        out,
        "  {}: {} of {} vertices differ, mean L1 {:.4}, max L1 {:.4} (vertex {})",
        mesh.label(),
        diff.changed,
        diff.l1.len(),
        diff.mean_l1,
        diff.max_l1,
        diff.worst_vertex
    );
    if one.paired_by_name {
        let _ = writeln!(out, "    the skins order their joints differently: paired by name");
    }
    out.push_str(&effect_text(&one.effect));
    let listed = || diff.joints.iter().take(MAX_JOINTS);
    let longest = listed().map(|joint| label(mesh, joint).chars().count()).max().unwrap_or(0);
    let width = longest.max(24);
    if !diff.joints.is_empty() {
        let head = ["before", "after", "change", "max"].map(|h| format!("{h:>10}")).concat();
        let _ = writeln!(out, "    {:<width$}{head}  vertices", "joint");
    }
    for joint in listed() {
        let _ = writeln!(
            out,
            "    {:<width$}{:>10.2}{:>10.2}{:>10.2}{:>10.4}{:>10}",
            label(mesh, joint),
            joint.before,
            joint.after,
            joint.moved,
            joint.max_difference,
            joint.vertices
        );
    }
    if diff.joints.len() > MAX_JOINTS {
        let _ = writeln!(out, "    … and {} more joints", diff.joints.len() - MAX_JOINTS);
    }
}

/// The name of a joint, marked if the line is about its muscle weights.
fn label(mesh: &MeshWithSkin<'_>, joint: &JointDiff) -> String {
    mesh.joint_name(joint.slot) + if joint.is_muscle { " (muscle)" } else { "" }
}

/// Everything that `--json` prints.
#[derive(Serialize)]
struct JsonDiff<'a> {
    file_before: &'a str,
    file_after: &'a str,
    /// The path of the difference map.
    output: Option<String>,
    meshes: Vec<JsonMeshDiff<'a>>,
}

#[derive(Serialize)]
struct JsonMeshDiff<'a> {
    mesh: &'a str,
    mesh_index: usize,
    vertex_count: usize,
    changed_vertex_count: usize,
    paired_by_name: bool,
    mean_l1: f64,
    max_l1: f32,
    worst_vertex: usize,
    displacement: JsonEffect,
    joints: Vec<JsonJointDiff>,
}

/// The weight of one joint; totals are sums over all vertices.
#[derive(Serialize)]
struct JsonJointDiff {
    joint: String,
    slot: u16,
    /// True for muscle weights, which do not count toward the sum of one.
    is_muscle: bool,
    total_before: f64,
    total_after: f64,
    total_change: f64,
    max_change: f32,
    worst_vertex: usize,
    changed_vertex_count: usize,
}

impl<'a> From<&'a MeshDiff<'_>> for JsonMeshDiff<'a> {
    fn from(one: &'a MeshDiff<'_>) -> Self {
        let joint = |joint: &JointDiff| JsonJointDiff {
            joint: one.mesh.joint_name(joint.slot),
            slot: joint.slot,
            is_muscle: joint.is_muscle,
            total_before: joint.before,
            total_after: joint.after,
            total_change: joint.moved,
            max_change: joint.max_difference,
            worst_vertex: joint.worst_vertex,
            changed_vertex_count: joint.vertices,
        };
        Self {
            mesh: one.mesh.mesh().name(),
            mesh_index: one.mesh.mesh_index,
            vertex_count: one.diff.l1.len(),
            changed_vertex_count: one.diff.changed,
            paired_by_name: one.paired_by_name,
            mean_l1: one.diff.mean_l1,
            max_l1: one.diff.max_l1,
            worst_vertex: one.diff.worst_vertex,
            displacement: (&one.effect).into(),
            joints: one.diff.joints.iter().map(joint).collect(),
        }
    }
}

/// A PNG of the character in the rest pose, colored by the L1 distance of each vertex.
fn draw(character: &Character, diffs: &[MeshDiff<'_>]) -> Result<Vec<u8>, Box<dyn Error>> {
    let of_mesh = |mesh: usize| diffs.iter().find(|d| d.mesh.mesh_index == mesh).map(|d| d.diff.l1.clone());
    let max = diffs.iter().map(|d| d.diff.max_l1).fold(0.0, f32::max);
    let high = if max > 0.0 { max } else { 2.0 };
    heat::draw(character, of_mesh, high, "L1 distance of a vertex's weights")
}
