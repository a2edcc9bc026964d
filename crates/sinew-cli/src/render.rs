//! `sinew render`.

use crate::{
    args::RenderArgs,
    failure::Failure,
    film::{CliFilm, moments, spread},
    input, joint, output, progress,
    script::Script,
};
use clap::ValueEnum;
use sinew::Character;
use sinew_view::{
    camera::{Camera, Orbit},
    encode::{Animation, encode_apng, encode_gif, encode_png},
    picture::Picture,
    raster::RenderOptions,
    sheet::{Cell, ContactSheet},
    stage::{BoneLook, SkinLook, StageOptions, StageTextures},
    texture::TextureLimits,
    theme::Theme,
};
use std::{path::Path, str::FromStr, time::Duration};

/// What is drawn of the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayerArg {
    /// Materials, textures and vertex colours in studio light.
    Shaded,
    /// Triangle edges over the shaded mesh.
    Wireframe,
    /// The weight of --joint, from blue (none) to red (all).
    Heat,
    /// Triangles of one joint in its colour, blended ones dark.
    Influence,
    /// Every vertex in the mix of its joints' colours.
    Joints,
    /// Normals, as colours and as lines.
    Normals,
    /// One neutral colour.
    Clay,
    /// Nothing: only bones.
    None,
}

/// From where a picture is taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewArg(pub(crate) Orbit);

impl FromStr for ViewArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let degrees = match text {
            "front" => (0.0, 0.0),
            "back" => (180.0, 0.0),
            "left" => (90.0, 0.0),
            "right" => (-90.0, 0.0),
            "top" => (0.0, 89.0),
            "three-quarter" => return Ok(Self(Orbit::THREE_QUARTER)),
            _ => {
                let fail = || {
                    format!(
                        "{text:?} is neither front, back, left, right, top, three-quarter nor YAW,PITCH in degrees"
                    )
                };
                let (yaw, pitch) = text.split_once(',').ok_or_else(fail)?;
                let number = |t: &str| t.trim().parse().ok().filter(|n: &f32| n.is_finite()).ok_or_else(fail);
                (number(yaw)?, number(pitch)?.clamp(-89.0, 89.0))
            }
        };
        Ok(Self(Orbit::degrees(degrees.0, degrees.1)))
    }
}

/// What the output's ending asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RenderKind {
    Png,
    Gif,
    Apng,
}

fn kind(path: &Path) -> Result<RenderKind, Failure> {
    match path.extension().map(|e| e.to_string_lossy().to_lowercase()).as_deref() {
        Some("png") => Ok(RenderKind::Png),
        Some("gif") => Ok(RenderKind::Gif),
        Some("apng") => Ok(RenderKind::Apng),
        _ => Err(Failure::usage(format!("{} ends in neither .png, .gif nor .apng", path.display()))),
    }
}

pub(crate) fn run(args: &RenderArgs, quiet: bool) -> Result<(), Failure> {
    let kind = kind(&args.output)?;
    let import = input::open(&args.file)?;
    let character = &import.character;
    let script = Script::new(&args.script, character)?;
    if script.is_still() && (kind != RenderKind::Png || args.sheet.is_some()) {
        return Err(Failure::usage("an animation or a sheet needs a motion: add --clip, --blend or --graph"));
    }
    let textures = StageTextures::decode(character, TextureLimits::default());
    if !quiet {
        for (image, problem) in &textures.problems {
            eprintln!("image {image} is shown as a plain colour: {problem}");
        }
    }
    let mut film = CliFilm::new(character, &textures, stage_options(args, character)?).by(args.method);
    film.follow = args.follow;
    let by = if args.gpu { format!(", drawn by {}", use_card(&mut film)?) } else { String::new() };
    film.traveller = script.traveller();
    let options = RenderOptions::new(args.size.0, args.size.1);
    let duration = script.duration_secs();
    let times = match (kind, args.sheet) {
        (RenderKind::Png, None) => vec![args.time],
        (RenderKind::Png, Some(count)) => spread(duration, count as usize),
        _ => moments(duration, args.fps as f32)?,
    };
    let poses = script.poses(&times);
    let camera: Camera = film.camera_for_poses(&poses, args.view.0, options.aspect())?;
    let bar = progress::bar(times.len() as u64, "drawing", quiet);
    let pictures = film.shoot_poses(&poses, camera, &options, &bar)?;
    bar.finish_and_clear();
    let bytes = match (kind, args.sheet) {
        (RenderKind::Png, Some(_)) => sheet(args, script.title(), &times, pictures),
        _ => encode(kind, args.fps, &pictures),
    };
    output::write(&args.output, bytes?)?;
    if !quiet {
        eprintln!("wrote {}{by}", args.output.display());
    }
    Ok(())
}

