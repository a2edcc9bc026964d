//! The caller's output buffers, cut into parts for jobs and checked for length.

use super::span::OutputStreams;
use crate::deform::blocks::WIDTH;
use crate::deform::{DeformError, SurfaceMut};

/// One buffer per vertex component. Buffers of streams that are not wanted are empty.
#[derive(Debug, Default)]
pub struct SeparateMut<'a> {
    /// Components x, y and z of the positions in model space, in meters.
    pub positions: [&'a mut [f32]; 3],
    /// Components x, y and z of the unit normals, in model space.
    pub normals: [&'a mut [f32]; 3],
    /// Components x, y and z of the unit tangents in model space, and their handedness.
    pub tangents: [&'a mut [f32]; 4],
}

/// The buffers to write to. Normals are computed if the surface has them and there is a buffer for them. Tangents also
/// require that normals are computed.
#[derive(Debug)]
pub enum KernelOutput<'a> {
    /// Interleaved components, one vertex after the other: `x y z x y z …`.
    Interleaved(SurfaceMut<'a>),
    /// One buffer per component: all x, all y, all z.
    Separate(SeparateMut<'a>),
}

impl<'a> From<SurfaceMut<'a>> for KernelOutput<'a> {
    fn from(surface: SurfaceMut<'a>) -> Self {
        Self::Interleaved(surface)
    }
}

impl<'a> From<SeparateMut<'a>> for KernelOutput<'a> {
    fn from(streams: SeparateMut<'a>) -> Self {
        Self::Separate(streams)
    }
}

impl KernelOutput<'_> {
    /// The same buffers, borrowed for a shorter time.
    pub fn reborrow(&mut self) -> KernelOutput<'_> {
        match self {
            Self::Interleaved(s) => KernelOutput::Interleaved(SurfaceMut {
                positions: s.positions,
                normals: s.normals,
                tangents: s.tangents,
            }),
            Self::Separate(s) => KernelOutput::Separate(SeparateMut {
                positions: s.positions.each_mut().map(|b| &mut **b),
                normals: s.normals.each_mut().map(|b| &mut **b),
                tangents: s.tangents.each_mut().map(|b| &mut **b),
            }),
        }
    }

    /// The name and length of every buffer.
    fn lengths(&self) -> [(&'static str, [usize; 4]); 3] {
        match self {
            Self::Interleaved(s) => [
                ("output positions", [s.positions.len(); 4]),
                ("output normals", [s.normals.len(); 4]),
                ("output tangents", [s.tangents.len(); 4]),
            ],
            Self::Separate(s) => {
                let three = |b: &[&mut [f32]; 3]| [b[0].len(), b[1].len(), b[2].len(), b[0].len()];
                [
                    ("output positions", three(&s.positions)),
                    ("output normals", three(&s.normals)),
                    ("output tangents", s.tangents.each_ref().map(|b| b.len())),
                ]
            }
        }
    }

    /// Checks that each buffer holds `wanted` vertices, or none if it is optional.
    pub(super) fn check(&self, wanted: usize) -> Result<(), DeformError> {
        for (nth, (stream, counts)) in self.lengths().into_iter().enumerate() {
            let may_be_left_out = nth > 0 && counts.iter().all(|&c| c == 0);
            if let Some(&count) = counts.iter().find(|&&c| c != wanted).filter(|_| !may_be_left_out) {
                return Err(DeformError::WrongCount { stream, count, wanted });
            }
        }
        Ok(())
    }

    pub(super) fn wants_normals(&self) -> bool {
        self.lengths()[1].1[0] > 0
    }

    pub(super) fn wants_tangents(&self) -> bool {
        self.lengths()[2].1[0] > 0
    }
}

impl<'a> KernelOutput<'a> {
    pub(super) fn into_buffers(self) -> OutputBuffers<'a> {
        match self {
            Self::Interleaved(s) => OutputBuffers::Interleaved(
                bytemuck::cast_slice_mut(s.positions),
                bytemuck::cast_slice_mut(s.normals),
                bytemuck::cast_slice_mut(s.tangents),
            ),
            Self::Separate(s) => OutputBuffers::Separate(s.positions, s.normals, s.tangents),
        }
    }
}

