//! One kernel, every kind of output.

use sinew::{
    DeformError, Streams,
    deform::{
        blocks::PackedSkin,
        kernel::{PoseScratch, SeparateMut, SkinningPalette},
    },
    glam::{Vec3, Vec4},
    simd::Level,
};

/// Which streams are computed beside positions: each choice is a kernel of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Directions {
    None,
    Normals,
    NormalsAndTangents,
}

impl Directions {
    pub(crate) const ALL: [Self; 3] = [Self::None, Self::Normals, Self::NormalsAndTangents];

    /// Makes room for `count` vertices, filled with NaN: one that is not written must not pass with what an earlier
    /// call left there.
    pub(crate) fn make_room(self, count: usize, out: &mut Streams) {
        let length = |from: Self| if self >= from { count } else { 0 };
        refill(&mut out.positions, count, Vec3::NAN);
        refill(&mut out.normals, length(Self::Normals), Vec3::NAN);
        refill(&mut out.tangents, length(Self::NormalsAndTangents), Vec4::NAN);
    }
}

fn refill<T: Clone>(buffer: &mut Vec<T>, count: usize, value: T) {
    buffer.clear();
    buffer.resize(count, value);
}

/// A skin moved by a pose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeformedOutputs<'a> {
    pub(crate) skin: &'a PackedSkin,
    pub(crate) level: Level,
    pub(crate) pose: SkinningPalette<'a>,
}

impl DeformedOutputs<'_> {
    /// Writes the streams that `out` has room for.
    pub(crate) fn interleaved(
        &self,
        scratch: &mut PoseScratch,
        out: &mut Streams,
    ) -> Result<(), DeformError> {
        self.skin.deform(self.level, self.pose, scratch, out.as_surface_mut().into())
    }

    /// The same by way of one buffer for each number.
    pub(crate) fn separate(&self, scratch: &mut PoseScratch, out: &mut Streams) -> Result<(), DeformError> {
        let mut positions = split_components(&out.positions, Vec3::to_array);
        let mut normals = split_components(&out.normals, Vec3::to_array);
        let mut tangents = split_components(&out.tangents, Vec4::to_array);
        let buffers = SeparateMut {
            positions: positions.each_mut().map(Vec::as_mut_slice),
            normals: normals.each_mut().map(Vec::as_mut_slice),
            tangents: tangents.each_mut().map(Vec::as_mut_slice),
        };
        self.skin.deform(self.level, self.pose, scratch, buffers.into())?;
        join_components(&positions, &mut out.positions, Vec3::from_array);
        join_components(&normals, &mut out.normals, Vec3::from_array);
        join_components(&tangents, &mut out.tangents, Vec4::from_array);
        Ok(())
    }
}

fn split_components<T, const N: usize>(vectors: &[T], numbers: fn(&T) -> [f32; N]) -> [Vec<f32>; N] {
    std::array::from_fn(|axis| vectors.iter().map(|v| numbers(v)[axis]).collect())
}

fn join_components<T, const N: usize>(
    separate: &[Vec<f32>; N],
    vectors: &mut [T],
    vector: fn([f32; N]) -> T,
) {
    for (index, v) in vectors.iter_mut().enumerate() {
        *v = vector(separate.each_ref().map(|numbers| numbers[index]));
    }
}
