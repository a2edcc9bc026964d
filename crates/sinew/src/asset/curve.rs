//! Curves: keys over time.

use thiserror::Error;

/// Interpolation between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Interpolation {
    /// The value of the earlier key holds until the next.
    Step,
    /// Linear; rotations follow the shortest arc.
    #[default]
    Linear,
    /// A cubic Hermite spline. Each key is an in-tangent, a value and an out-tangent; tangents are per second.
    Cubic,
}

impl Interpolation {
    /// How many stored elements make one key.
    pub const fn elements_per_key(self) -> usize {
        match self {
            Self::Step | Self::Linear => 1,
            Self::Cubic => 3,
        }
    }
}

/// Keys at ascending times; at least one key.
///
/// Each key has `width` values: one for a joint channel, one per morph target for morph weights. A cubic key stores
/// `width` in-tangents, then `width` values, then `width` out-tangents, as glTF does.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::serde_form::CurveForm<T>")
)]
pub struct Curve<T> {
    times_secs: Vec<f32>,
    values: Vec<T>,
    width: usize,
    interpolation: Interpolation,
}

/// Why keys do not form a curve.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CurveError {
    /// A curve needs at least one key.
    #[error("a curve needs at least one key")]
    Empty,
    /// The values do not fit the times.
    #[error("{keys} {interpolation:?} keys of {width} values need {} values, got {values}",
            keys.saturating_mul(*width).saturating_mul(interpolation.elements_per_key()))]
    WrongCount {
        /// Number of times that were given.
        keys: usize,
        /// Number of values per key.
        width: usize,
        /// Number of values that were given.
        values: usize,
        /// Interpolation of the curve.
        interpolation: Interpolation,
    },
    /// A time is not finite, or smaller than the one before.
    #[error("key {key} must be finite and not before the key at {previous} s, got {time} s")]
    BadTime {
        /// Index of the key in the curve.
        key: usize,
        /// Its time in seconds.
        time: f32,
        /// Time of the previous key, in seconds.
        previous: f32,
    },
}

impl<T> Curve<T> {
    /// A curve with one value per key.
    ///
    /// # Errors
    /// If there is no key, the number of values does not fit, or times descend or are not finite.
    pub fn new(
        times_secs: Vec<f32>,
        values: Vec<T>,
        interpolation: Interpolation,
    ) -> Result<Self, CurveError> {
        Self::with_width(1, times_secs, values, interpolation)
    }

    /// A curve with `width` values per key.
    ///
    /// # Errors
    /// As [`Curve::new`].
    pub fn with_width(
        width: usize,
        times_secs: Vec<f32>,
        values: Vec<T>,
        interpolation: Interpolation,
    ) -> Result<Self, CurveError> {
        let keys = times_secs.len();
        if keys == 0 || width == 0 {
            return Err(CurveError::Empty);
        }
        let needed = keys.checked_mul(width).and_then(|n| n.checked_mul(interpolation.elements_per_key()));
        if needed != Some(values.len()) {
            return Err(CurveError::WrongCount { keys, width, values: values.len(), interpolation });
        }
        let mut previous = f32::NEG_INFINITY;
        for (key, &time) in times_secs.iter().enumerate() {
            if !time.is_finite() || time < previous {
                return Err(CurveError::BadTime { key, time, previous });
            }
            previous = time;
        }
        Ok(Self { times_secs, values, width, interpolation })
    }

    /// Times of the keys in seconds, ascending.
    pub fn times_secs(&self) -> &[f32] {
        &self.times_secs
    }

    /// The stored elements, tangents included.
    pub fn elements(&self) -> &[T] {
        &self.values
    }

    /// Number of values per key.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Interpolation between the keys of the curve.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Number of keys of the curve.
    pub fn key_count(&self) -> usize {
        self.times_secs.len()
    }

    /// The time of the last key.
    pub fn end_secs(&self) -> f32 {
        self.times_secs[self.times_secs.len() - 1]
    }

    /// The `width` values at `key`.
    pub fn key(&self, key: usize) -> &[T] {
        let middle = usize::from(self.interpolation == Interpolation::Cubic);
        self.part(key, middle)
    }

