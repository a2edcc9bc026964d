//! Two sets of weights, as numbers and as a picture.

use super::{
    args::DiffArgs,
    report::{effect, moved_json, moved_text, print_json},
    skinned::{Skinned, open},
};
use crate::{failure::Failure, output};
use serde_json::{Value, json};
use sinew::{Character, Frame, Method, Weights, glam::Vec2};
use sinew_author::weights::{
    Edit, Effect,
    diff::{JointDiff, WeightDiff},
    ops::{self, CopyBy, SlotMap},
};
use sinew_view::{
    camera::{CameraLens, Orbit},
    encode::encode_png,
    legend::Legend,
    palette::Ramp,
    picture::Picture,
    raster::{RenderOptions, render},
    stage::{Field, SkinLook, Stage, StageOptions, StageTextures},
    texture::TextureLimits,
    theme::Theme,
};
use std::{fmt::Write, path::Path};

const SIZE: RenderOptions = RenderOptions::new(800, 800);
/// The height of what stands above the picture, in pixels.
const STRIP: u32 = 60;
/// Joints that are printed of a mesh; JSON has all of them.
const MOST_JOINTS: usize = 12;

/// A mesh with how its weights differ.
struct MeshDiff<'a> {
    subject: Skinned<'a>,
    /// True where the two skins order their joints differently.
    by_name: bool,
    diff: WeightDiff,
    effect: Effect,
}

pub(super) fn run(args: &DiffArgs, quiet: bool) -> Result<(), Failure> {
    let (before, after) = (open(&args.a, quiet)?, open(&args.b, quiet)?);
    let ones = Skinned::weighted(&before, &args.a, args.mesh.as_deref())?;
    let others = Skinned::weighted(&after, &args.b, args.mesh.as_deref())?;
    if ones.len() != others.len() {
        let what = format!("{} has {} skinned meshes, {} has {}", args.a, ones.len(), args.b, others.len());
        return Err(Failure::usage(what));
    }
    let pairs = ones.into_iter().zip(&others);
    let diffs: Vec<MeshDiff<'_>> = pairs.map(|(one, other)| compare(one, other)).collect::<Result<_, _>>()?;
    if let Some(path) = &args.heat {
        draw(&before, &diffs, path)?;
    }
    if args.json {
        let meshes: Vec<Value> = diffs.iter().map(json).collect();
        return print_json(&json!({ "a": args.a, "b": args.b, "heat": args.heat, "meshes": meshes }));
    }
    if quiet {
        return Ok(());
    }
    let mut out = format!("diff: {} and {}\n", args.a, args.b);
    diffs.iter().for_each(|one| text(one, &mut out));
    if let Some(path) = &args.heat {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "wrote {}", path.display());
    }
    output::print(out)
}

fn compare<'a>(one: Skinned<'a>, other: &Skinned<'_>) -> Result<MeshDiff<'a>, Failure> {
    let edit = Edit::new(one.mesh())?;
    let before = edit.weights();
    let theirs = Edit::new(other.mesh())?.weights();
    let (count, wanted) = (theirs.vertex_count(), before.vertex_count());
    if count != wanted {
        let what = format!("mesh {} has {wanted} vertices, {} has {count}", one.label(), other.label());
        return Err(Failure::usage(what));
    }
    let names = |s: &Skinned<'_>| -> Vec<String> {
        (0..s.skin().joints().len()).map(|slot| s.joint_name(slot as u16)).collect()
    };
    let by_name = names(&one) != names(other);
    let renumbered: Weights;
    let after = if by_name {
        let slots = SlotMap::by_name((other.skeleton(), other.skin()), (one.skeleton(), one.skin()));
        renumbered = ops::copy(&edit, other.mesh(), theirs, &slots, CopyBy::Order)?.outcome.weights;
        &renumbered
    } else {
        theirs
    };
    let diff = WeightDiff::new(before, after)?;
    Ok(MeshDiff { by_name, diff, effect: effect(&one, &one.poses(), before, after), subject: one })
}

