//! Computes, limits and checks weights in code: `cargo run -p sinew --release --example weights`.

use sinew::{Character, Mesh, Precomputed};
use sinew_author::check::{CheckOptions, check, fix};
use sinew_author::uninterrupted;
use sinew_author::weights::auto::{AutoOptions, auto_weights};
use sinew_author::weights::{BoneSet, Edit, EffectPoses, ops};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let figure = sinew_samples::figure();
    let body = figure.instances()[0].clone();
    let skin = figure.skin_of(&body).ok_or("the body has no skin")?;

    // New weights from the skeleton alone.
    let bones = BoneSet::of_skin(figure.skeleton(), skin);
    let made = auto_weights(figure.mesh_of(&body), &bones, &AutoOptions::default(), &mut uninterrupted)?;
    println!("{} bones, at most {} influences", made.report.bones, made.report.max_influences);

    // A character with them: take the parts, replace the mesh, build it again.
    let mut parts = figure.into_parts();
    let mesh = Mesh::clone(&parts.meshes[body.mesh]);
    parts.meshes[body.mesh] = Arc::new(mesh.with_weights(Arc::new(made.weights), Precomputed::default())?);
    let figure = Character::new(parts)?;

    // Two influences per vertex, fitted over the clips, with the measured effect.
    let poses = EffectPoses::of_character(&figure, body.skin.unwrap_or(0), &Default::default());
    let edit = Edit::new(figure.mesh_of(&body))?.over(&poses);
    let limited = ops::limit(&edit, 2, ops::LimitBy::Refit)?;
    println!(
        "two influences move vertices by up to {:.2} mm, {:.3} mm RMS",
        limited.effect.clips.max_mm, limited.effect.clips.rms_mm
    );

    // What the skin doctor says, and what it fixes.
    let options = CheckOptions::default();
    let findings = check(&figure, &[], &options);
    for finding in &findings {
        println!("{} at {}: {}", finding.code, finding.place, finding.message);
    }
    let fixed = fix(&figure, &findings, &options)?;
    println!("{} findings, {} fixes", findings.len(), fixed.fixes.len());
    Ok(())
}
