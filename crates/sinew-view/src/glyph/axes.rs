use crate::color::Color;
use crate::glam::Affine3A;
use crate::layer::{Depth, LineLayer, LineSegment};

/// Appearance of joint axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxesStyle {
    /// Line width in pixels.
    pub width_px: f32,
    /// Whether axes show through the skin.
    pub depth: Depth,
}

/// Three lines per frame: X red, Y green, Z blue, of the given length in meters regardless of the frame's scale.
pub fn axes_layer(world_from_joint: &[(Affine3A, f32)], style: &AxesStyle) -> LineLayer {
    let colors = [Color::hex(0xe0393e), Color::hex(0x4caf3a), Color::hex(0x2f7de0)];
    let segments: Vec<LineSegment> = world_from_joint
        .iter()
        .flat_map(|&(frame, length)| {
            let axes = frame.matrix3;
            [axes.x_axis, axes.y_axis, axes.z_axis].into_iter().zip(colors).map(move |(axis, color)| {
                let from = frame.translation.into();
                let to = frame.translation + axis.normalize_or_zero() * length;
                LineSegment::new(from, to.into(), color)
            })
        })
        .collect();
    LineLayer {
        name: "axes".to_owned(),
        segments: segments.into(),
        width_px: style.width_px,
        depth: style.depth,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glam::Vec3;

    #[test]
    fn axes_keep_their_length_under_scale() {
        let frame = Affine3A::from_scale(Vec3::new(5.0, 0.1, 0.0));
        let style = AxesStyle { width_px: 2.0, depth: Depth::Tested };
        let layer = axes_layer(&[(frame, 0.5)], &style);
        let lengths: Vec<f32> = layer.segments.iter().map(|one| (one.to - one.from).length()).collect();
        assert!((lengths[0] - 0.5).abs() < 1e-6 && (lengths[1] - 0.5).abs() < 1e-6);
        assert_eq!(lengths[2], 0.0);
    }
}
