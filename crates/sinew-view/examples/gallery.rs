//! Draws a sample character in every look and measures the time.
//!
//! `cargo run --release -p sinew-view --example gallery -- OUT_DIR [CHARACTER [CLIP]]`

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use sinew::{Aabb, Character, Clip, Frame, JointId, Method, Wrap};
use sinew_view::camera::{Camera, CameraLens, Orbit};
use sinew_view::encode::{Animation, encode_apng, encode_gif, encode_png};
use sinew_view::glam::Vec2;
use sinew_view::legend::Legend;
use sinew_view::palette::Ramp;
use sinew_view::picture::Picture;
use sinew_view::plot::Plot;
use sinew_view::raster::{RenderOptions, render};
use sinew_view::sheet::{Cell, ContactSheet};
use sinew_view::stage::{BoneLook, SkinLook, Stage, StageOptions, StageTextures};
use sinew_view::theme::Theme;

type GalleryResult<T> = Result<T, Box<dyn Error>>;

fn main() -> GalleryResult<()> {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().unwrap_or_else(|| "gallery".to_owned());
    let name = arguments.next().unwrap_or_else(|| "figure".to_owned());
    let out = Path::new(&out);
    std::fs::create_dir_all(out)?;
    let character = sinew_samples::find(&name).ok_or("no such character")?;
    let clip = match arguments.next() {
        Some(clip) => character.find_clip(&clip),
        None => character.clips().first(),
    };
    let frame = posed(&character, clip.map(AsRef::as_ref), 0.4)?;
    let mut cells = Vec::new();
    for (look, options) in looks(&character) {
        let (picture, millis) = draw(&character, &frame, options.clone(), 800)?;
        let file = encode_png(&picture)?;
        println!("{look}: {millis:.1} ms at 800 x 800, {} KiB", file.len() / 1024);
        std::fs::write(out.join(format!("{name}_{look}.png")), file)?;
        cells.push(Cell::new(draw(&character, &frame, options, 360)?.0, look.replace('_', " ")));
    }
    std::fs::write(out.join(format!("{name}_sheet.png")), encode_png(&sheet(&name, cells).compose()?)?)?;
    std::fs::write(out.join("plot.png"), encode_png(&plot().draw())?)?;
    if let Some(clip) = clip {
        animate(&character, clip, &out.join(&name))?;
    }
    Ok(())
}

fn posed(character: &Character, clip: Option<&Clip>, fraction: f32) -> GalleryResult<Frame> {
    let mut frame = Frame::new(character);
    if let Some(clip) = clip {
        frame.sample(clip, clip.duration_secs() * fraction, Wrap::Clamp);
    }
    frame.deform(Method::Linear)?;
    Ok(frame)
}

/// The picture and the rasterizer's time in milliseconds.
fn draw(
    character: &Character,
    frame: &Frame,
    options: StageOptions,
    side: u32,
) -> GalleryResult<(Picture, f64)> {
    let size = RenderOptions::new(side, side);
    let stage = Stage::new(character, &StageTextures::none(), options);
    let lens = CameraLens { aspect: size.aspect(), ..CameraLens::default() };
    let camera = stage.camera(frame, Orbit::THREE_QUARTER, lens);
    let scene = stage.scene(frame, camera)?;
    let started = Instant::now();
    let picture = render(&scene, &size)?;
    Ok((picture, started.elapsed().as_secs_f64() * 1e3))
}

