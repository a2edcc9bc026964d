//! Blend spaces: animations at points of a line or a plane, blended by the position of parameters between them.

mod space_2d;
mod triangulation;

pub use space_2d::BlendSpace2d;

use thiserror::Error;

/// Up to three points of a blend space with their weights, which sum to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlendWeights {
    points: [(u16, f32); 3],
    count: u8,
}

impl BlendWeights {
    /// Weight 1 for the point `place` alone.
    fn one(place: usize) -> Self {
        Self { points: [(place as u16, 1.0), (0, 0.0), (0, 0.0)], count: 1 }
    }

    /// Interpolates from `from` to `to`.
    fn two(from: usize, to: usize, fraction: f32) -> Self {
        Self::of([(from, 1.0 - fraction), (to, fraction), (0, 0.0)])
    }

    /// The points with a weight above zero.
    fn of(places: [(usize, f32); 3]) -> Self {
        let mut out = Self::default();
        for (place, weight) in places.into_iter().filter(|(_, weight)| *weight > 0.0) {
            out.points[usize::from(out.count)] = (place as u16, weight);
            out.count += 1;
        }
        out
    }

    /// Indices of the points and their weights, all above 0.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        self.points[..usize::from(self.count)].iter().map(|&(place, weight)| (usize::from(place), weight))
    }

    /// The weight of the point `place`, or 0.
    pub fn of_point(&self, place: usize) -> f32 {
        self.iter().find(|(p, _)| *p == place).map_or(0.0, |(_, weight)| weight)
    }
}

/// Why points do not form a blend space.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SpaceError {
    /// A blend space needs at least one point.
    #[error("a blend space needs at least one point")]
    Empty,
    /// There are too many points.
    #[error("a blend space has at most {} points, got {count}", MAX_POINTS)]
    TooMany {
        /// How many were given.
        count: usize,
    },
    /// A coordinate is not finite.
    #[error("point {point} is not finite")]
    NotFinite {
        /// Index of the point.
        point: usize,
    },
    /// Two points are equal.
    #[error("points {first} and {second} are equal")]
    Repeated {
        /// Index of the earlier point.
        first: usize,
        /// Index of the later point.
        second: usize,
    },
}

/// The largest number of points.
const MAX_POINTS: usize = 256;

/// A blend space over one parameter, for instance a speed.
#[doc(alias = "blend tree 1D")]
#[derive(Clone, Debug, PartialEq)]
pub struct BlendSpace1d {
    /// Coordinates in ascending order, with their indices.
    points: Vec<(f32, usize)>,
}

impl BlendSpace1d {
    /// A blend space of points in any order.
    ///
    /// # Errors
    /// If there is no point or too many, one is not finite, or two are equal.
    pub fn new(points: &[f32]) -> Result<Self, SpaceError> {
        check_count(points.len())?;
        if let Some(point) = points.iter().position(|p| !p.is_finite()) {
            return Err(SpaceError::NotFinite { point });
        }
        let mut sorted: Vec<(f32, usize)> = points.iter().copied().zip(0..).collect();
        // The sort is stable: of equal points the earlier comes first.
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            let (a, b) = (pair[0].1, pair[1].1);
            return Err(SpaceError::Repeated { first: a.min(b), second: a.max(b) });
        }
        Ok(Self { points: sorted })
    }

    /// The weights at `at`: of the two neighbors, or of the end point beyond the ends. NaN is 0.
    pub fn weights(&self, at: f32) -> BlendWeights {
        let at = if at.is_nan() { 0.0 } else { at };
        let above = self.points.partition_point(|(p, _)| *p <= at);
        let Some(&(low, from)) = above.checked_sub(1).and_then(|k| self.points.get(k)) else {
            return BlendWeights::one(self.points[0].1);
        };
        let Some(&(high, to)) = self.points.get(above) else { return BlendWeights::one(from) };
        BlendWeights::two(from, to, fraction(low, high, at))
    }
}

/// The position of `at` between `low` and `high`, in double precision since their distance may overflow.
fn fraction(low: f32, high: f32, at: f32) -> f32 {
    let [low, high, at] = [low, high, at].map(f64::from);
    ((at - low) / (high - low)) as f32
}

fn check_count(count: usize) -> Result<(), SpaceError> {
    match count {
        0 => Err(SpaceError::Empty),
        1..=MAX_POINTS => Ok(()),
        _ => Err(SpaceError::TooMany { count }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn got(line: &BlendSpace1d, at: f32) -> Vec<(usize, f32)> {
        line.weights(at).iter().collect()
    }

    #[test]
    fn a_line_blends_neighbors_and_clamps_at_its_ends() {
        let line = BlendSpace1d::new(&[4.0, 0.0, 2.0]).unwrap();
        assert_eq!(got(&line, -1.0), [(1, 1.0)]);
        assert_eq!(got(&line, 0.0), [(1, 1.0)]);
        assert_eq!(got(&line, 0.5), [(1, 0.75), (2, 0.25)]);
        assert_eq!(got(&line, 2.0), [(2, 1.0)]);
        assert_eq!(got(&line, 3.0), [(2, 0.5), (0, 0.5)]);
        assert_eq!(got(&line, f32::INFINITY), [(0, 1.0)]);
        assert_eq!(got(&line, f32::NAN), [(1, 1.0)]);
        assert_eq!(line.weights(0.5).of_point(2), 0.25);
        let wide = BlendSpace1d::new(&[f32::MIN, f32::MAX]).unwrap();
        assert_eq!(got(&wide, 0.0), [(0, 0.5), (1, 0.5)]);
    }

    #[test]
    fn invalid_points_on_a_line_are_rejected() {
        assert_eq!(BlendSpace1d::new(&[]), Err(SpaceError::Empty));
        assert_eq!(BlendSpace1d::new(&[0.0, f32::NAN]), Err(SpaceError::NotFinite { point: 1 }));
        assert_eq!(BlendSpace1d::new(&[3.0, 0.0, 3.0]), Err(SpaceError::Repeated { first: 0, second: 2 }));
        assert_eq!(BlendSpace1d::new(&[-0.0, 0.0]), Err(SpaceError::Repeated { first: 0, second: 1 }));
        assert_eq!(BlendSpace1d::new(&[0.0; 300]), Err(SpaceError::TooMany { count: 300 }));
    }
}
