//! Weights from one mesh to another that lies on it.

use super::{
    WeightsRun,
    args::{ResultArgs, TouchArgs, count, number},
    edit::max_influences,
    heat, open,
    report::{Fact, FactValue, MeshReport},
    skinned::MeshWithSkin,
};
use crate::{
    failure::{Attempt, AttemptWithOptions, Failure},
    output,
};
use clap::ValueHint;
use sinew::{Influence, Weights};
use sinew_author::weights::{
    ClothesPose, Edit, bind_to_skeleton, clothes_pose,
    ops::{self, SlotMap, TransferOptions},
};
use std::{collections::BTreeMap, path::PathBuf};

/// Transfer weights from one mesh to another that lies on it, as from a body to its clothes.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Skinned meshes are compared in the bind pose of ONTO, whatever pose either file rests in. Joints are
paired by name; a joint that ONTO lacks passes its weight to its nearest ancestor there. If nothing
in ONTO is skinned, it gets the skeleton, skin and clips of FROM; it must lie on FROM as FROM rests or
as it was bound.")]
pub(super) struct TransferArgs {
    /// The transfer source: a file, or a built-in character.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) from: String,

    /// The transfer target: a file, or a built-in character.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) onto: String,

    #[command(flatten)]
    pub(super) result: ResultArgs,
    #[command(flatten)]
    pub(super) touch: TouchArgs,

    /// The mesh of FROM, by name or by number from 0; without it the skinned mesh with the most vertices.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(super) from_mesh: Option<String>,

    /// The maximum distance of a confident match, in units of the mesh; without it 5 % of the diagonal of ONTO. Vertices
    /// without a confident match are inpainted.
    #[arg(long, value_name = "UNITS", value_parser = number)]
    pub(super) distance: Option<f32>,

    /// The maximum angle between the two surface normals of a confident match, in degrees.
    #[arg(long, default_value_t = 30.0, value_name = "DEGREES", value_parser = number)]
    pub(super) angle: f32,

    /// Draw how far the weights of each vertex can be trusted, from 0 to 1.
    #[arg(long, value_name = "PNG", value_hint = ValueHint::FilePath)]
    pub(super) confidence: Option<PathBuf>,

    /// The maximum number of influences per vertex; without it 4, or as many as FROM has if more.
    #[arg(long, value_name = "COUNT", value_parser = count)]
    pub(super) influences: Option<usize>,
}

pub(super) fn run(args: &TransferArgs, quiet: bool) -> Result<(), Failure> {
    args.result.output.as_deref().map_or(Ok(()), output::require_gltf)?;
    let attempt = || format!("transfer the weights of {} to {}", args.from, args.onto);
    let from = open(&args.from, quiet)?;
    let sources = MeshWithSkin::weighted(&from, &args.from, args.from_mesh.as_deref())?;
    let Some(source) = sources.iter().max_by_key(|s| s.mesh().vertex_count()) else { return Ok(()) };
    let source_weights = Edit::new(source.mesh()).attempt_with_options(attempt)?.weights();
    let mut onto = open(&args.onto, quiet)?;
    if onto.instances().iter().all(|i| i.skin.is_none()) {
        // Clothes straight from a modeling program have no skeleton of their own.
        let pose = clothes_pose(&from, source.skin_index, &onto).attempt(attempt)?;
        if !quiet && pose == ClothesPose::Bind {
            tell!("{} lies on the bind pose of {}", args.onto, args.from);
        }
        onto = bind_to_skeleton(&from, source.skin_index, &onto).attempt(attempt)?;
    }
    let mut confidence: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
    let options = TransferOptions {
        distance: args.distance,
        angle_radians: args.angle.clamp(0.0, 180.0).to_radians(),
        max_influences: max_influences(args.influences, source_weights.max_influences()),
    };
    let mut run = WeightsRun::new("transfer", &args.onto, &args.result);
    for target in MeshWithSkin::all(&onto, &args.onto, args.result.mesh.as_deref())? {
        let slots = SlotMap::by_name(source.rig(), target.rig());
        if slots.unmatched() == source.skin().joints().len() {
            let cause = format!("no joint of {} has a namesake in the skin of {}", args.from, target.label());
            return Err(Failure::usage(cause));
        }
        let existing = existing_weights(&target).attempt(attempt)?;
        let poses = run.skins.poses(&target);
        let edit = Edit::with_weights(target.mesh(), &existing).attempt_with_options(attempt)?.over(&poses);
        let (selection, locks) = target.touched(&args.touch, &existing)?;
        let edit = edit.select(selection).lock(locks);
        let transferred = ops::transfer(&edit, source.mesh(), source_weights, &slots, &options)
            .attempt_with_options(attempt)?;
        let count = FactValue::Count;
        let facts = vec![
            Fact::new("matched_point_count", "points on the source", count(transferred.matched)),
            Fact::new("filled_point_count", "points filled in", count(transferred.filled)),
            Fact::new(
                "nearest_point_count",
                "points from the nearest position",
                count(transferred.by_nearest),
            ),
            Fact::new("unmatched_joint_count", "source joints without a match", count(slots.unmatched())),
            Fact::new(
                "mean_confidence",
                "mean confidence",
                FactValue::Fraction(mean(&transferred.confidence)),
            ),
        ];
        let report = MeshReport::of(&target, &transferred.outcome, facts);
        run.add(target.mesh_index, transferred.outcome.weights, report);
        confidence.insert(target.mesh_index, transferred.confidence);
    }
    if let Some(path) = &args.confidence {
        let of_mesh = |mesh: usize| confidence.get(&mesh).cloned();
        output::write(
            path,
            heat::draw(&onto, of_mesh, 1.0, "confidence of a vertex's weights").attempt(attempt)?,
        )?;
    }
    run.finish(&onto, quiet)
}

fn mean(values: &[f32]) -> f64 {
    values.iter().map(|v| f64::from(*v)).sum::<f64>() / values.len().max(1) as f64
}

/// The weights of the mesh, or everything on the first joint if it has none.
fn existing_weights(mesh: &MeshWithSkin<'_>) -> Result<Weights, sinew::WeightsError> {
    if let Some(weights) = mesh.mesh().weights() {
        return Ok(Weights::clone(weights));
    }
    let first = [Influence { slot: 0, weight: 1.0 }];
    let vertices = std::iter::repeat_n(first, mesh.mesh().vertex_count());
    Ok(Weights::new(mesh.skin().joints().len(), vertices)?.0)
}
