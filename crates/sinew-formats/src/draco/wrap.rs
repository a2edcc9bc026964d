//! Corrections of numbers that wrap around in their range.

use super::DracoError;
use super::bytes::Bytes;

/// The range of an attribute's integers, both ends included.
#[derive(Debug)]
pub(super) struct WrapTransform {
    min: i32,
    max: i32,
}

impl WrapTransform {
    pub(super) fn read(bytes: &mut Bytes<'_>) -> Result<Self, DracoError> {
        let (min, max) = (bytes.i32()?, bytes.i32()?);
        let size = i64::from(max) - i64::from(min);
        if !(0..i64::from(i32::MAX)).contains(&size) {
            return Err(DracoError::Malformed {
                what: "the range of an attribute is empty or too wide",
                index: size.unsigned_abs() as usize,
            });
        }
        Ok(Self { min, max })
    }

    /// Turns the corrections in `values` into values near `predicted`.
    pub(super) fn apply(&self, predicted: &[i32], values: &mut [i32]) {
        // Wrapping arithmetic: only corrections that no encoder writes leave 32 bits.
        let size = self.max.wrapping_sub(self.min).wrapping_add(1);
        for (value, &predicted) in values.iter_mut().zip(predicted) {
            let sum = predicted.clamp(self.min, self.max).wrapping_add(*value);
            *value = if sum > self.max {
                sum.wrapping_sub(size)
            } else if sum < self.min {
                sum.wrapping_add(size)
            } else {
                sum
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_sums_that_leave_the_range() {
        let wrap = WrapTransform { min: -2, max: 7 };
        let mut values = [3, 5, -5, 0];
        wrap.apply(&[1, 6, 0, 100], &mut values);
        assert_eq!(values, [4, 1, 5, 7]);
    }
}
