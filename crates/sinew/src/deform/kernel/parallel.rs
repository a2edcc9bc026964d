//! Deformation on a rayon thread pool.

use super::{KernelOutput, PoseScratch, SkinningPalette};
use crate::{
    deform::{DeformError, blocks::PackedSkin},
    simd::Level,
};

impl PackedSkin {
    /// [`PackedSkin::deform`] on rayon's current thread pool. The result is bit-identical.
    ///
    /// # Errors
    /// As [`PackedSkin::deform`].
    pub fn deform_parallel(
        &self,
        level: Level,
        pose: SkinningPalette<'_>,
        scratch: &mut PoseScratch,
        mut out: KernelOutput<'_>,
    ) -> Result<(), DeformError> {
        // More jobs than threads balance the load when other processes take CPU time.
        let mut jobs = self.split(4 * rayon::current_num_threads(), pose, scratch, out.reborrow())?;
        rayon::scope(|scope| jobs.by_ref().for_each(|job| scope.spawn(move |_| job.run(level))));
        self.surface.join_seams(&mut out);
        Ok(())
    }
}
