//! `sinew render`: one picture, a contact sheet or an animation.

mod args;

pub(crate) use args::RenderArgs;

use crate::{
    batch::{self, BatchResults},
    failure::{Attempt, Failure},
    film::{SceneRenderer, close_up, lens},
    input, joint,
    motion::Motion,
    output, prepare, progress,
};
use args::LayerArg;
use sinew::{Character, JointId};
use sinew_view::{
    encode::{Animation, encode_apng, encode_gif, encode_png},
    film::{Film, spread_times, times_at_rate},
    picture::Picture,
    raster::RenderOptions,
    sheet::{Cell, ContactSheet},
    stage::{BoneLook, SkinLook, Stage, StageOptions, StageTextures},
    texture::TextureLimits,
    theme::Theme,
};
use std::{error::Error, path::Path, process::ExitCode, time::Duration};

/// The format that the ending of the output selects.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RenderKind {
    Png,
    Gif,
    Apng,
}

fn kind(path: &Path) -> Result<RenderKind, Failure> {
    match output::ending(path).as_str() {
        _ if output::is_standard(path) => Ok(RenderKind::Png),
        "png" => Ok(RenderKind::Png),
        "gif" => Ok(RenderKind::Gif),
        "apng" => Ok(RenderKind::Apng),
        _ => Err(Failure::usage(format!("{} ends in neither .png, .gif nor .apng", path.display()))),
    }
}

pub(crate) fn run(args: &RenderArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let jobs = batch::jobs(&args.files, args.output.as_deref(), &args.batch, |_| args.to.clone())?;
    BatchResults::run(&jobs, &args.batch, quiet, |job| {
        let args = RenderArgs { file: job.file.name.clone(), target: job.output.clone(), ..args.clone() };
        draw(&args, quiet || jobs.len() > 1)
    })
}

fn draw(args: &RenderArgs, quiet: bool) -> Result<(), Failure> {
    let kind = kind(&args.target)?;
    let import = input::open(&args.file)?;
    let method = import.character.method_or_recommended(args.method);
    let character = &prepare::prepared(&import.character, &args.file, &[method], quiet)?;
    let motion = Motion::new(&args.motion, character)?;
    if motion.is_still() && (kind != RenderKind::Png || args.sheet.is_some()) {
        return Err(Failure::usage("an animation or a sheet needs a motion: add --clip, --blend or --graph"));
    }
    let textures = StageTextures::decode(character, TextureLimits::default());
    if !quiet {
        for (image, problem) in &textures.problems {
            tell!("image {image} is drawn as a plain color: {problem}");
        }
    }
    let stage = Stage::new(character, &textures, stage_options(args, character)?);
    let mut film = Film::new(character.clone(), stage)
        .with_method(method)
        .with_normals(args.normals.source)
        .with_follow(motion.follow().filter(|_| args.follow));
    let (mut renderer, by) = renderer(args.gpu)?;
    let options = RenderOptions::new(args.size.0, args.size.1);
    let duration = motion.duration_secs();
    let times = match (kind, args.sheet) {
        (RenderKind::Png, None) => vec![args.time],
        (RenderKind::Png, Some(count)) => spread_times(duration, count as usize),
        _ => times_at_rate(duration, args.fps as f32)?,
    };
    let poses = motion.poses(&times);
    let of_file = |failure: Failure| failure.of_file(&args.file);
    let mut camera =
        film.camera(&poses, args.view.0, lens(&options)).map_err(|error| of_file(error.into()))?;
    if let (Some(name), Some(pose)) = (&args.zoom, poses.first()) {
        let joint = joint::find(character, name)?;
        film.pose(pose).map_err(|error| of_file(error.into()))?;
        camera = close_up(&film, Some(joint), reach(&film, character, joint), args.view.0, &options);
    }
    let bar = progress::bar(times.len() as u64, "drawing", quiet);
    let pictures = renderer.shoot_all(&mut film, &poses, camera, &options, &bar).map_err(of_file)?;
    bar.finish_and_clear();
    let bytes = match (kind, args.sheet) {
        (RenderKind::Png, Some(_)) => sheet(args, motion.title(), &times, pictures),
        _ => encode(kind, args.fps, &pictures),
    };
    output::write(&args.target, bytes.attempt(|| format!("encode {}", args.target.display()))?)?;
    if !quiet && !output::is_standard(&args.target) {
        tell!("wrote {}{by}", args.target.display());
    }
    Ok(())
}

