//! Palettes on the GPU, one record per pose.

use super::mesh::{MuscleSpan, SkinnedMesh};
use crate::{GpuError, error::check_size};
use sinew::{
    DeformError, DualQuatPalette, Method, MusclePalette, Palette,
    glam::{Affine3A, Vec3A},
};

/// Four numbers, the unit in which poses are laid out.
type MatrixRow = [f32; 4];

/// What a pose record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoseLayout {
    /// Joints of the skin.
    pub joints: usize,
    /// Rotations and stretches beside the matrices, for methods that [need them](Method::needs_dual_quats).
    pub dual_quats: bool,
    /// Shapes of the mesh.
    pub morph_targets: usize,
    /// Muscles of the mesh.
    pub muscles: MuscleSpan,
}

impl PoseLayout {
    /// What deforming `mesh` by `method` needs, for a skin of `joints`.
    pub fn new(mesh: &SkinnedMesh, joints: usize, method: Method) -> Self {
        Self {
            joints,
            dual_quats: method.needs_dual_quats(),
            morph_targets: mesh.morph_targets(),
            muscles: mesh.muscles(),
        }
    }

    /// The first row holds flags.
    pub(super) const MATRICES: usize = 1;

    pub(super) fn dual_quats_at(&self) -> usize {
        Self::MATRICES + 3 * self.joints
    }

    pub(super) fn stretches_at(&self) -> usize {
        self.dual_quats_at() + if self.dual_quats { 2 * self.joints } else { 0 }
    }

    pub(super) fn muscles_at(&self) -> usize {
        self.stretches_at() + if self.dual_quats { 3 * self.joints } else { 0 }
    }

    pub(super) fn morph_weights_at(&self) -> usize {
        self.muscles_at() + 3 * self.muscles.count
    }

    /// Rows of a record.
    pub(super) fn stride(&self) -> usize {
        self.morph_weights_at() + self.morph_targets.div_ceil(4)
    }
}

/// One pose of a mesh, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct PoseView<'a> {
    /// Skinning matrices, one a joint of the skin.
    pub matrices: &'a [Affine3A],
    /// The same pose as rotations and stretches, where the layout has them.
    pub dual_quats: Option<&'a DualQuatPalette>,
    /// One weight a shape.
    pub morph_weights: &'a [f32],
    /// The motion of each joint since rest, in mesh space, where the layout has muscles.
    pub muscles: &'a [Affine3A],
}

impl<'a> PoseView<'a> {
    /// A pose without rotations, shapes and muscles.
    pub fn new(palette: &'a Palette) -> Self {
        Self { matrices: palette.matrices(), dual_quats: None, morph_weights: &[], muscles: &[] }
    }

    /// The same with muscles.
    #[must_use]
    pub fn with_muscles(self, muscles: &'a MusclePalette) -> Self {
        Self { muscles: muscles.mesh_from_mesh(), ..self }
    }

    /// The same with rotations and stretches.
    #[must_use]
    pub fn with_dual_quats(self, dual_quats: &'a DualQuatPalette) -> Self {
        Self { dual_quats: Some(dual_quats), ..self }
    }

    /// The same with shapes.
    #[must_use]
    pub fn with_morphs(self, morph_weights: &'a [f32]) -> Self {
        Self { morph_weights, ..self }
    }
}

/// Poses of one mesh: instances of a crowd, or frames of a batch.
///
/// They are set in CPU memory and uploaded in one piece, once per frame.
#[derive(Debug)]
pub struct PoseBatch {
    pub(super) layout: PoseLayout,
    pub(super) buffer: wgpu::Buffer,
    rows: Vec<MatrixRow>,
    capacity: usize,
}

impl PoseBatch {
    /// Room for `capacity` poses.
    ///
    /// # Errors
    /// If they do not fit into the device's buffers.
    pub fn new(device: &wgpu::Device, layout: PoseLayout, capacity: usize) -> Result<Self, GpuError> {
        let count = layout.stride().saturating_mul(capacity.max(1));
        check_size(device, "the poses", (count as u64).saturating_mul(16))?;
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("sinew poses"),
            size: count as u64 * 16,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Ok(Self { layout, buffer, rows: vec![[0.0; 4]; count], capacity })
    }

