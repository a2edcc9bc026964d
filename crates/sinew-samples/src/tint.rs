//! Conversion of sRGB colors to linear vertex colors.

use glam::{Vec3, Vec4};

/// The linear color of an sRGB `0xRRGGBB`, as color pickers write it.
pub(super) fn linear_from_srgb(hex: u32) -> Vec3 {
    let [_, r, g, b] = hex.to_be_bytes();
    Vec3::from([r, g, b].map(|byte| {
        let encoded = f32::from(byte) / 255.0;
        if encoded <= 0.04045 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) }
    }))
}

/// The opaque vertex color of a linear color.
pub(super) fn opaque(rgb: Vec3) -> Vec4 {
    rgb.extend(1.0)
}
