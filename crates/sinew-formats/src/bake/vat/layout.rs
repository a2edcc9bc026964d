//! Where the texels of a frame are.

use super::TextureBakeError;
use sinew::glam::Vec2;

/// The largest width and height of a texture: what every GPU of the last ten years reads.
pub const MAX_TEXTURE_SIZE: u32 = 16_384;

/// Where the texels of each frame are: a frame takes some whole rows, and the frames lie below each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureLayout {
    width: u32,
    rows_per_frame: u32,
    frame_count: u32,
}

impl TextureLayout {
    /// `texels` of each frame in rows of at most `columns`. Groups of `group` texels are never divided between two rows.
    pub(super) fn new(
        texels: usize,
        group: u32,
        frames: usize,
        columns: u32,
    ) -> Result<Self, TextureBakeError> {
        if !(group..=MAX_TEXTURE_SIZE).contains(&columns) {
            return Err(TextureBakeError::BadColumns { columns, min: group, max: MAX_TEXTURE_SIZE });
        }
        let columns = columns - columns % group;
        let width = texels.clamp(1, columns as usize);
        let rows_per_frame = texels.div_ceil(width).max(1);
        let height = rows_per_frame.saturating_mul(frames);
        if height > MAX_TEXTURE_SIZE as usize {
            let max = MAX_TEXTURE_SIZE;
            return Err(TextureBakeError::TooTall { frames, rows_per_frame, width: width as u32, max });
        }
        Ok(Self { width: width as u32, rows_per_frame: rows_per_frame as u32, frame_count: frames as u32 })
    }

    /// Texels in a row.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Rows of the whole texture.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.rows_per_frame * self.frame_count
    }

    /// Rows from one frame to the next.
    #[must_use]
    pub fn rows_per_frame(&self) -> u32 {
        self.rows_per_frame
    }

    /// Frames of all clips.
    #[must_use]
    pub fn frame_count(&self) -> u32 {
        self.frame_count
    }

    /// The index of a texel in the list of all texels, row by row from the top. `element` counts texels within the frame.
    #[must_use]
    pub fn texel(&self, frame: usize, element: usize) -> usize {
        frame * (self.rows_per_frame * self.width) as usize + element
    }

    /// The texture coordinates of the center of a texel in the first frame; v points down.
    #[must_use]
    pub fn uv(&self, element: usize) -> Vec2 {
        let (column, row) = (element % self.width as usize, element / self.width as usize);
        Vec2::new(
            (column as f32 + 0.5) / self.width as f32,
            (row as f32 + 0.5) / (self.height().max(1)) as f32,
        )
    }

    /// How many texels the texture has.
    pub(super) fn texel_count(&self) -> usize {
        self.width as usize * self.height() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_lie_below_each_other_in_whole_rows() {
        let layout = TextureLayout::new(2500, 1, 7, 1024).unwrap();
        assert_eq!((layout.width(), layout.rows_per_frame(), layout.height()), (1024, 3, 21));
        assert_eq!(layout.texel(2, 1), 2 * 3 * 1024 + 1);
        let uv = layout.uv(1025);
        assert_eq!((uv * Vec2::new(1024.0, 21.0)).floor(), Vec2::new(1.0, 1.0));
        let small = TextureLayout::new(13, 1, 2, 1024).unwrap();
        assert_eq!((small.width(), small.rows_per_frame()), (13, 1));
    }

    #[test]
    fn rows_of_a_matrix_stay_in_one_row_of_the_texture() {
        let layout = TextureLayout::new(3 * 500, 3, 4, 1024).unwrap();
        assert_eq!((layout.width(), layout.rows_per_frame()), (1023, 2));
    }

    #[test]
    fn a_texture_that_no_gpu_reads_is_refused_with_its_size() {
        let error = TextureLayout::new(100_000, 1, 200, 1024).unwrap_err();
        assert!(
            matches!(error, TextureBakeError::TooTall { frames: 200, rows_per_frame: 98, .. }),
            "{error}"
        );
        for columns in [0, 2, 16_385, u32::MAX] {
            assert!(matches!(TextureLayout::new(9, 3, 1, columns), Err(TextureBakeError::BadColumns { .. })));
        }
    }
}
