//! A picture of a character with a value for each vertex.

use crate::simd;
use sinew::{Character, Frame, Method, glam::Vec2};
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
use std::error::Error;

const SIZE: RenderOptions = RenderOptions::new(800, 800);
/// The height of the legend above the picture, in pixels.
const LEGEND_HEIGHT: u32 = 60;

/// A PNG of the character in the rest pose, colored from 0 to `high` by the values of each mesh; 0 for meshes without any.
pub(super) fn draw(
    character: &Character,
    of_mesh: impl Fn(usize) -> Option<Vec<f32>>,
    high: f32,
    label: &str,
) -> Result<Vec<u8>, Box<dyn Error>> {
    let values = character.instances().iter().map(|instance| {
        let none = || vec![0.0; character.mesh_of(instance).vertex_count()];
        of_mesh(instance.mesh).unwrap_or_else(none).into()
    });
    let skin = SkinLook::Field(Field { values: values.collect(), low: 0.0, high, ramp: Ramp::Heat });
    let textures = StageTextures::decode(character, TextureLimits::default());
    let options = StageOptions { skin, contours: false, ..StageOptions::default() };
    let stage = Stage::new(character, &textures, options);
    let mut frame = Frame::new(character).at_level(simd::chosen());
    frame.deform(Method::Linear)?;
    let lens = CameraLens { aspect: SIZE.aspect(), ..CameraLens::default() };
    let camera = stage.camera(&frame, Orbit::THREE_QUARTER, lens);
    let drawn = render(&stage.scene(&frame, camera)?, &SIZE)?;
    let colors = Theme::Light.page();
    let mut picture = Picture::filled(drawn.width(), drawn.height() + LEGEND_HEIGHT, colors.page);
    picture.place(&drawn, 0, LEGEND_HEIGHT.cast_signed());
    let legend = Legend::Scale { ramp: Ramp::Heat, low: 0.0, high, label: label.into() };
    legend.draw(&mut picture, Vec2::splat(14.0), drawn.width() as f32 - 28.0, 15.0, &colors);
    Ok(encode_png(&picture)?)
}
