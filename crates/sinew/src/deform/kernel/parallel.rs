//! The same work over a pool of threads.

use super::{Job, Output, Pose, PoseScratch};
use crate::{
    deform::{DeformError, blocks::PackedSkin},
    simd::Level,
};
use rayon::prelude::*;

impl PackedSkin {
    /// [`PackedSkin::deform`] on the threads of rayon's current pool, with the same result to the bit.
    ///
    /// # Errors
    /// As [`PackedSkin::deform`].
    pub fn deform_parallel(
        &self,
        level: Level,
        pose: Pose<'_>,
        scratch: &mut PoseScratch,
        out: Output<'_>,
    ) -> Result<(), DeformError> {
        let jobs = self.split(rayon::current_num_threads(), pose, scratch, out)?;
        jobs.par_bridge().for_each(|job: Job<'_>| job.run(level));
        Ok(())
    }
}
