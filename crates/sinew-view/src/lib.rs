//! Scenes as plain data, and a software rasterizer that draws them without a GPU.
//!
//! A [`Scene`](scene::Scene) is a camera, lights, a ground and layers of triangles and lines: owned or shared
//! buffers without closures, so that any renderer can draw it. [`render`](raster::render) draws it on all cores,
//! with the same bits on any number of them:
//!
//! ```
//! use sinew_view::camera::{Camera, CameraLens, Orbit};
//! use sinew_view::color::Color;
//! use sinew_view::encode::encode_png;
//! use sinew_view::geometry::Geometry;
//! use sinew_view::glam::Vec3;
//! use sinew_view::layer::MeshLayer;
//! use sinew_view::paint::Paint;
//! use sinew_view::raster::{RenderOptions, render};
//! use sinew_view::scene::Scene;
//!
//! let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
//! let geometry = Geometry::new(corners.clone(), vec![[0, 1, 2]])?;
//! let camera = Camera::framing(corners, Orbit::THREE_QUARTER, CameraLens::default());
//! let scene = Scene::new(camera).with(MeshLayer::new(geometry, Paint::Solid(Color::hex(0x3b82d6)))?);
//! let picture = render(&scene, &RenderOptions::new(200, 200))?;
//! assert!(encode_png(&picture)?.len() > 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Stage`](stage::Stage) builds the scene of a character: its skin in any look, its bones and axes.
//!
//! ```
//! use sinew::{Frame, Method};
//! use sinew_view::camera::{CameraLens, Orbit};
//! use sinew_view::raster::{RenderOptions, render};
//! use sinew_view::stage::{BoneLook, SkinLook, Stage, StageOptions, StageTextures};
//!
//! let arm = sinew_samples::arm();
//! let mut frame = Frame::new(&arm);
//! frame.deform(Method::Linear)?;
//!
//! let elbow = arm.skeleton().find("lower").ok_or("no elbow")?;
//! let options = StageOptions {
//!     skin: SkinLook::Heat(elbow),
//!     bones: BoneLook::Plain,
//!     selected: Some(elbow),
//!     ..StageOptions::default()
//! };
//! let stage = Stage::new(&arm, &StageTextures::none(), options);
//! let camera = stage.camera(&frame, Orbit::THREE_QUARTER, CameraLens::default());
//! let picture = render(&stage.scene(&frame, camera)?, &RenderOptions::new(120, 120))?;
//! assert_eq!(picture.width(), 120);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules in the order of the data flow: [`stage`] and [`glyph`] build [`layer`]s of [`geometry`] and
//! [`paint`] for a [`scene`]; [`raster`] draws a [`picture`] of it; [`film`] draws one per pose; [`sheet`],
//! [`legend`], [`plot`], [`canvas`] and [`text`] compose pages; [`encode`] writes files. [`pick`] finds the triangle
//! under the pointer, [`region`] the points inside a box or a lasso; a [`gizmo`] rotates, moves or scales with the
//! pointer.
//!
//! # Features
//!
//! - `rayon` (default): draws tiles on all cores. The picture is bit-identical without it.
#![forbid(unsafe_code)]

pub use sinew::glam;

pub mod bar_chart;
pub mod camera;
pub mod canvas;
pub mod color;
pub mod encode;
pub mod film;
pub mod geometry;
pub mod gizmo;
pub mod glyph;
pub mod ground;
pub mod layer;
pub mod legend;
pub mod light;
pub mod paint;
pub mod palette;
pub mod pick;
pub mod picture;
pub mod plot;
pub mod raster;
pub mod region;
pub mod scene;
pub mod sheet;
pub mod stage;
pub mod text;
pub mod texture;
pub mod theme;
