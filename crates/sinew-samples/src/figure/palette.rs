//! The colors of the figure in linear RGB.

use super::sheet::SheetColor;

/// The linear color of 8-bit sRGB notation.
const fn srgb(rgb: u32) -> SheetColor {
    [channel(rgb >> 16), channel(rgb >> 8), channel(rgb)]
}

/// A polynomial approximation of sRGB decoding that works in constants: within 0.002 of the exact curve.
const fn channel(value: u32) -> f32 {
    let c = (value & 0xff) as f32 / 255.0;
    c * (c * (c * 0.305_306_01 + 0.682_171_1) + 0.012_522_878)
}

pub(super) const SKIN: SheetColor = srgb(0xdd9b76);
pub(super) const LIP: SheetColor = srgb(0x9c4a43);
pub(super) const HAIR: SheetColor = srgb(0x3b2620);
pub(super) const EYE: SheetColor = srgb(0x1d1513);
pub(super) const GLINT: SheetColor = srgb(0xffffff);
pub(super) const KNIT: SheetColor = srgb(0x2a9187);
pub(super) const RIB: SheetColor = srgb(0x1e6f69);
pub(super) const CREAM: SheetColor = srgb(0xf3e6cf);
pub(super) const DENIM: SheetColor = srgb(0x303f63);
pub(super) const DENIM_LIGHT: SheetColor = srgb(0x4b5f8c);
pub(super) const DENIM_DARK: SheetColor = srgb(0x222d49);
pub(super) const SHOE: SheetColor = srgb(0xe2694a);
pub(super) const SHOE_DARK: SheetColor = srgb(0xa84632);
pub(super) const SOLE: SheetColor = srgb(0xf1eee6);
