//! A crowd of 2,000 with levels of detail.

use super::compose_demo;
use crate::{
    failure::{Attempt, Failure},
    page::{Exhibit, HtmlTable, Section},
};
use indicatif::ProgressBar;
use sinew::glam::{Quat, Vec2, Vec3};
use sinew::instance::{Archetype, Instance, InstanceScratch, LodLevels, PlayOptions, UpdateRate, update_all};
use sinew::{Frame, Mesh, Method, Transform};
use sinew_view::{
    camera::Camera,
    color::Color,
    geometry::Geometry,
    ground::GroundGrid,
    layer::MeshLayer,
    legend::Legend,
    paint::Paint,
    picture::Picture,
    raster::{RenderOptions, render},
    scene::Scene,
    sheet::{Cell, ContactSheet},
};
use std::collections::HashMap;

const SIZE: RenderOptions = RenderOptions::new(1200, 520);
const ROWS: usize = 40;
const COLUMNS: usize = 50;
/// The distance between neighbors in meters.
const SPACING: f32 = 2.0;
const VIEWER: Vec3 = Vec3::new(-4.0, 4.2, 6.5);
/// A second is played, in which every instance is evaluated at its rate.
const TICKS: u16 = 60;

/// The levels by the rate that they update at, with their color and the size of the cells in which their vertices are merged.
const LEVELS: [(Option<f32>, &str, u32, f32); 4] = [
    (None, "every frame", 0x2f9e5b, 0.0),
    (Some(30.0), "30 Hz", 0x2f7fd6, 0.035),
    (Some(15.0), "15 Hz", 0xe0a526, 0.06),
    (Some(10.0), "10 Hz", 0xd4553f, 0.09),
];

/// What happened in the second that was played, by level.
#[derive(Clone, Copy, Default)]
struct LevelCount {
    instances: usize,
    evaluations: usize,
}

pub(super) fn section(bar: &ProgressBar) -> Result<Section, Failure> {
    let archetype = Archetype::compact(sinew_samples::figure(), &Default::default()).attempt(compose_demo)?;
    let mut crowd = crowd(&archetype)?;
    let counts = play(&archetype, &mut crowd);
    let picture = picture(&archetype, &crowd, &counts)?;
    bar.inc(1);
    let caption = format!("{} figures, by how often they are evaluated", crowd.len());
    let row = |((_, name, ..), count): (&(Option<f32>, &str, u32, f32), &LevelCount)| {
        let each = count.evaluations as f32 / f32::from(TICKS);
        vec![(*name).to_owned(), count.instances.to_string(), format!("{each:.0}")]
    };
    Ok(Section {
        title: "A crowd with levels of detail".into(),
        text: "Figures far away are evaluated less often, spread evenly over the frames; held poses need no palette and no \
               upload. The picture merges vertices of distant figures, which has nothing to do with their animation."
            .into(),
        rows: vec![vec![Exhibit::still("crowd_levels", caption, &picture)?]],
        table: Some(HtmlTable::new(
            ["update rate", "figures", "evaluated per frame of 60 Hz"],
            LEVELS.iter().zip(&counts).map(row).collect(),
        )),
    })
}

/// A number from 0 to 1 that looks random.
fn noise(seed: usize) -> f32 {
    ((seed as f32 * 12.9898).sin() * 43758.547).fract().abs()
}

/// Walkers on a grid that is disturbed, each with a direction, a speed and a phase of its own.
fn crowd(archetype: &Archetype) -> Result<Vec<Instance>, Failure> {
    let levels = LodLevels::usual();
    let motions = ["walk", "idle", "wave"].map(|name| archetype.find_motion(name));
    (0..ROWS * COLUMNS)
        .map(|nth| {
            let mut one = archetype.new_instance();
            // Three of four walk.
            let motion = motions[[0, 0, 0, 1, 0, 0, 0, 2][nth % 8]];
            let motion = motion.ok_or_else(|| Failure::work(compose_demo(), "the figure lacks a clip"))?;
            one.set_speed(0.85 + 0.3 * noise(nth + 1));
            one.seek(f64::from(noise(nth + 2)) * 2.0);
            one.play_with(archetype, motion, PlayOptions::LOOP).attempt(compose_demo)?;
            let (row, column) = ((nth / COLUMNS) as f32, (nth % COLUMNS) as f32);
            let place = Vec3::new(
                (column - COLUMNS as f32 * 0.36 + noise(nth + 3) * 0.8) * SPACING,
                0.0,
                -(row + noise(nth + 4) * 0.8) * SPACING,
            );
            let turn = Quat::from_rotation_y((noise(nth + 5) - 0.5) * 1.4);
            one.place(Transform::from_rotation_translation(turn, place)).attempt(compose_demo)?;
            let rate = levels.update_rate_at(place.distance(VIEWER), UpdateRate::default());
            one.set_update_rate(rate, UpdateRate::phase_of(nth));
            Ok(one)
        })
        .collect()
}

