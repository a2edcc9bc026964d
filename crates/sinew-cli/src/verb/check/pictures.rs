//! A page of findings, each with a picture of its place.

use super::{checked::CheckedFile, text};
use crate::{
    failure::{Attempt, Failure},
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
use std::error::Error;

const SIZE: RenderOptions = RenderOptions::new(420, 460);
/// How many findings of one file get a picture.
const MAX_PICTURES: usize = 24;
/// How many vertices of a finding color their surroundings; the others color only themselves.
const MAX_SPOTS: usize = 400;
/// The radius of a colored spot, as a fraction of the character's size.
const SPOT_RADIUS: f32 = 0.015;
const PER_ROW: usize = 3;

pub(super) fn page(all: &[CheckedFile], quiet: bool) -> Result<Page, Failure> {
    let total: usize = all.iter().map(|e| e.findings.len().min(MAX_PICTURES)).sum();
    let bar = progress::bar(total as u64, "drawing", quiet);
    let mut sections = Vec::new();
    for one in all {
        sections.push(findings(one, &bar)?);
        sections.extend(fixed(one));
    }
    bar.finish_and_clear();
    Ok(Page {
        title: "Skin check".into(),
        text: "Each finding with a picture: red marks its vertices, or the weight of its joint.".into(),
        sections,
    })
}

fn findings(one: &CheckedFile, bar: &indicatif::ProgressBar) -> Result<Section, Failure> {
    let row = |f: &Finding| {
        vec![
            f.severity().as_str().into(),
            f.code.as_str().into(),
            f.place.text.clone(),
            f.message.clone(),
            f.effect.map_or_else(|| "not measured".into(), |effect| effect.to_string()),
            f.advice().into(),
        ]
    };
    let head = ["severity", "code", "place", "finding", "effect", "advice"];
    let table = HtmlTable::new(head, one.findings.iter().map(row).collect());
    let mut exhibits = Vec::new();
    if let Some(character) = &one.character {
        let textures = StageTextures::decode(character, TextureLimits::default());
        for (index, finding) in one.findings.iter().take(MAX_PICTURES).enumerate() {
            let picture = draw(character, &textures, &finding.place)
                .attempt(|| format!("draw the findings of {}", one.file))?;
            let caption = format!("{}: {}", finding.code, finding.message);
            exhibits.push(Exhibit::still(&format!("finding_{index}"), caption, &picture)?);
            bar.inc(1);
        }
    }
    let mut rows: Vec<Vec<Exhibit>> = Vec::new();
    for exhibit in exhibits {
        match rows.last_mut().filter(|row| row.len() < PER_ROW) {
            Some(row) => row.push(exhibit),
            None => rows.push(vec![exhibit]),
        }
    }
    let count = one.findings.len();
    let text = if count == 0 { "No findings.".into() } else { format!("Findings: {count}.") };
    Ok(Section { title: one.file.clone(), text, rows, table: (count > 0).then_some(table) })
}

fn fixed(one: &CheckedFile) -> Option<Section> {
    let fixed = one.fixed.as_ref()?;
    let rows = fixed
        .fixes
        .iter()
        .map(|f| vec![f.code.as_str().into(), f.what.clone(), text::displacement(f)])
        .collect();
    Some(Section {
        title: format!("Fixed: {}", fixed.file),
        text: format!("Findings that remain: {}.", fixed.remaining.len()),
        rows: Vec::new(),
        table: Some(HtmlTable::new(["code", "fix", "effect"], rows)),
    })
}

/// The character at the time of a finding, with its vertices or its joint's weights in red.
fn draw(
    character: &Character,
    textures: &StageTextures,
    place: &FindingPlace,
) -> Result<Picture, Box<dyn Error>> {
    let mut frame = Frame::new(character);
    if let Some(clip) = place.clip.and_then(|c| character.clips().get(c)) {
        frame.sample(clip, place.time_secs.unwrap_or(0.0), Wrap::Clamp);
    }
    frame.deform(Method::Linear)?;
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
    let camera = stage.camera(&frame, facing(&frame, place), lens);
    let scene = stage.scene(&frame, camera)?;
    Ok(render(&scene, &SIZE)?)
}

/// 1 at the vertices of a finding, fading out around them.
fn spots(frame: &Frame, instance: usize, place: &FindingPlace) -> Field {
    let size = frame.bounds().size().max_element();
    let radius = if size.is_finite() && size > 0.0 { size * SPOT_RADIUS } else { 1.0 };
    let values = frame.deformed().iter().enumerate().map(|(index, streams)| {
        let mut values = vec![0.0_f32; streams.positions.len()];
        if index == instance {
            let step = place.vertices.len().div_ceil(MAX_SPOTS).max(1);
            for &vertex in place.vertices.iter().step_by(step) {
                let Some(&spot) = streams.positions.get(vertex as usize) else { continue };
                for (value, position) in values.iter_mut().zip(&streams.positions) {
                    let falloff = position.distance_squared(spot) / (radius * radius);
                    *value = value.max((-falloff).exp());
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

/// A view from the side that the vertices of a finding face.
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
