//! Vertex animation textures: decoded vertices beside deformed ones, and the texture itself.

use super::{compose_demo, frozen::frozen};
use crate::{
    failure::{Attempt, Failure},
    film::{lens, untextured},
    page::{Exhibit, HtmlTable, Section},
};
use indicatif::ProgressBar;
use sinew::glam::Vec3;
use sinew::{Character, Frame, LocalPose, Method, Streams, Wrap, sample_clip};
use sinew_formats::bake::vat::{BoneAnimation, TextureOptions, VertexAnimation};
use sinew_view::{
    camera::{Camera, Orbit},
    color::Color,
    film::Film,
    geometry::Geometry,
    layer::MeshLayer,
    legend::Legend,
    paint::{Paint, ScalarPaint},
    palette::Ramp,
    picture::Picture,
    raster::{RenderOptions, render},
    sheet::{Cell, ContactSheet},
    stage::StageOptions,
};

const SIZE: RenderOptions = RenderOptions::new(330, 420);
/// The frame of the run that is shown.
const SHOWN: usize = 6;
/// The upper end of the color scale, in millimeters.
const SCALE_MM: f32 = 0.5;

pub(super) fn section(bar: &ProgressBar) -> Result<Section, Failure> {
    let figure = sinew_samples::figure();
    let Some(run) = figure.find_clip("run") else {
        return Err(Failure::work(compose_demo(), "the figure has no run"));
    };
    let options = TextureOptions::default();
    let clips = [&**run];
    let vat = VertexAnimation::record(&figure, &clips, Method::Linear, &options, &mut |_| {})
        .attempt(compose_demo)?;
    let bones = BoneAnimation::record(&figure, &clips, &options, &mut |_| {}).attempt(compose_demo)?;
    let mut pose = figure.rest_pose();
    sample_clip(run, vat.clips()[0].time_secs(SHOWN as f32), Wrap::Clamp, &mut pose);
    let rows = vec![vec![beside(bar, &figure, &pose, &vat)?], vec![texture(bar, &vat)?]];
    Ok(Section {
        title: "Clips in textures".into(),
        text: "A vertex animation texture has the position and the normal of every vertex in every frame in half precision; a \
               bone texture has the skinning matrices. A GPU plays them for crowds without any work on the CPU."
            .into(),
        rows,
        table: Some(table(&vat, &bones)),
    })
}

fn table(vat: &VertexAnimation, bones: &BoneAnimation) -> HtmlTable {
    let row = |name: &str, texels: u32, error: f64| {
        vec![name.to_owned(), format!("{} KB", texels * 8 / 1024), format!("{error:.2} mm")]
    };
    let texels = |layout: sinew_formats::bake::vat::TextureLayout| layout.width() * layout.height();
    let (positions, matrices) = (texels(vat.positions().layout()), texels(bones.texture().layout()));
    HtmlTable::new(
        ["texture of the run", "RGBA16F", "largest error"],
        vec![
            row("positions", positions, vat.error().max_position_mm),
            row("bone matrices", matrices, bones.error().max_position_mm),
        ],
    )
}

/// The deformed figure, the figure from the textures, and their difference.
fn beside(
    bar: &ProgressBar,
    figure: &Character,
    pose: &LocalPose,
    vat: &VertexAnimation,
) -> Result<Exhibit, Failure> {
    let mut film = untextured(figure, StageOptions::default());
    let camera = film.camera(std::slice::from_ref(pose), Orbit::degrees(50.0, 8.0), lens(&SIZE))?;
    film.pose(pose)?;
    let deformed = film.shoot(camera, &SIZE)?;
    let decoded = decoded(vat);
    let difference = difference(&film, camera, vat, &decoded.positions)?;
    let still = frozen(figure, decoded)?;
    let mut still_film = untextured(&still, StageOptions::default());
    still_film.camera(&[still.rest_pose()], Orbit::degrees(50.0, 8.0), lens(&SIZE))?;
    still_film.pose(&still.rest_pose())?;
    let sheet = ContactSheet {
        columns: 3,
        cells: vec![
            Cell::new(deformed, "Deformed by the CPU"),
            Cell::new(still_film.shoot(camera, &SIZE)?, "From the textures"),
            Cell::new(difference, "Difference"),
        ],
        legend: Some(Legend::Scale {
            ramp: Ramp::Heat,
            low: 0.0,
            high: SCALE_MM,
            label: "difference in mm".into(),
        }),
        ..ContactSheet::default()
    };
    bar.inc(1);
    let caption = format!("Frame {SHOWN} of the run, deformed and read back from half precision");
    Exhibit::still("vat_beside", caption, &sheet.compose().attempt(compose_demo)?)
}

