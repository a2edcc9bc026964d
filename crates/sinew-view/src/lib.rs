//! Scenes as plain data, and a software rasteriser that draws them without a driver.
#![forbid(unsafe_code)]

pub use sinew::glam;

pub mod camera;
pub mod color;
pub mod encode;
pub mod geometry;
pub mod ground;
pub mod layer;
pub mod light;
pub mod paint;
pub mod palette;
pub mod pick;
pub mod picture;
pub mod raster;
pub mod scene;
pub mod texture;
pub mod glyph;
pub mod stage;
pub mod text;
pub mod theme;
pub mod canvas;
pub mod sheet;
pub mod legend;
pub mod plot;
