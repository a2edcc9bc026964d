//! The software rasterizer: draws a scene without a GPU, with the same bits on any number of threads.
//!
//! The path of a triangle: `project` clips it and maps it to the screen, `bins` lists the tiles it may
//! touch, `tile` decides which samples of which pixels it covers and keeps the nearest triangle for each
//! sample, and `shade` colors every visible triangle once per pixel. Tiles are independent of each other, so
//! they may be drawn in any order.

mod bins;
mod clip;
mod cover;
mod frame;
mod ground;
mod lines;
mod outline;
mod parallel;
mod project;
mod samples;
mod shade;
mod shadow;
mod shadow_map;
mod surface;
mod tile;

use thiserror::Error;

use crate::picture::Picture;
use crate::scene::Scene;
use frame::RasterFrame;

pub use samples::SampleCount;

/// Size and quality of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// Width in pixels; zero gives an empty picture.
    pub width: u32,
    /// Height in pixels; zero gives an empty picture.
    pub height: u32,
    /// Coverage samples per pixel.
    pub samples: SampleCount,
}

impl RenderOptions {
    /// A picture of the given size in pixels with eight samples per pixel.
    pub const fn new(width: u32, height: u32) -> Self {
        Self { width, height, samples: SampleCount::Eight }
    }

    /// Width divided by height, for [`CameraLens`](crate::camera::CameraLens); 1 for an empty picture.
    pub fn aspect(&self) -> f32 {
        if self.width == 0 || self.height == 0 { 1.0 } else { self.width as f32 / self.height as f32 }
    }
}

/// Why a picture could not be drawn.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RenderError {
    /// A side exceeds the range of the rasterizer's coordinates.
    #[error("each side of the picture must be at most {MAX_SIDE} pixels, got {width} x {height}")]
    TooLarge {
        /// Requested width in pixels.
        width: u32,
        /// Requested height in pixels.
        height: u32,
    },
    /// More surfaces than one pixel can need.
    #[error("more than {} surfaces of the character lie over each other in the picture", tile::MAX_SURFACES)]
    TooManySurfaces,
}

/// Largest supported side of a picture in pixels.
pub const MAX_SIDE: u32 = 16_384;

/// Draws a scene on the CPU.
///
/// The picture depends on the scene and the options only: not on the number of threads, nor on whether the
/// `rayon` feature is on.
///
/// # Errors
/// [`RenderError::TooLarge`] if a side exceeds [`MAX_SIDE`], [`RenderError::TooManySurfaces`] if thousands of surfaces lie
/// over each other.
pub fn render(scene: &Scene, options: &RenderOptions) -> Result<Picture, RenderError> {
    let RenderOptions { width, height, samples } = *options;
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(RenderError::TooLarge { width, height });
    }
    let mut picture = Picture::filled(width, height, crate::color::Color::TRANSPARENT);
    if width > 0 && height > 0 {
        let frame = RasterFrame::new(scene, options);
        let tiles = parallel::map(frame.tiles().count(), |index| draw_tile(&frame, samples, index));
        let tiles = tiles.into_iter().collect::<Option<Vec<_>>>().ok_or(RenderError::TooManySurfaces)?;
        assemble(&mut picture, &frame, &tiles);
    }
    Ok(picture)
}

fn draw_tile(frame: &RasterFrame<'_>, samples: SampleCount, index: usize) -> Option<Vec<[u8; 4]>> {
    let tile = frame.tiles().at(index);
    match samples {
        SampleCount::One => tile::draw(frame, tile, &samples::ONE),
        SampleCount::Four => tile::draw(frame, tile, &samples::FOUR),
        SampleCount::Eight => tile::draw(frame, tile, &samples::EIGHT),
        SampleCount::Sixteen => tile::draw(frame, tile, &samples::SIXTEEN),
    }
}

fn assemble(picture: &mut Picture, frame: &RasterFrame<'_>, tiles: &[Vec<[u8; 4]>]) {
    for (index, pixels) in tiles.iter().enumerate() {
        copy_tile(picture, frame.tiles().at(index), pixels);
    }
}

