/// How many coverage samples a pixel has; more give smoother edges and cost more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SampleCount {
    /// One in the middle: hard edges, for tests and masks.
    One,
    /// Four.
    Four,
    /// Eight: the usual choice.
    #[default]
    Eight,
    /// Sixteen: for front pages.
    Sixteen,
}

/// Sub-pixel steps in a pixel: screen coordinates are whole numbers of these.
pub(super) const SUBPIXELS: i32 = 256;

/// A sample's place relative to the pixel's middle, in sub-pixel steps.
pub(super) type SampleOffset = [i32; 2];

// Rotated grids: no two samples share a row or a column, so that nearly upright and nearly level edges get
// as many shades as there are samples. The places are the ones graphics hardware has agreed on.
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
