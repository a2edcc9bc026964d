//! A muscle before and after automatic weights.

use super::compose_demo;
use crate::{
    failure::{Attempt, Failure},
    film::{lens, untextured},
    page::{Exhibit, Section},
};
use indicatif::ProgressBar;
use sinew::{Character, JointId, LocalPose, Mesh, Precomputed, Weights, glam::Quat};
use sinew_author::{
    helper_joints::{MuscleOptions, add_muscle, bend_side},
    uninterrupted,
    weights::{
        BoneSet,
        auto::{AutoOptions, auto_weights},
    },
};
use sinew_view::{
    camera::Orbit,
    raster::RenderOptions,
    stage::{BoneLook, SkinLook, StageOptions},
};
use std::sync::Arc;

const ARM: RenderOptions = RenderOptions::new(400, 340);
const BEND_RADIANS: f32 = 1.75;
const SHOULDER: JointId = JointId(0);
const ELBOW: JointId = JointId(1);

pub(super) fn section(bar: &ProgressBar) -> Result<Section, Failure> {
    let plain = sinew_samples::arm();
    let side = bend_side(&plain, SHOULDER, ELBOW, None, None).map_or(0.0, |side| side.around_radians);
    let options = MuscleOptions { around_radians: side, swell: 1.6, ..MuscleOptions::default() };
    let added = add_muscle(&plain, SHOULDER, ELBOW, &options).attempt(compose_demo)?;
    let (painted, muscle) = (added.character, added.joints.first().copied().unwrap_or(SHOULDER));
    let kept = with_auto_weights(&painted, &BoneSet::of_character(&painted, 0), true)?;
    let torn =
        with_auto_weights(&painted, &BoneSet::of_skin(painted.skeleton(), &painted.skins()[0]), false)?;
    let drawn = SkinLook::Material;
    let shots = [
        ("painted", &painted, drawn.clone(), "Painted weights"),
        ("auto", &kept, drawn.clone(), "Automatic weights; the muscle weights stay"),
        ("heat", &kept, SkinLook::Heat(muscle), "The muscle weights, as a heat map"),
        ("torn", &torn, drawn, "The muscle taken for a bone: it tears the skin"),
    ];
    let mut exhibits = Vec::new();
    for (name, arm, skin, caption) in shots {
        exhibits.push(bent(arm, skin, &format!("muscle_weights_{name}"), caption)?);
        bar.inc(1);
    }
    Ok(Section {
        title: "A muscle and automatic weights".into(),
        text: "A muscle lies on the side to which the arm bends in its clips. Automatic weights give it no skin to carry: \
               the bones carry the skin, and the muscle displaces it by its own weights."
            .into(),
        rows: vec![exhibits],
        table: None,
    })
}

/// The arm with weights computed from `bones`, with or without the muscle weights that it had.
fn with_auto_weights(arm: &Character, bones: &BoneSet, keeps_muscles: bool) -> Result<Character, Failure> {
    let mut parts = arm.parts().clone();
    let mesh = Mesh::clone(&parts.meshes[0]);
    let made =
        auto_weights(&mesh, bones, &AutoOptions::default(), &mut uninterrupted).attempt(compose_demo)?;
    let weights = if keeps_muscles { made.weights } else { without_muscles(made.weights) };
    let mesh = mesh.with_weights(Arc::new(weights), Precomputed::NONE).attempt(compose_demo)?;
    parts.meshes[0] = Arc::new(mesh);
    Character::new(parts).attempt(compose_demo)
}

fn without_muscles(weights: Weights) -> Weights {
    let none = weights.strongest();
    weights.with_muscles_of(&none)
}

fn bent_pose(arm: &Character) -> LocalPose {
    let mut pose = arm.rest_pose();
    pose.joints[ELBOW.index()].rotation = Quat::from_rotation_z(BEND_RADIANS);
    pose
}

fn bent(arm: &Character, skin: SkinLook, name: &str, caption: &str) -> Result<Exhibit, Failure> {
    let options = StageOptions { skin, bones: BoneLook::Hidden, ..StageOptions::default() };
    let mut film = untextured(arm, options);
    let poses = [bent_pose(arm)];
    let camera = film.camera(&poses, Orbit::degrees(10.0, 14.0), lens(&ARM))?;
    film.pose(&poses[0])?;
    Exhibit::still(name, caption, &film.shoot(camera, &ARM)?)
}