/// The buffers of one job as floats: positions, normals, tangents.
#[derive(Debug)]
pub(super) enum OutputBuffers<'a> {
    Interleaved(&'a mut [f32], &'a mut [f32], &'a mut [f32]),
    Separate([&'a mut [f32]; 3], [&'a mut [f32]; 3], [&'a mut [f32]; 4]),
}

impl OutputBuffers<'_> {
    /// The buffers of the first `count` vertices; `self` keeps the rest.
    pub(super) fn take_front(&mut self, count: usize) -> Self {
        match self {
            Self::Interleaved(positions, normals, tangents) => Self::Interleaved(
                front(positions, count * 3),
                front(normals, count * 3),
                front(tangents, count * 4),
            ),
            Self::Separate(positions, normals, tangents) => Self::Separate(
                positions.each_mut().map(|b| front(b, count)),
                normals.each_mut().map(|b| front(b, count)),
                tangents.each_mut().map(|b| front(b, count)),
            ),
        }
    }

    /// Copies the computed streams of `tail`, as many vertices as fit.
    pub(super) fn copy_from(&mut self, tail: &OutputTail, computed: OutputStreams) {
        let normals_room = if computed.normals { &tail.normals[..] } else { &[] };
        let tangents_room = if computed.tangents { &tail.tangents[..] } else { &[] };
        match self {
            Self::Interleaved(positions, normals, tangents) => {
                copy_front(&tail.positions, positions);
                copy_front(normals_room, normals);
                copy_front(tangents_room, tangents);
            }
            Self::Separate(positions, normals, tangents) => {
                copy_fronts(&tail.positions, positions);
                copy_fronts(normals_room, normals);
                copy_fronts(tangents_room, tangents);
            }
        }
    }

    /// True if the components are interleaved, one vertex after the other.
    pub(super) fn is_interleaved(&self) -> bool {
        matches!(self, Self::Interleaved(..))
    }
}

fn front<'b>(buffer: &mut &'b mut [f32], count: usize) -> &'b mut [f32] {
    let whole = std::mem::take(buffer);
    // A stream that is not wanted has an empty buffer and stays empty.
    let (front, rest) = whole.split_at_mut(count.min(whole.len()));
    *buffer = rest;
    front
}

fn copy_front(from: &[f32], to: &mut [f32]) {
    let count = from.len().min(to.len());
    to[..count].copy_from_slice(&from[..count]);
}

fn copy_fronts(from: &[f32], to: &mut [&mut [f32]]) {
    from.chunks(WIDTH).zip(to).for_each(|(from, to)| copy_front(from, to));
}

/// Memory for one full block. The last block of a mesh in file order is rarely full, but kernels write full blocks only.
pub(super) struct OutputTail {
    positions: [f32; WIDTH * 3],
    normals: [f32; WIDTH * 3],
    tangents: [f32; WIDTH * 4],
}

impl OutputTail {
    pub(super) fn new() -> Self {
        Self { positions: [0.0; WIDTH * 3], normals: [0.0; WIDTH * 3], tangents: [0.0; WIDTH * 4] }
    }

    /// This memory in the same form as the caller's buffers.
    pub(super) fn buffers(&mut self, is_interleaved: bool) -> OutputBuffers<'_> {
        if is_interleaved {
            return OutputBuffers::Interleaved(&mut self.positions, &mut self.normals, &mut self.tangents);
        }
        OutputBuffers::Separate(
            parts(&mut self.positions),
            parts(&mut self.normals),
            parts(&mut self.tangents),
        )
    }
}

fn parts<const N: usize>(room: &mut [f32]) -> [&mut [f32]; N] {
    let mut chunks = room.chunks_mut(WIDTH);
    std::array::from_fn(|_| chunks.next().unwrap_or_default())
}
