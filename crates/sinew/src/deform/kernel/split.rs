//! The work of one call, divided into jobs.

use super::{KernelOutput, KernelWork, PoseScratch, SkinningPalette, output::OutputBuffers};
use crate::{
    deform::{
        DeformError,
        blocks::{PackedSkin, PackedSurface},
    },
    simd::{self, Level},
};
use std::ops::Range;

impl PackedSkin {
    /// Divides one [`PackedSkin::deform`] into up to `count` jobs of about equal cost for the caller's own threads.
    ///
    /// Jobs write to disjoint parts of `out` and may run in any order and concurrently. The result is bit-identical for any
    /// `count`. A small mesh yields fewer jobs than requested. When all are done, call
    /// [`PackedSurface::join_seams`] on the whole output to close seams to the last bit.
    ///
    /// # Errors
    /// As [`PackedSkin::deform`].
    pub fn split<'a>(
        &'a self,
        count: usize,
        pose: SkinningPalette<'_>,
        scratch: &'a mut PoseScratch,
        out: KernelOutput<'a>,
    ) -> Result<KernelJobs<'a>, DeformError> {
        self.split_surface(&self.surface, count, pose, scratch, out)
    }

    /// [`PackedSkin::split`] for another surface of the same mesh.
    ///
    /// # Errors
    /// As [`PackedSkin::deform_surface`].
    pub fn split_surface<'a>(
        &'a self,
        surface: &'a PackedSurface,
        count: usize,
        pose: SkinningPalette<'_>,
        scratch: &'a mut PoseScratch,
        out: KernelOutput<'a>,
    ) -> Result<KernelJobs<'a>, DeformError> {
        self.check(surface, &pose, &out)?;
        // All levels prepare the same bits; the jobs choose their own.
        scratch.prepare(simd::best(), &[pose], self);
        let work = self.work(surface, scratch.pose(0), &out);
        let spans = 0..self.runs.spans.len();
        Ok(KernelJobs { work, spans, left: count.max(1), buffers: out.into_buffers() })
    }
}

/// The jobs of one call; see [`PackedSkin::split`].
#[derive(Debug)]
pub struct KernelJobs<'a> {
    work: KernelWork<'a>,
    spans: Range<usize>,
    left: usize,
    buffers: OutputBuffers<'a>,
}

/// A part of one call that can run on any thread.
#[derive(Debug)]
pub struct KernelJob<'a> {
    work: KernelWork<'a>,
    spans: Range<usize>,
    buffers: OutputBuffers<'a>,
}

impl KernelJobs<'_> {
    /// The number of spans in the next job: as close as possible to an equal part of the remaining work, but at least one,
    /// and leaving at least one for every other job.
    fn next_count(&self) -> usize {
        let spans = &self.work.input.runs.spans[self.spans.clone()];
        let left = self.left.clamp(1, spans.len());
        if left == 1 {
            return spans.len();
        }
        let target = spans.iter().map(|s| s.cost).sum::<usize>() / left;
        let mut cost = 0;
        let before_target = spans.iter().take_while(|span| {
            cost += span.cost;
            2 * cost <= 2 * target + span.cost
        });
        before_target.count().clamp(1, spans.len() + 1 - left)
    }
}

impl<'a> Iterator for KernelJobs<'a> {
    type Item = KernelJob<'a>;

    fn next(&mut self) -> Option<KernelJob<'a>> {
        if self.spans.is_empty() {
            return None;
        }
        let spans = self.spans.start..self.spans.start + self.next_count();
        self.left = self.left.saturating_sub(1);
        self.spans.start = spans.end;
        let vertices = self.work.input.runs.spans[spans.clone()].iter().map(|s| s.output.len()).sum();
        Some(KernelJob { work: self.work, spans, buffers: self.buffers.take_front(vertices) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.spans.len().min(self.left.max(1));
        (count, Some(count))
    }
}

impl ExactSizeIterator for KernelJobs<'_> {}

impl KernelJob<'_> {
    /// Computes this part at `level`.
    pub fn run(self, level: Level) {
        self.work.run(level, self.spans, self.buffers);
    }

    /// The number of output vertices that this job writes.
    pub fn vertex_count(&self) -> usize {
        self.work.input.runs.spans[self.spans.clone()].iter().map(|s| s.output.len()).sum()
    }
}
