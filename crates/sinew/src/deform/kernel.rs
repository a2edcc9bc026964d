//! The fast path: kernels over [blocks](super::blocks), compiled for every SIMD level.
//!
//! A call first copies the caller's pose into aligned scratch memory, in the form that the method blends. It then computes
//! the spans of the skin one by one at the requested SIMD level and writes directly into the caller's buffers. Only
//! [`PoseScratch`] allocates, and only when it grows.
//!
//! ```
//! use sinew::{Frame, Streams, Wrap, simd};
//! use sinew::deform::{blocks::{VertexOrder, PackedSkin}, kernel::{SkinningPalette, PoseScratch}};
//!
//! let figure = sinew_samples::figure();
//! let body = figure.mesh_of(&figure.instances()[0]);
//! let skin = PackedSkin::new(body, VertexOrder::File).unwrap();        // once
//! let mut scratch = PoseScratch::default();
//! let mut out = Streams::of_mesh(body);
//!
//! let mut frame = Frame::new(&figure);
//! frame.sample(figure.find_clip("walk").unwrap(), 0.4, Wrap::Loop);
//! frame.update();
//! let palette = &frame.palettes()[0];                                // every frame
//! skin.deform(simd::best(), SkinningPalette::Linear(palette), &mut scratch, out.as_surface_mut().into()).unwrap();
//! ```
//!
//! [`PackedSkin::split`] divides the same work into jobs. [`PackedSkin::deform_batch`] deforms one mesh by many poses.

mod about;
mod bundle;
mod contact;
mod cor;
mod ddm;
mod delta_mush;
mod dual_quat;
mod interleave;
mod linear;
mod meeting;
mod moments;
mod nearest_rotation;
mod normal_slopes;
mod output;
#[cfg(feature = "rayon")]
mod parallel;
mod pose;
mod similarity;
mod sink;
mod slerp;
mod span;
mod split;
mod stage;
mod vector;

pub use output::{KernelOutput, SeparateMut};
pub use pose::{PoseScratch, SkinningPalette};
pub use split::{KernelJob, KernelJobs};

use super::{
    DeformError,
    blocks::{PackedSkin, PackedSurface, Span, WIDTH},
};
use crate::simd::{Level, dispatch};
use contact::{ContactKernel, StretchedContact};
use cor::{COR, COR_STRETCH, CorKernel, StretchedCenters};
use dual_quat::{DUAL_QUAT, DUAL_QUAT_STRETCH, DualQuats, StretchedDualQuats};
use moments::MomentKernel;
use output::{OutputBuffers, OutputTail};
use pose::{Prepared, Recipe};
use sink::{Either, EitherSink, Interleaved, SeparateSink};
use slerp::{SLERP, SLERP_STRETCH, SlerpKernel, StretchedSlerp};
use span::{Kernel, KernelInput, Moments, OutputStreams};
use std::ops::Range;

impl PackedSkin {
    /// Deforms the mesh by `pose` into `out`.
    ///
    /// Positions are written in model space. Normals are transformed by the inverse transpose and tangents by the matrix
    /// itself; both are normalized, or zero if they have no direction. Each buffer holds [`PackedSkin::output_count`]
    /// vertices, in the order of this skin. Pass empty buffers to skip normals and tangents. A buffer for a stream that the
    /// mesh lacks, or for tangents without one for normals, is not written.
    ///
    /// # Errors
    /// If a buffer has the wrong length, the palette is too small, or the mesh lacks data that the method needs.
    pub fn deform(
        &self,
        level: Level,
        pose: SkinningPalette<'_>,
        scratch: &mut PoseScratch,
        out: KernelOutput<'_>,
    ) -> Result<(), DeformError> {
        self.deform_surface(&self.surface, level, pose, scratch, out)
    }

    /// [`PackedSkin::deform`] for another surface of the same mesh, such as a morphed one.
    ///
    /// # Errors
    /// As [`PackedSkin::deform`], and if `surface` does not belong to this skin.
    pub fn deform_surface(
        &self,
        surface: &PackedSurface,
        level: Level,
        pose: SkinningPalette<'_>,
        scratch: &mut PoseScratch,
        mut out: KernelOutput<'_>,
    ) -> Result<(), DeformError> {
        self.check(surface, &pose, &out)?;
        scratch.prepare(level, &[pose], self);
        let work = self.work(surface, scratch.pose(0), &out);
        work.run(level, 0..self.runs.spans.len(), out.reborrow().into_buffers());
        surface.join_seams(&mut out);
        Ok(())
    }

