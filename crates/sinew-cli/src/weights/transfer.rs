//! Weights from one mesh to another that lies on it.

use super::{
    args::TransferArgs,
    change::max_influences,
    report::{Fact, MeshReport},
    skinned::{Skinned, open},
    write,
};
use crate::failure::Failure;
use sinew::{Influence, Weights};
use sinew_author::weights::{
    Edit, dress,
    ops::{self, SlotMap, TransferOptions},
};

pub(super) fn run(args: &TransferArgs, quiet: bool) -> Result<(), Failure> {
    let from = open(&args.from, quiet)?;
    let sources = Skinned::weighted(&from, &args.from, args.from_mesh.as_deref())?;
    let Some(source) = sources.iter().max_by_key(|s| s.mesh().vertex_count()) else { return Ok(()) };
    let source_weights = Edit::new(source.mesh())?.weights();
    let mut onto = open(&args.onto, quiet)?;
    if onto.instances().iter().all(|i| i.skin.is_none()) {
        // Clothes as they come from a modeller: the body lends them its skeleton and skin.
        onto = dress(&from, source.skin_index, &onto).map_err(|e| Failure::Work(e.to_string()))?;
    }
    let options = TransferOptions {
        distance: args.distance,
        angle_radians: args.angle.clamp(0.0, 180.0).to_radians(),
        most: max_influences(args.influences, source_weights.max_influences()),
    };
    let (mut changed, mut reports) = (Vec::new(), Vec::new());
    for subject in Skinned::all(&onto, &args.onto, args.result.mesh.as_deref())? {
        let slots =
            SlotMap::by_name((source.skeleton(), source.skin()), (subject.skeleton(), subject.skin()));
        if slots.unmatched() == source.skin().joints().len() {
            let what = format!("no joint of {} has a namesake in the skin of {}", args.from, subject.label());
            return Err(Failure::usage(what));
        }
        let own = own_weights(&subject)?;
        let poses = subject.poses();
        let edit = Edit::with_weights(subject.mesh(), &own)?.over(&poses);
        let (selection, locks) = subject.touched(&args.touch, &own)?;
        let edit = edit.select(selection).lock(locks);
        let made = ops::transfer(&edit, source.mesh(), source_weights, &slots, &options)?;
        let facts = vec![
            ("points on the source", Fact::Count(made.matched)),
            ("points filled in", Fact::Count(made.filled)),
            ("points by the nearest place", Fact::Count(made.by_nearest)),
            ("source joints without a place", Fact::Count(slots.unmatched())),
        ];
        let report = MeshReport::of(&subject, &made.outcome, facts);
        if report.is_changed() {
            changed.push((subject.mesh_index, made.outcome.weights));
        }
        reports.push(report);
    }
    write("transfer", &args.onto, &args.result, &onto, changed, &reports, quiet)
}

/// The weights of the mesh, or everything on the first joint where it has none.
fn own_weights(subject: &Skinned<'_>) -> Result<Weights, Failure> {
    if let Some(own) = subject.mesh().weights() {
        return Ok(Weights::clone(own));
    }
    let first = [Influence { slot: 0, weight: 1.0 }];
    let vertices = std::iter::repeat_n(first, subject.mesh().vertex_count());
    let made = Weights::new(subject.skin().joints().len(), vertices);
    Ok(made.map_err(|e| Failure::Work(e.to_string()))?.0)
}
