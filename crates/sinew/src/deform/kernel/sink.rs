//! Where deformed vertices go: the caller's buffers.

use super::{
    interleave::{store3, store4},
    vector::{F, V3},
};
use crate::deform::blocks::WIDTH;
use crate::deform::{DeformError, SurfaceMut};
use fearless_simd::{Simd, SimdBase};

/// One buffer for each number of a vertex. Buffers of streams that are not wanted are empty.
#[derive(Debug, Default)]
pub struct ApartMut<'a> {
    /// x, y, z of positions.
    pub positions: [&'a mut [f32]; 3],
    /// x, y, z of unit normals.
    pub normals: [&'a mut [f32]; 3],
    /// x, y, z of unit tangents and their handedness.
    pub tangents: [&'a mut [f32]; 4],
}

/// The buffers to write to. Normals and tangents are computed where there is a buffer for them and the surface has
/// them.
#[derive(Debug)]
pub enum Output<'a> {
    /// One vertex after the other: `x y z x y z …`.
    Interleaved(SurfaceMut<'a>),
    /// All x, all y, all z.
    Apart(ApartMut<'a>),
}

impl<'a> From<SurfaceMut<'a>> for Output<'a> {
    fn from(surface: SurfaceMut<'a>) -> Self {
        Self::Interleaved(surface)
    }
}

impl<'a> From<ApartMut<'a>> for Output<'a> {
    fn from(streams: ApartMut<'a>) -> Self {
        Self::Apart(streams)
    }
}

impl Output<'_> {
    /// The same buffers, borrowed for a shorter time.
    pub fn reborrow(&mut self) -> Output<'_> {
        match self {
            Self::Interleaved(s) => Output::Interleaved(SurfaceMut {
                positions: s.positions,
                normals: s.normals,
                tangents: s.tangents,
            }),
            Self::Apart(s) => Output::Apart(ApartMut {
                positions: s.positions.each_mut().map(|b| &mut **b),
                normals: s.normals.each_mut().map(|b| &mut **b),
                tangents: s.tangents.each_mut().map(|b| &mut **b),
            }),
        }
    }

    /// The length of every buffer, named.
    fn lengths(&self) -> [(&'static str, [usize; 4]); 3] {
        let same = |n: usize| [n; 4];
        match self {
            Self::Interleaved(s) => [
                ("output positions", same(s.positions.len())),
                ("output normals", same(s.normals.len())),
                ("output tangents", same(s.tangents.len())),
            ],
            Self::Apart(s) => {
                let three = |b: &[&mut [f32]; 3]| [b[0].len(), b[1].len(), b[2].len(), b[0].len()];
                [
                    ("output positions", three(&s.positions)),
                    ("output normals", three(&s.normals)),
                    ("output tangents", s.tangents.each_ref().map(|b| b.len())),
                ]
            }
        }
    }

    /// Checks that buffers hold `wanted` vertices, or none where they may be left out.
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

impl<'a> Output<'a> {
    pub(super) fn into_sink(self) -> Sink<'a> {
        match self {
            Self::Interleaved(s) => Sink {
                positions: Stream::Interleaved(bytemuck::cast_slice_mut(s.positions)),
                normals: Stream::Interleaved(bytemuck::cast_slice_mut(s.normals)),
                tangents: Stream::Interleaved(bytemuck::cast_slice_mut(s.tangents)),
            },
            Self::Apart(s) => Sink {
                positions: Stream::Apart(s.positions),
                normals: Stream::Apart(s.normals),
                tangents: Stream::Apart(s.tangents),
            },
        }
    }
}

/// Vectors of `N` numbers, in one buffer or in `N`.
#[derive(Debug)]
pub(super) enum Stream<'a, const N: usize> {
    Interleaved(&'a mut [f32]),
    Apart([&'a mut [f32]; N]),
}

impl<'a, const N: usize> Stream<'a, N> {
    /// The first `count` vertices, and the rest left in `self`.
    fn take_front(&mut self, count: usize) -> Self {
        fn front<'b>(buffer: &mut &'b mut [f32], count: usize) -> &'b mut [f32] {
            let whole = std::mem::take(buffer);
            // A stream that is not wanted has an empty buffer and stays empty.
            let (front, rest) = whole.split_at_mut(count.min(whole.len()));
            *buffer = rest;
            front
        }
        match self {
            Self::Interleaved(buffer) => Self::Interleaved(front(buffer, count * N)),
            Self::Apart(buffers) => Self::Apart(buffers.each_mut().map(|buffer| front(buffer, count))),
        }
    }
}