fn looks(character: &Character) -> Vec<(&'static str, StageOptions)> {
    let skeleton = character.skeleton();
    let joint = ["forearm.L", "forearm_l", "thigh_l", "lower"].iter().find_map(|name| skeleton.find(name));
    let joint = joint.unwrap_or(JointId(1));
    let base = StageOptions::default();
    let clay = StageOptions { skin: SkinLook::Clay, ..base.clone() };
    let bones = StageOptions { bones: BoneLook::Plain, selected: Some(joint), ..base.clone() };
    vec![
        ("shaded", base.clone()),
        ("clay", clay.clone()),
        ("wire", StageOptions { wire: true, ..clay.clone() }),
        ("bones", bones.clone()),
        (
            "bones_dark",
            StageOptions { bones: BoneLook::ByJoint, theme: Theme::Dark, axes: true, ..base.clone() },
        ),
        ("heat", StageOptions { skin: SkinLook::Heat(joint), ..bones.clone() }),
        ("heat_dark", StageOptions { skin: SkinLook::Heat(joint), theme: Theme::Dark, ..base.clone() }),
        ("influences", StageOptions { skin: SkinLook::Influences, bones: BoneLook::ByJoint, ..base.clone() }),
        ("joint_colors", StageOptions { skin: SkinLook::JointColors, ..base.clone() }),
        ("normals", StageOptions { normals: true, ..clay.clone() }),
        ("normal_colors", StageOptions { skin: SkinLook::Normals, ..base.clone() }),
        ("skeleton", StageOptions { skin: SkinLook::Hidden, axes: true, ..bones.clone() }),
        ("ghost", StageOptions { skin_opacity: 0.45, ..bones }),
        ("clay_dark", StageOptions { theme: Theme::Dark, ..clay.clone() }),
        ("clear", StageOptions { theme: Theme::Clear, ..base }),
    ]
}

fn sheet(name: &str, cells: Vec<Cell>) -> ContactSheet {
    ContactSheet {
        title: format!("The built-in {name}"),
        subtitle: "One frame in every look, drawn without a driver".to_owned(),
        columns: 5,
        cells,
        legend: Some(Legend::Scale {
            ramp: Ramp::Heat,
            low: 0.0,
            high: 1.0,
            label: "weight of the selected joint".to_owned(),
        }),
        ..ContactSheet::default()
    }
}

fn plot() -> Plot {
    let curve = |radius: fn(f32) -> f32| {
        (0..=180).map(|degrees| Vec2::new(degrees as f32, radius((degrees as f32).to_radians()))).collect()
    };
    Plot::new("Minimum radius of a twisted tube", "twist, degrees", "radius relative to rest")
        .with("linear blend skinning: cos(θ/2)", curve(|angle| (angle * 0.5).cos()))
        .with("dual quaternions", curve(|_| 1.0))
        .with("linear with three twist joints", curve(|angle| (angle / 8.0).cos()))
}

fn animate(character: &Character, clip: &Clip, path: &Path) -> GalleryResult<()> {
    const FRAMES: u32 = 24;
    let options = StageOptions { bones: BoneLook::Plain, ..StageOptions::default() };
    let mut stage = Stage::new(character, &StageTextures::none(), options);
    let frames = (0..FRAMES)
        .map(|index| posed(character, Some(clip), index as f32 / FRAMES as f32))
        .collect::<GalleryResult<Vec<Frame>>>()?;
    stage.subject = frames.iter().map(Frame::bounds).fold(Aabb::EMPTY, Aabb::union);
    let points = frames.iter().flat_map(|frame| stage.points(frame));
    let camera = Camera::framing(points, Orbit::THREE_QUARTER, CameraLens::default());
    let pictures = frames
        .iter()
        .map(|frame| Ok(render(&stage.scene(frame, camera)?, &RenderOptions::new(400, 400))?))
        .collect::<GalleryResult<Vec<Picture>>>()?;
    let frame_time = Duration::from_secs_f32(clip.duration_secs().max(0.1) / FRAMES as f32);
    let animation = Animation { frames: &pictures, frame_time };
    for (extension, file) in [("gif", encode_gif(animation)?), ("apng", encode_apng(animation)?)] {
        println!("{extension}: {} KiB", file.len() / 1024);
        std::fs::write(path.with_extension(extension), file)?;
    }
    Ok(())
}
