//! Lines of constant width as thin rectangles on the screen.

use super::clip;
use super::project::{ProjectionSource, RasterView, ScreenCorner, TriangleList, on_screen};
use crate::glam::{Vec3, Vec4};
use crate::layer::LineSegment;

/// Lines are moved towards the camera by this fraction of their distance, so that lines on a surface stay visible.
const NEARER: f32 = 1.0 + 4e-4;

impl TriangleList {
    /// Adds every segment; segments with an end that is not finite are skipped.
    pub(super) fn add_lines(
        &mut self,
        view: &RasterView,
        segments: &[LineSegment],
        width_px: f32,
        material: u32,
    ) {
        for (face, segment) in (0u32..).zip(segments) {
            let ends = [segment.from, segment.to].map(|end| view.clip_from_world * end.extend(1.0));
            self.add_line(
                view,
                ends,
                width_px,
                NEARER,
                ProjectionSource { material, face, both_sides: true },
            );
        }
    }

    /// Adds one line between two points in clip space; depth is multiplied by `nearer`.
    pub(super) fn add_line(
        &mut self,
        view: &RasterView,
        ends: [Vec4; 2],
        width_px: f32,
        nearer: f32,
        source: ProjectionSource,
    ) {
        if !ends[0].is_finite() || !ends[1].is_finite() || !width_px.is_finite() || width_px <= 0.0 {
            return;
        }
        let Some((first, last)) = clip::segment(ends[0], ends[1], view.near) else { return };
        let [from, to] = [first, last].map(|t| on_screen(view, ends[0].lerp(ends[1], t)));
        let Some(along) = (to.pixel - from.pixel).try_normalize() else { return };
        let half = width_px.min(256.0) * 0.5;
        let (cap, side) = (along * half, along.perp() * half);
        let corner = |end: ScreenCorner, shift| ScreenCorner {
            pixel: end.pixel + shift,
            depth: end.depth * nearer,
            inv_w: end.inv_w,
        };
        let corners = [
            corner(from, -cap - side),
            corner(to, cap - side),
            corner(to, cap + side),
            corner(from, side - cap),
        ];
        let [start, end] = [first, last].map(|t| Vec3::new(1.0 - t, t, 0.0));
        let weights = [start, end, end, start];
        for pick in [[0, 1, 2], [0, 2, 3]] {
            self.push_weighted(pick.map(|index| corners[index]), pick.map(|index| weights[index]), source);
        }
    }
}
