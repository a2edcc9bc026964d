/// Number of coverage samples per pixel; more samples give smoother edges and take longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SampleCount {
    /// One sample in the middle: hard edges, for tests and masks.
    One,
    /// Four samples per pixel.
    Four,
    /// Eight samples per pixel, the default.
    #[default]
    Eight,
    /// Sixteen samples per pixel, for print quality.
    Sixteen,
}

/// Sub-pixel steps per pixel: screen coordinates are integers in this unit.
pub(super) const SUBPIXELS: i32 = 256;

/// A sample's position relative to the pixel's middle, in sub-pixel steps.
pub(super) type SampleOffset = [i32; 2];

// Rotated grids: no two samples share a row or a column, so that nearly vertical and horizontal edges get
// as many shades as there are samples. The positions are the standard ones of Direct3D and Vulkan.
pub(super) const ONE: [SampleOffset; 1] = [[0, 0]];
pub(super) const FOUR: [SampleOffset; 4] = scaled([[-2, -6], [6, -2], [-6, 2], [2, 6]]);
pub(super) const EIGHT: [SampleOffset; 8] =
    scaled([[1, -3], [-1, 3], [5, 1], [-3, -5], [-5, 5], [-7, -1], [3, 7], [7, -7]]);
pub(super) const SIXTEEN: [SampleOffset; 16] = scaled([
    [1, 1],
    [-1, -3],
    [-3, 2],
    [4, -1],
    [-5, -2],
    [2, 5],
    [5, 3],
    [3, -5],
    [-2, 6],
    [0, -7],
    [-4, -6],
    [-6, 4],
    [-8, 0],
    [7, -4],
    [6, 7],
    [-7, -8],
]);

const fn scaled<const N: usize>(sixteenths: [SampleOffset; N]) -> [SampleOffset; N] {
    let mut out = sixteenths;
    let mut index = 0;
    while index < N {
        out[index] = [sixteenths[index][0] * (SUBPIXELS / 16), sixteenths[index][1] * (SUBPIXELS / 16)];
        index += 1;
    }
    out
}
