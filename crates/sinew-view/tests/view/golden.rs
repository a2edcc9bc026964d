//! Golden pictures that must not change by accident.
//!
//! A failure writes `NAME.got.png` and `NAME.diff.png` beside the golden; `SINEW_BLESS=1` rewrites goldens.

use std::path::PathBuf;
use std::sync::Arc;

use crate::subject;
use sinew_view::color::Color;
use sinew_view::encode::encode_png;
use sinew_view::glam::Vec2;
use sinew_view::layer::{Depth, LineStroke, Shading};
use sinew_view::legend::Legend;
use sinew_view::light::Lights;
use sinew_view::paint::{Paint, TexturePaint};
use sinew_view::palette::Ramp;
use sinew_view::picture::Picture;
use sinew_view::plot::Plot;
use sinew_view::raster::{RenderOptions, render};
use sinew_view::scene::{Background, Scene};
use sinew_view::sheet::{Cell, ContactSheet};
use sinew_view::texture::{DecodedTexture, TextureLimits, TextureSampler};

/// Cameras use the platform's sine and tangent, whose last bit may differ: a vertex can then snap to the next
/// 1/256 pixel, which moves the edges of a few pixels by one sample and their shading by one or two steps.
const STEPS: u8 = 2;
const MAX_FRACTION_BEYOND: f32 = 0.001;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn check(name: &str, got: &Picture) {
    let golden = path(&format!("{name}.png"));
    let file = encode_png(got).unwrap();
    if std::env::var_os("SINEW_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&golden, &file).unwrap();
        return;
    }
    let want = std::fs::read(&golden)
        .unwrap_or_else(|_| panic!("no golden {}: look at the picture, then bless it", golden.display()));
    let want = DecodedTexture::decode(&want, TextureLimits::default()).unwrap();
    let sizes_agree = (want.width(), want.height()) == (got.width(), got.height());
    let beyond = got.pixels().iter().zip(want.texels()).filter(|(a, b)| steps(**a, **b) > STEPS).count();
    let fraction = beyond as f32 / got.pixels().len() as f32;
    if !sizes_agree || fraction > MAX_FRACTION_BEYOND {
        std::fs::write(path(&format!("{name}.got.png")), &file).unwrap();
        if sizes_agree {
            let diff = encode_png(&difference_map(got, &want)).unwrap();
            std::fs::write(path(&format!("{name}.diff.png")), diff).unwrap();
        }
        panic!("{name}: {:.3} % of the pixels differ by more than {STEPS} steps", fraction * 100.0);
    }
}

fn steps(a: [u8; 4], b: [u8; 4]) -> u8 {
    a.iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0)
}

/// White where equal, darker the larger the difference, sixteen steps being black.
fn difference_map(got: &Picture, want: &DecodedTexture) -> Picture {
    let pixels = got
        .pixels()
        .iter()
        .zip(want.texels())
        .map(|(a, b)| {
            let gray = 255 - steps(*a, *b).saturating_mul(16);
            [gray, gray, gray, 255]
        })
        .collect();
    Picture::from_pixels(got.width(), got.height(), pixels).unwrap()
}

fn draw(scene: &Scene) -> Picture {
    render(scene, &RenderOptions::new(256, 256)).unwrap()
}

#[test]
fn shaded_on_the_ground() {
    check("shaded", &draw(&subject::scene().with(subject::layer(Paint::Solid(Color::hex(0xbfae9c))))));
}

#[test]
fn wire_over_shaded_on_a_dark_wall() {
    let mut layer = subject::layer(Paint::Solid(Color::hex(0x5f8fc4)));
    layer.wire = Some(LineStroke { width_px: 1.0, color: Color::BLACK.with_alpha(0.6) });
    let mut scene = subject::scene().with(layer);
    scene.background = Background::dark();
    check("wire", &draw(&scene));
}

#[test]
fn heat_map_with_contours() {
    let weights = subject::lower_weights(&subject::limb());
    let mut scene = subject::scene().with(subject::layer(Paint::heat(weights)));
    scene.lights = Lights::even();
    check("heat", &draw(&scene));
}

#[test]
fn x_ray_bones_inside_a_textured_skin() {
    let paint = Paint::Texture(TexturePaint {
        texture: Arc::new(subject::checker()),
        sampler: TextureSampler::default(),
        tint: Color::WHITE,
        vertices: None,
        alpha_cutoff: None,
    });
    let mut scene = subject::scene().with(subject::layer(paint));
    scene.layers.extend(subject::bones());
    check("bones", &draw(&scene));
}

#[test]
fn sheer_skin_over_nothing() {
    let mut layer = subject::layer(Paint::Solid(Color::hex(0xd98a4b)));
    layer.opacity = 0.5;
    layer.outline = Some(LineStroke { width_px: 2.0, color: Color::BLACK });
    let mut scene = subject::scene().with(layer);
    let [mut diamonds, _] = subject::bones();
    if let sinew_view::layer::SceneLayer::Mesh(mesh) = &mut diamonds {
        mesh.depth = Depth::Tested;
    }
    scene.layers.push(diamonds);
    scene.background = Background::Transparent;
    check("sheer", &draw(&scene));
}

#[test]
fn normals_as_colors_from_inside_the_mesh() {
    let mut layer = subject::layer(Paint::Solid(Color::WHITE));
    layer.shading = Shading::Normals;
    let mut scene = subject::scene().with(layer);
    scene.camera.eye = subject::JOINTS[0].lerp(subject::JOINTS[1], 0.2);
    scene.camera.target = subject::JOINTS[1];
    scene.camera.projection = sinew_view::camera::Projection::Perspective { fov_y_radians: 1.6 };
    check("inside", &draw(&scene));
}

#[test]
fn sheet_with_captions_and_a_scale() {
    let picture = |color| {
        let scene = subject::scene().with(subject::layer(Paint::Solid(Color::hex(color))));
        render(&scene, &RenderOptions::new(120, 120)).unwrap()
    };
    let sheet = ContactSheet {
        title: "Contact sheet".to_owned(),
        subtitle: "two cells and a scale".to_owned(),
        columns: 2,
        cells: vec![
            Cell::new(picture(0xc45b4d), "first").with_note("0.71 ns"),
            Cell::new(picture(0x4d8a5b), "a caption that is too long to fit"),
        ],
        legend: Some(Legend::Scale { ramp: Ramp::Heat, low: 0.0, high: 1.0, label: "weight".to_owned() }),
        ..ContactSheet::default()
    };
    check("sheet", &sheet.compose().unwrap());
}

#[test]
fn plot_of_two_series() {
    let points = |power: i32| (0..=20).map(|x| Vec2::new(x as f32, (x as f32 / 20.0).powi(power))).collect();
    let plot = Plot { width: 420, height: 260, ..Plot::new("Powers", "x", "y") };
    check("plot", &plot.with("square", points(2)).with("cube", points(3)).draw());
}
