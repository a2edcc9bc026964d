//! How many bits each coefficient of a block has.
//!
//! A block is the transform of eight frames of one number. Its eight coefficients have the bit widths of a profile, an entry
//! of a static table, so that a byte per number and segment says everything about them.

use super::profile_table::WIDTHS;

/// The number of frames that one block holds, and so of its coefficients.
pub const BLOCK_FRAMES: usize = 8;
/// The number of profiles, and the index after the last.
pub const PROFILE_COUNT: usize = 256;
/// The profile that holds every block: 24 bits for each coefficient.
pub const WIDEST_PROFILE: u8 = 255;
/// The bits of a profile that one load of sixteen bytes holds, whatever bit it begins at.
pub const MAX_LOAD_BITS: u32 = 121;
/// The bits of a coefficient that a lane of 32 bits holds, whatever bit it begins at.
pub const MAX_LANE_BITS: u8 = 18;

/// How the coefficients of a block are taken out of sixteen bytes, one in each lane of 32 bits.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct ProfileLanes {
    /// The four bytes that hold each coefficient.
    pub(crate) bytes: [u8; 4 * BLOCK_FRAMES],
    /// The factors that shift each coefficient to the top of its lane.
    pub(crate) factors: [u32; BLOCK_FRAMES],
    /// The bits of each coefficient at the top of its lane.
    pub(crate) masks: [u32; BLOCK_FRAMES],
    /// What makes whole numbers of lanes that are read as signed integers: powers of two.
    pub(crate) units: [f32; BLOCK_FRAMES],
}

/// The lanes of every profile; those of a [wide](is_wide) one are not used.
pub(crate) static PROFILE_LANES: [ProfileLanes; PROFILE_COUNT] = all_lanes();
/// The bits of a block of every profile.
pub(crate) static PROFILE_BITS: [u8; PROFILE_COUNT] = all_bits();

const fn all_bits() -> [u8; PROFILE_COUNT] {
    let mut out = [0; PROFILE_COUNT];
    let mut index = 0;
    while index < PROFILE_COUNT {
        let mut k = 0;
        while k < BLOCK_FRAMES {
            out[index] += WIDTHS[index][k];
            k += 1;
        }
        index += 1;
    }
    out
}

const fn all_lanes() -> [ProfileLanes; PROFILE_COUNT] {
    let empty = ProfileLanes {
        bytes: [0; 4 * BLOCK_FRAMES],
        factors: [0; BLOCK_FRAMES],
        masks: [0; BLOCK_FRAMES],
        units: [0.0; BLOCK_FRAMES],
    };
    let mut out = [empty; PROFILE_COUNT];
    let mut index = 0;
    while index < PROFILE_COUNT {
        let (mut k, mut shift) = (0, 0);
        while k < BLOCK_FRAMES {
            let width = WIDTHS[index][k] as u32;
            let mut byte = 0;
            while byte < 4 {
                // Beyond the sixteen bytes there are no bits of this coefficient.
                let at = shift / 8 + byte;
                out[index].bytes[(4 * k as u32 + byte) as usize] = if at < 16 { at as u8 } else { 15 };
                byte += 1;
            }
            let above = 32 - width;
            if width > 0 && above >= shift % 8 {
                out[index].factors[k] = 1 << (above - shift % 8);
                out[index].masks[k] = u32::MAX << above;
                out[index].units[k] = f32::from_bits((127 - above) << 23);
            }
            shift += width;
            k += 1;
        }
        index += 1;
    }
    out
}

/// True if a block of a profile does not fit the lanes, so that its coefficients are read one after the other.
pub(crate) fn is_wide(profile: u8) -> bool {
    let too_wide = WIDTHS[usize::from(profile)].iter().any(|width| *width > MAX_LANE_BITS);
    too_wide || profile_bits(profile) > MAX_LOAD_BITS
}

/// The bit widths of the coefficients of a profile.
#[must_use]
pub fn profile_widths(profile: u8) -> [u8; BLOCK_FRAMES] {
    WIDTHS[usize::from(profile)]
}