    /// For how many poses there is room.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Sets one pose; it reaches the GPU with the next [`PoseBatch::upload`].
    ///
    /// # Errors
    /// If there is no room for it, or it does not fit the layout.
    pub fn set(&mut self, pose: usize, view: &PoseView<'_>) -> Result<(), GpuError> {
        let capacity = self.capacity;
        let record = self.records().nth(pose).ok_or(GpuError::PoseOutOfRange { pose, capacity })?;
        record.set(view)
    }

    /// Every record, to be set on several threads.
    pub fn records(&mut self) -> impl ExactSizeIterator<Item = PoseRecord<'_>> {
        let (layout, stride) = (self.layout, self.layout.stride());
        let records = self.rows.chunks_exact_mut(stride).take(self.capacity);
        records.map(move |rows| PoseRecord { layout, rows })
    }

    /// Uploads the first `count` poses.
    pub fn upload(&self, queue: &wgpu::Queue, count: usize) {
        let rows = &self.rows[..count.min(self.capacity) * self.layout.stride()];
        queue.write_buffer(&self.buffer, 0, bytemuck::cast_slice(rows));
    }
}

/// The place of one pose in memory.
#[derive(Debug)]
pub struct PoseRecord<'a> {
    layout: PoseLayout,
    rows: &'a mut [MatrixRow],
}

impl PoseRecord<'_> {
    /// Sets the pose.
    ///
    /// # Errors
    /// If it does not fit the layout.
    pub fn set(self, view: &PoseView<'_>) -> Result<(), GpuError> {
        let layout = self.layout;
        check_palette(layout.joints, view.matrices.len())?;
        let (count, wanted) = (view.morph_weights.len(), layout.morph_targets);
        if count != wanted {
            return Err(DeformError::WrongCount { stream: "morph weights", count, wanted }.into());
        }
        let (head, rest) = self.rows.split_at_mut(PoseLayout::MATRICES);
        let (matrices, rest) = rest.split_at_mut(3 * layout.joints);
        write_rows(view.matrices, matrices);
        let mut rest = rest;
        let (mut stretched, mut followed) = (false, false);
        if layout.dual_quats {
            let missing = DeformError::MissingDualQuats { method: Method::DualQuat };
            let palette = view.dual_quats.ok_or(missing)?;
            check_palette(layout.joints, palette.rigid().len())?;
            let (quats, after) = rest.split_at_mut(2 * layout.joints);
            for (out, q) in quats.chunks_exact_mut(2).zip(palette.rigid()) {
                out.copy_from_slice(&[q.real.to_array(), q.dual.to_array()]);
            }
            let (stretches, after) = after.split_at_mut(3 * layout.joints);
            (stretched, followed) = (palette.has_stretch(), palette.is_followed());
            if stretched {
                write_rows(palette.stretch(), stretches);
            }
            rest = after;
        }
        if layout.muscles.count > 0 {
            let MuscleSpan { first, count } = layout.muscles;
            check_palette(first + count, view.muscles.len())?;
            let (muscles, after) = rest.split_at_mut(3 * count);
            write_rows(&view.muscles[first..first + count], muscles);
            rest = after;
        }
        let flag = |is_set: bool| f32::from(u8::from(is_set));
        let mirrored = view.matrices.iter().any(|matrix| matrix.matrix3.determinant() < 0.0);
        head[0] = [flag(stretched), flag(followed), flag(mirrored), 0.0];
        let numbers: &mut [f32] = rest.as_flattened_mut();
        numbers[..wanted].copy_from_slice(view.morph_weights);
        Ok(())
    }
}

fn check_palette(needed: usize, matrices: usize) -> Result<(), DeformError> {
    if matrices < needed { Err(DeformError::PaletteTooSmall { needed, matrices }) } else { Ok(()) }
}

/// Matrices as three rows each.
fn write_rows(matrices: &[Affine3A], out: &mut [MatrixRow]) {
    for (rows, m) in out.chunks_exact_mut(3).zip(matrices) {
        let columns: [Vec3A; 4] = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis, m.translation];
        let [x, y, z, t] = columns.map(|c| c.to_array());
        rows[0] = [x[0], y[0], z[0], t[0]];
        rows[1] = [x[1], y[1], z[1], t[1]];
        rows[2] = [x[2], y[2], z[2], t[2]];
    }
}