/// The buffers of one job.
#[derive(Debug)]
pub(super) struct Sink<'a> {
    positions: Stream<'a, 3>,
    normals: Stream<'a, 3>,
    tangents: Stream<'a, 4>,
}

impl Sink<'_> {
    /// The buffers of the first `count` vertices; `self` keeps the rest.
    pub(super) fn take_front(&mut self, count: usize) -> Self {
        Self {
            positions: self.positions.take_front(count),
            normals: self.normals.take_front(count),
            tangents: self.tangents.take_front(count),
        }
    }

    #[inline(always)]
    pub(super) fn put_positions<S: Simd>(&mut self, simd: S, place: Place, v: V3<S>) {
        put3(simd, &mut self.positions, place, v);
    }

    #[inline(always)]
    pub(super) fn put_normals<S: Simd>(&mut self, simd: S, place: Place, v: V3<S>) {
        put3(simd, &mut self.normals, place, v);
    }

    #[inline(always)]
    pub(super) fn put_tangents<S: Simd>(&mut self, place: Place, v: [F<S>; 4]) {
        let first = place.first::<S>();
        match &mut self.tangents {
            Stream::Interleaved(buffer) => {
                let range = first * 4..(first + F::<S>::LEN) * 4;
                match buffer.get_mut(range) {
                    Some(out) => store4::<S>(v, out),
                    None => {
                        let mut whole = [0.0; WIDTH * 4];
                        store4::<S>(v, &mut whole[..F::<S>::LEN * 4]);
                        put_front(&whole, buffer, first * 4);
                    }
                }
            }
            Stream::Apart(buffers) => {
                put1::<S>(buffers[0], first, v[0]);
                put1::<S>(buffers[1], first, v[1]);
                put1::<S>(buffers[2], first, v[2]);
                put1::<S>(buffers[3], first, v[3]);
            }
        }
    }
}

/// Which register of which block of a span.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) block: usize,
    pub(super) part: usize,
}

impl Place {
    /// The first vertex, counted from the span's first.
    #[inline(always)]
    fn first<S: Simd>(self) -> usize {
        self.block * WIDTH + self.part * F::<S>::LEN
    }
}

#[inline(always)]
fn put3<S: Simd>(simd: S, stream: &mut Stream<'_, 3>, place: Place, v: V3<S>) {
    let first = place.first::<S>();
    match stream {
        Stream::Interleaved(buffer) => {
            let range = first * 3..(first + F::<S>::LEN) * 3;
            match buffer.get_mut(range) {
                Some(out) => store3(simd, v, out),
                None => {
                    let mut whole = [0.0; WIDTH * 3];
                    store3(simd, v, &mut whole[..F::<S>::LEN * 3]);
                    put_front(&whole, buffer, first * 3);
                }
            }
        }
        Stream::Apart(buffers) => {
            put1::<S>(buffers[0], first, v[0]);
            put1::<S>(buffers[1], first, v[1]);
            put1::<S>(buffers[2], first, v[2]);
        }
    }
}

#[inline(always)]
fn put1<S: Simd>(buffer: &mut [f32], first: usize, numbers: F<S>) {
    match buffer.get_mut(first..first + F::<S>::LEN) {
        Some(out) => numbers.store_slice(out),
        None => {
            let mut whole = [0.0; WIDTH];
            numbers.store_slice(&mut whole[..F::<S>::LEN]);
            put_front(&whole, buffer, first);
        }
    }
}

/// Writes as much of `whole` as `buffer` has room for after `first`: the last block of a mesh is rarely full.
#[cold]
#[inline(never)]
fn put_front(whole: &[f32], buffer: &mut [f32], first: usize) {
    let room = buffer.get_mut(first..).unwrap_or_default();
    let count = room.len().min(whole.len());
    room[..count].copy_from_slice(&whole[..count]);
}
