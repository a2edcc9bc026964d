//! Sinks: the output buffers as kernels write to them.

use super::{
    interleave::{store3, store4},
    vector::{F, V3},
};
use crate::deform::blocks::WIDTH;
use fearless_simd::{Simd, SimdBase};

/// The position of one register: its block within the span, and its part of the block.
#[derive(Clone, Copy)]
pub(super) struct OutputPlace {
    pub(super) block: usize,
    pub(super) part: usize,
}

/// Buffers for full blocks. Those of streams that are not written are empty.
///
/// The two forms are two types: a check of the form at every register costs 40 % (measured).
pub(super) trait Sink {
    fn put_positions<S: Simd>(&mut self, simd: S, place: OutputPlace, v: V3<S>);
    fn put_normals<S: Simd>(&mut self, simd: S, place: OutputPlace, v: V3<S>);
    fn put_tangents<S: Simd>(&mut self, place: OutputPlace, v: [F<S>; 4]);
}

/// A sink that can be divided, and viewed as a sink whose form is known at run time only.
pub(super) trait EitherSink: Sink {
    /// A part of these buffers.
    type Part<'a>: EitherSink
    where
        Self: 'a;

    /// The same buffers with all written streams cut to one length, so that a loop needs one bounds check for all.
    fn even<const NORMALS: bool, const TANGENTS: bool>(&mut self) -> Self::Part<'_>;

    fn either(&mut self) -> Either<'_>;
}

/// A sink whose form is known at run time only, for loops that are not worth compiling twice.
pub(super) enum Either<'a> {
    Interleaved(Interleaved<'a>),
    Separate(SeparateSink<'a>),
}

impl Sink for Either<'_> {
    #[inline(always)]
    fn put_positions<S: Simd>(&mut self, simd: S, place: OutputPlace, v: V3<S>) {
        match self {
            Self::Interleaved(sink) => sink.put_positions(simd, place, v),
            Self::Separate(sink) => sink.put_positions(simd, place, v),
        }
    }

    #[inline(always)]
    fn put_normals<S: Simd>(&mut self, simd: S, place: OutputPlace, v: V3<S>) {
        match self {
            Self::Interleaved(sink) => sink.put_normals(simd, place, v),
            Self::Separate(sink) => sink.put_normals(simd, place, v),
        }
    }

    #[inline(always)]
    fn put_tangents<S: Simd>(&mut self, place: OutputPlace, v: [F<S>; 4]) {
        match self {
            Self::Interleaved(sink) => sink.put_tangents::<S>(place, v),
            Self::Separate(sink) => sink.put_tangents::<S>(place, v),
        }
    }
}

/// Interleaved components, one vertex after the other.
pub(super) struct Interleaved<'a> {
    positions: &'a mut [[f32; WIDTH * 3]],
    normals: &'a mut [[f32; WIDTH * 3]],
    tangents: &'a mut [[f32; WIDTH * 4]],
}

impl<'a> Interleaved<'a> {
    /// The full blocks in these buffers of floats.
    pub(super) fn new(positions: &'a mut [f32], normals: &'a mut [f32], tangents: &'a mut [f32]) -> Self {
        Self {
            positions: positions.as_chunks_mut().0,
            normals: normals.as_chunks_mut().0,
            tangents: tangents.as_chunks_mut().0,
        }
    }
}

