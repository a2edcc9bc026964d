//! How many bits each coefficient of a block has.
//!
//! A block is the discrete cosine transform of four frames of one number. Its four coefficients have the bit widths of a
//! profile, an entry of a static table, so that a byte per number and segment says everything about them.

use super::profile_table::WIDTHS;

/// The number of frames that one block holds, and so of its coefficients.
pub const BLOCK_FRAMES: usize = 4;
/// The number of profiles, and the index after the last.
pub const PROFILE_COUNT: usize = 256;
/// The profile that holds every block: 24 bits for each coefficient.
pub const WIDEST_PROFILE: u8 = 255;
/// The bits of a profile that one load of eight bytes holds, whatever bit it begins at.
pub const MAX_LOAD_BITS: u32 = 57;

/// What reading a block of a profile takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Profile {
    /// Where each coefficient begins, in bits from the start of the block.
    pub(crate) shifts: [u64; BLOCK_FRAMES],
    /// The bits of each coefficient.
    pub(crate) masks: [u64; BLOCK_FRAMES],
    /// What is added to a coefficient so that it is not negative.
    pub(crate) bias: [f32; BLOCK_FRAMES],
    /// The bits of all coefficients.
    pub(crate) bits: u32,
}

/// What reading a block takes, for every profile.
pub(crate) static PROFILES: [Profile; PROFILE_COUNT] = profiles();

const fn profiles() -> [Profile; PROFILE_COUNT] {
    let empty =
        Profile { shifts: [0; BLOCK_FRAMES], masks: [0; BLOCK_FRAMES], bias: [0.0; BLOCK_FRAMES], bits: 0 };
    let mut out = [empty; PROFILE_COUNT];
    let mut index = 0;
    while index < PROFILE_COUNT {
        let mut k = 0;
        while k < BLOCK_FRAMES {
            let width = WIDTHS[index][k] as u32;
            // The widest profile takes two loads of two coefficients each.
            out[index].shifts[k] = (out[index].bits % 64) as u64;
            if width > 0 {
                out[index].masks[k] = (1 << width) - 1;
                out[index].bias[k] = (1_u64 << (width - 1)) as f32;
            }
            out[index].bits += width;
            k += 1;
        }
        index += 1;
    }
    out
}

/// The bit widths of the coefficients of a profile.
#[must_use]
pub fn profile_widths(profile: u8) -> [u8; BLOCK_FRAMES] {
    WIDTHS[usize::from(profile)]
}

/// The bits that a block of one number takes with a profile.
#[must_use]
pub fn profile_bits(profile: u8) -> u32 {
    PROFILES[usize::from(profile)].bits
}

/// The step of a step byte, relative to the base of its track: eight for each halving, from 1 on.
#[must_use]
pub fn relative_step(step: u8) -> f32 {
    // 2^(−i/8), rounded to the nearest float.
    const EIGHTHS: [f32; 8] =
        [1.0, 0.917_004_05, 0.840_896_4, 0.771_105_4, 0.707_106_77, 0.648_419_8, 0.594_603_54, 0.545_253_9];
    let halvings = u32::from(step / 8);
    EIGHTHS[usize::from(step % 8)] * f32::from_bits((127 - halvings) << 23)
}

/// What each coefficient of a block counts for in each of its frames: the rows of the inverse transform.
pub const FRAME_FROM_COEFFICIENTS: [[f32; BLOCK_FRAMES]; BLOCK_FRAMES] = [
    [0.5, 0.653_281_5, 0.5, 0.270_598_06],
    [0.5, 0.270_598_06, -0.5, -0.653_281_5],
    [0.5, -0.270_598_06, -0.5, 0.653_281_5],
    [0.5, -0.653_281_5, 0.5, -0.270_598_06],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transform_is_orthonormal() {
        for (a, row) in FRAME_FROM_COEFFICIENTS.iter().enumerate() {
            for (b, other) in FRAME_FROM_COEFFICIENTS.iter().enumerate() {
                let dot: f32 = row.iter().zip(other).map(|(x, y)| x * y).sum();
                let want = if a == b { 1.0 } else { 0.0 };
                assert!((dot - want).abs() < 1e-6, "{a} {b}: {dot}");
            }
        }
    }

    #[test]
    fn steps_halve_every_eight() {
        assert_eq!((relative_step(0), relative_step(8), relative_step(24)), (1.0, 0.5, 0.125));
        for step in 1..=255 {
            let ratio = f64::from(relative_step(step - 1)) / f64::from(relative_step(step));
            assert!((ratio - 2.0_f64.powf(0.125)).abs() < 1e-6, "{step}: {ratio}");
        }
    }

    #[test]
    fn profiles_fit_one_load_except_the_widest() {
        for (index, profile) in PROFILES.iter().enumerate() {
            let is_widest = index == usize::from(WIDEST_PROFILE);
            assert_eq!(profile.bits > MAX_LOAD_BITS, is_widest, "profile {index} has {} bits", profile.bits);
        }
        assert_eq!(profile_widths(WIDEST_PROFILE), [24; BLOCK_FRAMES]);
        assert_eq!(profile_widths(0), [0; BLOCK_FRAMES]);
    }
}
