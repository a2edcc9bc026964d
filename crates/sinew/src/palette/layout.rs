//! Skinning matrices in the layouts of GPU buffers and textures.

use super::{Palette, write_at};
use crate::{asset::skin::Skin, pose::ModelPose, simd};
use glam::Affine3A;

/// How a skinning matrix lies in a buffer of numbers.
#[doc(alias = "bone texture")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PaletteLayout {
    /// `[f32; 12]`: three rows of four numbers, the translation last in each, 48 bytes. In a texture, each row is one texel
    /// of RGBA32F: three texels per joint. In WGSL, `array<vec4f, 3>`; in HLSL, a row-major `float3x4`.
    Rows3x4,
    /// `[f32; 16]`: four columns of four numbers, the last row 0, 0, 0, 1, 64 bytes. In WGSL `mat4x4f`, in GLSL `mat4`.
    Columns4x4,
    /// WGSL `mat4x3f`: four columns of three numbers, each padded with a zero to 16 bytes, 64 bytes in all.
    Columns4x3,
}

impl PaletteLayout {
    /// Every layout, for tests and menus.
    pub const ALL: [Self; 3] = [Self::Rows3x4, Self::Columns4x4, Self::Columns4x3];

    /// Numbers per joint, padding included.
    pub const fn floats_per_joint(self) -> usize {
        match self {
            Self::Rows3x4 => 12,
            Self::Columns4x4 | Self::Columns4x3 => 16,
        }
    }

    /// Bytes per joint, padding included.
    pub const fn bytes_per_joint(self) -> usize {
        self.floats_per_joint() * size_of::<f32>()
    }

    fn write(self, matrix: &Affine3A, out: &mut [f32]) {
        let [x, y, z] = [matrix.matrix3.x_axis, matrix.matrix3.y_axis, matrix.matrix3.z_axis];
        let columns = [x, y, z, matrix.translation].map(|column| column.to_array());
        match self {
            Self::Rows3x4 => {
                for (row, out) in out.chunks_exact_mut(4).enumerate() {
                    out.copy_from_slice(&columns.map(|column| column[row]));
                }
            }
            Self::Columns4x4 | Self::Columns4x3 => {
                for ((index, [x, y, z]), out) in columns.into_iter().enumerate().zip(out.chunks_exact_mut(4))
                {
                    let is_one = index == 3 && self == Self::Columns4x4;
                    out.copy_from_slice(&[x, y, z, if is_one { 1.0 } else { 0.0 }]);
                }
            }
        }
    }

    #[track_caller]
    fn check(self, joints: usize, floats: usize) {
        let wanted = joints * self.floats_per_joint();
        assert!(
            floats == wanted,
            "the buffer has {floats} numbers, {joints} joints as {self:?} need {wanted}"
        );
    }
}

/// The number of matrices that are computed before they are written: they stay in the first cache.
const CHUNK: usize = 32;

/// Writes the matrices of `skin` in `pose`, `model_from_joint · joint_from_mesh`, in a layout for the GPU.
///
/// # Panics
/// If `out` does not have [`PaletteLayout::floats_per_joint`] numbers for each joint of the skin, or `pose` is not of the
/// skin's skeleton.
#[track_caller]
pub fn write_skinning_palette(layout: PaletteLayout, skin: &Skin, pose: &ModelPose, out: &mut [f32]) {
    layout.check(skin.joints().len(), out.len());
    let mut matrices = [Affine3A::IDENTITY; CHUNK];
    for (nth, out) in out.chunks_mut(CHUNK * layout.floats_per_joint()).enumerate() {
        let count = out.len() / layout.floats_per_joint();
        write_at(simd::best(), skin, nth * CHUNK, pose, &mut matrices[..count]);
        write_all(layout, &matrices[..count], out);
    }
}

fn write_all(layout: PaletteLayout, matrices: &[Affine3A], out: &mut [f32]) {
    let joints = out.chunks_exact_mut(layout.floats_per_joint());
    matrices.iter().zip(joints).for_each(|(matrix, out)| layout.write(matrix, out));
}

impl Palette {
    /// Writes the matrices in a layout for the GPU.
    ///
    /// # Panics
    /// If `out` does not have [`PaletteLayout::floats_per_joint`] numbers for each matrix.
    #[track_caller]
    pub fn write_as(&self, layout: PaletteLayout, out: &mut [f32]) {
        layout.check(self.model_from_mesh.len(), out.len());
        write_all(layout, &self.model_from_mesh, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinew_samples;
    use glam::{Mat4, Vec3};

    fn posed() -> (crate::Character, ModelPose) {
        let figure = sinew_samples::figure();
        let mut local = figure.rest_pose();
        crate::sample_clip(figure.find_clip("run").unwrap(), 0.2, crate::Wrap::Loop, &mut local);
        let mut model = ModelPose::new(figure.skeleton());
        model.update(figure.skeleton(), &local);
        (figure, model)
    }

    /// The matrix that a GPU reads from `floats`.
    fn read(layout: PaletteLayout, floats: &[f32]) -> Mat4 {
        match layout {
            PaletteLayout::Rows3x4 => {
                let mut rows = [0.0; 16];
                rows[..12].copy_from_slice(floats);
                rows[15] = 1.0;
                Mat4::from_cols_array(&rows).transpose()
            }
            PaletteLayout::Columns4x4 => Mat4::from_cols_slice(floats),
            PaletteLayout::Columns4x3 => {
                let mut columns = [0.0; 16];
                columns.copy_from_slice(floats);
                assert!(columns.chunks(4).all(|column| column[3] == 0.0), "padding is zero");
                columns[15] = 1.0;
                Mat4::from_cols_array(&columns)
            }
        }
    }

    #[test]
    fn every_layout_holds_the_matrices_of_the_palette_to_the_bit() {
        let (figure, model) = posed();
        let skin = &figure.skins()[0];
        let mut palette = Palette::new(skin);
        palette.update(skin, &model);
        for layout in PaletteLayout::ALL {
            let each = layout.floats_per_joint();
            let mut direct = vec![f32::NAN; skin.joints().len() * each];
            let mut copied = direct.clone();
            write_skinning_palette(layout, skin, &model, &mut direct);
            palette.write_as(layout, &mut copied);
            assert_eq!(direct, copied, "{layout:?}");
            assert_eq!(layout.bytes_per_joint(), each * 4);
            for (matrix, floats) in palette.matrices().iter().zip(direct.chunks_exact(each)) {
                let got = read(layout, floats);
                assert_eq!(got, Mat4::from(*matrix), "{layout:?}");
                assert_eq!(got.transform_point3(Vec3::ONE), matrix.transform_point3(Vec3::ONE));
            }
        }
    }

    #[test]
    #[should_panic(expected = "the buffer has 11 numbers, 1 joints as Rows3x4 need 12")]
    fn a_buffer_of_another_size_panics_with_both_sizes() {
        Palette::from_matrices(vec![Affine3A::IDENTITY]).write_as(PaletteLayout::Rows3x4, &mut [0.0; 11]);
    }
}