    /// The same curve with a key at `time_secs`: `key` holds all its elements, for a cubic curve in-tangents, values and
    /// out-tangents. A key at the same time is replaced; of several at that time, the last.
    ///
    /// # Errors
    /// If `key` does not have the number of elements of a key of this curve, or the time is not finite.
    pub fn with_key(&self, time_secs: f32, key: &[T]) -> Result<Self, CurveError>
    where
        T: Clone,
    {
        let size = self.width * self.interpolation.elements_per_key();
        let passed = self.times_secs.partition_point(|t| *t <= time_secs);
        let (mut times, mut values) = (self.times_secs.clone(), self.values.clone());
        if passed > 0 && times[passed - 1] == time_secs {
            values.splice((passed - 1) * size..passed * size, key.iter().cloned());
        } else {
            times.insert(passed, time_secs);
            values.splice(passed * size..passed * size, key.iter().cloned());
        }
        Self::with_width(self.width, times, values, self.interpolation)
    }

    /// The in-tangents (0), values (1) or out-tangents (2) of a cubic key.
    pub(crate) fn part(&self, key: usize, part: usize) -> &[T] {
        let start = (key * self.interpolation.elements_per_key() + part) * self.width;
        &self.values[start..start + self.width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_must_fit_the_interpolation() {
        assert!(Curve::new(vec![0.0, 1.0], vec![0.0, 1.0], Interpolation::Linear).is_ok());
        assert!(Curve::new(vec![0.0, 1.0], vec![0.0; 6], Interpolation::Cubic).is_ok());
        assert!(Curve::with_width(3, vec![0.0, 1.0], vec![0.0; 6], Interpolation::Step).is_ok());
        let error = Curve::new(vec![0.0, 1.0], vec![0.0; 2], Interpolation::Cubic).unwrap_err();
        assert_eq!(error.to_string(), "2 Cubic keys of 1 values need 6 values, got 2");
        assert_eq!(Curve::<f32>::new(vec![], vec![], Interpolation::Step), Err(CurveError::Empty));
    }

    #[test]
    fn times_may_repeat_but_not_fall_or_be_nan() {
        let curve = |times: &[f32]| Curve::new(times.to_vec(), vec![0.0; times.len()], Interpolation::Linear);
        assert!(curve(&[0.0, 1.0, 1.0]).is_ok());
        assert!(matches!(curve(&[0.0, 1.0, 0.5]), Err(CurveError::BadTime { key: 2, .. })));
        assert!(matches!(curve(&[0.0, f32::NAN]), Err(CurveError::BadTime { key: 1, .. })));
    }

    #[test]
    fn a_new_key_goes_between_its_neighbors_and_replaces_the_one_at_its_time() {
        let curve = Curve::new(vec![0.0, 1.0, 1.0, 2.0], vec![0, 1, 2, 3], Interpolation::Step).unwrap();
        let with = |time| {
            let edited = curve.with_key(time, &[9]).unwrap();
            (edited.times_secs().to_vec(), edited.elements().to_vec())
        };
        assert_eq!(with(0.5), (vec![0.0, 0.5, 1.0, 1.0, 2.0], vec![0, 9, 1, 2, 3]));
        assert_eq!(with(-1.0), (vec![-1.0, 0.0, 1.0, 1.0, 2.0], vec![9, 0, 1, 2, 3]));
        assert_eq!(with(3.0), (vec![0.0, 1.0, 1.0, 2.0, 3.0], vec![0, 1, 2, 3, 9]));
        // Of a jump's two keys the later is what the curve shows at that time.
        assert_eq!(with(1.0), (vec![0.0, 1.0, 1.0, 2.0], vec![0, 1, 9, 3]));
        assert!(matches!(curve.with_key(f32::NAN, &[9]), Err(CurveError::BadTime { .. })));
        assert!(matches!(curve.with_key(0.5, &[9, 9]), Err(CurveError::WrongCount { .. })));
        let cubic = Curve::with_width(2, vec![0.0], vec![0; 6], Interpolation::Cubic).unwrap();
        assert_eq!(cubic.with_key(1.0, &[1, 2, 3, 4, 5, 6]).unwrap().key(1), [3, 4]);
    }
}