    /// Deforms the mesh by every pose into its own output: `poses[i]` is written to `outs[i]`.
    ///
    /// The vertices and weights of a span are read from memory once and stay in cache for all poses.
    ///
    /// # Errors
    /// If the number of outputs and poses differs, and as [`PackedSkin::deform`].
    pub fn deform_batch(
        &self,
        level: Level,
        poses: &[SkinningPalette<'_>],
        scratch: &mut PoseScratch,
        outs: &mut [KernelOutput<'_>],
    ) -> Result<(), DeformError> {
        if outs.len() != poses.len() {
            let (count, wanted) = (outs.len(), poses.len());
            return Err(DeformError::WrongCount { stream: "outputs of the batch", count, wanted });
        }
        for (pose, out) in poses.iter().zip(outs.iter()) {
            self.check(&self.surface, pose, out)?;
        }
        scratch.prepare(level, poses, self);
        for span in 0..self.runs.spans.len() {
            for (nth, out) in outs.iter_mut().enumerate() {
                let work = self.work(&self.surface, scratch.pose(nth), out);
                let mut buffers = out.reborrow().into_buffers();
                let _before = buffers.take_front(self.runs.spans[span].output.start);
                work.run(level, span..span + 1, buffers);
            }
        }
        outs.iter_mut().for_each(|out| self.surface.join_seams(out));
        Ok(())
    }

    /// Checks the sizes that kernels rely on.
    fn check(
        &self,
        surface: &PackedSurface,
        pose: &SkinningPalette<'_>,
        out: &KernelOutput<'_>,
    ) -> Result<(), DeformError> {
        let (count, wanted) = (surface.positions.len(), self.surface.positions.len());
        if count != wanted {
            return Err(DeformError::WrongCount { stream: "blocks of the surface", count, wanted });
        }
        pose.check(self)?;
        out.check(self.output_count())
    }

    /// The moments that `recipe` sums; [`PackedSkin::check`] has found them.
    fn moments(&self, recipe: Recipe) -> Moments<'_> {
        match recipe {
            Recipe::DeltaMush | Recipe::StretchedDeltaMush => {
                self.mush().map_or(Moments::None, Moments::DeltaMush)
            }
            Recipe::Ddm | Recipe::StretchedDdm => self.direct_mush().map_or(Moments::None, Moments::Ddm),
            _ => Moments::None,
        }
    }

    fn work<'a>(
        &'a self,
        surface: &'a PackedSurface,
        pose: Prepared<'a>,
        out: &KernelOutput<'_>,
    ) -> KernelWork<'a> {
        // If every vertex has one joint, the strongest joint is the one it blends.
        let strongest = pose.recipe == Recipe::Rigid && !self.is_rigid;
        let normals = out.wants_normals() && surface.has_normals();
        let tangents = normals && out.wants_tangents() && surface.has_tangents();
        let streams = OutputStreams { normals, tangents };
        let input = KernelInput {
            runs: &self.runs,
            surface,
            centers: &self.centers,
            contacts: &self.contacts,
            contact_bones: pose.contact_bones,
            moments: self.moments(pose.recipe),
            joints: pose.joints,
            similarities: pose.similarities,
            unchecked_pairs: pose.unchecked_pairs,
            strongest,
            followed: pose.followed,
            first_output: 0,
            streams,
        };
        KernelWork { input, recipe: pose.recipe }
    }
}

/// A kernel call without its output.
#[derive(Clone, Copy, Debug)]
struct KernelWork<'a> {
    input: KernelInput<'a>,
    recipe: Recipe,
}