fn copy_tile(picture: &mut Picture, tile: bins::Tile, pixels: &[[u8; 4]]) {
    let stride = picture.width() as usize;
    let (left, top) = (tile.left as usize, tile.top as usize);
    for (row, line) in pixels.chunks_exact(tile.width as usize).enumerate() {
        let start = (top + row) * stride + left;
        picture.pixels_mut()[start..start + line.len()].copy_from_slice(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Camera, box_corners};
    use crate::color::Color;
    use crate::geometry::Geometry;
    use crate::glam::{Vec2, Vec3};
    use crate::ground::GroundGrid;
    use crate::layer::MeshLayer;
    use crate::paint::Paint;

    fn cube() -> Scene {
        let positions = box_corners(Vec3::new(-0.5, 0.2, -0.5), Vec3::new(0.5, 1.2, 0.5)).to_vec();
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles: Vec<[u32; 3]> =
            quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let geometry = Geometry::new(positions, triangles).unwrap();
        let layer = MeshLayer::new(geometry, Paint::Solid(Color::hex(0xb04030))).unwrap();
        Scene::new(Camera::default()).with(layer).on(GroundGrid::under(Vec2::ZERO, 0.0, 1.0))
    }

    /// The path that is taken without the `rayon` feature.
    #[test]
    fn drawing_in_order_gives_the_same_bits_as_drawing_on_all_cores() {
        let options = RenderOptions::new(150, 90);
        let scene = cube();
        let frame = RasterFrame::new(&scene, &options);
        let tiles =
            parallel::in_order(frame.tiles().count(), |index| draw_tile(&frame, options.samples, index));
        let tiles: Vec<_> = tiles.into_iter().flatten().collect();
        let mut picture = Picture::filled(150, 90, Color::TRANSPARENT);
        assemble(&mut picture, &frame, &tiles);
        assert_eq!(picture, render(&scene, &options).unwrap());
    }

    /// `count` triangles over the whole picture, each `step` meters nearer than the one before.
    fn stack(count: u16, step: f32) -> Scene {
        let corners =
            |depth: f32| [(-40.0, -40.0), (40.0, -40.0), (0.0, 40.0)].map(|(x, y)| Vec3::new(x, y, depth));
        let positions: Vec<Vec3> = (0..count).flat_map(|k| corners(f32::from(k) * step)).collect();
        let triangles: Vec<[u32; 3]> = (0..u32::from(count)).map(|k| [k * 3, k * 3 + 1, k * 3 + 2]).collect();
        let geometry = Geometry::new(positions, triangles).unwrap();
        let layer = MeshLayer::new(geometry, Paint::Solid(Color::hex(0xb04030))).unwrap();
        let mut camera = Camera::default();
        (camera.eye, camera.target) = (Vec3::new(0.0, 0.0, 30.0), Vec3::ZERO);
        Scene::new(camera).with(layer)
    }

    #[test]
    fn sixty_thousand_triangles_in_one_place_are_drawn_once_and_those_in_front_of_each_other_are_refused() {
        let options = RenderOptions::new(64, 64);
        let one = render(&stack(1, 0.0), &options).unwrap();
        assert_eq!(render(&stack(60_000, 0.0), &options).unwrap(), one);
        assert_eq!(render(&stack(5000, 1e-3), &options).unwrap_err(), RenderError::TooManySurfaces);
    }

    #[test]
    fn more_samples_only_soften_edges() {
        let scene = cube();
        let draw = |samples| render(&scene, &RenderOptions { width: 120, height: 120, samples }).unwrap();
        let (hard, soft) = (draw(SampleCount::One), draw(SampleCount::Sixteen));
        let differing = hard.pixels().iter().zip(soft.pixels()).filter(|(a, b)| a != b).count();
        assert!(differing > 50 && differing < 1500, "{differing}");
    }

    #[test]
    fn an_orthographic_camera_draws_equal_sizes_near_and_far() {
        let mut scene = cube();
        scene.ground = None;
        scene.camera.projection = crate::camera::Projection::Orthographic { height: 3.0 };
        scene.camera.eye = Vec3::new(0.0, 0.7, 4.0);
        scene.camera.target = Vec3::new(0.0, 0.7, 0.0);
        let picture = render(&scene, &RenderOptions::new(300, 300)).unwrap();
        let red = picture.pixels().iter().filter(|pixel| pixel[0] / 2 > pixel[2]).count();
        // One square meter at a hundred pixels per meter.
        assert!(red.abs_diff(10_000) < 250, "{red}");
    }
}