/// How far the surroundings of a joint reach, in meters: to the joints above and below it, and a little further.
fn reach(film: &Film, character: &Character, joint: JointId) -> f32 {
    let skeleton = character.skeleton();
    let place = |joint: JointId| film.frame().model().joint(joint).translation;
    let around = skeleton.children(joint).chain(skeleton.parent(joint));
    let farthest = around.map(|other| place(other).distance(place(joint))).fold(0.0, f32::max);
    // A joint without neighbors, or with one at its place, shows a part of the character.
    let bounds = film.frame().bounds();
    let size = bounds.max.distance(bounds.min);
    (farthest * 1.2).clamp(0.06 * size, 0.4 * size)
}

/// The renderer, and what the final message says about it.
fn renderer(wants_gpu: bool) -> Result<(SceneRenderer, String), Failure> {
    if wants_gpu { gpu_renderer() } else { Ok((SceneRenderer::Cpu, String::new())) }
}

#[cfg(feature = "gpu")]
fn gpu_renderer() -> Result<(SceneRenderer, String), Failure> {
    let gpu = crate::gpu::GpuPainter::open().attempt(|| "draw on the GPU")?;
    let by = format!(", drawn by {}", gpu.name());
    Ok((SceneRenderer::Gpu(Box::new(gpu)), by))
}

#[cfg(not(feature = "gpu"))]
fn gpu_renderer() -> Result<(SceneRenderer, String), Failure> {
    Err(Failure::without_gpu())
}

fn encode(kind: RenderKind, fps: u32, frames: &[Picture]) -> Result<Vec<u8>, Box<dyn Error>> {
    let animation = Animation { frames, frame_time: Duration::from_secs_f64(1.0 / f64::from(fps)) };
    Ok(match (kind, frames) {
        (RenderKind::Png, [picture, ..]) => encode_png(picture)?,
        (RenderKind::Gif, _) => encode_gif(animation)?,
        (RenderKind::Png | RenderKind::Apng, _) => encode_apng(animation)?,
    })
}

fn sheet(
    args: &RenderArgs,
    title: &str,
    times: &[f32],
    pictures: Vec<Picture>,
) -> Result<Vec<u8>, Box<dyn Error>> {
    let cells = times.iter().zip(pictures);
    let sheet = ContactSheet {
        title: title.to_owned(),
        subtitle: args.file.clone(),
        cells: cells.map(|(time, picture)| Cell::new(picture, format!("{time:.2} s"))).collect(),
        theme: theme(args),
        ..ContactSheet::default()
    };
    Ok(encode_png(&sheet.compose()?)?)
}

fn stage_options(args: &RenderArgs, character: &Character) -> Result<StageOptions, Failure> {
    let joints = args.joint.iter().map(|name| joint::find(character, name)).collect::<Result<Vec<_>, _>>()?;
    let skin = match args.layer {
        LayerArg::Shaded | LayerArg::Wireframe => SkinLook::Material,
        LayerArg::Heat => match joints[..] {
            [] => return Err(Failure::usage("--layer heat needs --joint NAME")),
            [joint] => SkinLook::Heat(joint),
            _ => SkinLook::Weights(joints.clone().into()),
        },
        LayerArg::Influence => SkinLook::Influences,
        LayerArg::Joints => SkinLook::JointColors,
        LayerArg::Normals => SkinLook::Normals,
        LayerArg::Clay | LayerArg::BoneBoxes => SkinLook::Clay,
        LayerArg::None => SkinLook::Hidden,
    };
    let show_bones = args.bones || args.layer == LayerArg::None;
    Ok(StageOptions {
        skin,
        wire: args.layer == LayerArg::Wireframe,
        normals: args.layer == LayerArg::Normals,
        bones: match (show_bones, args.layer) {
            (false, _) => BoneLook::Hidden,
            (true, LayerArg::Influence | LayerArg::Joints) => BoneLook::ByJoint,
            (true, _) => BoneLook::Plain,
        },
        axes: args.axes,
        bone_boxes: args.layer == LayerArg::BoneBoxes,
        // With several joints no single bone stands out.
        selected: if joints.len() == 1 { joints.first().copied() } else { None },
        ground: !args.no_ground,
        theme: theme(args),
        ..StageOptions::default()
    })
}

fn theme(args: &RenderArgs) -> Theme {
    if args.dark { Theme::Dark } else { Theme::Light }
}
