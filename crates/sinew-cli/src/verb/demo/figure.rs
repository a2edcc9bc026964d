//! The figure: its clips, and maps of its weights.

use crate::{
    failure::Failure,
    film::{SceneRenderer, lens, shoot_pose, untextured},
    page::{Exhibit, HtmlTable, Section},
};
use indicatif::ProgressBar;
use sinew::Character;
use sinew_view::{
    camera::{CameraFollow, Orbit},
    film::{clip_poses, times_at_rate},
    raster::RenderOptions,
    stage::{BoneLook, SkinLook, StageOptions},
};

const MOVING: RenderOptions = RenderOptions::new(360, 440);
const STILL: RenderOptions = RenderOptions::new(480, 640);
const FPS: f32 = 25.0;
/// The joint whose weights the heat map shows.
const HEAT_JOINT: &str = "upper_arm.L";

pub(super) fn sections(bar: &ProgressBar) -> Result<Vec<Section>, Failure> {
    let figure = sinew_samples::figure();
    Ok(vec![motion(bar, &figure)?, maps(bar, &figure)?, contents(&figure)])
}

fn motion(bar: &ProgressBar, figure: &Character) -> Result<Section, Failure> {
    let skin = StageOptions::default();
    let bones =
        StageOptions { bones: BoneLook::Plain, skin: SkinLook::Clay, skin_opacity: 0.55, ..skin.clone() };
    let rows = vec![vec![
        moving(bar, figure, "walk", "Walk", skin.clone())?,
        moving(bar, figure, "run", "Run", skin.clone())?,
        moving(bar, figure, "wave", "Wave", bones)?,
    ]];
    Ok(Section {
        title: "A figure in motion".into(),
        text: "A person made by code: every clip is computed, the legs by inverse kinematics, so that planted feet do not \
               slide while the root travels. The camera follows."
            .into(),
        rows,
        table: None,
    })
}

fn moving(
    bar: &ProgressBar,
    figure: &Character,
    clip: &str,
    caption: &str,
    options: StageOptions,
) -> Result<Exhibit, Failure> {
    let Some(motion) = figure.find_clip(clip) else {
        return Err(Failure::work("draw the figure", format!("it has no clip {clip:?}")));
    };
    let duration = motion.duration_secs();
    let times = times_at_rate(duration, FPS)?;
    let poses = clip_poses(figure, motion, &times);
    let mut film = untextured(figure, options).with_follow(CameraFollow::of_clips(figure, [&**motion]));
    let camera = film.camera(&poses, Orbit::degrees(38.0, 8.0), lens(&MOVING))?;
    let frames = SceneRenderer::Cpu.shoot_all(&mut film, &poses, camera, &MOVING, &ProgressBar::hidden())?;
    // A loop must last exactly as long as the clip, whatever the rounding to whole frames.
    let fps = f64::from(times.len() as u32) / f64::from(duration.max(0.04));
    bar.inc(1);
    Exhibit::moving(&format!("figure_{clip}"), caption, &frames, fps)
}

fn maps(bar: &ProgressBar, figure: &Character) -> Result<Section, Failure> {
    let heat_joint = figure.skeleton().find(HEAT_JOINT);
    let base = StageOptions::default();
    let bones = |skin, look| StageOptions { skin, bones: look, selected: heat_joint, ..base.clone() };
    let shots = [
        ("figure_shaded", "Shaded", base.clone()),
        (
            "figure_bones",
            "The skeleton inside",
            StageOptions { skin_opacity: 0.45, selected: None, ..bones(SkinLook::Clay, BoneLook::Plain) },
        ),
        ("figure_wire", "Wireframe over shaded", StageOptions { wire: true, ..base.clone() }),
        ("figure_normals", "Normals", StageOptions { skin: SkinLook::Normals, ..base.clone() }),
        (
            "figure_heat",
            "Weights of the left upper arm",
            bones(heat_joint.map_or(SkinLook::Material, SkinLook::Heat), BoneLook::Plain),
        ),
        (
            "figure_influence",
            "Influences: one joint in its color, blended dark",
            StageOptions { selected: None, ..bones(SkinLook::Influences, BoneLook::Hidden) },
        ),
        (
            "figure_joints",
            "Weights of all joints",
            StageOptions { skin: SkinLook::JointColors, ..base.clone() },
        ),
        (
            "figure_axes",
            "Joint axes",
            StageOptions { axes: true, skin_opacity: 0.3, skin: SkinLook::Clay, ..base },
        ),
    ];
    let mut exhibits = Vec::new();
    for (file, caption, options) in shots.into_iter().chain(joint_views(figure)) {
        exhibits.push(still(bar, figure, file, caption, options)?);
    }
    let third = exhibits.split_off(8);
    let second = exhibits.split_off(4);
    Ok(Section {
        title: "Under the skin".into(),
        text: "The same figure in the views of a technical artist: bones, triangles, normals and influences. In the heat \
               map, red is the full weight of the selected joint and blue almost none."
            .into(),
        rows: vec![exhibits, second, third],
        table: None,
    })
}

/// What belongs to several joints, and to one among them.
fn joint_views(figure: &Character) -> [(&'static str, &'static str, StageOptions); 3] {
    let find = |name: &&str| figure.skeleton().find(name);
    let both: Vec<_> = [HEAT_JOINT, "forearm.L"].iter().filter_map(find).collect();
    let base = StageOptions::default();
    [
        (
            "figure_two_weights",
            "Weights of the left upper arm and forearm: the darker, the less",
            StageOptions { skin: SkinLook::Weights(both.into()), ..base.clone() },
        ),
        (
            "figure_bone_boxes",
            "The box of each bone, around the vertices that follow it most",
            StageOptions { skin: SkinLook::Clay, bone_boxes: true, ..base.clone() },
        ),
        (
            "figure_selected",
            "A selected bone, outlined in dark and white",
            StageOptions { bones: BoneLook::Plain, selected: find(&HEAT_JOINT), ..base },
        ),
    ]
}

fn still(
    bar: &ProgressBar,
    figure: &Character,
    file: &str,
    caption: &str,
    options: StageOptions,
) -> Result<Exhibit, Failure> {
    let mut film = untextured(figure, options);
    let picture = shoot_pose(&mut film, &figure.rest_pose(), Orbit::degrees(24.0, 8.0), &STILL)?;
    bar.inc(1);
    Exhibit::still(file, caption, &picture)
}

fn contents(figure: &Character) -> Section {
    let all = sinew_samples::NAMES.iter().filter_map(|name| Some((*name, sinew_samples::find(name)?)));
    let row = |(name, it): (&str, Character)| {
        let weights = it.meshes().iter().filter_map(|m| m.weights());
        let max = weights.map(|w| w.max_influences()).max().unwrap_or(0);
        let clips: Vec<&str> = it.clips().iter().map(|c| c.name()).collect();
        vec![
            format!("builtin:{name}"),
            it.meshes().iter().map(|m| m.vertex_count()).sum::<usize>().to_string(),
            it.meshes().iter().map(|m| m.triangles().count()).sum::<usize>().to_string(),
            it.skeleton().len().to_string(),
            max.to_string(),
            clips.join(", "),
        ]
    };
    let head = ["character", "vertices", "triangles", "joints", "max influences", "clips"];
    let table = HtmlTable::new(head, all.map(row).collect());
    let joints = figure.skeleton().len();
    Section {
        title: "The built-in characters".into(),
        text: format!(
            "Every command accepts them instead of a file, for instance: sinew inspect builtin:figure. The figure has \
             {joints} joints, including fingers."
        ),
        rows: vec![],
        table: Some(table),
    }
}