/// The surface of the shown frame as a shader reads it.
fn decoded(vat: &VertexAnimation) -> Streams {
    let normal = |vertex: usize| {
        let [x, y, z, _] = vat.normals().map_or([0.0; 4], |normals| normals.get(SHOWN, vertex));
        Vec3::new(x, y, z).normalize_or_zero()
    };
    Streams {
        positions: (0..vat.vertex_count()).map(|vertex| vat.position_at(SHOWN, vertex)).collect(),
        normals: (0..vat.vertex_count()).map(normal).collect(),
        tangents: Vec::new(),
    }
}

fn difference(
    film: &Film,
    camera: Camera,
    vat: &VertexAnimation,
    decoded: &[Vec3],
) -> Result<Picture, Failure> {
    let frame: &Frame = film.frame();
    let exact = &frame.deformed()[0];
    let values: Vec<f32> =
        exact.positions.iter().zip(decoded).map(|(a, b)| a.distance(*b) * 1000.0).collect();
    let mesh = &vat.mesh().meshes()[0];
    let triangles: Vec<[u32; 3]> = mesh.indices().as_chunks::<3>().0.to_vec();
    let geometry = Geometry::new(decoded.to_vec(), triangles)
        .and_then(|geometry| geometry.with_normals(exact.normals.clone()))
        .attempt(compose_demo)?;
    let (values, ramp) = (values.into(), Ramp::Heat);
    let paint = Paint::Scalar(ScalarPaint { values, low: 0.0, high: SCALE_MM, ramp, contours: None });
    let mut scene = film.scene(camera)?;
    scene.layers = vec![MeshLayer::new(geometry, paint).attempt(compose_demo)?.into()];
    render(&scene, &SIZE).attempt(compose_demo)
}

/// The texture of positions as a picture: the offset along X is red, along Y green, along Z blue.
fn texture(bar: &ProgressBar, vat: &VertexAnimation) -> Result<Exhibit, Failure> {
    let layout = vat.positions().layout();
    let per_frame = (layout.width() * layout.rows_per_frame()) as usize;
    let frames = 0..layout.frame_count() as usize;
    let read = |frame: usize| {
        (0..per_frame).map(move |texel| {
            let [x, y, z, _] = vat.positions().get(frame, texel);
            Vec3::new(x, y, z)
        })
    };
    let offsets: Vec<Vec3> = frames.flat_map(read).collect();
    let low = offsets.iter().fold(Vec3::ZERO, |low, offset| low.min(*offset));
    let high = offsets.iter().fold(Vec3::ZERO, |high, offset| high.max(*offset));
    let size = (high - low).max(Vec3::splat(1e-6));
    let pixel = |offset: &Vec3| {
        let [r, g, b] = (((*offset - low) / size) * 255.0).to_array().map(|x| x.round() as u8);
        [r, g, b, 255]
    };
    let pixels = offsets.iter().map(pixel).collect();
    let picture = Picture::from_pixels(layout.width(), layout.height(), pixels);
    let picture = picture.unwrap_or_else(|| Picture::filled(1, 1, Color::TRANSPARENT));
    bar.inc(1);
    let caption = "The texture of positions: each frame takes a few rows, the offset from rest is the color";
    Exhibit::still("vat_texture", caption, &picture)
}