impl KernelWork<'_> {
    /// Computes `spans` into `buffers`, which start at the first span.
    fn run(self, level: Level, spans: Range<usize>, mut buffers: OutputBuffers<'_>) {
        let spans = &self.input.runs.spans[spans];
        let tail = spans.last().filter(|span| !span.output.len().is_multiple_of(WIDTH));
        let whole = &spans[..spans.len() - usize::from(tail.is_some())];
        if let (Some(first), Some(last)) = (whole.first(), whole.last()) {
            self.run_whole(level, whole, buffers.take_front(last.output.end - first.output.start));
        }
        if let Some(tail) = tail {
            let mut room = OutputTail::new();
            self.run_whole(level, std::slice::from_ref(tail), room.buffers(buffers.is_interleaved()));
            buffers.take_front(tail.output.len()).copy_from(&room, self.input.streams);
        }
    }

    /// Computes spans that consist of full blocks.
    fn run_whole(mut self, level: Level, spans: &[Span], buffers: OutputBuffers<'_>) {
        self.input.first_output = spans.first().map_or(0, |span| (span.output.start / WIDTH) as u32);
        match buffers {
            OutputBuffers::Interleaved(positions, normals, tangents) => {
                self.run_method(level, spans, Interleaved::new(positions, normals, tangents));
            }
            OutputBuffers::Separate(positions, normals, tangents) => {
                self.run_method(level, spans, SeparateSink::new(positions, normals, tangents));
            }
        }
    }

    fn run_method<O: EitherSink>(self, level: Level, spans: &[Span], sink: O) {
        let input = self.input;
        match self.recipe {
            Recipe::Rigid | Recipe::Linear => match (input.streams.normals, input.streams.tangents) {
                (false, _) => run_linear::<O, false, false>(level, input, spans, sink),
                (true, false) => run_linear::<O, true, false>(level, input, spans, sink),
                (true, true) => run_linear::<O, true, true>(level, input, spans, sink),
            },
            Recipe::DualQuat => run_other::<DualQuats, DUAL_QUAT, O>(level, input, spans, sink),
            Recipe::StretchedDualQuat => {
                run_other::<StretchedDualQuats, DUAL_QUAT_STRETCH, O>(level, input, spans, sink);
            }
            Recipe::Slerp => run_other::<SlerpKernel, SLERP, O>(level, input, spans, sink),
            Recipe::StretchedSlerp => {
                run_other::<StretchedSlerp, SLERP_STRETCH, O>(level, input, spans, sink);
            }
            Recipe::Contact => run_other::<ContactKernel, DUAL_QUAT, O>(level, input, spans, sink),
            Recipe::StretchedContact => {
                run_other::<StretchedContact, DUAL_QUAT_STRETCH, O>(level, input, spans, sink);
            }
            Recipe::Cor => run_other::<CorKernel, COR, O>(level, input, spans, sink),
            Recipe::StretchedCor => run_other::<StretchedCenters, COR_STRETCH, O>(level, input, spans, sink),
            Recipe::DeltaMush | Recipe::Ddm => run_moments::<O, false>(level, input, spans, sink),
            Recipe::StretchedDeltaMush | Recipe::StretchedDdm => {
                run_moments::<O, true>(level, input, spans, sink);
            }
        }
    }
}

fn run_linear<O: EitherSink, const NORMALS: bool, const TANGENTS: bool>(
    level: Level,
    input: KernelInput<'_>,
    spans: &[Span],
    mut sink: O,
) {
    dispatch!(level, simd => span::run_linear::<_, O, NORMALS, TANGENTS>(simd, input, spans, &mut sink));
}

fn run_other<K: Kernel<N>, const N: usize, O: EitherSink>(
    level: Level,
    input: KernelInput<'_>,
    spans: &[Span],
    mut sink: O,
) {
    dispatch!(level, simd => span::run_method::<_, K, N, O>(simd, input, spans, &mut sink));
}

fn run_moments<O: EitherSink, const STRETCHED: bool>(
    level: Level,
    input: KernelInput<'_>,
    spans: &[Span],
    mut sink: O,
) {
    let out = sink.either();
    match input.moments {
        Moments::DeltaMush(mush) => run_moments_of::<_, STRETCHED>(level, mush, input, spans, out),
        Moments::Ddm(mush) => run_moments_of::<_, STRETCHED>(level, mush, input, spans, out),
        Moments::None => {}
    }
}

fn run_moments_of<K: MomentKernel, const STRETCHED: bool>(
    level: Level,
    kernel: &K,
    input: KernelInput<'_>,
    spans: &[Span],
    out: Either<'_>,
) {
    dispatch!(level, simd => moments::run::<_, K, STRETCHED>(simd, kernel, input, spans, out));
}