/// The bits that a block of one number takes with a profile.
#[must_use]
pub fn profile_bits(profile: u8) -> u32 {
    u32::from(PROFILE_BITS[usize::from(profile)])
}

/// The step of a step byte, relative to the base of its track: eight for each halving, evenly spaced, from 1 on.
#[must_use]
#[inline]
pub fn relative_step(step: u8) -> f32 {
    f32::from_bits(1.0_f32.to_bits() - (u32::from(step) << 20))
}

/// What each coefficient of a block counts for in each of its frames: the rows of the inverse transform.
///
/// The columns are the orthonormal polynomials on eight points (Gram 1883), from constant to the seventh degree. Motion
/// between few frames is close to a polynomial, which leaves nothing to the higher coefficients; cosines do not.
pub const FRAME_FROM_COEFFICIENTS: [[f32; BLOCK_FRAMES]; BLOCK_FRAMES] = polynomials();

const fn polynomials() -> [[f32; BLOCK_FRAMES]; BLOCK_FRAMES] {
    // The polynomials in whole numbers on the first four points; the other four mirror them, odd degrees with their sign.
    const WHOLE: [[i32; 4]; BLOCK_FRAMES] = [
        [1, 1, 1, 1],
        [-7, -5, -3, -1],
        [7, 1, -3, -5],
        [-7, 5, 7, 3],
        [7, -13, -3, 9],
        [-7, 23, -17, -15],
        [1, -5, 9, -5],
        [-1, 7, -21, 35],
    ];
    // One over the length of each.
    const SCALES: [f64; BLOCK_FRAMES] = [
        0.353_553_390_593_273_8,
        0.077_151_674_981_045_97,
        0.077_151_674_981_045_97,
        0.061_545_745_489_666_37,
        0.040_291_148_201_269_014,
        0.021_398_024_625_545_65,
        0.061_545_745_489_666_37,
        0.017_069_718_549_972_97,
    ];
    let mut out = [[0.0; BLOCK_FRAMES]; BLOCK_FRAMES];
    let mut k = 0;
    while k < BLOCK_FRAMES {
        let mut frame = 0;
        while frame < 4 {
            let value = (WHOLE[k][frame] as f64 * SCALES[k]) as f32;
            out[frame][k] = value;
            out[7 - frame][k] = if k % 2 == 0 { value } else { -value };
            frame += 1;
        }
        k += 1;
    }
    out
}

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
    fn a_cubic_motion_needs_four_coefficients() {
        let frames = std::array::from_fn::<f64, BLOCK_FRAMES, _>(|f| (f as f64 - 2.3).powi(3));
        let rows = FRAME_FROM_COEFFICIENTS;
        let coefficient =
            |k: usize| (0..BLOCK_FRAMES).map(|f| frames[f] * f64::from(rows[f][k])).sum::<f64>();
        assert!(coefficient(3).abs() > 1.0 && (4..8).all(|k| coefficient(k).abs() < 1e-4));
    }

    #[test]
    fn steps_halve_every_eight() {
        assert_eq!((relative_step(0), relative_step(8), relative_step(24)), (1.0, 0.5, 0.125));
        for step in 1..=255 {
            let ratio = relative_step(step - 1) / relative_step(step);
            assert!((1.06..1.13).contains(&ratio), "{step}: {ratio}");
        }
    }

    #[test]
    fn only_the_widest_profiles_leave_the_lanes() {
        let wide: Vec<usize> = (0..PROFILE_COUNT).filter(|index| is_wide(*index as u8)).collect();
        assert!(wide.len() < 16, "{wide:?}");
        assert!(is_wide(WIDEST_PROFILE));
        assert_eq!(profile_widths(WIDEST_PROFILE), [24; BLOCK_FRAMES]);
        assert_eq!(profile_widths(0), [0; BLOCK_FRAMES]);
        assert!((0..PROFILE_COUNT).all(|p| (0..8).map(|k| u32::from(WIDTHS[p][k])).sum::<u32>() < 256));
    }
}
