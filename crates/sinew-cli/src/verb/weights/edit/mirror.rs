//! Mirroring one side of the body to the other, with a joint map that can be shown and edited.

use super::{EditTarget, MirrorArgs, edit};
use crate::{
    failure::Failure,
    limits, output,
    verb::weights::{
        open,
        report::{Fact, FactValue, NameList},
        skinned::MeshWithSkin,
    },
};
use sinew::Mesh;
use sinew_author::weights::{
    MuscleSlots,
    ops::{self, MirrorJointMap, MirrorOptions},
};
use std::collections::BTreeMap;

pub(in crate::verb::weights) fn mirror(args: &MirrorArgs, quiet: bool) -> Result<(), Failure> {
    if args.show_map {
        return show(args, quiet);
    }
    let target = EditTarget { file: &args.file, touch: &args.touch, quiet };
    let maps = joint_maps(args, true)?;
    edit("mirror", &target, |edit, mesh| {
        let options = options(args, mesh.mesh());
        let new = || MirrorJointMap::new(mesh.skeleton(), mesh.skin(), &options);
        let map = maps.get(&mesh.skin_index).cloned().unwrap_or_else(new);
        let muscles = MuscleSlots::of_character(mesh.character, mesh.skin_index);
        let mirrored = ops::mirror_over_surface(edit, &map, &muscles, &options)?;
        let unpaired = NameList::of(mesh, &map.unpaired());
        let count = FactValue::Count;
        let facts = vec![
            Fact::new("mirrored_point_count", "points mirrored", count(mirrored.mirrored)),
            Fact::new("centered_point_count", "points on the plane", count(mirrored.centered)),
            Fact::new("unmatched_point_count", "points without a partner", count(mirrored.unmatched.len())),
            Fact::new("unpaired_joints", "joints without a partner", FactValue::Names(unpaired)),
        ];
        Ok((mirrored.outcome, facts))
    })
}

/// Prints the pairs of joints, as a file for `--map`.
fn show(args: &MirrorArgs, quiet: bool) -> Result<(), Failure> {
    let maps = joint_maps(args, quiet)?;
    let texts: Vec<String> = maps.values().map(MirrorJointMap::to_text).collect();
    output::print_data(texts.join("\n"))
}

/// The joint map of every skin that deforms a mesh which is to be mirrored, with the edits of `--map`.
fn joint_maps(args: &MirrorArgs, quiet: bool) -> Result<BTreeMap<usize, MirrorJointMap>, Failure> {
    let file = &args.file.file;
    let character = open(file, quiet)?;
    let edits = args.map.as_ref().map(|path| limits::read_text(path)).transpose()?;
    let mut out = BTreeMap::new();
    for mesh in MeshWithSkin::weighted(&character, file, args.file.result.mesh.as_deref())? {
        let found = MirrorJointMap::new(mesh.skeleton(), mesh.skin(), &options(args, mesh.mesh()));
        let edited = match edits.as_ref().zip(args.map.as_ref()) {
            Some((text, path)) => found
                .edited(text, mesh.skeleton())
                .map_err(|error| Failure::usage(format!("{}: {error}", output::shown_path(path))))?,
            None => found,
        };
        out.entry(mesh.skin_index).or_insert(edited);
    }
    Ok(out)
}

fn options(args: &MirrorArgs, mesh: &Mesh) -> MirrorOptions {
    let usual = MirrorOptions::over_surface_of(mesh);
    MirrorOptions {
        axis: args.axis.into(),
        middle: args.middle,
        from: args.from.into(),
        tolerance: args.tolerance.unwrap_or(usual.tolerance),
    }
}
