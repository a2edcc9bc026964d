//! The fast path: kernels over [blocks](super::blocks), one for every SIMD level.
//!
//! A call goes like this: the caller's pose is copied once into aligned scratch in the form its method blends, then
//! the spans of the skin are computed one by one at the level asked for, straight into the caller's buffers. Nothing is
//! allocated but by [`PoseScratch`] when it grows.
//!
//! ```
//! use sinew::{builtin, Frame, Streams, Wrap, simd};
//! use sinew::deform::{blocks::{Order, PackedSkin}, kernel::{Pose, PoseScratch}};
//!
//! let figure = builtin::figure();
//! let body = figure.mesh_of(&figure.instances()[0]);
//! let skin = PackedSkin::new(body, Order::File).unwrap();        // once
//! let mut scratch = PoseScratch::default();
//! let mut out = Streams::of_mesh(body);
//!
//! let mut frame = Frame::new(&figure);
//! frame.sample(figure.find_clip("walk").unwrap(), 0.4, Wrap::Loop);
//! frame.update(&figure);
//! let palette = &frame.palettes()[0];                                // every frame
//! skin.deform(simd::best(), Pose::Linear(palette), &mut scratch, out.as_surface_mut().into()).unwrap();
//! ```
//!
//! [`PackedSkin::split`] hands the same work out as jobs, [`PackedSkin::deform_batch`] moves one mesh by many poses.

mod blend;
mod interleave;
mod linear;
#[cfg(feature = "rayon")]
mod parallel;
mod pose;
mod sink;
mod span;
mod split;
mod tame;
mod vector;

pub use pose::{Pose, PoseScratch};
pub use sink::{ApartMut, Output};
pub use split::{Job, Jobs};

use super::{
    DeformError,
    blocks::{PackedSkin, PackedSurface, Span},
};
use crate::simd::{Level, dispatch};
use linear::{Linear, MATRIX, Stitch};
use pose::{Prepared, Recipe};
use sink::Sink;
use span::{Input, Kernel};
use std::ops::Range;

impl PackedSkin {
    /// Deforms the mesh by `pose` into `out`.
    ///
    /// Positions go to model space; normals go through the inverse transpose, tangents through the matrix itself; both
    /// come out of unit length, or zero where there is no direction. Buffers hold [`PackedSkin::output_count`]
    /// vertices each, in this skin's order; normals and tangents may be left out.
    ///
    /// # Errors
    /// Where buffer lengths are wrong, the palette is too small, or the method needs what the mesh has not got.
    pub fn deform(
        &self,
        level: Level,
        pose: Pose<'_>,
        scratch: &mut PoseScratch,
        out: Output<'_>,
    ) -> Result<(), DeformError> {
        self.deform_surface(&self.surface, level, pose, scratch, out)
    }

    /// [`PackedSkin::deform`] of another surface than the mesh's own, such as a morphed one.
    ///
    /// # Errors
    /// As [`PackedSkin::deform`], and where `surface` is not of this skin.
    pub fn deform_surface(
        &self,
        surface: &PackedSurface,
        level: Level,
        pose: Pose<'_>,
        scratch: &mut PoseScratch,
        out: Output<'_>,
    ) -> Result<(), DeformError> {
        for job in self.split_surface(surface, 1, pose, scratch, out)? {
            job.run(level);
        }
        Ok(())
    }

    /// Deforms the mesh by every pose into its own output: `outs[i]` gets `poses[i]`.
    ///
    /// The vertices and weights of a span are read from memory once and stay in cache for all poses.
    ///
    /// # Errors
    /// Where there are not as many outputs as poses, or as [`PackedSkin::deform`].
    pub fn deform_batch(
        &self,
        level: Level,
        poses: &[Pose<'_>],
        scratch: &mut PoseScratch,
        outs: &mut [Output<'_>],
    ) -> Result<(), DeformError> {
        if outs.len() != poses.len() {
            let (count, wanted) = (outs.len(), poses.len());
            return Err(DeformError::WrongCount { stream: "outputs of the batch", count, wanted });
        }
        for (pose, out) in poses.iter().zip(outs.iter()) {
            self.check(&self.surface, pose, out)?;
        }
        scratch.prepare(poses, self.slot_count());
        for span in 0..self.runs.spans.len() {
            for (nth, out) in outs.iter_mut().enumerate() {
                let work = self.work(&self.surface, scratch.pose(nth), out);
                let range = self.runs.spans[span].output.clone();
                let mut sink = out.reborrow().into_sink();
                let _before = sink.take_front(range.start);
                work.run(level, span..span + 1, &mut sink);
            }
        }
        Ok(())
    }

    /// Checks once what kernels rely on.
    fn check(&self, surface: &PackedSurface, pose: &Pose<'_>, out: &Output<'_>) -> Result<(), DeformError> {
        let (count, wanted) = (surface.positions.len(), self.surface.positions.len());
        if count != wanted {
            return Err(DeformError::WrongCount { stream: "blocks of the surface", count, wanted });
        }
        pose.check(self)?;
        out.check(self.output_count())
    }

    fn work<'a>(&'a self, surface: &'a PackedSurface, pose: Prepared<'a>, out: &Output<'_>) -> Work<'a> {
        let input = Input { runs: &self.runs, surface, centers: &self.centers, joints: pose.joints, tame: pose.tame };
        let normals = out.wants_normals() && surface.has_normals();
        let tangents = out.wants_tangents() && surface.has_tangents();
        Work { input, recipe: pose.recipe, normals, tangents }
    }
}

/// What is to be computed, but for where it goes.
#[derive(Clone, Copy, Debug)]
struct Work<'a> {
    input: Input<'a>,
    recipe: Recipe,
    normals: bool,
    tangents: bool,
}

impl Work<'_> {
    /// Computes `spans` into `sink`, which begins with the first of them.
    fn run(self, level: Level, spans: Range<usize>, sink: &mut Sink<'_>) {
        let spans = &self.input.runs.spans[spans];
        match self.recipe {
            Recipe::Stitch => self.run_kernel::<Stitch, MATRIX>(level, spans, sink),
            Recipe::Linear => self.run_kernel::<Linear, MATRIX>(level, spans, sink),
        }
    }

    fn run_kernel<K: Kernel<N>, const N: usize>(self, level: Level, spans: &[Span], sink: &mut Sink<'_>) {
        match (self.normals, self.tangents) {
            (false, false) => run_spans::<K, N, false, false>(level, self.input, spans, sink),
            (true, false) => run_spans::<K, N, true, false>(level, self.input, spans, sink),
            (false, true) => run_spans::<K, N, false, true>(level, self.input, spans, sink),
            (true, true) => run_spans::<K, N, true, true>(level, self.input, spans, sink),
        }
    }
}

fn run_spans<K: Kernel<N>, const N: usize, const NORMALS: bool, const TANGENTS: bool>(
    level: Level,
    input: Input<'_>,
    spans: &[Span],
    sink: &mut Sink<'_>,
) {
    dispatch!(level, simd => span::run_spans::<_, K, N, NORMALS, TANGENTS>(simd, input, spans, sink));
}
