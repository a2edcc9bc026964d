//! Weights from one mesh to another that lies on it.

use super::{
    WeightsRun,
    args::{ResultArgs, TouchArgs, count, number},
    edit::max_influences,
    open,
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
    Edit, bind_to_skeleton,
    ops::{self, SlotMap, TransferOptions},
};

/// Transfer weights from one mesh to another that lies on it, as from a body to its clothes.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Both meshes must be in the same space. Joints are paired by name; a joint that ONTO lacks passes its
weight to its nearest ancestor there. If nothing in ONTO is skinned, it gets the skeleton, skin and
clips of FROM.")]
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

    /// The maximum distance to the source surface, in meters; vertices beyond it are filled in.
    #[arg(long, default_value_t = 0.05, value_name = "METERS", value_parser = number)]
    pub(super) distance: f32,

    /// The maximum angle between the two surface normals, in degrees.
    #[arg(long, default_value_t = 60.0, value_name = "DEGREES", value_parser = number)]
    pub(super) angle: f32,

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
        onto = bind_to_skeleton(&from, source.skin_index, &onto).attempt(attempt)?;
    }
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
        ];
        let report = MeshReport::of(&target, &transferred.outcome, facts);
        run.add(target.mesh_index, transferred.outcome.weights, report);
    }
    run.finish(&onto, quiet)
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