/// One buffer per component.
pub(super) struct SeparateSink<'a> {
    positions: [&'a mut [[f32; WIDTH]]; 3],
    normals: [&'a mut [[f32; WIDTH]]; 3],
    tangents: [&'a mut [[f32; WIDTH]]; 4],
}

impl<'a> SeparateSink<'a> {
    /// The full blocks in these buffers of floats.
    pub(super) fn new(
        positions: [&'a mut [f32]; 3],
        normals: [&'a mut [f32]; 3],
        tangents: [&'a mut [f32]; 4],
    ) -> Self {
        Self {
            positions: positions.map(|b| b.as_chunks_mut().0),
            normals: normals.map(|b| b.as_chunks_mut().0),
            tangents: tangents.map(|b| b.as_chunks_mut().0),
        }
    }
}

/// The floats of register `part`, `each` per vertex.
#[inline(always)]
fn register<S: Simd>(block: &mut [f32], part: usize, each: usize) -> &mut [f32] {
    let count = F::<S>::LEN * each;
    &mut block[part * count..part * count + count]
}

impl EitherSink for Interleaved<'_> {
    type Part<'a>
        = Interleaved<'a>
    where
        Self: 'a;

    #[inline(always)]
    fn even<const NORMALS: bool, const TANGENTS: bool>(&mut self) -> Interleaved<'_> {
        let count = self.positions.len();
        Interleaved {
            positions: self.positions,
            normals: &mut self.normals[..if NORMALS { count } else { 0 }],
            tangents: &mut self.tangents[..if TANGENTS { count } else { 0 }],
        }
    }

    #[inline(always)]
    fn either(&mut self) -> Either<'_> {
        Either::Interleaved(Interleaved {
            positions: self.positions,
            normals: self.normals,
            tangents: self.tangents,
        })
    }
}

impl Sink for Interleaved<'_> {
    #[inline(always)]
    fn put_positions<S: Simd>(&mut self, simd: S, place: OutputPlace, v: V3<S>) {
        store3(simd, v, register::<S>(&mut self.positions[place.block], place.part, 3));
    }

    #[inline(always)]
    fn put_normals<S: Simd>(&mut self, simd: S, place: OutputPlace, v: V3<S>) {
        store3(simd, v, register::<S>(&mut self.normals[place.block], place.part, 3));
    }

    #[inline(always)]
    fn put_tangents<S: Simd>(&mut self, place: OutputPlace, v: [F<S>; 4]) {
        store4::<S>(v, register::<S>(&mut self.tangents[place.block], place.part, 4));
    }
}

impl EitherSink for SeparateSink<'_> {
    type Part<'a>
        = SeparateSink<'a>
    where
        Self: 'a;

    #[inline(always)]
    fn even<const NORMALS: bool, const TANGENTS: bool>(&mut self) -> SeparateSink<'_> {
        let count = self.positions[0].len();
        let normals = if NORMALS { count } else { 0 };
        let tangents = if TANGENTS { count } else { 0 };
        let [px, py, pz] = &mut self.positions;
        let [nx, ny, nz] = &mut self.normals;
        let [tx, ty, tz, tw] = &mut self.tangents;
        SeparateSink {
            positions: [&mut px[..count], &mut py[..count], &mut pz[..count]],
            normals: [&mut nx[..normals], &mut ny[..normals], &mut nz[..normals]],
            tangents: [&mut tx[..tangents], &mut ty[..tangents], &mut tz[..tangents], &mut tw[..tangents]],
        }
    }

    #[inline(always)]
    fn either(&mut self) -> Either<'_> {
        Either::Separate(SeparateSink {
            positions: self.positions.each_mut().map(|b| &mut **b),
            normals: self.normals.each_mut().map(|b| &mut **b),
            tangents: self.tangents.each_mut().map(|b| &mut **b),
        })
    }
}

impl Sink for SeparateSink<'_> {
    #[inline(always)]
    fn put_positions<S: Simd>(&mut self, _: S, place: OutputPlace, v: V3<S>) {
        put1::<S>(self.positions[0], place, v[0]);
        put1::<S>(self.positions[1], place, v[1]);
        put1::<S>(self.positions[2], place, v[2]);
    }

    #[inline(always)]
    fn put_normals<S: Simd>(&mut self, _: S, place: OutputPlace, v: V3<S>) {
        put1::<S>(self.normals[0], place, v[0]);
        put1::<S>(self.normals[1], place, v[1]);
        put1::<S>(self.normals[2], place, v[2]);
    }

    #[inline(always)]
    fn put_tangents<S: Simd>(&mut self, place: OutputPlace, v: [F<S>; 4]) {
        put1::<S>(self.tangents[0], place, v[0]);
        put1::<S>(self.tangents[1], place, v[1]);
        put1::<S>(self.tangents[2], place, v[2]);
        put1::<S>(self.tangents[3], place, v[3]);
    }
}

#[inline(always)]
fn put1<S: Simd>(buffer: &mut [[f32; WIDTH]], place: OutputPlace, numbers: F<S>) {
    numbers.store_slice(register::<S>(&mut buffer[place.block], place.part, 1));
}
