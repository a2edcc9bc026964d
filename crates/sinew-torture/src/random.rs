//! Pseudo-random numbers that are the same in every run.

/// The SplitMix64 sequence of a seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of case `number` in the campaign of `seed`.
    #[must_use]
    pub fn of_case(seed: u64, number: u64) -> Self {
        // One step of the sequence apart from the seed itself, so that neighboring campaigns share no case.
        let mut mixed = Self(seed);
        let start = mixed.next();
        Self(start ^ number.wrapping_mul(0xD6E8_FEB8_6659_FD93))
    }

    /// The next number of the sequence.
    #[expect(clippy::should_implement_trait, reason = "the sequence never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; zero if the limit is.
    pub fn below(&mut self, limit: usize) -> usize {
        self.next().checked_rem(limit as u64).unwrap_or(0) as usize
    }

    /// True in one of `count` calls.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// One of `values`, unless there are none.
    pub fn pick<T: Copy>(&mut self, values: &[T]) -> Option<T> {
        values.get(self.below(values.len())).copied()
    }
}
