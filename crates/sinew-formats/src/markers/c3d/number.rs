//! The number formats of C3D files.

/// The machine whose numbers a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberFormat {
    /// Little-endian integers and IEEE floats.
    Intel,
    /// Little-endian integers and VAX F floats.
    Dec,
    /// Big-endian integers and IEEE floats.
    Mips,
}

impl NumberFormat {
    pub(super) fn of_byte(byte: u8) -> Option<Self> {
        match byte {
            84 => Some(Self::Intel),
            85 => Some(Self::Dec),
            86 => Some(Self::Mips),
            _ => None,
        }
    }

    /// The 16-bit number at byte `at`, if the file is long enough.
    pub(super) fn u16_at(self, bytes: &[u8], at: usize) -> Option<u16> {
        let two = *bytes.get(at..)?.first_chunk::<2>()?;
        Some(match self {
            Self::Intel | Self::Dec => u16::from_le_bytes(two),
            Self::Mips => u16::from_be_bytes(two),
        })
    }

    /// The float at byte `at`, if the file is long enough.
    pub(super) fn f32_at(self, bytes: &[u8], at: usize) -> Option<f32> {
        let four @ [a, b, c, d] = *bytes.get(at..)?.first_chunk::<4>()?;
        Some(match self {
            Self::Intel => f32::from_le_bytes(four),
            Self::Mips => f32::from_be_bytes(four),
            // The words are swapped, and the exponent is two larger. An exponent of 0 is the number 0.
            Self::Dec if b & 0x7F == 0 && a & 0x80 == 0 => 0.0,
            Self::Dec => f32::from_le_bytes([c, d, a, b]) / 4.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::approx_constant, reason = "the value of a published example")]
    fn one_number_in_every_format() {
        for (format, bytes) in [
            (NumberFormat::Intel, [0x00, 0x00, 0x80, 0x3F]),
            (NumberFormat::Mips, [0x3F, 0x80, 0x00, 0x00]),
            // VAX F: 1.0 is 0x4080 in the first word.
            (NumberFormat::Dec, [0x80, 0x40, 0x00, 0x00]),
        ] {
            assert_eq!(format.f32_at(&bytes, 0), Some(1.0), "{format:?}");
            assert_eq!(format.f32_at(&bytes, 1), None);
        }
        assert_eq!(NumberFormat::Dec.f32_at(&[0; 4], 0), Some(0.0));
        assert_eq!(NumberFormat::Dec.f32_at(&[0x49, 0xC1, 0xD0, 0x0F], 0), Some(-3.141_59));
        assert_eq!(NumberFormat::Mips.u16_at(&[1, 2], 0), Some(258));
        assert_eq!(NumberFormat::of_byte(0), None);
    }
}
