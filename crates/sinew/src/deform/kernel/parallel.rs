//! The same work over a pool of threads.

use super::{KernelOutput, PoseScratch, SkinningPalette};
use crate::{
    deform::{DeformError, blocks::PackedSkin},
    simd::Level,
};

impl PackedSkin {
    /// [`PackedSkin::deform`] on the threads of rayon's current pool, with the same result to the bit.
    ///
    /// # Errors
    /// As [`PackedSkin::deform`].
    pub fn deform_parallel(
        &self,
        level: Level,
        pose: SkinningPalette<'_>,
        scratch: &mut PoseScratch,
        out: KernelOutput<'_>,
    ) -> Result<(), DeformError> {
        // More jobs than threads even out what else runs on the machine.
        let mut jobs = self.split(4 * rayon::current_num_threads(), pose, scratch, out)?;
        rayon::scope(|scope| jobs.by_ref().for_each(|job| scope.spawn(move |_| job.run(level))));
        Ok(())
    }
}