fn text(one: &MeshDiff<'_>, out: &mut String) {
    let (diff, subject) = (&one.diff, &one.subject);
    let _ = writeln!(
        out,
        "  {}: {} of {} vertices differ, L1 {:.4} on average, {:.4} at most (vertex {})",
        subject.label(),
        diff.changed,
        diff.l1.len(),
        diff.mean_l1,
        diff.max_l1,
        diff.worst_vertex
    );
    if one.by_name {
        let _ = writeln!(out, "    the skins order their joints differently: paired by name");
    }
    out.push_str(&moved_text(&one.effect));
    if !diff.joints.is_empty() {
        let head = ["before", "after", "moved", "most"].map(|h| format!("{h:>10}")).concat();
        let _ = writeln!(out, "    {:<24}{head}  vertices", "joint");
    }
    for joint in diff.joints.iter().take(MOST_JOINTS) {
        let _ = writeln!(
            out,
            "    {:<24}{:>10.2}{:>10.2}{:>10.2}{:>10.4}{:>10}",
            subject.joint_name(joint.slot),
            joint.before,
            joint.after,
            joint.moved,
            joint.most,
            joint.vertices
        );
    }
    if diff.joints.len() > MOST_JOINTS {
        let _ = writeln!(out, "    … and {} joints more", diff.joints.len() - MOST_JOINTS);
    }
}

fn json(one: &MeshDiff<'_>) -> Value {
    let joint = |j: &JointDiff| {
        json!({
            "joint": one.subject.joint_name(j.slot),
            "slot": j.slot,
            "before": j.before,
            "after": j.after,
            "moved": j.moved,
            "most": j.most,
            "worst_vertex": j.worst_vertex,
            "vertices": j.vertices,
        })
    };
    json!({
        "mesh": one.subject.mesh().name(),
        "index": one.subject.mesh_index,
        "paired_by_name": one.by_name,
        "vertices": one.diff.l1.len(),
        "changed": one.diff.changed,
        "mean_l1": one.diff.mean_l1,
        "max_l1": one.diff.max_l1,
        "worst_vertex": one.diff.worst_vertex,
        "moved": moved_json(&one.effect),
        "joints": one.diff.joints.iter().map(joint).collect::<Vec<_>>(),
    })
}

/// The character at rest, in the colours of the sum of differences of each vertex.
fn draw(character: &Character, diffs: &[MeshDiff<'_>], path: &Path) -> Result<(), Failure> {
    let unable = |e: &dyn std::fmt::Display| Failure::Draw(e.to_string());
    let values = character.instances().iter().map(|instance| {
        let own = diffs.iter().find(|d| d.subject.mesh_index == instance.mesh);
        let none = || vec![0.0; character.mesh_of(instance).vertex_count()];
        own.map_or_else(none, |d| d.diff.l1.clone()).into()
    });
    let most = diffs.iter().map(|d| d.diff.max_l1).fold(0.0, f32::max);
    let high = if most > 0.0 { most } else { 2.0 };
    let skin = SkinLook::Field(Field { values: values.collect(), low: 0.0, high, ramp: Ramp::Heat });
    let textures = StageTextures::decode(character, TextureLimits::default());
    let stage =
        Stage::new(character, &textures, StageOptions { skin, contours: false, ..StageOptions::default() });
    let mut frame = Frame::new(character);
    frame.deform(Method::Linear).map_err(|e| unable(&e))?;
    let lens = CameraLens { aspect: SIZE.aspect(), ..CameraLens::default() };
    let camera = stage.camera(character, &frame, Orbit::THREE_QUARTER, lens);
    let scene = stage.scene(character, &frame, camera).map_err(|e| unable(&e))?;
    let drawn = render(&scene, &SIZE).map_err(|e| unable(&e))?;
    let colors = Theme::Light.page();
    let mut picture = Picture::filled(drawn.width(), drawn.height() + STRIP, colors.page);
    picture.place(&drawn, 0, STRIP.cast_signed());
    let label = "sum of differences of a vertex's weights".into();
    let legend = Legend::Scale { ramp: Ramp::Heat, low: 0.0, high, label };
    legend.draw(&mut picture, Vec2::splat(14.0), drawn.width() as f32 - 28.0, 15.0, &colors);
    output::write(path, encode_png(&picture).map_err(|e| unable(&e))?)
}
