//! The faults of real captures: noise, drop-outs and swapped labels.

use sinew::{MarkerCapture, MarkerError, glam::Vec3};

/// What happens to the markers of a capture, the same for the same seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkerFaults {
    /// Another seed gives other faults of the same kind.
    pub seed: u64,
    /// The standard deviation of each coordinate, in meters.
    pub noise_meters: f32,
    /// The fraction of samples that are missing, in runs of 5 to 30 frames.
    pub missing: f32,
    /// The fraction of frames in which two markers have each other's label.
    pub swapped: f32,
}

/// The mean number of frames of a run of missing samples.
const MEAN_RUN: f32 = 17.5;

impl MarkerFaults {
    /// `capture` with these faults.
    ///
    /// # Errors
    /// If the noise is not finite.
    pub fn apply(&self, capture: &MarkerCapture) -> Result<MarkerCapture, MarkerError> {
        let mut random = SeededRandom(self.seed);
        let (count, frames) = (capture.labels().len(), capture.frame_count());
        let mut positions: Vec<Option<Vec3>> = Vec::with_capacity(count * frames);
        for row in capture.frames() {
            let first = positions.len();
            let mut noisy = |p: Vec3| p + random.gauss() * self.noise_meters;
            positions.extend(row.iter().map(|position| position.map(&mut noisy)));
            if random.unit() < self.swapped {
                positions.swap(first + random.below(count), first + random.below(count));
            }
        }
        let runs = (self.missing * positions.len() as f32 / MEAN_RUN).round() as usize;
        for _ in 0..runs {
            let (marker, start, length) = (random.below(count), random.below(frames), 5 + random.below(26));
            for frame in start..(start + length).min(frames) {
                positions[frame * count + marker] = None;
            }
        }
        MarkerCapture::new(capture.labels().to_vec(), capture.rate_hz(), positions)
    }
}

/// The SplitMix64 sequence of a seed.
struct SeededRandom(u64);

impl SeededRandom {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 if the limit is.
    fn below(&mut self, limit: usize) -> usize {
        (self.next() % (limit.max(1) as u64)) as usize
    }

    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// Three normal deviates, by Box and Muller.
    fn gauss(&mut self) -> Vec3 {
        let mut one =
            || (-2.0 * (1.0 - self.unit()).ln()).sqrt() * (std::f32::consts::TAU * self.unit()).cos();
        Vec3::new(one(), one(), one())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_have_the_stated_size_and_repeat_with_their_seed() {
        let labels = (0..20).map(|k| k.to_string()).collect();
        let still = MarkerCapture::new(labels, 100.0, vec![Some(Vec3::ONE); 20 * 500]).unwrap();
        let faults = MarkerFaults { seed: 3, noise_meters: 0.002, missing: 0.05, swapped: 0.0 };
        let faulty = faults.apply(&still).unwrap();
        assert_eq!(faulty, faults.apply(&still).unwrap());
        assert_ne!(faulty, MarkerFaults { seed: 4, ..faults }.apply(&still).unwrap());
        let seen: Vec<Vec3> = faulty.frames().flatten().flatten().map(|p| *p - Vec3::ONE).collect();
        let missing = 1.0 - seen.len() as f32 / 10_000.0;
        assert!((0.04..0.06).contains(&missing), "{missing}");
        let deviation =
            (seen.iter().map(|p| p.length_squared()).sum::<f32>() / seen.len() as f32 / 3.0).sqrt();
        assert!((deviation - 0.002).abs() < 1e-4, "{deviation}");
    }
}
