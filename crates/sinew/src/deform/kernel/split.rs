//! The work of one call, cut into jobs.

use super::{KernelOutput, KernelWork, PoseScratch, SkinningPalette, output::OutputBuffers};
use crate::{
    deform::{
        DeformError,
        blocks::{PackedSkin, PackedSurface},
    },
    simd::Level,
};
use std::ops::Range;

impl PackedSkin {
    /// Cuts one [`PackedSkin::deform`] into up to `count` jobs of about the same size for the caller's own threads.
    ///
    /// Jobs write to parts of `out` that don't overlap, may run in any order and at the same time, and give the same
    /// bits whatever `count` is. There are fewer than asked for where the mesh is small.
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

    /// [`PackedSkin::split`] for another surface than the mesh's own.
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
        scratch.prepare(&[pose], self);
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

/// A part of one call, to be run on any thread.
#[derive(Debug)]
pub struct KernelJob<'a> {
    work: KernelWork<'a>,
    spans: Range<usize>,
    buffers: OutputBuffers<'a>,
}

impl KernelJobs<'_> {
    /// How many spans the next job gets: as many as come nearest to an equal part of the remaining work, but one at
    /// least, and no more than leave one for every other job.
    fn next_count(&self) -> usize {
        let spans = &self.work.input.runs.spans[self.spans.clone()];
        let left = self.left.clamp(1, spans.len());
        if left == 1 {
            return spans.len();
        }
        let share = spans.iter().map(|s| s.cost).sum::<usize>() / left;
        let mut cost = 0;
        let before_share = spans.iter().take_while(|span| {
            cost += span.cost;
            2 * cost <= 2 * share + span.cost
        });
        before_share.count().clamp(1, spans.len() + 1 - left)
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

    /// How many vertices of the output this job writes.
    pub fn vertex_count(&self) -> usize {
        self.work.input.runs.spans[self.spans.clone()].iter().map(|s| s.output.len()).sum()
    }
}