fn level_of(one: &Instance) -> usize {
    LEVELS.iter().position(|(rate, ..)| *rate == one.update_rate().rate_hz).unwrap_or(0)
}

fn play(archetype: &Archetype, crowd: &mut [Instance]) -> [LevelCount; LEVELS.len()] {
    let mut counts = [LevelCount::default(); LEVELS.len()];
    let mut scratch = InstanceScratch::new(archetype);
    crowd.iter().for_each(|one| counts[level_of(one)].instances += 1);
    for _ in 0..TICKS {
        update_all(archetype, crowd, 1.0 / f32::from(TICKS), &mut scratch, |_, _| {});
        for one in crowd.iter() {
            counts[level_of(one)].evaluations += usize::from(one.latest_update().is_evaluated);
        }
    }
    counts
}

fn picture(archetype: &Archetype, crowd: &[Instance], counts: &[LevelCount]) -> Result<Picture, Failure> {
    let target = VIEWER + Vec3::new(0.25, -0.23, -1.0) * 20.0;
    let camera = Camera { eye: VIEWER, target, near: 0.5, ..Camera::default() };
    let mut ground = GroundGrid::under(Vec2::new(10.0, -30.0), 0.0, 70.0);
    (ground.grid, ground.shadow) = (None, GroundGrid::under(Vec2::ZERO, 0.0, 2.0).shadow);
    let mut scene = Scene::new(camera).on(ground);
    let mut frame = Frame::new(archetype.character().clone());
    for (level, (_, name, color, cell)) in LEVELS.iter().enumerate() {
        let members: Vec<&Instance> = crowd.iter().filter(|one| level_of(one) == level).collect();
        let geometry = merged(&mut frame, &members, *cell)?;
        let mut layer = MeshLayer::new(geometry, Paint::Solid(Color::hex(*color))).attempt(compose_demo)?;
        layer.name = (*name).into();
        // Far shadows are smaller than their softness.
        (layer.gloss, layer.casts_shadow) = (0.1, level < 2);
        scene.layers.push(layer.into());
    }
    let picture = render(&scene, &SIZE).attempt(compose_demo)?;
    let key = |((_, name, color, _), count): (&(Option<f32>, &str, u32, f32), &LevelCount)| {
        (Color::hex(*color), format!("{name}: {}", count.instances))
    };
    let sheet = ContactSheet {
        cells: vec![Cell::new(picture, "")],
        legend: Some(Legend::Keys(LEVELS.iter().zip(counts).map(key).collect())),
        ..ContactSheet::default()
    };
    sheet.compose().attempt(compose_demo)
}

/// All `members` as one mesh, each with its vertices merged in cells of `cell` meters.
fn merged(frame: &mut Frame, members: &[&Instance], cell: f32) -> Result<Geometry, Failure> {
    let coarse = CoarseMesh::new(&frame.character().meshes()[0], cell);
    let (mut positions, mut normals, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    for one in members {
        frame.local_mut().copy_from(one.pose());
        frame.deform(Method::Linear).attempt(compose_demo)?;
        let (streams, place) = (&frame.deformed()[0], one.world_from_model());
        let first = positions.len() as u32;
        for &vertex in &coarse.vertices {
            positions.push(place.transform_point(streams.positions[vertex]));
            normals.push(place.rotation * streams.normals[vertex]);
        }
        triangles.extend(coarse.triangles.iter().map(|corners| corners.map(|corner| first + corner)));
    }
    let geometry = Geometry::new(positions, triangles).and_then(|mesh| mesh.with_normals(normals));
    geometry.attempt(compose_demo)
}

/// One vertex of each cell, and the triangles that are left between them.
struct CoarseMesh {
    vertices: Vec<usize>,
    triangles: Vec<[u32; 3]>,
}

impl CoarseMesh {
    fn new(mesh: &Mesh, cell: f32) -> Self {
        let mut cells: HashMap<[i32; 3], u32> = HashMap::new();
        let mut vertices = Vec::new();
        let mut of_vertex = Vec::with_capacity(mesh.vertex_count());
        for (vertex, position) in mesh.positions().iter().enumerate() {
            let next = vertices.len() as u32;
            let key = if cell > 0.0 {
                (*position / cell).floor().as_ivec3().to_array()
            } else {
                [(vertex as u32).cast_signed(), 0, 0]
            };
            of_vertex.push(*cells.entry(key).or_insert_with(|| {
                vertices.push(vertex);
                next
            }));
        }
        let corners = mesh.indices().as_chunks::<3>().0.iter();
        let triangles = corners.map(|triangle| triangle.map(|vertex| of_vertex[vertex as usize]));
        let triangles = triangles.filter(|[a, b, c]| a != b && b != c && c != a).collect();
        Self { vertices, triangles }
    }
}