/// Lets the graphics card draw the film, and gives its name.
#[cfg(feature = "gpu")]
fn use_card(film: &mut CliFilm<'_>) -> Result<String, Failure> {
    let card = crate::card::Card::open()?;
    let name = card.name();
    film.card = Some(card.into());
    Ok(name)
}

#[cfg(not(feature = "gpu"))]
fn use_card(_: &mut CliFilm<'_>) -> Result<String, Failure> {
    Err(Failure::without_gpu())
}

fn encode(kind: RenderKind, fps: u32, frames: &[Picture]) -> Result<Vec<u8>, Failure> {
    let animation = Animation { frames, frame_time: Duration::from_secs_f64(1.0 / f64::from(fps)) };
    let encoded = match (kind, frames) {
        (RenderKind::Png, [picture, ..]) => encode_png(picture),
        (RenderKind::Gif, _) => encode_gif(animation),
        _ => encode_apng(animation),
    };
    encoded.map_err(|e| Failure::Draw(e.to_string()))
}

fn sheet(args: &RenderArgs, title: &str, times: &[f32], pictures: Vec<Picture>) -> Result<Vec<u8>, Failure> {
    let cells = times.iter().zip(pictures);
    let sheet = ContactSheet {
        title: title.to_owned(),
        subtitle: args.file.clone(),
        cells: cells.map(|(time, picture)| Cell::new(picture, format!("{time:.2} s"))).collect(),
        theme: theme(args),
        ..ContactSheet::default()
    };
    let page = sheet.compose().map_err(|e| Failure::Draw(e.to_string()))?;
    encode_png(&page).map_err(|e| Failure::Draw(e.to_string()))
}

fn stage_options(args: &RenderArgs, character: &Character) -> Result<StageOptions, Failure> {
    let joint = args.joint.as_deref().map(|name| joint::find(character, name)).transpose()?;
    let skin = match args.layer {
        LayerArg::Shaded | LayerArg::Wireframe => SkinLook::Material,
        LayerArg::Heat => {
            let joint = joint.ok_or_else(|| Failure::usage("--layer heat needs --joint NAME"))?;
            SkinLook::Heat(joint)
        }
        LayerArg::Influence => SkinLook::Influences,
        LayerArg::Joints => SkinLook::JointColors,
        LayerArg::Normals => SkinLook::Normals,
        LayerArg::Clay => SkinLook::Clay,
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
        selected: joint,
        ground: !args.no_ground,
        theme: theme(args),
        ..StageOptions::default()
    })
}

fn theme(args: &RenderArgs) -> Theme {
    if args.dark { Theme::Dark } else { Theme::Light }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_have_names_and_angles() {
        assert!("front".parse::<ViewArg>().is_ok());
        let ViewArg(orbit) = "-30,20".parse().unwrap();
        assert!((orbit.yaw_radians + 30.0_f32.to_radians()).abs() < 1e-6);
        for bad in ["", "sideways", "1", "a,b", "nan,0"] {
            assert!(bad.parse::<ViewArg>().is_err(), "{bad}");
        }
    }
}
