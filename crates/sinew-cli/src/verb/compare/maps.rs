//! One pose by every method, with maps of what went wrong.

use super::page::ComparisonPage;
use crate::page::{Exhibit, Section};
use indicatif::ProgressBar;
use sinew::measure::{Gauge, distances, normal_errors};
use sinew::{DeformError, Frame, Method, Wrap};
use sinew_view::{
    camera::{Camera, CameraLens, Orbit},
    palette::Ramp,
    picture::Picture,
    raster::{RenderOptions, render},
    stage::{Field, SkinLook, Stage, StageOptions, StageTextures},
    texture::TextureLimits,
};
use std::error::Error;

const SIZE: RenderOptions = RenderOptions::new(400, 440);

/// The pose in which linear blend skinning does worst, by every method.
pub(super) fn section(page: &ComparisonPage<'_>, bar: &ProgressBar) -> Result<Section, Box<dyn Error>> {
    let (character, methods) = (page.character, &page.args.methods);
    let gauge = Gauge::new(character)?;
    let textures = StageTextures::decode(character, TextureLimits::default());
    let camera = {
        let frame = posed(page, methods.first().copied().unwrap_or_default())?;
        let stage = Stage::new(character, &textures, StageOptions::default());
        let lens = CameraLens { aspect: SIZE.aspect(), ..CameraLens::default() };
        stage.camera(&frame, Orbit::degrees(20.0, 10.0), lens)
    };
    let linear = posed(page, Method::Linear)?;
    let mut rows: [Vec<Exhibit>; 5] = Default::default();
    for &method in methods {
        let frame = posed(page, method)?;
        let radius = field(gauge.radius_field(&frame), 0.5..1.5, Ramp::Balance);
        let stretch = field(gauge.stretch_field(&frame), 0.5..1.5, Ramp::Balance);
        let normals = field(normal_errors(&frame), 0.0..30.0, Ramp::Heat);
        let looks = [
            ("shaded", String::new(), SkinLook::Material),
            ("radius", ": radius, 0.5 to 1.5".to_owned(), radius),
            ("stretch", ": stretch, 0.5 to 1.5".to_owned(), stretch),
            ("normals", ": normals, off by 0 to 30°".to_owned(), normals),
            difference_map(&frame, &linear),
        ];
        for (row, (file, what, skin)) in rows.iter_mut().zip(looks) {
            let stage = Stage::new(character, &textures, StageOptions { skin, ..StageOptions::default() });
            let picture = shoot(&stage, &frame, camera)?;
            row.push(Exhibit::still(&format!("{method}_{file}"), format!("{method}{what}"), &picture)?);
            bar.inc(1);
        }
    }
    Ok(Section {
        title: "The same pose by every method".into(),
        text: format!(
            "At {:.2} s, where linear blend skinning is furthest from rest. Second row: distance from the bones, blue \
             where the skin collapses (candy-wrapper, volume loss), red where it bulges. Third row: edges, blue \
             compressed, red stretched. Fourth row: angles between normals and the deformed surface. Last row: difference map against linear blend skinning.",
            page.report.hardest_time_secs
        ),
        rows: rows.into(),
        table: None,
    })
}

/// The hardest frame of the clip by `method`; the tube is shown bent and twisted at once.
fn posed(page: &ComparisonPage<'_>, method: Method) -> Result<Frame, DeformError> {
    let character = page.character;
    let mut frame = Frame::new(character).with_normals(page.args.normals.source);
    if page.args.file == "builtin:tube" {
        let pose = sinew_samples::tube_pose(60.0_f32.to_radians(), 120.0_f32.to_radians());
        frame.local_mut().copy_from(&pose);
    } else if let Some(clip) = page.clip {
        frame.sample(clip, page.report.hardest_time_secs, Wrap::Clamp);
    }
    frame.deform(method)?;
    Ok(frame)
}

fn field(values: Vec<Vec<f32>>, range: std::ops::Range<f32>, ramp: Ramp) -> SkinLook {
    let values = values.into_iter().map(Into::into).collect();
    SkinLook::Field(Field { values, low: range.start, high: range.end, ramp })
}

fn difference_map(frame: &Frame, linear: &Frame) -> (&'static str, String, SkinLook) {
    let values = distances(frame, linear);
    let max = values.iter().flatten().copied().fold(0.0, f32::max);
    let caption = format!(": up to {:.1} mm from linear", max * 1000.0);
    ("difference", caption, field(values, 0.0..max.max(1e-6), Ramp::Heat))
}

fn shoot(stage: &Stage, frame: &Frame, camera: Camera) -> Result<Picture, Box<dyn Error>> {
    Ok(render(&stage.scene(frame, camera)?, &SIZE)?)
}
