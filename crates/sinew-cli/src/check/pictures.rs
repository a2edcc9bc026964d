//! Findings on a page, each with a picture of where it is.

use super::{examined::Examined, text};
use crate::{
    failure::Failure,
    page::{Exhibit, HtmlTable, Page, Section},
    progress,
};
use sinew::glam::Vec3;
use sinew::{Character, Frame, Method, Wrap};
use sinew_author::check::{Finding, FindingPlace};
use sinew_view::{
    camera::{CameraLens, Orbit},
    palette::Ramp,
    picture::Picture,
    raster::{RenderOptions, render},
    stage::{BoneLook, Field, SkinLook, Stage, StageOptions, StageTextures},
    texture::TextureLimits,
};

const SIZE: RenderOptions = RenderOptions::new(420, 460);
/// Pictures of one file.
const MOST_PICTURES: usize = 24;
/// Vertices whose surroundings are lit; more are lit without.
const MOST_SPOTS: usize = 400;
/// How far a spot shines, as a part of the character's size.
const SPOT: f32 = 0.015;
const IN_A_ROW: usize = 3;

pub(super) fn page(all: &[Examined], quiet: bool) -> Result<Page, Failure> {
    let total: usize = all.iter().map(|e| e.findings.len().min(MOST_PICTURES)).sum();
    let bar = progress::bar(total as u64, "drawing", quiet);
    let mut sections = Vec::new();
    for one in all {
        sections.push(findings(one, &bar)?);
        sections.extend(mended(one));
    }
    bar.finish_and_clear();
    Ok(Page {
        title: "Skin check".into(),
        text: "Each finding with where it is: red marks vertices, or the weight of the joint it is about."
            .into(),
        sections,
    })
}

fn findings(one: &Examined, bar: &indicatif::ProgressBar) -> Result<Section, Failure> {
    let row = |f: &Finding| {
        vec![
            f.severity().as_str().into(),
            f.code.as_str().into(),
            f.place.text.clone(),
            f.message.clone(),
            f.advice().into(),
        ]
    };
    let head = ["severity", "code", "place", "what", "advice"];
    let table = HtmlTable::new(head, one.findings.iter().map(row).collect());
    let mut exhibits = Vec::new();
    if let Some(character) = &one.character {
        let textures = StageTextures::decode(character, TextureLimits::default());
        for (index, finding) in one.findings.iter().take(MOST_PICTURES).enumerate() {
            let picture = draw(character, &textures, &finding.place)?;
            let caption = format!("{}: {}", finding.code, finding.message);
            exhibits.push(Exhibit::still(&format!("finding_{index}"), caption, &picture)?);
            bar.inc(1);
        }
    }
    let mut rows: Vec<Vec<Exhibit>> = Vec::new();
    for exhibit in exhibits {
        match rows.last_mut().filter(|row| row.len() < IN_A_ROW) {
            Some(row) => row.push(exhibit),
            None => rows.push(vec![exhibit]),
        }
    }
    let count = one.findings.len();
    let text = if count == 0 { "Nothing found.".into() } else { format!("{count} found.") };
    Ok(Section { title: one.file.clone(), text, rows, table: (count > 0).then_some(table) })
}

fn mended(one: &Examined) -> Option<Section> {
    let mended = one.mended.as_ref()?;
    let rows =
        mended.fixes.iter().map(|f| vec![f.code.as_str().into(), f.what.clone(), text::moved(f)]).collect();
    Some(Section {
        title: format!("Mended: {}", mended.file),
        text: format!("{} findings are left.", mended.left.len()),
        rows: Vec::new(),
        table: Some(HtmlTable::new(["code", "what was done", "effect"], rows)),
    })
}

/// The character at the moment of a finding, with what it is about in red.
fn draw(character: &Character, textures: &StageTextures, place: &FindingPlace) -> Result<Picture, Failure> {
    let unable = |e: &dyn std::fmt::Display| Failure::Draw(e.to_string());
    let mut frame = Frame::new(character);
    if let Some(clip) = place.clip.and_then(|c| character.clips().get(c)) {
        frame.sample(clip, place.time_secs.unwrap_or(0.0), Wrap::Clamp);
    }
    frame.deform(Method::Linear).map_err(|e| unable(&e))?;
    let skin = match (place.instance, place.joint) {
        (Some(instance), _) if !place.vertices.is_empty() => SkinLook::Field(spots(&frame, instance, place)),
        (_, Some(joint)) => SkinLook::Heat(joint),
        _ => SkinLook::Material,
    };
    let (bones, selected) = match place.joint {
        Some(joint) => (BoneLook::Plain, Some(joint)),
        None => (BoneLook::Hidden, None),
    };
    let options = StageOptions { skin, bones, selected, contours: false, ..StageOptions::default() };
    let stage = Stage::new(character, textures, options);
    let lens = CameraLens { aspect: SIZE.aspect(), ..CameraLens::default() };
    let camera = stage.camera(character, &frame, facing(&frame, place), lens);
    let scene = stage.scene(character, &frame, camera).map_err(|e| unable(&e))?;
    render(&scene, &SIZE).map_err(|e| unable(&e))
}

/// One at the vertices of a finding, fading out around them.
fn spots(frame: &Frame, instance: usize, place: &FindingPlace) -> Field {
    let size = frame.bounds().size().max_element();
    let reach = if size.is_finite() && size > 0.0 { size * SPOT } else { 1.0 };
    let values = frame.deformed().iter().enumerate().map(|(index, streams)| {
        let mut values = vec![0.0_f32; streams.positions.len()];
        if index == instance {
            let step = place.vertices.len().div_ceil(MOST_SPOTS).max(1);
            for &vertex in place.vertices.iter().step_by(step) {
                let Some(&spot) = streams.positions.get(vertex as usize) else { continue };
                for (value, position) in values.iter_mut().zip(&streams.positions) {
                    let near = position.distance_squared(spot) / (reach * reach);
                    *value = value.max((-near).exp());
                }
            }
            for &vertex in &place.vertices {
                if let Some(value) = values.get_mut(vertex as usize) {
                    *value = 1.0;
                }
            }
        }
        values.into()
    });
    Field { values: values.collect(), low: 0.0, high: 1.0, ramp: Ramp::Heat }
}

/// The side that the vertices of a finding look to.
fn facing(frame: &Frame, place: &FindingPlace) -> Orbit {
    let streams = place.instance.and_then(|i| frame.deformed().get(i));
    let normals = streams.map_or(&[][..], |s| &s.normals);
    let sum: Vec3 = place.vertices.iter().filter_map(|&v| normals.get(v as usize)).sum();
    if sum.length() < 0.1 {
        Orbit::THREE_QUARTER
    } else {
        Orbit::degrees(sum.x.atan2(sum.z).to_degrees() + 15.0, 12.0)
    }
}
